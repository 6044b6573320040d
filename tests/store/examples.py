"""A small exam, a run of it, and a look behind the store's back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, NullPool, create_engine

from exambench.exchange import Attempt, Response, Usage
from exambench.items import EXPLICIT, Benchmark, ChoiceKey, Content, Item, Wording, digest
from exambench.store import PlanRow, RunRecord, Store

RESPONSE = Response(
    text="높이가 오르면 기온이 내려간다. {'정답': 2}",
    reasoning="대류권이므로",
    finish_reason="stop",
    usage=Usage(input_tokens=30, output_tokens=20, cached_tokens=10, reasoning_tokens=5),
    seconds=0.5,
    attempts=(
        Attempt("2026-01-02T03:04:05.000006Z", 0.25, error="HTTP 503", status=503),
        Attempt("2026-01-02T03:04:06.000007Z", 0.5, status=200),
    ),
    served_model="model-2026",
    adjustments=("dropped:seed",),
)


def exam(n: int = 3, *, name: str = "exam", part: int = 1) -> Benchmark:
    """Return a benchmark of ``n`` items, all of one part."""
    return Benchmark(
        name=name,
        title="시험",
        items=tuple(
            Item(
                id=f"문항 {number}",
                wordings={EXPLICIT: Wording(Content(f"질문 {number}"), (Content("예"), Content("아니요")))},
                key=ChoiceKey(1),
                facets={"part": part, "korean": True},
            )
            for number in range(n)
        ),
        axes=(),
    )


def run_of(benchmark: Benchmark, model: str = "model") -> RunRecord:
    """Return a run of a benchmark by a model of this name."""
    return RunRecord(
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model,
        identity=f"{model}@http://localhost",
        decoding={"temperature": 0.0},
        model={"name": model},
        protocol_name="advanced",
        protocol_hash="p" * 64,
        protocol={"system": "답하시오"},
        condition={"images": True},
    )


def keys_of(n: int) -> list[str]:
    """Return ``n`` request keys."""
    return [digest(number) for number in range(n)]


def planned_run(store: Store, n: int = 3, *, model: str = "model") -> str:
    """Register an exam of ``n`` items and a run whose item ``i`` leads to the ``i``-th key; return the run's id."""
    benchmark = exam(n)
    run = run_of(benchmark, model)
    store.register_dataset(benchmark)
    store.register_run(run)
    store.plan(run.run_id, plan_of(benchmark, keys_of(n)), {key: {"messages": []} for key in keys_of(n)})
    return run.run_id


def plan_of(benchmark: Benchmark, keys: Sequence[str | None], *, trial: int = 0) -> list[PlanRow]:
    """Return the rows in which each item leads to the key of its position."""
    return [
        PlanRow(item.id, item.content_hash, trial, key, "" if key else "takes no pictures")
        for item, key in zip(benchmark.items, keys, strict=True)
    ]


def record(store: Store, run_id: str, answers: dict[str, Response]) -> None:
    """Record responses by key in a session of its own."""

    async def session() -> None:
        async with store.ledger(run_id) as ledger:
            await asyncio.gather(*(ledger.record(key, response) for key, response in answers.items()))

    asyncio.run(session())


@contextmanager
def behind(location: str) -> Iterator[Connection]:
    """Give a plain connection to the database of a store, which commits at the end."""
    url = location.replace("postgresql://", "postgresql+psycopg://") if "://" in location else f"sqlite:///{location}"
    with create_engine(url, poolclass=NullPool).begin() as connection:
        yield connection
