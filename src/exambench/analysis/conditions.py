"""What a change of the condition does to a model's score, on the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from exambench.analysis.condition_cells import PROMPT, CellRun, ModelCells, asked_items, cells_of_models
from exambench.analysis.reshuffling import Reshuffling, reshuffling_of
from exambench.analysis.scores import RunScores, strata_of
from exambench.errors import ConfigError, Finding, show
from exambench.items import Item
from exambench.protocols import NotShown, Shown, chance_of
from exambench.protocols.condition import Choices, setting_text
from exambench.protocols.ordering import OrderKind
from exambench.protocols.probes import Probe, probe_of
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray
from exambench.stats.multiplicity import holm
from exambench.stats.paired import PairedTest, exact_test, factorial_effects, is_binary, paired_difference
from exambench.stats.probes import above_chance
from exambench.stats.resampling import Bootstrap, bootstrap_means

WORDING: Final = "wording"
SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, eq=False)
class Contrast:
    """Two cells that differ in one factor, on the items that both have a score for.

    Attributes:
        factor: The factor.
        first: The cell with its usual value.
        second: The other cell.
        means: Mean score of both.
        difference: Second less first, with the interval of the paired bootstrap.
        gained: Items that only the second solves, or on which it has the higher score.
        lost: Items that only the first solves, or on which it has the higher score.
        test: Exact test of these.
        adjusted: Its p-value by Holm's method over the contrasts of the model.
    """

    factor: str
    first: CellRun
    second: CellRun
    means: tuple[float, float]
    difference: Interval
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    test: PairedTest
    adjusted: float = float("nan")

    @property
    def n(self) -> int:
        """Number of items."""
        return self.difference.n

    @property
    def significant(self) -> bool:
        """Whether the adjusted p-value is below 0.05."""
        return self.adjusted < SIGNIFICANT


@dataclass(frozen=True, eq=False)
class Effects:
    """A 2 × 2 of two factors on the items that all four cells have a score for.

    Attributes:
        factors: Names of the two factors.
        levels: For each factor its usual value and the other, in words.
        means: Mean scores, first × second factor.
        first: Main effect of the first factor: the other value less the usual one, averaged over the second factor.
        second: Main effect of the second factor.
        interaction: Effect of the first factor at the second's other value, less that at its usual one.
        items: Number of items.
    """

    factors: tuple[str, str]
    levels: tuple[tuple[str, str], tuple[str, str]]
    means: FloatArray
    first: Interval
    second: Interval
    interaction: Interval

    @property
    def n(self) -> int:
        """Number of items."""
        return self.first.n


@dataclass(frozen=True, eq=False)
class ProbeResult:
    """What one probe found.

    Attributes:
        probe: The probe.
        cell: The run under it.
        accuracy: Accuracy under it, with its interval.
        chance: What a blind guess gets on the same items; ``None`` where it is not known.
        above_chance: Exact one-sided p-value that guessing solves as much; NaN where that is not asked.
        adjusted: The same by Holm's method over the probes of the model.
        solved: Items that are solved under it.
        contrast: The comparison with the usual condition; ``None`` where that was not run.
    """

    probe: Probe
    cell: CellRun
    accuracy: Interval
    chance: float | None
    above_chance: float
    solved: tuple[str, ...]
    contrast: Contrast | None
    adjusted: float = float("nan")

    @property
    def beats_chance(self) -> bool | None:
        """Whether it is above chance, by the adjusted p-value; ``None`` where that is not asked."""
        return None if np.isnan(self.adjusted) else bool(self.adjusted < SIGNIFICANT)


@dataclass(frozen=True, eq=False)
class ModelConditions:
    """What conditions do to one model.

    Attributes:
        model: Its name.
        cells: Its runs.
        accuracy: Accuracy of each run on all that it was asked; ``None`` without a score.
        refused: For each run why items were not asked, with their number.
        contrasts: Pairs of cells that differ in one factor.
        effects: Every 2 × 2 of two factors.
        probes: Results of probes.
        reshufflings: What other orders of the choices do.
        bootstrap: How intervals were drawn.
        axis: The axis that all of this is about; ``None`` for all items.
    """

    model: str
    cells: ModelCells
    accuracy: tuple[Interval | None, ...]
    refused: tuple[Mapping[str, int], ...]
    contrasts: tuple[Contrast, ...]
    effects: tuple[Effects, ...]
    probes: tuple[ProbeResult, ...]
    reshufflings: tuple[Reshuffling, ...]
    bootstrap: Bootstrap
    axis: str | None


def compare_conditions(
    runs: Sequence[RunScores], bootstrap: Bootstrap, axis: str | None = None
) -> tuple[ModelConditions, ...]:
    """Return for each model what conditions do to it.

    Args:
        runs: The runs; those of one model that differ in protocol and condition alone are compared.
        bootstrap: How often to draw, the seed, the level.
        axis: Look at the items of this axis only.

    Raises:
        ConfigError: No model was asked in more than one way, or there is no such axis.
    """
    models = cells_of_models(runs)
    if not models:
        raise ConfigError(
            Finding(
                "no model was asked in more than one way",
                field="run",
                allowed="runs of one model on one dataset, with one decoding, under several protocols or conditions",
                remedy="Run a grid or a probe: exambench run --probe no-question; exambench run --grid …",
            )
        )
    return tuple(_of_model(cells, bootstrap, axis) for cells in models)


def _of_model(cells: ModelCells, bootstrap: Bootstrap, axis: str | None) -> ModelConditions:
    chosen = _chosen(cells, axis)
    contrasts = _adjusted(
        [found for step in _tested(cells) if (found := _contrast(*step, chosen, bootstrap)) is not None]
    )
    return ModelConditions(
        model=cells.reference.run.record.model_name,
        cells=cells,
        accuracy=tuple(_accuracy(cell, _scored([cell], chosen), bootstrap) for cell in cells.cells),
        refused=tuple(_refused(cell, chosen) for cell in cells.cells),
        contrasts=contrasts,
        effects=tuple(_effects(cells, chosen, bootstrap)),
        probes=_probes(cells, contrasts, chosen, bootstrap),
        reshufflings=reshuffling_of(cells, chosen, bootstrap),
        bootstrap=bootstrap,
        axis=axis,
    )


def _tested(cells: ModelCells) -> Iterator[tuple[str, CellRun, CellRun]]:
    """Yield the pairs of cells that are tested against each other.

    Where every choice is the right one, an answer is no knowledge. One permutation of the choices is a draw: all of
    them are judged together, by :mod:`exambench.analysis.reshuffling`.
    """
    for factor, first, second in cells.steps():
        condition = second.run.condition
        if condition.choices is not Choices.GOLD and condition.order.kind is not OrderKind.SHUFFLED:
            yield factor, first, second


def _chosen(cells: ModelCells, name: str | None) -> frozenset[str]:
    """Return the identifiers of the items of an axis.

    Raises:
        ConfigError: There is no such axis.
    """
    benchmark = cells.reference.run.benchmark
    if name is None:
        return frozenset(benchmark.by_id)
    axes = {axis.name: axis for axis in benchmark.axes}
    if name not in axes:
        raise ConfigError(
            Finding(
                "there is no such axis",
                field="--axis",
                value=show(name),
                allowed=", ".join(axes),
                remedy="Name one of these",
            )
        )
    return frozenset(item.id for item in benchmark.items if axes[name].selects(item))


def _scored(cells: Sequence[CellRun], chosen: frozenset[str], *, differing: bool = False) -> tuple[Item, ...]:
    """Return the items that all cells have a score for; if asked, those alone that their wordings put differently."""
    names = {cell.run.condition.wording for cell in cells}
    return tuple(
        item
        for item in asked_items(*cells)
        if item.id in chosen and not (differing and len({item.wording(name) for name in names}) < len(names))
    )


def scores_of(cell: CellRun, items: Sequence[Item]) -> FloatArray:
    """Return the scores of a run on items that it has scores for."""
    return np.array([cell.run.scores[item.id] for item in items], dtype=np.float64)


def _contrast(
    factor: str, first: CellRun, second: CellRun, chosen: frozenset[str], bootstrap: Bootstrap
) -> Contrast | None:
    items = _scored([first, second], chosen, differing=factor == WORDING)
    if not items:
        return None
    usual, other = scores_of(first, items), scores_of(second, items)
    identifiers = [item.id for item in items]
    gained = tuple(name for name, gains in zip(identifiers, other > usual, strict=True) if gains)
    lost = tuple(name for name, loses in zip(identifiers, usual > other, strict=True) if loses)
    test = exact_test(np.concatenate([usual, other]))
    return Contrast(
        factor=factor,
        first=first,
        second=second,
        means=(float(usual.mean()), float(other.mean())),
        difference=paired_difference(other, usual, bootstrap, strata=strata_of(items), item_ids=identifiers),
        gained=gained,
        lost=lost,
        test=test(len(lost), len(gained)),
    )


def _adjusted(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    adjusted = holm([contrast.test.p_value for contrast in contrasts]).adjusted
    return tuple(replace(found, adjusted=float(p)) for found, p in zip(contrasts, adjusted, strict=True))


def _effects(cells: ModelCells, chosen: frozenset[str], bootstrap: Bootstrap) -> list[Effects]:
    levels = cells.levels()
    found = []
    for one, other in combinations(levels, 2):
        for a in levels[one]:
            for b in levels[other]:
                square = [cells.at({one: x, other: y}) for x in (cells.usual[one], a) for y in (cells.usual[other], b)]
                whole = [cell for cell in square if cell is not None]
                if len(whole) == len(square):
                    effects = _square(
                        cells, one=(one, a), other=(other, b), square=whole, chosen=chosen, bootstrap=bootstrap
                    )
                    found += [effects] if effects else []
    return found


def _square(
    cells: ModelCells,
    *,
    one: tuple[str, str],
    other: tuple[str, str],
    square: Sequence[CellRun],
    chosen: frozenset[str],
    bootstrap: Bootstrap,
) -> Effects | None:
    items = _scored(square, chosen, differing=WORDING in {one[0], other[0]})
    if not items:
        return None
    scores = np.stack([scores_of(cell, items) for cell in square]).reshape(2, 2, -1)
    found = factorial_effects(scores, bootstrap, strata=strata_of(items), item_ids=[item.id for item in items])
    named = [(level_text(name, cells.usual[name]), level_text(name, value)) for name, value in (one, other)]
    return Effects(
        factors=(one[0], other[0]),
        levels=(named[0], named[1]),
        means=found.cell_means,
        first=found.first,
        second=found.second,
        interaction=found.interaction,
    )


def level_text(factor: str, value: str) -> str:
    """Return a value of a factor in words."""
    return value if factor in {PROMPT, WORDING} else setting_text(factor, value)


def _accuracy(cell: CellRun, items: Sequence[Item], bootstrap: Bootstrap) -> Interval | None:
    if not items:
        return None
    table = bootstrap_means(
        {"accuracy": scores_of(cell, items)[None, :]},
        bootstrap,
        strata=strata_of(items),
        item_ids=[item.id for item in items],
    )
    return table.interval(0, "accuracy")


def _refused(cell: CellRun, chosen: frozenset[str]) -> Mapping[str, int]:
    reasons = (_refusal(found, cell) for name, found in cell.run.shown.items() if name in chosen)
    return dict(Counter(filter(None, reasons)).most_common())


def _refusal(found: Shown | NotShown, cell: CellRun) -> str:
    """Return why an item is not asked; nothing if it is."""
    if isinstance(found, NotShown):
        return found.reason
    return "the model takes text only" if found.wording.images and not cell.run.sees_images else ""


def _probes(
    cells: ModelCells, contrasts: Sequence[Contrast], chosen: frozenset[str], bootstrap: Bootstrap
) -> tuple[ProbeResult, ...]:
    found = [
        result
        for cell in cells.cells
        if cell.run.condition.order.kind is not OrderKind.SHUFFLED
        and (probe := probe_of(cell.run.condition)) is not None
        and (result := _probe(probe, cell, contrasts, chosen, bootstrap)) is not None
    ]
    adjusted = holm([result.above_chance for result in found]).adjusted
    return tuple(replace(result, adjusted=float(p)) for result, p in zip(found, adjusted, strict=True))


def _probe(
    probe: Probe, cell: CellRun, contrasts: Sequence[Contrast], chosen: frozenset[str], bootstrap: Bootstrap
) -> ProbeResult | None:
    (dimension,) = cell.run.condition.unusual
    contrast = next((each for each in contrasts if each.second is cell and each.factor == dimension), None)
    partners = [cell, contrast.first] if contrast is not None and dimension == WORDING else [cell]
    items = _scored(partners, chosen, differing=dimension == WORDING)
    accuracy = _accuracy(cell, items, bootstrap)
    if accuracy is None:
        return None
    scores = scores_of(cell, items)
    chances = [_chance(cell, item) for item in items]
    known = [chance for chance in chances if chance is not None]
    complete = len(known) == len(chances)
    return ProbeResult(
        probe=probe,
        cell=cell,
        accuracy=accuracy,
        chance=sum(known) / len(known) if complete else None,
        above_chance=_above(scores, known) if complete and probe.blind else float("nan"),
        solved=tuple(item.id for item, score in zip(items, scores, strict=True) if score == 1.0),
        contrast=contrast,
    )


def _above(scores: FloatArray, chances: Sequence[float]) -> float:
    """Return the p-value; NaN where scores are means of several trials."""
    return above_chance(int(scores.sum()), chances) if is_binary(scores) else float("nan")


def _chance(cell: CellRun, item: Item) -> float | None:
    shown = cell.run.shown[item.id]
    return chance_of(shown) if isinstance(shown, Shown) else None
