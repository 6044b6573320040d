"""Rankings as a terminal table, as Markdown, as CSV and as JSON: the same numbers, each with its n."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from rich.console import RenderableType

from exambench.analysis.leaderboard import Ranking, Row
from exambench.analysis.run_notes import trials_of
from exambench.items import short
from exambench.outcomes import OutcomeKind
from exambench.report import grids
from exambench.report.formatting import csv_text, json_text, number, percent, percent_range, plural, rank_text
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell, no_value
from exambench.report.judged import judge_sentence
from exambench.report.provenance import drawn, interval_note, record_of, source
from exambench.stats.intervals import Interval

NOT_JUDGED: Final = "its reasoning is not judged, or not by this judge"
COUNTED: Final[Mapping[OutcomeKind, tuple[str, str]]] = MappingProxyType(
    {
        OutcomeKind.UNPARSED: ("format", "responses without an answer in the required format, which score 0"),
        OutcomeKind.TRUNCATED: ("truncated", "responses cut by the token limit before an answer, which score 0"),
        OutcomeKind.REFUSED: ("refused", "responses that decline to answer, which score 0"),
        OutcomeKind.FAILED: ("failed", "requests without a response, which have no score"),
    }
)
"""What is counted beside the accuracies: the name of its column, and what it means."""


def terminal(rankings: Sequence[Ranking]) -> RenderableType:
    """Return the rankings as Rich tables; each cell gives the accuracy in percent, its interval, and n."""
    return grids.terminal(map(_section, rankings))


def markdown(rankings: Sequence[Ranking]) -> str:
    """Return the rankings as Markdown tables."""
    return grids.markdown(map(_section, rankings))


def as_csv(rankings: Sequence[Ranking]) -> str:
    """Return one line for each run and axis, in full precision."""
    return csv_text(record for ranking in rankings for record in _records(ranking))


def as_json(rankings: Sequence[Ranking]) -> str:
    """Return the rankings as a JSON document, in full precision."""
    return json_text([_document(ranking) for ranking in rankings])


def _document(ranking: Ranking) -> dict[str, Any]:
    record = ranking.group.runs[0].record
    return {
        **source(ranking.table),
        **drawn(ranking.bootstrap),
        "benchmark": record.benchmark,
        "protocol": record.protocol_name,
        "condition": dict(record.condition),
        "scope": ranking.scope,
        "datasets": list(ranking.group.datasets),
        "items_of_other_content": ranking.group.other_content,
        "chance": dict(ranking.chance),
        "pass_mark": ranking.group.runs[0].benchmark.pass_mark,
        "rows": [_row_document(ranking, row) for row in ranking.rows],
    }


def _row_document(ranking: Ranking, row: Row) -> dict[str, Any]:
    record = row.run.record
    return {
        "run": row.run.run_id,
        "model": row.name,
        "identity": record.identity,
        "decoding": dict(record.decoding),
        "dataset": record.dataset_hash,
        "protocol_hash": record.protocol_hash,
        "parser": record.protocol["strict"],
        "parser_version": row.run.parser_version,
        **_standing(row),
        **_coverage(row),
        "outcomes": _outcomes(row),
        "lenient_accuracy": row.lenient,
        "trials": list(row.run.trials),
        "over_trials": _spread(row),
        "axes": {name: _numbers(found) for name, found in row.cells.items()},
        "reasoning": _reasoning_document(ranking, row),
    }


def _reasoning_document(ranking: Ranking, row: Row) -> dict[str, Any] | None:
    """Return the judged reasoning of a model: the total on [0, 1], who judged it, and how much of it."""
    found = None if ranking.reasoning is None else ranking.reasoning.scores.get(row.name)
    if ranking.reasoning is None or found is None:
        return None
    judge, counts = ranking.reasoning.judge, found.counts
    return {
        "normalised": found.mean.estimate,
        "low": number(found.mean.low),
        "high": number(found.mean.high),
        "n": found.mean.n,
        "judge": judge.name,
        "rubric": judge.rubric,
        "rubric_hash": judge.rubric_hash,
        "judge_sees_images": judge.sees_images,
        "run": counts.run_id,
        "judging": counts.judging_id,
        "asked": counts.asked,
        "judged": counts.judged,
        "unjudged": counts.unjudged,
        "open": counts.open,
    }


def _records(ranking: Ranking) -> Iterator[dict[str, object]]:
    for row in ranking.rows:
        record = row.run.record
        for axis in ranking.axes:
            yield {
                **record_of(ranking.table, "ranking"),
                "dataset": record.dataset_hash,
                "scope": ranking.scope,
                "run": row.run.run_id,
                "model": row.name,
                **_standing(row),
                **_coverage(row),
                **_outcomes(row),
                "lenient_accuracy": row.lenient,
                "trials": " ".join(map(str, row.run.trials)),
                **{f"trials_{name}": value for name, value in _spread(row).items()},
                "axis": axis,
                **_numbers(row.cells[axis]),
                "chance": ranking.chance[axis],
                **drawn(ranking.bootstrap),
                **_reasoning_record(ranking, row),
            }


def _reasoning_record(ranking: Ranking, row: Row) -> dict[str, object]:
    """Return the columns of judged reasoning; none in a ranking without any."""
    if ranking.reasoning is None:
        return {}
    found = _reasoning_document(ranking, row) or {}
    return {f"reasoning_{name}": found.get(name) for name in ("normalised", "low", "high", "n", "asked", "judge")}


def _standing(row: Row) -> dict[str, Any]:
    place = row.place
    return {
        "rank": None if place is None else place.rank,
        "rank_low": None if place is None else place.low,
        "rank_high": None if place is None else place.high,
        "passed": row.passed,
    }


def _coverage(row: Row) -> dict[str, Any]:
    """Return how far the run has come with all that it is to answer, in the ranking or not."""
    found = row.run.coverage
    return {
        "complete": row.run.complete,
        "scored": found.items,
        "expected": found.expected,
        "requests": found.planned,
        "requests_failed": found.failed,
        "requests_open": found.open,
        "requests_unjudged": found.unjudged,
    }


def _outcomes(row: Row) -> dict[str, int]:
    """Return what became of the items and trials of the ranking."""
    counts = {str(kind): row.outcomes.get(kind, 0) for kind in OutcomeKind}
    return {**counts, "open": row.planned - sum(counts.values())}


def _spread(row: Row) -> dict[str, Any]:
    spread = row.spread
    return {
        "mean": None if spread is None else spread.mean,
        "sd": None if spread is None else spread.sd,
        "items": None if spread is None else spread.n_items,
        "items_left_out": None if spread is None else spread.n_left_out,
    }


def _numbers(found: Interval | None) -> dict[str, Any]:
    if found is None:
        return {"n": 0, "accuracy": None, "low": None, "high": None}
    return {
        "n": found.n,
        "accuracy": found.estimate,
        "low": number(found.low),
        "high": number(found.high),
    }


def _section(ranking: Ranking) -> Section:
    return Section(ranking.table.title, (_grid(ranking),), ranking.table.notes)


def _grid(ranking: Ranking) -> Grid:
    """Return one row a run and one column an axis; the last row is what guessing gets."""
    kinds = [kind for kind in COUNTED if any(row.outcomes.get(kind) for row in ranking.rows)]
    spread = any(row.spread is not None for row in ranking.rows)
    lenient = _has_lenient_parser(ranking)
    reasoning = ranking.reasoning is not None
    further = (
        *(["reasoning\n0–100"] if reasoning else []),
        *(["lenient"] if lenient else []),
        *(COUNTED[kind][0] for kind in kinds),
        *(["SD"] if spread else []),
    )
    rows = [
        (
            _name_cell(ranking, row),
            _rank_cell(row),
            *(_axis_cell(row.cells[axis]) for axis in ranking.axes),
            *([_reasoning_cell(ranking, row)] if reasoning else []),
            *([cell(percent(row.lenient))] if lenient else []),
            *(_count_cell(row, kind) for kind in kinds),
            *([_spread_cell(row)] if spread else []),
        )
        for row in ranking.rows
    ]
    chances = (cell(percent(ranking.chance[axis])) for axis in ranking.axes)
    return Grid(
        title="Accuracy in percent",
        header=("Model", "rank", *ranking.axes, *further),
        rows=(*rows, (cell("blind guess"), cell(""), *chances, *(cell("") for _ in further))),
        notes=tuple(_notes(ranking, kinds, lenient=lenient, spread=spread)),
    )


def _reasoning_cell(ranking: Ranking, row: Row) -> Cell:
    found = None if ranking.reasoning is None else ranking.reasoning.scores.get(row.name)
    if found is None:
        return no_value(NOT_JUDGED)
    counts = f"{found.counts.judged}/{found.counts.asked}"
    return cell(percent(found.mean.estimate), percent_range(found.mean.low, found.mean.high, 0), f"n={counts}")


def _has_lenient_parser(ranking: Ranking) -> bool:
    protocol = ranking.group.runs[0].record.protocol
    return protocol["strict"] != protocol["lenient"]


def _name_cell(ranking: Ranking, row: Row) -> Cell:
    """Return the name of a run, and below it what sets it apart from the others."""
    found = row.run.coverage
    lines = [row.name]
    if not row.run.complete:
        lines.append(f"scored {found.items}/{found.expected}")
    if found.failed:
        lines.append(f"failed {found.failed}")
    if ranking.group.trials_differ and row.run.trials:
        lines.append(trials_of(row.run))
    if len(ranking.group.datasets) > 1:
        lines.append(f"data {short(row.run.record.dataset_hash)}")
    return cell(*lines)


def _rank_cell(row: Row) -> Cell:
    place = row.place
    if place is None:
        return cell(NOTHING)
    lines = [rank_text(place.rank)]
    if place.low is not None and place.high is not None:
        lines.append(f"{rank_text(place.low)}–{rank_text(place.high)}")
    return cell(*lines)


def _axis_cell(found: Interval | None) -> Cell:
    if found is None:
        return cell(NOTHING)
    return cell(percent(found.estimate), percent_range(found.low, found.high, 0), f"n={found.n}")


def _count_cell(row: Row, kind: OutcomeKind) -> Cell:
    return cell(f"{row.outcomes.get(kind, 0):,}/{row.planned:,}" if row.planned else NOTHING)


def _spread_cell(row: Row) -> Cell:
    spread = row.spread
    if spread is None:
        return cell(NOTHING)
    return cell(percent(spread.sd), plural(spread.n_trials, "trial"), f"n={spread.n_items}")


def _notes(ranking: Ranking, kinds: Sequence[OutcomeKind], *, lenient: bool, spread: bool) -> Iterator[str]:
    yield f"{interval_note(ranking.bootstrap)} n: items with a score."
    if any(row.place is not None and row.place.low is not None for row in ranking.rows):
        yield "Rank: by accuracy on all items, ties share the mean; with its interval over the resamples."
    if ranking.reasoning is not None:
        yield (
            f"{judge_sentence(ranking.reasoning.judge)} Mean of the total from its lowest, 0, to its highest, 100; n: "
            "judged of asked. What is unjudged is in no mean."
        )
    if lenient:
        yield "lenient: accuracy on the same items when the required format is not insisted on."
    for kind in kinds:
        name, meaning = COUNTED[kind]
        yield f"{name}: {meaning}."
    if spread:
        yield "SD: standard deviation over trials of the accuracy on the n items that all trials have a score for."
    run = ranking.group.runs[0]
    datasets = ", ".join(short(dataset) for dataset in ranking.group.datasets)
    yield f"Dataset {datasets}, protocol {short(run.record.protocol_hash)}, parser {run.parser}."
    judged = [row for row in ranking.rows if row.passed is not None]
    if judged and run.benchmark.pass_mark is not None:
        passed = ", ".join(row.name for row in judged if row.passed)
        yield f"Pass mark {percent(run.benchmark.pass_mark, 0)} on these items: reached by {passed or 'none'}."
