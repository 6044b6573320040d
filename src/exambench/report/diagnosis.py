"""Diagnoses as terminal tables, Markdown, CSV and JSON: the same numbers, each with its n and interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.console import RenderableType

from exambench.analysis.diagnosis import Diagnosis, Weakness
from exambench.analysis.gaps import AbsentGap, GapFamily
from exambench.report import grids
from exambench.report.diagnosis_tables import accuracy_grids, family_grids, overall_grid, rank_grids
from exambench.report.formatting import (
    SHOWN_ROWS,
    csv_text,
    json_text,
    number,
    percent,
    percent_range,
    plural,
)
from exambench.report.grids import NOTHING, Grid, Section
from exambench.report.judged import judge_sentences, judged_records
from exambench.report.provenance import drawn, record_of, source


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


def sections(diagnosis: Diagnosis, most: int | None) -> Iterator[Section]:
    """Return the tables of one diagnosis, and its sentences.

    Args:
        diagnosis: What to show.
        most: How many rows of a table to show; ``None`` for all.
    """
    return _sections(diagnosis, [*accuracy_grids(diagnosis), *rank_grids(diagnosis)], most)


def overall_sections(diagnosis: Diagnosis, most: int | None) -> Iterator[Section]:
    """Return the same with accuracy and rank on all items alone, in one table."""
    return _sections(diagnosis, [overall_grid(diagnosis)], most)


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
        "absent_gaps": [_absent_record(absent) for absent in diagnosis.absent],
        "judged": list(judged_records(diagnosis.reasoning)),
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
    for absent in diagnosis.absent:
        yield record_of(diagnosis.table, "absent gap") | _absent_record(absent)
    for record in judged_records(diagnosis.reasoning):
        yield record_of(diagnosis.table, "judged") | record


def _sections(diagnosis: Diagnosis, first: Sequence[Grid], most: int | None) -> Iterator[Section]:
    gaps = [grid for family in diagnosis.families for grid in family_grids(diagnosis, family, most)]
    notes = diagnosis.table.notes
    if not gaps:
        notes += ("No gaps: no facet to compare has two values or more among these items.",)
    notes += tuple(judge_sentences(diagnosis.reasoning))
    notes += tuple(map(_absent_sentence, diagnosis.absent))
    yield Section(diagnosis.table.title, (*first, *gaps), notes)
    if diagnosis.weaknesses:
        yield Section("Weakest axes", (), tuple(map(sentence, diagnosis.weaknesses)))


def _absent_sentence(absent: AbsentGap) -> str:
    of_model = "" if absent.model is None else f" of {absent.model}"
    return f"{absent.name} gap{of_model}: {NOTHING} ({absent.reason})."


def _absent_record(absent: AbsentGap) -> dict[str, object]:
    return {"gap": absent.name, "model": absent.model, "reason": absent.reason}


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
