"""Comparisons of models as terminal tables, Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import numpy as np
from rich.console import RenderableType

from exambench.analysis.comparison import POWER, AxisComparison, Comparison, DifferingItem, Pairs
from exambench.report import grids
from exambench.report.formatting import (
    SHOWN_ROWS,
    csv_text,
    cut,
    equals,
    json_text,
    number,
    p_value,
    percent,
    plural,
    points,
    points_range,
)
from exambench.report.grids import NOTHING, Grid, Section, cell
from exambench.report.provenance import drawn, interval_note, record_of, source
from exambench.stats.amip import Perturbation
from exambench.stats.paired import MCNEMAR, SIGN_TEST

NAMED_ITEMS: Final = 10


def terminal(comparison: Comparison) -> RenderableType:
    """Return the comparison as Rich tables that fit 100 columns; long ones are cut, and say so."""
    return grids.terminal([section(comparison, SHOWN_ROWS)])


def markdown(comparison: Comparison) -> str:
    """Return the comparison as Markdown tables."""
    return grids.markdown([section(comparison, None)])


def as_csv(comparison: Comparison) -> str:
    """Return one line for each axis, and for each item on which the two differ, in full precision."""
    return csv_text(records(comparison))


def as_json(comparison: Comparison) -> str:
    """Return the comparison as a JSON document, in full precision."""
    return json_text(document(comparison))


def section(comparison: Comparison, most: int | None) -> Section:
    """Return the tables of a comparison.

    Args:
        comparison: What to show.
        most: How many rows of a table to show; ``None`` for all.
    """
    return Section(
        title=f"A = {comparison.a}, B = {comparison.b}",
        grids=tuple(_grids(comparison, most)),
        notes=(
            comparison.table.title,
            *comparison.table.notes,
            difference_sentence(comparison),
            order_sentence(comparison),
            power_sentence(comparison),
        ),
    )


def difference_sentence(comparison: Comparison) -> str:
    """Return who is ahead by how much, in a sentence."""
    overall, level = comparison.overall, comparison.overall.difference.level
    difference = overall.difference
    return (
        f"A − B is {points(difference.estimate)} points on {plural(difference.n, 'common item')} "
        f"({level:.0%} interval {points_range(difference.low, difference.high)}); "
        f"{overall.test.method}: p {equals(overall.test.p_value)}."
    )


def order_sentence(comparison: Comparison) -> str:
    """Return how few items turn the order of the two, in a sentence."""
    minimum = comparison.minimum
    if minimum is None:
        return "The two are level: there is no order that removing items could turn."
    leader, other = ("B", "A") if minimum.leader else ("A", "B")
    tie = f"{plural(minimum.to_tie, 'removal')} make" + ("s" if minimum.to_tie == 1 else "") + " them level"
    if minimum.to_flip is None or not isinstance(comparison.influence, Perturbation):
        return f"{leader} leads, and {other} is better on no item: {tie}, and none puts {other} ahead."
    removed = comparison.removed
    named = ", ".join(removed[:NAMED_ITEMS]) + (", …" if len(removed) > NAMED_ITEMS else "")
    return (
        f"{leader} leads. {tie}; removing {minimum.to_flip} of the {minimum.leader_wins} items on which {leader} alone "
        f"is better ({percent(minimum.to_flip / minimum.n)}% of {minimum.n:,}) puts {other} ahead, and no fewer do. "
        f"AMIP removes these items: {named}. Items that {leader} alone is better on have all the same influence, "
        "so any others of them do as well."
    )


def power_sentence(comparison: Comparison) -> str:
    """Return the smallest difference that so many items show, in a sentence."""
    overall = comparison.overall
    n, level = overall.difference.n, overall.difference.level
    discordant = (overall.test.only_a + overall.test.only_b) / n
    found = f"at the {1 - level:.3g} level with a power of {POWER:.0%}"
    if comparison.detectable is None:
        return f"The two differ on {percent(discordant)}% of {plural(n, 'item')}: no true difference is found {found}."
    return (
        f"The two differ on {percent(discordant)}% of {plural(n, 'item')}: a true difference of "
        f"{percent(comparison.detectable)} points or more is found {found}."
    )


def document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON values."""
    outcomes, minimum, influence = comparison.outcomes, comparison.minimum, comparison.influence
    return {
        **source(comparison.table),
        **drawn(comparison.bootstrap),
        "a": comparison.a,
        "b": comparison.b,
        "n": comparison.overall.difference.n,
        "outcomes": outcomes and {name: getattr(outcomes, name) for name in ("both", "only_a", "only_b", "neither")},
        "overall": _axis_record(comparison.overall),
        "axes": [_axis_record(axis) for axis in comparison.axes],
        "order": minimum
        and {
            **asdict(minimum),
            "leader": comparison.b if minimum.leader else comparison.a,
            "greedy": list(comparison.removed),
            "share": None if minimum.to_flip is None else minimum.to_flip / minimum.n,
            "predicted": influence.predicted if isinstance(influence, Perturbation) else None,
            "strength": influence.strength if isinstance(influence, Perturbation) else None,
        },
        "detectable_difference": comparison.detectable,
        "power": POWER,
        "items": [_item_record(item) for item in comparison.differing],
    }


def records(comparison: Comparison) -> Iterator[dict[str, object]]:
    """Return a comparison as CSV records."""
    pair = {"a": comparison.a, "b": comparison.b}
    method = drawn(comparison.bootstrap)
    for axis in (comparison.overall, *comparison.axes):
        yield record_of(comparison.table, "axis") | pair | _axis_record(axis) | method
    for item in comparison.differing:
        record = _item_record(item)
        facets = {f"facet {name}": value for name, value in record.pop("facets").items()}
        yield record_of(comparison.table, "item") | pair | record | facets


def pairs_grid(pairs: Pairs, most: int | None, level: float = 0.95) -> Grid:
    """Return all pairs as a table, the closest first."""
    order = sorted(range(len(pairs.n)), key=lambda pair: (abs(np.nan_to_num(pairs.difference[pair], nan=2.0)), pair))
    shown, left_out = cut(order, most, "pairs")
    apart = int(np.count_nonzero(pairs.adjusted.adjusted < 1 - level))
    return Grid(
        title="Pairs of models, the closest first; differences A − B in percentage points",
        header=("A", "B", "n", "A − B", "only A", "only B", "p", "Holm", "to flip"),
        labels=2,
        rows=tuple(
            (
                cell(pairs.models[pairs.first[pair]]),
                cell(pairs.models[pairs.second[pair]]),
                cell(str(pairs.n[pair])),
                cell(points(pairs.difference[pair])),
                cell(str(pairs.only_first[pair])),
                cell(str(pairs.only_second[pair])),
                cell(p_value(pairs.p_value[pair])),
                cell(p_value(pairs.adjusted.adjusted[pair])),
                cell(_to_flip(_pair_to_flip(pairs, pair), int(pairs.n[pair]))),
            )
            for pair in shown
        ),
        notes=(
            f"p: {_tests(pairs)}; Holm over {plural(pairs.adjusted.n, 'pair')}: {apart} differ.",
            "To flip: fewest items whose removal turns the order.",
            *left_out,
        ),
    )


def pair_records(pairs: Pairs) -> Iterator[dict[str, Any]]:
    """Return all pairs as records."""
    for pair in range(len(pairs.n)):
        yield {
            "a": pairs.models[pairs.first[pair]],
            "b": pairs.models[pairs.second[pair]],
            "n": int(pairs.n[pair]),
            "difference": number(pairs.difference[pair]),
            "only_a": int(pairs.only_first[pair]),
            "only_b": int(pairs.only_second[pair]),
            "p": number(pairs.p_value[pair]),
            "test": pairs.methods[pair],
            "p_holm": number(pairs.adjusted.adjusted[pair]),
            "to_flip": _pair_to_flip(pairs, pair),
        }


def _tests(pairs: Pairs) -> str:
    """Return the tests of all pairs; the sign test is that of pairs in which a model has graded scores."""
    found = set(pairs.methods)
    return f"{MCNEMAR} (of graded scores: {SIGN_TEST})" if len(found) > 1 else "".join(found)


def _pair_to_flip(pairs: Pairs, pair: int) -> int | None:
    found = float(pairs.minima.to_flip[pairs.first[pair], pairs.second[pair]])
    return int(found) if np.isfinite(found) else None


def _to_flip(removals: int | None, n: int) -> str:
    return NOTHING if removals is None else f"{removals} ({percent(removals / n)}%)"


def _axis_record(axis: AxisComparison) -> dict[str, Any]:
    return {
        "axis": axis.axis,
        "n": axis.difference.n,
        "accuracy_a": axis.accuracy_a,
        "accuracy_b": axis.accuracy_b,
        "difference": axis.difference.estimate,
        "low": number(axis.difference.low),
        "high": number(axis.difference.high),
        "only_a": axis.test.only_a,
        "only_b": axis.test.only_b,
        "p": axis.test.p_value,
        "test": axis.test.method,
        "p_holm": axis.p_adjusted,
        "to_flip": axis.to_flip,
    }


def _item_record(item: DifferingItem) -> dict[str, Any]:
    return asdict(item)


def _facets(item: DifferingItem) -> str:
    """Return the facets in few words: a true one by its name, a false one not at all."""
    shown = (name if value == "true" else f"{name} {value}" for name, value in item.facets.items())
    return ", ".join(word for word in shown if not word.endswith((" false", " "))) or NOTHING


def _grids(comparison: Comparison, most: int | None) -> Iterator[Grid]:
    outcomes = comparison.outcomes
    if outcomes is not None:
        counts = (outcomes.both, outcomes.only_a, outcomes.only_b, outcomes.neither)
        yield Grid(
            title="Items by who solves them",
            header=("both solve", "only A", "only B", "neither"),
            labels=0,
            rows=(tuple(cell(f"{count:,}") for count in counts),),
        )
    axes, axes_left_out = cut((comparison.overall, *comparison.axes), most, "axes")
    yield Grid(
        title="Accuracy on common items in percent, differences in percentage points",
        header=("Axis", "n", "A", "B", "A − B", "interval", "only A/B", "p", "Holm", "to flip"),
        rows=tuple(
            (
                cell(axis.axis),
                cell(str(axis.difference.n)),
                cell(percent(axis.accuracy_a)),
                cell(percent(axis.accuracy_b)),
                cell(points(axis.difference.estimate)),
                cell(points_range(axis.difference.low, axis.difference.high)),
                cell(f"{axis.test.only_a}/{axis.test.only_b}"),
                cell(p_value(axis.test.p_value)),
                cell(p_value(axis.p_adjusted)),
                cell(_to_flip(axis.to_flip, axis.difference.n)),
            )
            for axis in axes
        ),
        notes=(
            interval_note(comparison.bootstrap),
            f"p: {comparison.overall.test.method}; Holm over the axes below the first ({comparison.tested}).",
            *axes_left_out,
        ),
    )
    items, items_left_out = cut(comparison.differing, most, "items")
    yield Grid(
        title=f"Items on which the two differ: {len(comparison.differing):,}",
        header=("Item", "Facets", "better", "A picked", "B picked", "key", "AMIP"),
        labels=2,
        rows=tuple(
            (
                cell(item.item),
                cell(_facets(item)),
                cell("A" if item.score_a > item.score_b else "B"),
                cell(item.pick_a or NOTHING),
                cell(item.pick_b or NOTHING),
                cell(item.key or NOTHING),
                cell(NOTHING if item.removal is None else str(item.removal)),
            )
            for item in items
        ),
        notes=("AMIP: the place at which the item is removed to turn the order.", *items_left_out),
    )
