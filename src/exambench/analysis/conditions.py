"""What a change of the condition does to a model's score, on the same items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from exambench.analysis.condition_cells import CellRun, ModelCells, cells_of_models, scores_of
from exambench.analysis.condition_contrasts import (
    SIGNIFICANT,
    WORDING,
    Contrast,
    Effects,
    contrasts_of,
    effects_of,
    scored_items,
)
from exambench.analysis.reshuffling import Reshuffling, reshuffling_of
from exambench.analysis.scores import RunScores, strata_of
from exambench.errors import ConfigError, Finding, show
from exambench.items import Item
from exambench.protocols import NotShown, Shown, chance_of
from exambench.protocols.ordering import OrderKind
from exambench.protocols.probes import Probe, probe_of
from exambench.stats.intervals import Interval
from exambench.stats.matrix import FloatArray
from exambench.stats.multiplicity import holm
from exambench.stats.paired import is_binary
from exambench.stats.probes import above_chance
from exambench.stats.resampling import Bootstrap, bootstrap_means


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
    contrasts = contrasts_of(cells, chosen, bootstrap)
    return ModelConditions(
        model=cells.reference.run.record.model_name,
        cells=cells,
        accuracy=tuple(_accuracy(cell, scored_items([cell], chosen), bootstrap) for cell in cells.cells),
        refused=tuple(_refused(cell, chosen) for cell in cells.cells),
        contrasts=contrasts,
        effects=tuple(effects_of(cells, chosen, bootstrap)),
        probes=_probes(cells, contrasts, chosen, bootstrap),
        reshufflings=reshuffling_of(cells, chosen, bootstrap),
        bootstrap=bootstrap,
        axis=axis,
    )


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
    reasons = (_refusal(cell.run.shown[item.id], cell) for item in cell.run.selected if item.id in chosen)
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
    items = scored_items(partners, chosen, differing=dimension == WORDING)
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
