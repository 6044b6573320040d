"""The tables of a diagnosis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from exambench.analysis.diagnosis import Diagnosis
from exambench.analysis.gaps import GapFamily
from exambench.report.formatting import (
    SHOWN_ROWS,
    cut,
    p_value,
    percent,
    percent_range,
    points,
    points_range,
    rank_text,
)
from exambench.report.grids import NOTHING, Cell, Grid, cell
from exambench.report.provenance import interval_note
from exambench.stats.gaps import FEW
from exambench.stats.ranking import RankTable


def overall_grid(diagnosis: Diagnosis) -> Grid:
    """Return accuracy and rank on all items, the best first."""
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


def accuracy_grids(diagnosis: Diagnosis) -> Iterator[Grid]:
    """Return accuracy on every axis."""
    means, models = diagnosis.means, diagnosis.table.models
    rows = [[_mean_cell(diagnosis, model, axis) for axis in range(len(means.names))] for model in range(len(models))]
    yield _axes_grid("Accuracy in percent", models, means.names, rows, interval_note(diagnosis.bootstrap))


def _mean_cell(diagnosis: Diagnosis, model: int, axis: int) -> Cell:
    means = diagnosis.means
    if not means.n[model, axis]:
        return cell(NOTHING)
    return cell(
        percent(means.estimate[model, axis]),
        percent_range(means.low[model, axis], means.high[model, axis], 0),
        f"n={means.n[model, axis]}",
    )


def rank_grids(diagnosis: Diagnosis) -> Iterator[Grid]:
    """Return ranks on every axis; nothing where nothing is ranked."""
    ranks, models = diagnosis.ranks, diagnosis.table.models
    if ranks is None:
        return
    rows = [[_rank_cell(ranks, model, axis) for axis in range(len(ranks.names))] for model in range(len(models))]
    yield _axes_grid(
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


def _axes_grid(
    title: str, labels: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[Cell]], note: str
) -> Grid:
    """Return one row a model and one column an axis."""
    return Grid(
        title=title,
        header=("Model", *names),
        rows=tuple((cell(label), *row) for label, row in zip(labels, rows, strict=True)),
        notes=(note,),
    )


def family_grids(diagnosis: Diagnosis, family: GapFamily, most: int | None) -> Iterator[Grid]:
    """Return gaps that are read together, and what single items do to them.

    Args:
        diagnosis: What they are part of.
        family: The gaps.
        most: How many rows to show; ``None`` for all.
    """
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
