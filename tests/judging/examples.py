"""A small exam with rationales, a run of it, and a judge that says what its script says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence

from exambench.benchmarks import find_definition
from exambench.engine.loop import LoopResult
from exambench.evaluation.planning import plan_run
from exambench.evaluation.reading import read_all
from exambench.evaluation.running import register as register_run
from exambench.exchange import Response
from exambench.items import EXPLICIT, Axis, Benchmark, ChoiceKey, Content, Image, Item, Key, Wording
from exambench.judging.instrument import Instrument
from exambench.judging.planning import JudgePlan, plan_judging
from exambench.judging.rationales import RationaleJudge
from exambench.judging.rubric import Rubric, read_rubric
from exambench.judging.running import NOTHING_DONE, register, run_judging
from exambench.models import ModelConfig
from exambench.protocols import Condition, Protocol
from exambench.store import RunRecord, Store

AXES = ("정확성", "논리적_완결성", "추론의_깊이", "표현의_명확성")


def shipped_rubric() -> Rubric:
    """Return the rubric of K-MetBench."""
    return read_rubric(find_definition("kmetbench").folder / "rubric.toml")


def exam(size: int = 4, *, picture: Image | None = None, key: Key | None = None) -> Benchmark:
    """Return an exam whose item ``n`` has the key ``n`` modulo four and one; the first may show a picture."""
    items = []
    for number in range(1, size + 1):
        images = (picture,) if picture is not None and number == 1 else ()
        choices = () if key is not None else tuple(Content(f"{number * 10 + step} hPa") for step in range(4))
        items.append(
            Item(
                id=str(number),
                wordings={EXPLICIT: Wording(Content(f"{number}번 관측소의 기압은?", images), choices)},
                key=key or ChoiceKey(number % 4 + 1),
                facets={"reasoning": True},
                rationale=f"{number}번의 참고 풀이",
            )
        )
    return Benchmark("exam", "시험", tuple(items), axes=(Axis("accuracy", {"en": "Accuracy"}),))


def answer(number: int, rationale: object = "기압은 고도에 따라 낮아진다.", choice: int | None = None) -> str:
    """Return a response in the form of the reasoning protocol; right unless a choice is given."""
    found = {"생성된_추론_근거": rationale, "정답": choice or number % 4 + 1}
    return f"<scratchpad>비밀 메모</scratchpad>\n{json.dumps(found, ensure_ascii=False)}"


def sit(
    store: Store,
    benchmark: Benchmark,
    texts: Mapping[str, str | None],
    *,
    model: str = "examinee-7b",
    protocol: Protocol | None = None,
    images: bool = False,
    seed: int | None = None,
    condition: Condition = Condition(),  # noqa: B008 - frozen
) -> RunRecord:
    """Store a run in which these items have these responses; the others have none yet."""
    config = ModelConfig.model_validate(
        {
            "name": model,
            "endpoint": {"base_url": "http://127.0.0.1:9/v1", "model": f"org/{model}-chat"},
            "capabilities": {"images": images},
            "decoding": {} if seed is None else {"seed": seed},
        }
    )
    how = protocol or find_definition("kmetbench").protocol("reasoning")
    plan = plan_run(benchmark, config, how, condition)
    register_run(plan, store)

    async def record() -> None:
        async with store.ledger(plan.record.run_id) as ledger:
            for row in plan.rows:
                if row.item_id in texts and row.request_key is not None:
                    response = Response(texts[row.item_id], finish_reason="stop", served_model="served-secret")
                    await ledger.record(row.request_key, response)

    asyncio.run(record())
    read_all(store, plan.record)
    return plan.record


def judge_config(base_url: str, *, images: bool = False, concurrency: int = 4, attempts: int = 1) -> ModelConfig:
    """Return the model file of a judge at an address."""
    return ModelConfig.model_validate(
        {
            "name": "judge",
            "endpoint": {"base_url": base_url},
            "capabilities": {"images": images},
            "limits": {"max_attempts": attempts, "concurrency": concurrency},
        }
    )


def plan_for(
    store: Store,
    run: RunRecord,
    judge: ModelConfig,
    *,
    instrument: Instrument | None = None,
    trials: int = 1,
    benchmark: Benchmark | None = None,
) -> JudgePlan:
    """Return a plan with the shipped rubric, unless another instrument is given."""
    items = benchmark or store.benchmark(run.benchmark, run.dataset_hash)
    return plan_judging(store, run, items, judge, instrument or RationaleJudge(shipped_rubric()), trials=trials)


def ask(plan: JudgePlan, store: Store) -> LoopResult:
    """Run a judging to its end, unless there is nothing to ask."""
    if not register(plan, store):
        return NOTHING_DONE
    return run_judging(plan, store, concurrency=plan.judge.concurrency, on_event=lambda _: None, on_stop=lambda: None)


def verdict_text(scores: Sequence[object] = (4, 3, 2, 5), **changes: object) -> str:
    """Return a verdict as a judge writes it; keys whose value is ``...`` are left out."""
    found: dict[str, object] = {"사실_오류_목록": [], "평가_사유": "무난함", **dict(zip(AXES, scores, strict=True))}
    found |= changes
    return json.dumps({key: value for key, value in found.items() if value is not ...}, ensure_ascii=False)
