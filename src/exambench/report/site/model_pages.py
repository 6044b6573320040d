"""What the page of a model says: its scores in each ranking, gaps, outcomes, what it took, and where it is from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from exambench.analysis.cost import RunCost
from exambench.analysis.gaps import GapFamily
from exambench.analysis.leaderboard import Row
from exambench.analysis.scores import RunScores
from exambench.outcomes import OutcomeKind
from exambench.report.site.boards import Line, Said, Sheet, short_titles
from exambench.report.site.material import Board, Material
from exambench.report.site.radar import Radar, radar_of
from exambench.report.site.rendering import Page
from exambench.report.site.wordings import NAMED_GAPS

NARROWEST: Final = 0.2
"""Bars of gaps reach at least as far as this."""


@dataclass(frozen=True, slots=True)
class GapLine:
    """A gap of a model.

    Attributes:
        name: What to call it.
        formula: Its two sides in words.
        estimate: First side less second.
        low: Lower bound; ``None`` where there is no interval.
        high: Upper bound.
        n_first: Items of the first side.
        n_second: Items of the second.
        p_adjusted: By Holm's method over all models and gaps of the ranking; ``None`` where there is none.
        max_change: Largest change when one item of the first side is left out; ``None`` where that is not known.
        sign_flips: Items whose absence turns the sign.
        left_out: Number of items left out in turn.
    """

    name: str
    formula: str
    estimate: float
    low: float | None
    high: float | None
    n_first: int
    n_second: int
    p_adjusted: float | None
    max_change: float | None
    sign_flips: int | None
    left_out: int | None


@dataclass(frozen=True)
class Part:
    """What one ranking says of a model.

    Attributes:
        sheet: The ranking.
        path: Where its page stands.
        line: The model's row.
        short_titles: Of each metric, by language.
        radar: Its scores as a figure; ``None`` with fewer than three.
        gaps: Its gaps.
        weakest: Its weakest axis; ``None`` where none lies below its accuracy on all items.
        outcomes: What became of the items and trials.
        planned: Number of items and trials.
        lenient: Accuracy when the required format is not insisted on.
        spread: Mean and standard deviation over trials, with their numbers; ``None`` for one trial.
        others: The other models of the ranking that have scores, as key and name.
    """

    sheet: Sheet
    path: str
    line: Line
    short_titles: Sequence[Mapping[str, str]]
    radar: Radar | None
    gaps: tuple[GapLine, ...]
    weakest: Said | None
    outcomes: Mapping[str, int]
    planned: int
    lenient: float | None
    spread: Mapping[str, Any] | None
    others: tuple[tuple[str, str], ...]

    @property
    def widest_gap(self) -> float:
        """How far from 0 the bars of the gaps reach."""
        ends = (abs(end) for gap in self.gaps for end in (gap.estimate, gap.low or 0.0, gap.high or 0.0))
        return max(NARROWEST, *ends)


def model_pages(material: Material, sheets: Sequence[Sheet], paths: Mapping[str, str]) -> Iterator[Page]:
    """Yield a page for each run.

    Args:
        material: What the site is made of.
        sheets: Its rankings; those of ``material.boards`` come first, in their order.
        paths: Where the page of each ranking stands.
    """
    parts: dict[str, list[Part]] = {}
    runs: dict[str, RunScores] = {}
    for board, sheet in zip(material.boards, sheets, strict=False):
        gaps = _gaps(board)
        for number, row in enumerate(board.ranking.rows):
            runs[row.run.run_id] = row.run
            part = _part(board, sheet, paths[sheet.key], number, gaps)
            parts.setdefault(row.run.run_id, []).append(part)
    of_model: dict[str, list[RunScores]] = {}
    for run in runs.values():
        of_model.setdefault(run.record.identity, []).append(run)
    for run_id, run in runs.items():
        yield Page(
            path=f"model/{run_id}.html",
            template="model.html",
            name=parts[run_id][0].line.name,
            content={
                "parts_of_model": parts[run_id],
                "named_gaps": NAMED_GAPS,
                "line": parts[run_id][0].line,
                "run": run,
                "facts": _facts(run),
                "cost": material.costs.get(run_id),
                "money": _money(material.costs.get(run_id)),
                "siblings": [
                    (other.run_id, other.record.protocol_name, other.record.condition)
                    for other in of_model[run.record.identity]
                    if other.run_id != run_id
                ],
            },
        )


def _part(board: Board, sheet: Sheet, path: str, number: int, gaps: Sequence[tuple[GapLine, ...]]) -> Part:
    """Return what a ranking says of the model in a row of it.

    Args:
        board: The ranking.
        sheet: Its page.
        path: Where that stands.
        number: The row.
        gaps: The gaps of each row of the score table.
    """
    row, line = board.ranking.rows[number], sheet.lines[number]
    spread = row.spread
    shorts = [short_titles(metric) for metric in sheet.metrics]
    return Part(
        sheet=sheet,
        path=path,
        line=line,
        short_titles=shorts,
        radar=radar_of(shorts, line.scores),
        gaps=gaps[board.row_of[row.run.run_id]],
        weakest=_weakest(board, row, sheet),
        outcomes={str(kind): row.outcomes.get(kind, 0) for kind in OutcomeKind},
        planned=row.planned,
        lenient=row.lenient,
        spread=None
        if spread is None
        else {"mean": spread.mean, "sd": spread.sd, "trials": spread.n_trials, "n": spread.n_items},
        others=tuple(
            (other.key, other.name) for other in sheet.lines if other.scores[0] is not None and other.key != line.key
        ),
    )


def _gaps(board: Board) -> list[tuple[GapLine, ...]]:
    """Return the gaps of each row of the score table."""
    families = board.diagnosis.families
    return [
        tuple(
            gap
            for family in families
            for place in range(len(family.names))
            if (gap := _gap(family, model, place)) is not None
        )
        for model in range(len(board.ranking.table.models))
    ]


def _gap(family: GapFamily, model: int, place: int) -> GapLine | None:
    table, influence, at = family.estimates, family.influence[place], (model, place)
    if np.isnan(table.estimate[at]):
        return None
    known = influence is not None and not np.isnan(influence.max_change[model])
    return GapLine(
        name=family.names[place],
        formula=family.formulas[place],
        estimate=float(table.estimate[at]),
        low=_number(table.low[at]),
        high=_number(table.high[at]),
        n_first=int(table.n_first[at]),
        n_second=int(table.n_second[at]),
        p_adjusted=_number(family.adjusted.adjusted[at]),
        max_change=float(influence.max_change[model]) if influence is not None and known else None,
        sign_flips=int(influence.sign_flips[model]) if influence is not None and known else None,
        left_out=int(influence.n[model]) if influence is not None and known else None,
    )


def _weakest(board: Board, row: Row, sheet: Sheet) -> Said | None:
    found = next((each for each in board.diagnosis.weaknesses if each.model == row.name), None)
    if found is None:
        return None
    titles = next(metric.titles for metric in sheet.metrics if metric.key == found.axis)
    key = "weakest_few" if found.few else "weakest_apart" if found.excludes_overall else "weakest"
    accuracy = found.accuracy
    return key, {
        "titles": titles,
        "accuracy": f"{100 * accuracy.estimate:.1f}",
        "low": f"{100 * accuracy.low:.1f}",
        "high": f"{100 * accuracy.high:.1f}",
        "n": accuracy.n,
        "overall": f"{100 * found.overall:.1f}",
    }


def _facts(run: RunScores) -> list[tuple[str, str | Mapping[str, object]]]:
    """Return where the scores are from; the address of the endpoint is nobody's business."""
    record = run.record
    decoding = json.dumps(dict(record.decoding), ensure_ascii=False, sort_keys=True)
    released = record.model.get("released")
    facts: list[tuple[str, str | Mapping[str, object]]] = [
        ("fact_run", run.run_id),
        ("fact_benchmark", record.benchmark),
        ("fact_dataset", record.dataset_hash),
        ("fact_protocol", f"{record.protocol_name} {record.protocol_hash}"),
        ("fact_condition", record.condition),
        ("fact_decoding", decoding),
        ("fact_parser", run.parser),
    ]
    return [*facts, *([("fact_released", released)] if isinstance(released, str) else [])]


def _money(cost: RunCost | None) -> str | None:
    if cost is None or cost.money is None:
        return None
    return f"{'≥ ' if cost.money.at_least else ''}{cost.money.amount:.4g} {cost.money.currency}"


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
