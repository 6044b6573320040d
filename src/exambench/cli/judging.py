"""What ``exambench judge`` does and prints."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from exambench.analysis.judge_scores import AnswerScores, JudgeScores, answer_scores, headline_scores, judge_scores
from exambench.analysis.verdicts import load_verdicts
from exambench.benchmarks import find_definition
from exambench.benchmarks.loading import image_path, rubric_path
from exambench.cli.exit_codes import ExitCode
from exambench.cli.progress import progress_of
from exambench.cli.turns import say_how_to_stop_at_once, take_turns, tell
from exambench.engine.responders import check_keys
from exambench.evaluation.model_files import named_model
from exambench.evaluation.pictures import pictures_of, with_pictures
from exambench.evaluation.reading import read_unread
from exambench.exchange import messages_as_json
from exambench.items import Benchmark
from exambench.judging.answers import SHIPPED, AnswerJudge, read_answer_rubric
from exambench.judging.instrument import Instrument
from exambench.judging.planning import JudgePlan, plan_judging
from exambench.judging.progress import JudgeTally
from exambench.judging.rationales import RationaleJudge
from exambench.judging.reading import read_verdicts
from exambench.judging.rubric import read_rubric
from exambench.judging.running import register, run_judging
from exambench.models import ModelConfig
from exambench.report import grids
from exambench.report.formatting import json_text
from exambench.report.verdicts import sections
from exambench.store import JudgingKind, JudgingRecord, RunRecord, Store, open_existing_store


@dataclass(frozen=True)
class JudgeOptions:
    """What to judge, and by whom.

    Attributes:
        runs: The beginnings of the runs' ids.
        judges: What stands after each ``--judge``.
        with_reference: Whether the judge sees the expert's rationale.
        answers: Judge free answers instead of rationales.
        trials: How often each answer is judged.
        rubric: A file; the benchmark's own rubric when ``None``.
        benchmark: Path of the runs' benchmark; needed when it does not ship and comes with rubric or pictures.
        images: The image folder; the benchmark's own when ``None``.
        vision: Whether judges named as ``name@base_url`` take pictures.
        api_key_env: Environment variable that holds the key of judges named as ``name@base_url``.
    """

    runs: tuple[str, ...]
    judges: tuple[str, ...]
    with_reference: bool = True
    answers: bool = False
    trials: int = 1
    rubric: Path | None = None
    benchmark: str | None = None
    images: Path | None = None
    vision: bool = False
    api_key_env: str | None = None


def judge_runs(options: JudgeOptions, location: str, concurrency: int | None) -> ExitCode:
    """Have every run judged by every judge, and print the scores unless requests in flight were abandoned.

    Returns:
        The worst that happened; see :func:`~exambench.cli.turns.take_turns`.

    Raises:
        InputError: Something that was named cannot be used, and no judge was asked.
        StoreError: The store cannot be used.
    """
    with open_existing_store(location) as store:
        plans = list(judge_plans(options, store))
        check_keys(plan.judge for plan in plans)
        code, begun = take_turns([JudgingTurn(plan, store, concurrency or plan.judge.concurrency) for plan in plans])
        if code is not ExitCode.INTERRUPTED:
            Console().print(grids.terminal(sections([scores_of(store, each.plan.record) for each in begun])))
    return code


def show_judge_plans(options: JudgeOptions, location: str) -> None:
    """Print what would be asked: the counts, the decoding, and the first request. No request is stored.

    Raises:
        InputError: Something that was named cannot be used.
        StoreError: The store cannot be used.
    """
    with open_existing_store(location) as store:
        for plan in judge_plans(options, store):
            show_judge_plan(plan)


def show_judge_plan(plan: JudgePlan) -> None:
    """Print what one judge would be asked about one run."""
    tries = plan.first_tries()
    requests = [request for _, request in tries if request is not None]
    shown = {
        "judging": plan.record.judging_id,
        "run": plan.record.run_id,
        "judge": plan.judge.name,
        "condition": dict(plan.record.condition),
        "requests": len({request.key() for request in requests}),
        "settled_without_asking": len(tries) - len(requests),
        "parameters": dict(requests[0].parameters) if requests else dict(plan.record.decoding),
        "first": messages_as_json(requests[0].messages) if requests else None,
    }
    sys.stdout.write(json_text(shown))


def scores_of(store: Store, judging: JudgingRecord) -> JudgeScores | AnswerScores:
    """Return what the verdicts of a judging amount to.

    Raises:
        StoreError: The store cannot be read.
    """
    judged = load_verdicts(store, judging)
    if judging.kind is JudgingKind.ANSWER:
        return answer_scores(judged)
    return judge_scores(judged, headline_scores(store, judged.run))


def judge_plans(options: JudgeOptions, store: Store) -> Iterator[JudgePlan]:
    """Yield what each judge is asked about each run, the responses read first; one that is named twice is meant once.

    Raises:
        InputError: Something that was named cannot be used.
        StoreError: The store cannot be read or written.
    """
    seen: set[str] = set()
    judges = [named_model(name, vision=options.vision, api_key_env=options.api_key_env) for name in options.judges]
    for prefix in options.runs:
        run = store.run(prefix)
        read_unread(store, run)
        instrument = _instrument(options, run)
        stored = store.benchmark(run.benchmark, run.dataset_hash)
        for judge in judges:
            benchmark = _with_pictures(stored, options, judge)
            plan = plan_judging(store, run, benchmark, judge, instrument, trials=options.trials)
            if plan.record.judging_id not in seen:
                seen.add(plan.record.judging_id)
                yield plan


def _instrument(options: JudgeOptions, run: RunRecord) -> Instrument:
    if options.answers:
        return AnswerJudge(read_answer_rubric(options.rubric or SHIPPED))
    path = options.rubric or rubric_path(find_definition(options.benchmark or run.benchmark))
    return RationaleJudge(read_rubric(path), with_reference=options.with_reference)


def _with_pictures(benchmark: Benchmark, options: JudgeOptions, judge: ModelConfig) -> Benchmark:
    """Return the benchmark with the folder of its pictures, if there are any and the judge takes them."""
    if not judge.capabilities.images or not any(pictures_of(benchmark)):
        return benchmark
    root = options.images or image_path(find_definition(options.benchmark or benchmark.name))
    return benchmark if root is None else with_pictures(benchmark, root)


@dataclass(frozen=True)
class JudgingTurn:
    """The turn of one judge on one run.

    Attributes:
        plan: What it is asked.
        store: Where replies and verdicts go.
        concurrency: Requests in flight at once.
        label: What stands behind the judge's name, where it has several turns.
    """

    plan: JudgePlan
    store: Store
    concurrency: int
    label: str = ""

    @property
    def name(self) -> str:
        """What to call the turn."""
        return f"{self.plan.judge.name}{self.label}"

    def ask(self) -> bool:
        """Ask what has no response yet; return whether a person wants no further judge to be asked."""
        if not register(self.plan, self.store):
            tell(self.name, "the judge has replied to everything; nothing to ask.")
            return False
        tally = JudgeTally(self.plan)
        with progress_of(self.name, tally, Console(stderr=True)) as on_event:
            result = run_judging(
                self.plan,
                self.store,
                concurrency=self.concurrency,
                on_event=on_event,
                on_stop=say_how_to_stop_at_once,
                on_requests=tally.expect,
            )
        return result.stopped

    def settle(self) -> bool:
        """Read the replies, and tell what is left; return whether anything is."""
        left = len(register(self.plan, self.store))
        read_verdicts(self.store, self.plan.record)
        if left:
            tell(
                self.name,
                f"{left} requests have no response. What was answered is stored; run the same command again for the "
                "rest.",
            )
        return left > 0
