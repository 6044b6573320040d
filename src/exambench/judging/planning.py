"""What one judge is asked about one run: each answer, each repeat, and further tries where a reply cannot be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from exambench.engine.picture_digests import digests_as_sent
from exambench.errors import ConfigError, Finding, StoreError, show
from exambench.exchange import Request
from exambench.items import Benchmark, Image
from exambench.judging.instrument import Instrument
from exambench.judging.subjects import Subject, subjects_of
from exambench.models import BaselineEndpoint, Decoding, ModelConfig
from exambench.store import JudgeRow, JudgingRecord, RunRecord, Store

TRIES: Final = 3
"""How often one judgement is asked for, the first time included."""


@dataclass(frozen=True)
class JudgePlan:
    """All that one judge may be asked about one run.

    Attributes:
        record: What makes the judging this judging.
        benchmark: The run's items, with the folder of their pictures if the judge sees them.
        judge: Who is asked.
        instrument: What is asked.
        decoding: How the judge draws its tokens.
        subjects: What is judged.
        trials: How often each answer is judged.
    """

    record: JudgingRecord
    benchmark: Benchmark
    judge: ModelConfig
    instrument: Instrument
    decoding: Decoding
    subjects: tuple[Subject, ...]
    trials: int
    digests: Mapping[Image, str] = field(default_factory=dict)

    def first_tries(self) -> tuple[tuple[JudgeRow, Request | None], ...]:
        """Return the first try of every judgement; without a request where the matter is settled already."""
        return tuple(
            self._row(subject, judge_trial, 0) for subject in self.subjects for judge_trial in range(self.trials)
        )

    def further_tries(self, rows: Sequence[JudgeRow]) -> tuple[tuple[JudgeRow, Request | None], ...]:
        """Return the next try after each of these, as far as there may be one."""
        subjects = {(subject.item.id, subject.trial): subject for subject in self.subjects}
        return tuple(
            self._row(subjects[row.item_id, row.trial], row.judge_trial, row.attempt + 1)
            for row in rows
            if row.attempt + 1 < TRIES and (row.item_id, row.trial) in subjects and row.judge_trial < self.trials
        )

    def _row(self, subject: Subject, judge_trial: int, attempt: int) -> tuple[JudgeRow, Request | None]:
        request = self._request(subject, judge_trial, attempt) if self.instrument.is_asked(subject) else None
        key = None if request is None else request.key()
        note = self.instrument.note(subject)
        return JudgeRow(subject.item.id, subject.trial, judge_trial, attempt, key, note), request

    def _request(self, subject: Subject, judge_trial: int, attempt: int) -> Request:
        """Return a try's request; no two tries of one answer have the same seed."""
        messages = self.instrument.render(subject, images=self.judge.capabilities.images)
        parameters = self.decoding.parameters(seed_offset=judge_trial * TRIES + attempt)
        return Request(
            identity=self.judge.identity,
            messages=messages,
            parameters={**parameters, **self.instrument.optional},
            trial=judge_trial,
            image_digests=tuple(self.digests[image] for message in messages for image in message.images),
            attempt=attempt,
            optional=frozenset(self.instrument.optional),
        )


def plan_judging(
    store: Store, run: RunRecord, benchmark: Benchmark, judge: ModelConfig, instrument: Instrument, *, trials: int = 1
) -> JudgePlan:
    """Return what a judge is asked about a run.

    Args:
        store: Where the run is, its outcomes read.
        run: The run.
        benchmark: Its dataset, with the image folder if the judge is to see pictures.
        judge: Who is asked.
        instrument: What is asked.
        trials: How often each answer is judged.

    Raises:
        ConfigError: The judge is a baseline, or the run has no answer that this instrument judges.
        StoreError: The benchmark is not the one that the run was on, or the store cannot be read.
        ImageError: A picture that the judge is to see is missing or broken.
    """
    if isinstance(judge.endpoint, BaselineEndpoint):
        raise ConfigError(
            Finding("a baseline cannot judge", field="judge", value=show(judge.name), remedy="Name a model")
        )
    if benchmark.content_hash != run.dataset_hash:
        raise StoreError(
            f"run {run.run_id} was on the dataset {run.dataset_hash[:12]}, and this is {benchmark.content_hash[:12]}. "
            "Name the data and the image folder of the run"
        )
    items = {item.id: item for item in benchmark.items if instrument.selects(item)}
    subjects = tuple(subjects_of(store, run, items))
    if not subjects:
        raise ConfigError(
            Finding(
                problem=f"run {run.run_id} has no answer to judge: {len(items)} items of {run.benchmark} could be "
                "judged, and none of them is answered",
                remedy="Run the model on them first: exambench run --protocol reasoning, if the benchmark has it",
            )
        )
    digests: Mapping[Image, str] = {}
    if judge.capabilities.images:
        pictures = [(subject.item.id, image) for subject in subjects for image in subject.wording.images]
        digests = digests_as_sent(pictures, benchmark.image_root, judge.capabilities)
    decoding = judge.decoding.over(instrument.decoding)
    record = JudgingRecord(
        run_id=run.run_id,
        kind=instrument.kind,
        judge_name=judge.name,
        identity=judge.identity,
        decoding=decoding.parameters(),
        judge=judge.public(),
        rubric_name=instrument.name,
        rubric_hash=instrument.hash,
        rubric=instrument.as_json(),
        condition={"reference": instrument.with_reference, "images": judge.capabilities.images},
    )
    return JudgePlan(record, benchmark, judge, instrument, decoding, subjects, trials, digests)
