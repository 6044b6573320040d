"""Diagnoses as terminal tables, Markdown, CSV and JSON: the same numbers, each with its n and interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from rich.cells import cell_len
from rich.console import RenderableType

from exambench.analysis.diagnosis import Diagnosis, Weakness
from exambench.analysis.gaps import GapFamily
from exambench.report import grids
from exambench.report.formatting import (
    SHOWN_ROWS,
    csv_text,
    cut,
    json_text,
    number,
    p_value,
    percent,
    percent_range,
    plural,
    points,
    points_range,
    rank_text,
)
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell
from exambench.report.provenance import drawn, interval_note, record_of, source
from exambench.stats.gaps import FEW
from exambench.stats.ranking import RankTable

WIDTH: Final = 100
LABEL_WIDTH: Final = 14
BETWEEN: Final = 2


def terminal(diagnoses: Sequence[Diagnosis]) -> RenderableType:
    """Return the diagnoses as Rich tables that fit 100 columns; long ones are cut, and say so."""
    return grids.terminal(part for diagnosis in diagnoses for part in sections(diagnosis, SHOWN_ROWS))


def markdown(diagnoses: Sequence[Diagnosis]) -> str:
    """Return the diagnoses as Markdown tables."""
    return grids.markdown(part for diagnosis in diagnoses for part in sections(diagnosis, None))


def as_csv(diagnoses: Sequence[Diagnosis]) -> str:
    """Return one line for each model and axis, and for each model and gap, in full precision."""
    return csv_text(record for diagnosis in diagnoses for record in records(diagnosis))


def as_json(diagnoses: Sequence[Diagnosis]) -> str:
    """Return the diagnoses as a JSON document, in full precision."""
    return json_text([document(diagnosis) for diagnosis in diagnoses])


def sections(diagnosis: Diagnosis, most: int | None, *, overall_only: bool = False) -> Iterator[Section]:
    """Return the tables of one diagnosis, and its sentences.

    Args:
        diagnosis: What to show.
        most: How many rows of a table to show; ``None`` for all.
        overall_only: Show accuracy and rank on all items alone, in one table.
    """
    shown = [_overall(diagnosis)] if overall_only else [*_accuracy(diagnosis), *_ranks(diagnosis)]
    for family in diagnosis.families:
        shown += _family(diagnosis, family, most)
    notes = diagnosis.table.notes
    if not diagnosis.families:
        notes += ("No gaps: no facet to compare has two values or more among these items.",)
    yield Section(diagnosis.table.title, tuple(shown), notes)
    if diagnosis.weaknesses:
        yield Section("Weakest axes", (), tuple(map(sentence, diagnosis.weaknesses)))


def sentence(weakness: Weakness) -> str:
    """Return a model's weakest axis in a sentence, with its numbers."""
    accuracy = weakness.accuracy
    first = (
        f"{weakness.model} is weakest on {weakness.axis}: {percent(accuracy.estimate)}% of "
        f"{plural(accuracy.n, 'item')} ({accuracy.level:.0%} interval {percent_range(accuracy.low, accuracy.high)}), "
        f"{_apart(accuracy.estimate - weakness.overall)} its {percent(weakness.overall)}% on all items; "
        f"the interval {'excludes' if weakness.excludes_overall else 'includes'} that"
    )
    parts = [first]
    if weakness.best_model is not None and weakness.best_score is not None and weakness.own_score is not None:
        lag = weakness.own_score - weakness.best_score
        where = "" if weakness.common == accuracy.n else f" on the {plural(weakness.common, 'common item')}"
        parts.append(
            "no ranked model is better on it"
            if lag >= 0.0
            else f"{weakness.best_model} is best on it with {percent(weakness.best_score)}%, {_apart(-lag)} it{where}"
        )
    if weakness.few:
        parts.append("so few items only describe")
    return "; ".join(parts) + "."


def document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return one diagnosis as JSON values."""
    return {
        **source(diagnosis.table),
        **drawn(diagnosis.bootstrap),
        "axes": [_axis_record(diagnosis, *place) for place in _cells(diagnosis)],
        "gaps": [
            {"family": family.name, "comparisons": family.adjusted.n, "method": family.adjusted.method}
            | {
                "gaps": [
                    _gap_record(diagnosis, family, *place) for place in np.ndindex(family.estimates.estimate.shape)
                ]
            }
            for family in diagnosis.families
        ],
        "weakest": [_weakness_record(weakness) for weakness in diagnosis.weaknesses],
    }


def records(diagnosis: Diagnosis) -> Iterator[dict[str, object]]:
    """Return one diagnosis as CSV records."""
    method = drawn(diagnosis.bootstrap)
    for place in _cells(diagnosis):
        yield record_of(diagnosis.table, "axis") | _axis_record(diagnosis, *place) | method
    for family in diagnosis.families:
        for place in np.ndindex(family.estimates.estimate.shape):
            gap = {"family": family.name} | _gap_record(diagnosis, family, *place)
            yield record_of(diagnosis.table, "gap") | gap | method


def _apart(difference: float) -> str:
    return f"{percent(abs(difference))} points {'above' if difference > 0 else 'below'}"


def _cells(diagnosis: Diagnosis) -> Iterator[tuple[int, ...]]:
    return np.ndindex(diagnosis.means.estimate.shape)


def _axis_record(diagnosis: Diagnosis, model: int, axis: int) -> dict[str, Any]:
    means, ranks = diagnosis.means, diagnosis.ranks
    return {
        "model": diagnosis.table.models[model],
        "axis": means.names[axis],
        "n": int(means.n[model, axis]),
        "accuracy": number(means.estimate[model, axis]),
        "low": number(means.low[model, axis]),
        "high": number(means.high[model, axis]),
        "rank": None if ranks is None else number(ranks.rank[model, axis]),
        "rank_low": None if ranks is None else number(ranks.low[model, axis]),
        "rank_high": None if ranks is None else number(ranks.high[model, axis]),
        "rank_n": None if ranks is None else int(ranks.n[axis]),
    }


def _gap_record(diagnosis: Diagnosis, family: GapFamily, model: int, gap: int) -> dict[str, Any]:
    table, influence = family.estimates, family.influence[gap]
    cell_ = (model, gap)
    return {
        "model": diagnosis.table.models[model],
        "gap": family.names[gap],
        "formula": family.formulas[gap],
        "n_first": int(table.n_first[cell_]),
        "n_second": int(table.n_second[cell_]),
        "estimate": number(table.estimate[cell_]),
        "low": number(table.low[cell_]),
        "high": number(table.high[cell_]),
        "p": number(table.p_value[cell_]),
        "p_holm": number(family.adjusted.adjusted[cell_]),
        "loo_n": None if influence is None else int(influence.n[model]),
        "loo_max_change": None if influence is None else number(influence.max_change[model]),
        "loo_item": None if influence is None else influence.item[model],
        "loo_sign_flips": None if influence is None else int(influence.sign_flips[model]),
    }


def _weakness_record(weakness: Weakness) -> dict[str, Any]:
    return asdict(weakness) | {"sentence": sentence(weakness)}


def _overall(diagnosis: Diagnosis) -> Grid:
    means, ranks = diagnosis.means, diagnosis.ranks
    column = means.names.index(diagnosis.table.overall)
    best_first = -np.nan_to_num(means.estimate[:, column]) if ranks is None else ranks.rank[:, column]
    order = np.argsort(best_first, kind="stable").tolist()  # models without a rank come last
    notes = [interval_note(diagnosis.bootstrap)]
    if ranks is not None:
        notes.append(f"Ranked on the {ranks.n[column]:,} items that all models have scores for; ties share the mean.")
    return Grid(
        title="Accuracy in percent, and rank",
        header=("Model", "n", "accuracy", "interval", "rank", "rank interval"),
        rows=tuple(
            (
                cell(diagnosis.table.models[model]),
                cell(f"{means.n[model, column]:,}"),
                cell(percent(means.estimate[model, column])),
                cell(percent_range(means.low[model, column], means.high[model, column])),
                *(
                    (cell(NOTHING), cell(NOTHING))
                    if ranks is None
                    else (cell(line) for line in (*_rank_cell(ranks, model, column).lines, NOTHING)[:2])
                ),
            )
            for model in order
        ),
        notes=tuple(notes),
    )


def _accuracy(diagnosis: Diagnosis) -> Iterator[Grid]:
    means, models = diagnosis.means, diagnosis.table.models
    rows = [[_mean_cell(diagnosis, model, axis) for axis in range(len(means.names))] for model in range(len(models))]
    yield from _side_by_side("Accuracy in percent", models, means.names, rows, interval_note(diagnosis.bootstrap))


def _mean_cell(diagnosis: Diagnosis, model: int, axis: int) -> Cell:
    means = diagnosis.means
    if not means.n[model, axis]:
        return cell(NOTHING)
    return cell(
        percent(means.estimate[model, axis]),
        percent_range(means.low[model, axis], means.high[model, axis], 0),
        f"n={means.n[model, axis]}",
    )


def _ranks(diagnosis: Diagnosis) -> Iterator[Grid]:
    ranks, models = diagnosis.ranks, diagnosis.table.models
    if ranks is None:
        return
    rows = [[_rank_cell(ranks, model, axis) for axis in range(len(ranks.names))] for model in range(len(models))]
    yield from _side_by_side(
        f"Rank among {np.count_nonzero(diagnosis.table.ranked)} models, with its interval",
        (*models, "common items"),
        ranks.names,
        [*rows, [cell(f"n={n}") for n in ranks.n]],
        "1 is best; ties share the mean of their places. Models are ranked on common items.",
    )


def _rank_cell(ranks: RankTable, model: int, axis: int) -> Cell:
    if np.isnan(ranks.rank[model, axis]):
        return cell(NOTHING)
    return cell(
        rank_text(ranks.rank[model, axis]), f"{rank_text(ranks.low[model, axis])}–{rank_text(ranks.high[model, axis])}"
    )


def _side_by_side(
    title: str, labels: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[Cell]], note: str
) -> Iterator[Grid]:
    """Return a table, cut into several between its columns where it would not fit the width."""
    widths = [
        max(cell_len(name), *(cell_len(line) for row in rows for line in row[place].lines)) + BETWEEN
        for place, name in enumerate(names)
    ]
    for portion in _portions(widths, WIDTH - min(LABEL_WIDTH, max(map(cell_len, labels)))):
        yield Grid(
            title=title,
            header=("Model", *(names[place] for place in portion)),
            rows=tuple(
                (cell(label), *(row[place] for place in portion)) for label, row in zip(labels, rows, strict=True)
            ),
            notes=(note,),
        )


def _portions(widths: Sequence[int], most: int) -> Iterator[list[int]]:
    portion: list[int] = []
    for place, width in enumerate(widths):
        if portion and sum(widths[other] for other in portion) + width > most:
            yield portion
            portion = []
        portion.append(place)
    yield portion


def _family(diagnosis: Diagnosis, family: GapFamily, most: int | None) -> Iterator[Grid]:
    places = [place for place in np.ndindex(family.estimates.estimate.shape) if _exists(family, place)]
    ordered = sorted(places, key=lambda place: (place[1], place[0])) if most is None else _telling(family, places)
    shown, left_out = cut(ordered, most, "gaps")
    title = "Gaps in percentage points" if family.name == "contrasts" else f"{family.name}: each value against the rest"
    formulas = tuple(dict.fromkeys(family.formulas)) if family.name == "contrasts" else ()
    yield Grid(
        title=title,
        header=("Gap", "Model", "points", "interval", "n", "p", "Holm"),
        labels=2,
        rows=tuple(_gap_row(diagnosis, family, *place) for place in shown),
        notes=(
            *(f"{name}: {formula}." for name, formula in zip(family.names, formulas, strict=False)),
            f"Holm: p-values corrected for the {family.adjusted.n} gaps of this table.",
            *(
                [f"(few): a side has fewer than {FEW} items; the gap only describes."]
                if family.estimates.few.any()
                else []
            ),
            *left_out,
        ),
    )
    yield Grid(
        title="Leave one out: what a single item of the first side does to the gap, in percentage points",
        header=("Gap", "Model", "baseline", "max swing", "item", "sign flips", "n"),
        labels=2,
        rows=tuple(_loo_row(diagnosis, family, *place) for place in shown),
        notes=left_out,
    )


def _exists(family: GapFamily, place: tuple[int, ...]) -> bool:
    return not bool(np.isnan(family.estimates.estimate[place]))


def _telling(family: GapFamily, places: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Order many gaps by their p-values, few by gap and model."""
    if len(places) <= SHOWN_ROWS:
        return sorted(places, key=lambda place: (place[1], place[0]))
    p_values = np.nan_to_num(family.estimates.p_value, nan=1.0)
    return sorted(places, key=lambda place: (p_values[place], place[1], place[0]))


def _gap_row(diagnosis: Diagnosis, family: GapFamily, model: int, gap: int) -> tuple[Cell, ...]:
    table = family.estimates
    place = (model, gap)
    few = " (few)" if table.few[place] else ""
    return (
        cell(family.names[gap]),
        cell(diagnosis.table.models[model]),
        cell(points(table.estimate[place])),
        cell(points_range(table.low[place], table.high[place])),
        cell(f"{table.n_first[place]}/{table.n_second[place]}{few}"),
        cell(p_value(table.p_value[place])),
        cell(p_value(family.adjusted.adjusted[place])),
    )


def _loo_row(diagnosis: Diagnosis, family: GapFamily, model: int, gap: int) -> tuple[Cell, ...]:
    influence = family.influence[gap]
    names = (cell(family.names[gap]), cell(diagnosis.table.models[model]))
    baseline = cell(points(family.estimates.estimate[model, gap], 2))
    if influence is None or not influence.n[model]:
        return (*names, baseline, *(cell(NOTHING) for _ in range(4)))
    flips, n = int(influence.sign_flips[model]), int(influence.n[model])
    return (
        *names,
        baseline,
        cell(percent(influence.max_change[model], 2)),
        cell(influence.item[model] or NOTHING),
        cell(f"{flips} ({percent(flips / n)}%)"),
        cell(str(n)),
    )
