"""What conditions do to each model: cells, changes, effects, probes, orders of the choices, items that flip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType

from exambench.analysis.condition_cells import PROMPT
from exambench.analysis.condition_contrasts import Contrast, Effects
from exambench.analysis.conditions import ModelConditions, ProbeResult
from exambench.analysis.reshuffling import Reshuffling
from exambench.items import short
from exambench.report import grids
from exambench.report.condition_records import as_csv, as_json
from exambench.report.formatting import equals, p_value, percent, percent_range, plural, points, points_range
from exambench.report.grids import NOTHING, Cell, Grid, Section, cell, no_value
from exambench.report.provenance import interval_note
from exambench.stats.intervals import Interval

__all__ = ["as_csv", "as_json", "markdown", "terminal"]

SHOWN_ITEMS: Final = 20
ABOVE_CHANCE: Final = (
    "p: exact binomial test against the chance of a blind guess, one-sided, where what the answer needs is hidden"
)
OWN_ORDER: Final = (
    "p: exact, one-sided, of the number of items solved in their own order, if that is like any other: of the orders "
    "in which an item is solved, each is its own with the same chance."
)


def terminal(models: Sequence[ModelConditions]) -> RenderableType:
    """Return the result as Rich tables, a section for each model."""
    return grids.terminal(map(_section, models))


def markdown(models: Sequence[ModelConditions]) -> str:
    """Return the result as Markdown tables."""
    return grids.markdown(map(_section, models))


def _section(found: ModelConditions) -> Section:
    run = found.cells.reference.run
    axis = f" · axis {found.axis}" if found.axis else ""
    tables = [_cells(found)]
    if found.effects:
        tables += [_square(effects) for effects in found.effects]
    if found.contrasts:
        tables.append(_contrasts(found))
    if found.probes:
        tables.append(_probes(found.probes))
    for reshuffling in found.reshufflings:
        tables += [_reshuffling(reshuffling), _places(reshuffling)]
    if any(contrast.gained or contrast.lost for contrast in found.contrasts):
        tables.append(_flips(found.contrasts))
    return Section(
        f"{run.benchmark.title} · {found.model} under {plural(len(found.cells.cells), 'condition')}{axis}",
        tuple(tables),
        tuple(_notes(found)),
    )


def _notes(found: ModelConditions) -> Iterator[str]:
    yield interval_note(found.bootstrap)
    run = found.cells.reference.run
    yield (
        f"Dataset {short(run.record.dataset_hash)}, parser {run.parser}. Comparisons are made on the items that both "
        "sides have a score for; of wordings, on those that read differently."
    )


def _cells(found: ModelConditions) -> Grid:
    rows = [
        (
            cell(each.title),
            cell(each.values[PROMPT]),
            cell(str(accuracy.n)) if accuracy else no_value("no item has a score"),
            cell(percent(accuracy.estimate)) if accuracy else cell(NOTHING),
            cell(percent_range(accuracy.low, accuracy.high)) if accuracy else cell(NOTHING),
            cell(str(sum(refused.values()))),
        )
        for each, accuracy, refused in zip(found.cells.cells, found.accuracy, found.refused, strict=True)
    ]
    return Grid(
        title="Accuracy in percent, each on all that was asked",
        header=("Condition", "protocol", "n", "accuracy", "interval", "not asked"),
        rows=tuple(rows),
        labels=2,
        notes=tuple(_refusals(found)),
    )


def _refusals(found: ModelConditions) -> Iterator[str]:
    """Yield why items were not asked, once for all cells that refused the same."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for each, refused in zip(found.cells.cells, found.refused, strict=True):
        if refused:
            alike["; ".join(f"{reason} ({count})" for reason, count in refused.items())].append(each.title)
    for reasons, titles in alike.items():
        others = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
        yield f"Not asked, {titles[0]}{others}: {reasons}."


def _contrasts(found: ModelConditions) -> Grid:
    return Grid(
        title="One thing changed, on the same items",
        header=("Changed", "against", "n", "before", "after", "change", "interval", "lost", "gained", "p", "p Holm"),
        rows=tuple(
            (
                cell(each.second.title),
                cell(each.first.title),
                cell(str(each.n)),
                cell(percent(each.means[0])),
                cell(percent(each.means[1])),
                cell(points(each.difference.estimate)),
                cell(points_range(each.difference.low, each.difference.high)),
                cell(str(each.test.only_a)),
                cell(str(each.test.only_b)),
                cell(p_value(each.test.p_value)),
                cell(p_value(each.adjusted)),
            )
            for each in found.contrasts
        ),
        labels=2,
        notes=(
            "before and after in percent, change in points; lost: items solved before alone, gained: after alone.",
            f"p: {_methods(found.contrasts)}; Holm over {plural(len(found.contrasts), 'comparison')}.",
        ),
    )


def _methods(contrasts: Sequence[Contrast]) -> str:
    return ", ".join(dict.fromkeys(each.test.method for each in contrasts))


def _square(effects: Effects) -> Grid:
    (first, other), (usual, changed) = effects.levels
    one, two = effects.factors
    return Grid(
        title=f"{one} × {two}, {plural(effects.n, 'item')}",
        header=(one, f"{two}\n{usual}", f"{two}\n{changed}"),
        rows=(
            (cell(first), cell(percent(effects.means[0, 0])), cell(percent(effects.means[0, 1]))),
            (cell(other), cell(percent(effects.means[1, 0])), cell(percent(effects.means[1, 1]))),
        ),
        notes=(
            f"Main effect of {one} ({other} − {first}): {_effect(effects.first)}.",
            f"Main effect of {two} ({changed} − {usual}): {_effect(effects.second)}.",
            f"Interaction (effect of {one} under {changed} − under {usual}): {_effect(effects.interaction)}.",
        ),
    )


def _effect(found: Interval) -> str:
    return f"{points(found.estimate)} points [{points_range(found.low, found.high)}], n={found.n}"


def _probes(probes: Sequence[ProbeResult]) -> Grid:
    without = next((each for each in probes if each.probe.name == "no-image"), None)
    asked = sum(each.beats_chance is not None for each in probes)
    notes = [f"{ABOVE_CHANCE}; Holm over {plural(asked, 'probe')}."] if asked else []
    if without is not None:
        notes.append(f"Solved without the picture: {_listed(without.solved)}.")
    return Grid(
        title="Probes, in percent",
        header=("Probe", "finding", "n", "accuracy", "interval", "chance", "p Holm"),
        rows=tuple(
            (
                cell(each.probe.name, *([each.cell.title] if len(each.probe.settings) > 1 else [])),
                cell(*findings(each)),
                cell(str(each.accuracy.n)),
                cell(percent(each.accuracy.estimate)),
                cell(percent_range(each.accuracy.low, each.accuracy.high)),
                cell(percent(each.chance)),
                cell(p_value(each.adjusted)),
            )
            for each in probes
        ),
        labels=2,
        notes=tuple(notes),
    )


def findings(result: ProbeResult) -> list[str]:
    """Return what a probe found, in words."""
    if result.chance == 1.0:
        return [f"{percent(1.0 - result.accuracy.estimate)} % lost to the form of the answer"]
    lines = [] if result.beats_chance is None else [f"{'' if result.beats_chance else 'not '}above chance"]
    contrast = result.contrast
    if contrast is None:
        return lines or [NOTHING]
    if contrast.significant:
        change = contrast.difference.estimate
        lines.append(f"{'gains' if change > 0 else 'loses'} {points(abs(change)).lstrip('+')} points")
    else:
        lines.append("no change shown")
    return lines


def _reshuffling(found: Reshuffling) -> Grid:
    own = found.original_accuracy
    rows = [
        (cell("accuracy, mean over the orders"), cell(percent(found.mean))),
        (cell("SD over the orders"), cell(percent(found.sd))),
        (cell("accuracy in the original order"), cell(percent(own)) if own is not None else no_value("not run")),
    ]
    if found.drop is not None:
        drop = f"{points(found.drop.estimate)} [{points_range(found.drop.low, found.drop.high)}]"
        verdict = "hangs on the original order" if found.hangs_on_the_order else "no dependence on the order shown"
        rows += [
            (cell("original order − mean, points"), cell(drop)),
            (cell("the original order is like any other"), cell(f"p {equals(found.p_value)}: {verdict}")),
        ]
    same = found.consistency
    rows.append((cell("same choice in all orders"), cell(f"{percent(same.share)} ({same.same}/{same.n})")))
    return Grid(
        title=f"{plural(len(found.cells), 'permutation')} of the choices, {plural(found.n, 'item')}",
        header=("Measure", "value"),
        rows=tuple(rows),
        notes=() if found.drop is None else (OWN_ORDER,),
    )


def _places(found: Reshuffling) -> Grid:
    places = found.places
    total = float(places.observed.sum())
    if places.test is None:
        verdict = "No test: too few picks."
    else:
        preference = "no preference shown" if places.preferred is None else f"prefers place {places.preferred}"
        verdict = (
            f"{places.test.method}: {places.test.statistic:.1f}, {plural(places.test.degrees, 'degree')} of freedom, "
            f"p {equals(places.test.p_value)}: {preference}."
        )
    return Grid(
        title="Where the picked choices stood, in percent of the picks under permutations",
        header=("Place", "picked", "expected", "picks"),
        rows=tuple(
            (
                cell(str(place)),
                cell(percent(seen / total if total else None)),
                cell(percent(due / total if total else None)),
                cell(f"{seen:.0f}"),
            )
            for place, (seen, due) in enumerate(zip(places.observed, places.expected, strict=True), start=1)
        ),
        notes=(f"expected: of a model that picks by content, whatever the order. {verdict}",),
    )


def _flips(contrasts: Sequence[Contrast]) -> Grid:
    return Grid(
        title="Items that flip",
        header=("Changed", "against", "lost", "gained"),
        rows=tuple(
            (cell(each.second.title), cell(each.first.title), _items(each.lost), _items(each.gained))
            for each in contrasts
            if each.lost or each.gained
        ),
        labels=4,
        notes=(f"At most {SHOWN_ITEMS} a cell; --csv and --json have all.",)
        if any(len(each) > SHOWN_ITEMS for contrast in contrasts for each in (contrast.lost, contrast.gained))
        else (),
    )


def _items(names: Sequence[str]) -> Cell:
    return cell(_listed(names))


def _listed(names: Sequence[str]) -> str:
    """Return identifiers in a row, the first of them if they are many."""
    more = len(names) - SHOWN_ITEMS
    return " ".join(names[:SHOWN_ITEMS]) + (f" and {more} more" if more > 0 else "") if names else NOTHING
