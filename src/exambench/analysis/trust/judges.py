"""Whose verdicts are looked at: the judgings of some runs, one judge, rubric and condition together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from exambench.analysis.judge_names import numbered
from exambench.analysis.verdicts import JudgedAnswer, JudgedRun, load_verdicts
from exambench.errors import ConfigError, Finding, show
from exambench.store import JudgingKind, JudgingRecord, RunRecord, Store


@dataclass(frozen=True)
class JudgedGroup:
    """What one judge, by one rubric and in one condition, says of some runs on one dataset.

    Attributes:
        runs: The judgings, at least one.
        name: What to call the judge; no two groups of a report have one name.
    """

    runs: tuple[JudgedRun, ...]
    name: str

    @property
    def judging(self) -> JudgingRecord:
        """The judge with rubric and condition; the run is that of the first judging."""
        return self.runs[0].judging

    @property
    def axes(self) -> tuple[str, ...]:
        """Keys of the rubric's axes in their order."""
        return self.runs[0].axes

    @property
    def total_scale(self) -> tuple[int, int]:
        """Lowest and highest total."""
        low, high = self.runs[0].scale
        return len(self.axes) * low, len(self.axes) * high


def judged_groups(store: Store, runs: Sequence[RunRecord], judge: str | None = None) -> tuple[JudgedGroup, ...]:
    """Return the judgings of rationales of some runs, in groups that compare.

    Args:
        store: Where the verdicts are.
        runs: The runs.
        judge: Name of a judge; all judges by default.

    Raises:
        ConfigError: No rationale of these runs was judged, or not by a judge of this name.
        StoreError: The store cannot be read.
    """
    records = [
        (record, run) for run in runs for record in store.judgings.all(run.run_id) if record.kind is JudgingKind.RUBRIC
    ]
    names = dict.fromkeys(record.judge_name for record, _ in records)
    if not records or judge not in {None, *names}:
        raise ConfigError(
            Finding(
                problem="no rationale of these runs was judged" + (" by this judge" if records else " yet"),
                file=store.place,
                field="--judge" if judge is not None else None,
                value=None if judge is None else show(judge),
                allowed=", ".join(names) or "runs that a judge has looked at",
                remedy="Name one of these" if names else "Judge some runs with: exambench judge",
            )
        )
    groups: dict[tuple[object, ...], list[JudgedRun]] = {}
    for record, run in records:
        if judge in {None, record.judge_name}:
            groups.setdefault(_key(record, run), []).append(load_verdicts(store, record))
    called = numbered([group[0].judging.judge_name for group in groups.values()])
    return tuple(JudgedGroup(tuple(group), name) for group, name in zip(groups.values(), called, strict=True))


def verdicts_by_answer(judged: JudgedRun) -> dict[tuple[str, int], list[JudgedAnswer]]:
    """Return what was judged of each answer with a rationale, by item and trial, in the order of the judge's trials."""
    found: dict[tuple[str, int], list[JudgedAnswer]] = {}
    for answer in judged.answers:
        if answer.has_rationale:
            found.setdefault((answer.item_id, answer.trial), []).append(answer)
    return found


def _key(record: JudgingRecord, run: RunRecord) -> tuple[object, ...]:
    how = str(sorted(record.decoding.items())), record.rubric_hash, *sorted(record.condition.items())
    return run.benchmark, run.dataset_hash, record.identity, *how
