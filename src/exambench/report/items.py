"""Item forensics as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from rich.console import RenderableType

from exambench.analysis.item_analysis import Habits, ItemAnalysis
from exambench.report import grids
from exambench.report.formatting import (
    SHOWN_ROWS,
    csv_text,
    cut,
    json_text,
    number,
    p_value,
    percent,
    plural,
)
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell
from exambench.report.provenance import record_of, source

FLAGS: Final = {
    "solved_by_all": "everybody solves it",
    "solved_by_none": "nobody solves it",
    "negative_discrimination": "discrimination below 0",
    "wrong_key_suspect": "key suspect",
}


@dataclass(frozen=True)
class ItemsRendering:
    """The four forms.

    Attributes:
        suspects_only: Whether only items with a suspicious key are shown.
    """

    suspects_only: bool = False

    def terminal(self, analyses: Sequence[ItemAnalysis], /) -> RenderableType:
        """Return Rich tables that fit 100 columns; long ones are cut, and say so."""
        return grids.terminal(section(analysis, SHOWN_ROWS, suspects_only=self.suspects_only) for analysis in analyses)

    def markdown(self, analyses: Sequence[ItemAnalysis], /) -> str:
        """Return Markdown tables."""
        return grids.markdown(section(analysis, None, suspects_only=self.suspects_only) for analysis in analyses)

    def as_csv(self, analyses: Sequence[ItemAnalysis], /) -> str:
        """Return one line for each item, and for each model's habits, in full precision."""
        return csv_text(
            record for analysis in analyses for record in records(analysis, suspects_only=self.suspects_only)
        )

    def as_json(self, analyses: Sequence[ItemAnalysis], /) -> str:
        """Return a JSON document, in full precision."""
        return json_text([document(analysis, suspects_only=self.suspects_only) for analysis in analyses])


def section(analysis: ItemAnalysis, most: int | None, *, suspects_only: bool = False) -> Section:
    """Return the tables of one analysis.

    Args:
        analysis: What to show.
        most: How many rows of a table to show; ``None`` for all.
        suspects_only: Leave out everything but the suspects.
    """
    shown = [*_suspects(analysis, most)]
    if not suspects_only:
        shown += [*_habits(analysis), _items(analysis, most)]
    notes = (*analysis.table.notes, *analysis.reasons) if suspects_only else _notes(analysis)
    return Section(f"Items · {analysis.table.title}", tuple(shown), notes)


def document(analysis: ItemAnalysis, *, suspects_only: bool = False) -> dict[str, Any]:
    """Return one analysis as JSON values."""
    items = [_item_record(analysis, column) for column in _columns(analysis, suspects_only=suspects_only)]
    shown = {**source(analysis.table), "reasons": list(analysis.reasons), "items": items}
    return shown if suspects_only else shown | {"habits": [*_habit_records(analysis)]}


def records(analysis: ItemAnalysis, *, suspects_only: bool = False) -> Iterator[dict[str, object]]:
    """Return one analysis as CSV records."""
    for column in _columns(analysis, suspects_only=suspects_only):
        record = _item_record(analysis, column)
        picks, facets = record.pop("picks"), record.pop("facets")
        yield (
            record_of(analysis.table, "item")
            | record
            | {f"facet {name}": value for name, value in facets.items()}
            | {f"picks {label}": count for label, count in (picks or {}).items()}
        )
    if not suspects_only:
        for habit in _habit_records(analysis):
            counts = habit.pop("picks")
            yield record_of(analysis.table, "habits") | habit | {f"picks {name}": n for name, n in counts.items()}


def _columns(analysis: ItemAnalysis, *, suspects_only: bool) -> Sequence[int]:
    if suspects_only:
        return [suspect.column for suspect in analysis.suspects or ()]
    return range(len(analysis.table.items))


def _notes(analysis: ItemAnalysis) -> tuple[str, ...]:
    statistics = analysis.statistics
    scored = int(np.count_nonzero(statistics.n))
    counts = (
        f"{plural(scored, 'item')} with scores of {plural(len(analysis.table.models), 'model')}: "
        f"everybody solves {np.count_nonzero(statistics.solved_by_all):,}, "
        f"nobody solves {np.count_nonzero(statistics.solved_by_none):,}, "
        f"{np.count_nonzero(statistics.discrimination < 0):,} are solved rather by the weaker models "
        "(discrimination below 0)."
    )
    return (*analysis.table.notes, *analysis.reasons, counts)


def _item_record(analysis: ItemAnalysis, column: int) -> dict[str, Any]:
    table, statistics = analysis.table, analysis.statistics
    suspect = analysis.suspect_in.get(column)
    picks = table.picks
    return {
        "item": table.items[column],
        "facets": {name: values[column] for name, values in table.facets.items()},
        "n": int(statistics.n[column]),
        "difficulty": number(statistics.difficulty[column]),
        "discrimination": number(statistics.discrimination[column]),
        "solved_by_all": bool(statistics.solved_by_all[column]),
        "solved_by_none": bool(statistics.solved_by_none[column]),
        "key": picks and picks.label(picks.key[column]),
        "picks": _picks_of(analysis, column),
        "no_pick": _no_pick(analysis, column),
        "wrong_key_suspect": None if analysis.suspects is None else suspect is not None,
        "preferred": suspect and suspect.preferred,
        "top_picks_of_preferred": suspect and suspect.picks_of_preferred,
        "top_picks_of_key": suspect and suspect.picks_of_key,
        "top_models": suspect and suspect.top_models,
    }


def _row_of(analysis: ItemAnalysis, column: int) -> int | None:
    """Return the row of an item in the distractor table."""
    row = int(np.searchsorted(analysis.keyed, column))
    return row if row < len(analysis.keyed) and analysis.keyed[row] == column else None


def _picks_of(analysis: ItemAnalysis, column: int) -> dict[str, int] | None:
    row, picks = _row_of(analysis, column), analysis.table.picks
    if row is None or picks is None or analysis.distractors is None:
        return None
    labels = picks.labels[: picks.n_choices[column]]
    return {label: int(count) for label, count in zip(labels, analysis.distractors.counts[row], strict=False)}


def _no_pick(analysis: ItemAnalysis, column: int) -> int | None:
    row = _row_of(analysis, column)
    return None if row is None or analysis.distractors is None else int(analysis.distractors.no_pick[row])


def _picks_cell(analysis: ItemAnalysis, column: int) -> Cell:
    """Return the picks of every choice, the key in brackets."""
    counts, picks = _picks_of(analysis, column), analysis.table.picks
    if counts is None or picks is None:
        return cell(NOTHING)
    key = picks.label(picks.key[column])
    return cell(" ".join(f"[{label}:{n}]" if label == key else f"{label}:{n}" for label, n in counts.items()))


def _discrimination(value: float) -> str:
    return NOTHING if np.isnan(value) else f"{value:.2f}".replace("-", "−")


def _suspects(analysis: ItemAnalysis, most: int | None) -> Iterator[Grid]:
    if analysis.suspects is None:
        return
    shown, left_out = cut(analysis.suspects, most, "suspects")
    statistics = analysis.statistics
    yield Grid(
        title=f"Wrong-key suspects: {len(analysis.suspects):,}",
        header=("Item", "key", "top third prefers", "picks of all models", "difficulty", "discrimination"),
        rows=tuple(
            (
                cell(suspect.item),
                cell(suspect.key),
                cell(f"{suspect.preferred} ({suspect.picks_of_preferred} against {suspect.picks_of_key})"),
                _picks_cell(analysis, suspect.column),
                cell(percent(statistics.difficulty[suspect.column])),
                cell(_discrimination(statistics.discrimination[suspect.column])),
            )
            for suspect in shown
        ),
        notes=(
            "A distractor that more of the best third of the models pick than the key.",
            "C (3 against 1) reads: of the best third, 3 models pick C, and 1 picks the key.",
            *left_out,
        ),
    )


def _habits(analysis: ItemAnalysis) -> Iterator[Grid]:
    habits = analysis.habits
    if habits is None:
        return
    found = habits.responders
    keys = habits.expected.sum()
    yield Grid(
        title="Which positions the models pick, in percent of their picks",
        header=("Model", "n", " ".join(habits.labels), "favourite", "χ²", "p, Holm", ""),
        rows=(
            *(_habit_row(analysis, habits, model) for model in range(len(analysis.table.models))),
            (cell("keys"), cell(str(keys)), cell(_shares(habits.expected / keys)), *(cell("") for _ in range(4))),
        ),
        notes=(
            "χ² compares a model's picks with the positions of the keys of the items it answers.",
            f"near-constant: one position takes at least {found.threshold:.0%} of the picks.",
        ),
    )


def _habit_row(analysis: ItemAnalysis, habits: Habits, model: int) -> tuple[Cell, ...]:
    found = habits.responders
    n = int(found.n[model])
    if not n:
        return (cell(analysis.table.models[model]), cell("0"), *(cell(NOTHING) for _ in range(4)), cell(""))
    return (
        cell(analysis.table.models[model]),
        cell(str(n)),
        cell(_shares(found.counts[model] / n)),
        cell(f"{habits.labels[found.favourite[model]]} {percent(found.favourite_share[model], 0)}"),
        cell(f"{found.chi_square[model]:.1f}".replace("inf", "∞")),
        cell(p_value(habits.p_adjusted[model])),
        cell("near-constant" if found.near_constant[model] else ""),
    )


def _shares(shares: Any) -> str:  # noqa: ANN401 - a row of numbers
    return " ".join(percent(float(share), 0) for share in shares)


def _habit_records(analysis: ItemAnalysis) -> Iterator[dict[str, Any]]:
    habits = analysis.habits
    if habits is None:
        return
    found = habits.responders
    for model, name in enumerate(analysis.table.models):
        favourite = int(found.favourite[model])
        yield {
            "model": name,
            "n": int(found.n[model]),
            "picks": dict(zip(habits.labels, found.counts[model].tolist(), strict=True)),
            "favourite": None if favourite < 0 else habits.labels[favourite],
            "favourite_share": number(found.favourite_share[model]),
            "chi_square": number(found.chi_square[model]),
            "p": number(found.p_value[model]),
            "p_holm": number(habits.p_adjusted[model]),
            "near_constant": bool(found.near_constant[model]),
        }


def _items(analysis: ItemAnalysis, most: int | None) -> Grid:
    statistics = analysis.statistics
    scored = np.flatnonzero(statistics.n).tolist()
    order = sorted(scored, key=lambda column: (statistics.difficulty[column], column))
    shown, left_out = cut(order, most, "items")
    return Grid(
        title="Items, the hardest first",
        header=("Item", "Remarks", "n", "difficulty", "discrimination", "picks, [key]"),
        labels=2,
        rows=tuple(
            (
                cell(analysis.table.items[column]),
                cell(", ".join(_flags(analysis, column, suspect=column in analysis.suspect_in)) or NOTHING),
                cell(str(statistics.n[column])),
                cell(percent(statistics.difficulty[column])),
                cell(_discrimination(statistics.discrimination[column])),
                _picks_cell(analysis, column),
            )
            for column in shown
        ),
        notes=(
            "Difficulty: mean score in percent over n models, low is hard.",
            "Discrimination: correlation with the models' scores on the other items.",
            *left_out,
        ),
    )


def _flags(analysis: ItemAnalysis, column: int, *, suspect: bool) -> Iterator[str]:
    statistics = analysis.statistics
    flags = {
        "solved_by_all": statistics.solved_by_all[column],
        "solved_by_none": statistics.solved_by_none[column],
        "negative_discrimination": statistics.discrimination[column] < 0,
        "wrong_key_suspect": suspect,
    }
    return (FLAGS[name] for name, raised in flags.items() if raised)
