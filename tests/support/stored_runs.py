"""Runs in a real store, made by hand: what each model wrote on each item in each trial."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from exambench.evaluation.reading import read_all
from exambench.exchange import Attempt, Failure, Response, Usage
from exambench.items import EXPLICIT, Axis, Benchmark, ChoiceKey, Content, Image, Item, Wording, digest
from exambench.store import PlanRow, RunRecord, Store

WAITING = "waiting"
FAILED = "failed"
UNSUPPORTED = "unsupported"
Written = str | Response
"""A text that a model wrote, a response, or one of the three words above."""


def item(number: int, *, question: str = "", image: Image | None = None, item_id: str = "") -> Item:
    """Return an item with four choices, whose key is its number modulo four, plus one."""
    return Item(
        id=item_id or f"문항 {number}",
        wordings={
            EXPLICIT: Wording(
                Content(question or f"{number}번 관측소의 기압은?", () if image is None else (image,)),
                tuple(Content(f"{1000 + step} hPa") for step in range(4)),
            )
        },
        key=ChoiceKey(number % 4 + 1),
        facets={"part": number % 2 + 1, "korean": number % 3 == 0},
        rationale=f"{number}번 해설",
    )


def exam(*items: Item, title: str = "작은 시험") -> Benchmark:
    """Return a benchmark with an axis of all items and two of some."""
    axes = (
        Axis("accuracy", {"en": "Accuracy", "ko": "정확도"}),
        Axis("korean", {"en": "Korean", "ko": "한국"}, {"korean": (True,)}),
        Axis("part1", {"en": "Part 1", "ko": "1부"}, {"part": (1,)}),
    )
    return Benchmark(name="small", title=title, items=items, axes=axes)


def answer(choice: int) -> str:
    """Return what a model writes that keeps to the form."""
    return json.dumps({"정답": choice}, ensure_ascii=False)


def record_of(benchmark: Benchmark, model: str, **changes: Any) -> RunRecord:
    """Return a run of a benchmark by a model of this name."""
    values: dict[str, Any] = {
        "benchmark": benchmark.name,
        "dataset_hash": benchmark.content_hash,
        "model_name": model,
        "identity": f"{model[:50]}@http://localhost",
        "decoding": {"temperature": 0.0},
        "model": {"name": model[:200], "endpoint": {"kind": "baseline", "strategy": "random"}},
        "protocol_name": "advanced",
        "protocol_hash": "p" * 64,
        "protocol": {"strict": "dict-strict", "lenient": "dict-lenient"},
        "condition": {"wording": EXPLICIT},
    }
    return RunRecord(**(values | changes))


def response(text: str | None, *, seconds: float = 0.5, tokens: int = 7, reasoning: str | None = None) -> Response:
    """Return a response that came at the second attempt."""
    return Response(
        text=text,
        reasoning=reasoning,
        finish_reason="stop",
        usage=Usage(input_tokens=11, output_tokens=tokens),
        seconds=seconds,
        attempts=(
            Attempt("2026-01-02T03:04:05.000006Z", 0.25, error="HTTP 503: not now", status=503),
            Attempt("2026-01-02T03:04:06.000007Z", seconds, status=200),
        ),
        served_model="served-1",
    )


def add_run(
    store: Store,
    benchmark: Benchmark,
    model: str,
    written: Mapping[str, Sequence[Written]],
    *,
    read: bool = True,
    **changes: Any,
) -> RunRecord:
    """Put a run into a store.

    Args:
        store: Where to.
        benchmark: What was asked.
        model: Name of the model.
        written: For each item what the model wrote, one for each trial.
        read: Whether the responses are read, and the outcomes stored.
        changes: Fields of the run that are as they are given.
    """
    record = record_of(benchmark, model, **changes)
    store.register_dataset(benchmark)
    store.register_run(record)
    rows: list[PlanRow] = []
    bodies: dict[str, Mapping[str, object]] = {}
    said: dict[str, Response] = {}
    mishaps: list[str] = []
    for item_id, texts in written.items():
        asked = benchmark.by_id[item_id]
        for trial, text in enumerate(texts):
            key = None if text == UNSUPPORTED else digest([record.run_id, item_id, trial])
            rows.append(PlanRow(item_id, asked.content_hash, trial, key, "" if key else "the model takes text only"))
            if key is None:
                continue
            bodies[key] = {"messages": messages(asked), "parameters": {"temperature": 0.0, "seed": 42 + trial}}
            if text == FAILED:
                mishaps.append(key)
            elif text != WAITING:
                said[key] = text if isinstance(text, Response) else response(text, seconds=0.5 + len(said))
    store.plan(record.run_id, rows, bodies)
    with ThreadPoolExecutor(1) as apart:  # a test with a browser has a loop of its own
        apart.submit(lambda: asyncio.run(_record(store, record.run_id, said, mishaps))).result()
    if read:
        read_all(store, record)
    return record


def messages(asked: Item) -> list[dict[str, object]]:
    """Return the chat that asks an item, as the store keeps it."""
    question = asked.wording().question
    pictures = [{"image": image.path, "sha256": image.sha256} for image in question.images]
    return [
        {"role": "system", "parts": [{"text": "기상 전문가로서 답하시오."}]},
        {"role": "user", "parts": [{"text": question.text}, *pictures]},
    ]


async def _record(store: Store, run_id: str, said: Mapping[str, Response], mishaps: Sequence[str]) -> None:
    async with store.ledger(run_id) as ledger:
        await asyncio.gather(*(ledger.record(key, each) for key, each in said.items()))
        for key in mishaps:
            await ledger.record_failure(
                key, Failure("HTTP 500: broken", (Attempt("2026-01-02T03:04:05.000006Z", 1.0),))
            )
