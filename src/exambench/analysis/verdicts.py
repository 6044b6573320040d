"""What a judge says of a run, answer by answer, with what it has not said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from exambench.items import Benchmark, TextKey
from exambench.outcomes import AnswerVerdict, Judgement, Unjudged, Verdict
from exambench.parsing.rationales import RationaleForm
from exambench.scoring.choice import score
from exambench.store import JudgeRow, JudgingKind, JudgingRecord, RunRecord, Store, StoredOutcome, VerdictRow


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One judgement that was asked for.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial of the run that is judged.
        judge_trial: Repeat of the judgement, from 0.
        judgement: What the judge says; ``None`` while there is no reply, because a request failed or was not sent yet.
        right: Whether the answer beside the rationale is right; ``None`` where it has no score.
        form: Where the rationale was found; ``None`` for a judging of answers.
        tries: How often the judge has replied.
        request_key: Request whose response was read last; ``None`` when none was.
    """

    item_id: str
    trial: int
    judge_trial: int
    judgement: Judgement | None
    right: bool | None
    form: RationaleForm | None
    tries: int = 0
    request_key: str | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the rationale, if there is one."""
        return self.judgement if isinstance(self.judgement, Verdict) else None

    @property
    def has_rationale(self) -> bool:
        """Whether there was a rationale to judge."""
        return self.form is not RationaleForm.NONE


@dataclass(frozen=True)
class JudgedRun:
    """A run with what one judge says of it.

    Attributes:
        judging: The judge, the rubric and the condition.
        run: The run.
        benchmark: The dataset that it was run on.
        answers: Every judgement that was asked for, in item order, then by trial and judge trial.
    """

    judging: JudgingRecord
    run: RunRecord
    benchmark: Benchmark
    answers: tuple[JudgedAnswer, ...]

    @property
    def judge_name(self) -> str:
        """What to call the judge."""
        return self.judging.judge_name

    @property
    def with_reference(self) -> bool:
        """Whether the judge saw the expert's rationale."""
        return self.judging.with_reference

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Keys of the rubric's axes in their order; empty for a judging of answers."""
        return tuple(str(axis["key"]) for axis in _axes(self.judging.rubric))

    @property
    def scale(self) -> tuple[int, int]:
        """Lowest and highest score of an axis."""
        return int(str(self.judging.rubric["low"])), int(str(self.judging.rubric["high"]))

    @property
    def judge_trials(self) -> int:
        """How often each answer is judged."""
        return len({answer.judge_trial for answer in self.answers})

    @cached_property
    def judged(self) -> tuple[JudgedAnswer, ...]:
        """The answers that have a verdict."""
        return tuple(answer for answer in self.answers if isinstance(answer.judgement, Verdict | AnswerVerdict))

    @cached_property
    def unjudged(self) -> tuple[JudgedAnswer, ...]:
        """The answers that the judge gave no readable verdict on, however often it was asked."""
        return tuple(answer for answer in self.answers if isinstance(answer.judgement, Unjudged))

    @cached_property
    def open(self) -> tuple[JudgedAnswer, ...]:
        """The answers that wait for a reply."""
        return tuple(answer for answer in self.answers if answer.judgement is None)

    def scores(self, axis: str | None = None, judge_trial: int | None = None) -> dict[str, float]:
        """Return the mean score of each item that has a verdict, over trials of the run and of the judge.

        Args:
            axis: Key of an axis; the total over the axes when ``None``.
            judge_trial: Take this repeat of the judgement only; all by default.
        """
        values: dict[str, list[int]] = {}
        for answer in self.answers:
            verdict = answer.verdict
            if verdict is not None and judge_trial in {None, answer.judge_trial}:
                values.setdefault(answer.item_id, []).append(verdict.total if axis is None else verdict.scores[axis])
        return {item_id: sum(found) / len(found) for item_id, found in values.items()}

    def answer_scores(self) -> dict[tuple[str, int], dict[str, float]]:
        """Return the scores by axis of each answer, by item and trial of the run, that has a verdict.

        A score is the mean over the judge's trials.
        """
        verdicts: dict[tuple[str, int], list[Verdict]] = {}
        for answer in self.answers:
            if answer.verdict is not None:
                verdicts.setdefault((answer.item_id, answer.trial), []).append(answer.verdict)
        return {
            place: {axis: sum(each.scores[axis] for each in found) / len(found) for axis in self.axes}
            for place, found in verdicts.items()
        }


def load_verdicts(store: Store, judging: JudgingRecord) -> JudgedRun:
    """Return what one judge says of one run, from stored verdicts.

    Args:
        store: Where the verdicts are.
        judging: One of :meth:`exambench.store.Judgings.all`, or what :meth:`~exambench.store.Judgings.find` returns.

    Raises:
        StoreError: The store cannot be read.
    """
    run = store.run(judging.run_id)
    benchmark = store.benchmark(run.benchmark, run.dataset_hash)
    right = _right(benchmark, store.outcomes(run.run_id, str(run.protocol["strict"])))
    found = {row.place: row for row in store.judgings.verdicts(judging.judging_id)}
    asked = [row for row in store.judgings.planned(judging.judging_id) if row.attempt == 0]
    answers = tuple(_answer(judging.kind, row, found.get(row.place), right) for row in asked)
    return JudgedRun(judging, run, benchmark, answers)


def load_all_verdicts(store: Store, run_id: str | None = None) -> tuple[JudgedRun, ...]:
    """Return what every judge says of a run, or of every run, the first judging first.

    Raises:
        StoreError: The store cannot be read.
    """
    return tuple(load_verdicts(store, judging) for judging in store.judgings.all(run_id))


def unreadable_texts(store: Store, judged: JudgedRun) -> dict[str, str | None]:
    """Return what the judge wrote last where it gave no readable verdict, by request key.

    Raises:
        StoreError: The store cannot be read.
    """
    keys = {answer.request_key for answer in judged.unjudged}
    return {
        reply.row.request_key: reply.response.text
        for reply in store.judgings.replies(judged.judging.judging_id)
        if reply.row.request_key is not None and reply.row.request_key in keys
    }


def _answer(
    kind: JudgingKind, row: JudgeRow, found: VerdictRow | None, right: Mapping[tuple[str, int], bool]
) -> JudgedAnswer:
    return JudgedAnswer(
        item_id=row.item_id,
        trial=row.trial,
        judge_trial=row.judge_trial,
        judgement=None if found is None else found.judgement,
        right=right.get((row.item_id, row.trial)),
        form=RationaleForm(row.note) if kind is JudgingKind.RUBRIC else None,
        tries=0 if found is None else found.tries,
        request_key=None if found is None else found.request_key,
    )


def _right(benchmark: Benchmark, outcomes: Sequence[StoredOutcome]) -> dict[tuple[str, int], bool]:
    """Tell of each item and trial that has a score whether it is right; free answers are for a judge of answers."""
    right = {}
    for row in outcomes:
        key = benchmark.by_id[row.item_id].key
        value = None if isinstance(key, TextKey) else score(row.outcome, key)
        if value is not None:
            right[row.item_id, row.trial] = value == 1.0
    return right


def _axes(rubric: Mapping[str, object]) -> list[Mapping[str, object]]:
    axes = rubric.get("axes", [])
    return [axis for axis in axes if isinstance(axis, Mapping)] if isinstance(axes, list) else []
