"""What a reader of a table of runs must know: what is missing, what was left out, and what is not alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from exambench.analysis.run_groups import RunGroup
from exambench.analysis.scores import RunScores
from exambench.items import EXPLICIT, Item, short
from exambench.parsing import PARSER_VERSION


def notes_on(group: RunGroup, names: Sequence[str]) -> tuple[str, ...]:
    """Return what must be known of the runs of a table, in sentences.

    Args:
        group: The runs, and the items that they are compared on.
        names: What to call each run.
    """
    wording = wording_note(group.items, str(group.runs[0].record.condition["wording"]))
    return (
        *([wording] if wording else []),
        *_coverage(group, names),
        *_judge(group),
        *_trials(group, names),
        *_datasets(group),
        *_parsers(group),
    )


def wording_note(items: Sequence[Item], wording: str) -> str | None:
    """Return how many items have the wording that was asked for; ``None`` for the explicit one, which all have."""
    if wording == EXPLICIT:
        return None
    having = sum(wording in item.wordings for item in items)
    others = "" if having == len(items) else "; the others are put explicitly"
    return f"{having} of {_count(len(items), 'item')} have the wording {wording}{others}."


def trials_of(run: RunScores) -> str:
    """Return the number of trials of a run in words."""
    fewest, most = (run.trials[0], run.trials[-1]) if run.trials else (0, 0)
    return _count(most, "trial") if fewest == most else f"{fewest} to {most} trials"


def _coverage(group: RunGroup, names: Sequence[str]) -> Iterator[str]:
    for run, name, ranked in zip(group.runs, names, group.ranked, strict=True):
        if run.complete:
            continue
        found = run.coverage
        missing = [f"{found.failed} of {found.planned} requests failed"] if found.failed else []
        missing += [f"{found.open} of {found.planned} have no outcome yet"] if found.open else []
        unjudged = [f"{found.unjudged} of {found.planned} free answers have no verdict"] if found.unjudged else []
        trials = "" if run.trials in {(), (1,)} else " in every trial"
        place = "its place is on these items alone" if ranked else "it takes no place"
        parts = (f"{name} has scores for {found.items} of {found.expected} items{trials}", *missing, *unjudged, place)
        mend = "Ask the other items too, without --sample,"
        if missing:
            mend = "Run the same command again"
        elif unjudged:
            mend = "Have them judged, by exambench judge RUN --judge JUDGE --answers,"
        yield f"{'; '.join(parts)}. {mend} to complete it."


def _judge(group: RunGroup) -> Iterator[str]:
    judging = next((run.judging for run in group.runs if run.judging is not None), None)
    if judging is not None:
        yield (
            f"Free answers that strings and numbers do not settle are judged by {judging.judge_name}, rubric "
            f"{judging.rubric_name} ({short(judging.rubric_hash)}). What is unjudged has no score."
        )


def _trials(group: RunGroup, names: Sequence[str]) -> Iterator[str]:
    if not group.trials_differ:
        return
    by_count: defaultdict[str, list[str]] = defaultdict(list)
    for run, name in zip(group.runs, names, strict=True):
        by_count[trials_of(run)].append(name)
    counts = "; ".join(f"{count}: {', '.join(named)}" for count, named in by_count.items())
    yield f"The runs differ in their number of trials ({counts}). An item's score is the mean over its trials."


def _datasets(group: RunGroup) -> Iterator[str]:
    if len(group.datasets) > 1:
        hashes = ", ".join(short(dataset) for dataset in group.datasets)
        left_out = group.other_content
        told = (
            f"{_count(left_out, 'item')} left out, for not all of them have the same content there"
            if left_out
            else "these items have the same content in all of them"
        )
        yield f"The runs sat {len(group.datasets)} versions of the data, {hashes}: {told}."


def _parsers(group: RunGroup) -> Iterator[str]:
    version = group.runs[0].parser_version
    if version != PARSER_VERSION:
        yield (
            f"Read by version {version} of the parsers; this program has version {PARSER_VERSION}. "
            "Read the stored responses again with: exambench rescore"
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
