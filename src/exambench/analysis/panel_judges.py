"""Which judges make a panel: those who looked at the same answers by one rubric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.analysis.judge_names import numbered
from exambench.analysis.verdicts import JudgedRun, load_verdicts
from exambench.errors import ConfigError, Finding, show
from exambench.items import Benchmark, short
from exambench.store import JudgingKind, JudgingRecord, RunRecord, Store

FEWEST: Final = 2


@dataclass(frozen=True, eq=False)
class PanelMember:
    """A judge of a panel.

    Attributes:
        name: What to call it; each name stands once in a panel.
        identity: Who answers.
        decoding: Its decoding settings.
        sees_images: Whether it sees the pictures.
        runs: What it says, by run id; a run that it was not asked about is not there.
    """

    name: str
    identity: str
    decoding: Mapping[str, object]
    sees_images: bool
    runs: Mapping[str, JudgedRun]


@dataclass(frozen=True, eq=False)
class Panel:
    """Judges of the same runs by one rubric, all with the expert's rationale or all without.

    Attributes:
        members: Two judges or more, the first asked first.
        runs: The runs that are judged.
        benchmark: The dataset that they were run on.
        rubric: What to call the rubric.
        with_reference: Whether the judges saw the expert's rationale.
    """

    members: tuple[PanelMember, ...]
    runs: tuple[RunRecord, ...]
    benchmark: Benchmark
    rubric: str
    with_reference: bool

    @property
    def axes(self) -> tuple[str, ...]:
        """Keys of the rubric's axes."""
        return next(iter(self.members[0].runs.values())).axes


def find_panel(store: Store, runs: Sequence[RunRecord], judges: Sequence[str] = ()) -> Panel:
    """Return the judges of rationales that looked at any of these runs, or those of them that are named.

    Judgings that saw the expert's rationale count; those without count where a named judge has no other, or is named
    by the identifier of one.

    Args:
        store: Where the verdicts are.
        runs: The runs.
        judges: Names of judges, or beginnings of identifiers of judgings; all when empty.

    Raises:
        ConfigError: The runs are of several datasets, a name fits no judge, there are fewer than two judges, or the
            judges differ in rubric or in what they saw of the expert's rationale.
        StoreError: The store cannot be read.
    """
    _check_one(store, "dataset", {f"{run.benchmark} {short(run.dataset_hash)}" for run in runs}, "RUN")
    known = [record for run in runs for record in store.judgings.all(run.run_id) if record.kind is JudgingKind.RUBRIC]
    chosen = [record for name in judges for record in _named(store, name, known)]
    chosen = chosen or [record for record in known if record.with_reference]
    by_judge: dict[tuple[object, ...], dict[str, JudgingRecord]] = {}
    for record in chosen:
        by_judge.setdefault(_judge_of(record), {})[record.run_id] = record
    if len(by_judge) < FEWEST:
        found = [f"{record.judge_name} ({short(record.judging_id)} on {short(record.run_id)})" for record in known]
        raise ConfigError(
            Finding(
                problem="a panel needs two judges",
                file=store.place,
                field="--judge",
                value=str(len(by_judge)),
                allowed=", ".join(found) or "none, for no rationale of these runs was judged yet",
                remedy="Have the runs judged by another one: exambench judge",
            )
        )
    _check_one(store, "rubric", {f"{record.rubric_name} {short(record.rubric_hash)}" for record in chosen}, "--judge")
    seen = {"with" if record.with_reference else "without" for record in chosen}
    _check_one(store, "sight of the expert's rationale", seen, "--judge")
    first = chosen[0]
    return Panel(
        members=_members(store, list(by_judge.values())),
        runs=tuple(runs),
        benchmark=store.benchmark(runs[0].benchmark, runs[0].dataset_hash),
        rubric=first.rubric_name,
        with_reference=first.with_reference,
    )


def check_at_least(panel: Panel, at_least: int | None) -> int:
    """Return how many judges must have scored an answer; all of them by default.

    Raises:
        ConfigError: It is fewer than two, or more than there are.
    """
    most = len(panel.members)
    if at_least is None or FEWEST <= at_least <= most:
        return most if at_least is None else at_least
    raise ConfigError(
        Finding(
            problem="so many judges are not in this panel" if at_least > most else "one judge is no panel",
            field="--at-least",
            value=str(at_least),
            allowed=f"{FEWEST} to {most}",
            remedy="Leave it out to count the answers that all have judged",
        )
    )


def _named(store: Store, name: str, known: Sequence[JudgingRecord]) -> list[JudgingRecord]:
    mine = [record for record in known if record.judge_name == name]
    found = [record for record in mine if record.with_reference] or mine
    found = found or [record for record in known if record.judging_id.startswith(name)]
    if not found:
        raise ConfigError(
            Finding(
                problem="no such judge has scored rationales of these runs",
                file=store.place,
                field="--judge",
                value=show(name),
                allowed=", ".join(sorted({record.judge_name for record in known})) or "none",
                remedy="Name one of these, or have the runs judged: exambench judge",
            )
        )
    return found


def _check_one(store: Store, what: str, found: set[str], field: str) -> None:
    if len(found) > 1:
        raise ConfigError(
            Finding(
                problem=f"a panel is about one {what}, and these are of several",
                file=store.place,
                field=field,
                value=show(", ".join(sorted(found))),
                allowed=f"one {what}",
                remedy="Name what belongs together with RUN and --judge; see: exambench verdicts",
            )
        )


def _judge_of(record: JudgingRecord) -> tuple[object, ...]:
    decoding = str(sorted(record.decoding.items()))
    return record.identity, decoding, record.rubric_hash, *sorted(record.condition.items())


def _members(store: Store, judges: Sequence[Mapping[str, JudgingRecord]]) -> tuple[PanelMember, ...]:
    firsts = [next(iter(records.values())) for records in judges]
    names = numbered([record.judge_name for record in firsts])
    return tuple(
        PanelMember(
            name=name,
            identity=first.identity,
            decoding=first.decoding,
            sees_images=first.sees_images,
            runs={run_id: load_verdicts(store, record) for run_id, record in records.items()},
        )
        for name, first, records in zip(names, firsts, judges, strict=True)
    )
