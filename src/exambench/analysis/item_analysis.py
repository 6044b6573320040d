"""What the answers of many models say about the items: difficulty, discrimination, distractors, suspicious keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from exambench.analysis.score_table import NO_KEY, Picks, ScoreTable
from exambench.stats.forensics import (
    DISCRIMINATION_MODELS,
    DistractorTable,
    ItemStatistics,
    Responders,
    distractor_table,
    item_statistics,
    responders,
    wrong_key_suspects,
)
from exambench.stats.matrix import IntArray
from exambench.stats.multiplicity import holm

FEWEST_MODELS: Final = DISCRIMINATION_MODELS


@dataclass(frozen=True, slots=True)
class Suspect:
    """An item whose key more of the best models reject than pick.

    Attributes:
        column: Place of the item in the table.
        item: Its identifier.
        key: The key.
        preferred: The choice that the best models prefer.
        picks_of_preferred: Best models that pick it.
        picks_of_key: Best models that pick the key.
        top_models: Number of best models: the top third.
    """

    column: int
    item: str
    key: str
    preferred: str
    picks_of_preferred: int
    picks_of_key: int
    top_models: int


@dataclass(frozen=True, eq=False)
class Habits:
    """Which positions the models pick.

    Attributes:
        responders: Counts, favourite and χ² of each model.
        expected: Items with a key by position of the key.
        p_adjusted: The p-values by Holm's method over the models.
        labels: Names of the positions.
    """

    responders: Responders
    expected: IntArray
    p_adjusted: tuple[float, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ItemAnalysis:
    """Everything that is said about the items of a table.

    Attributes:
        table: What was looked at.
        statistics: Difficulty and discrimination of each item.
        keyed: Columns of the items with a single right choice; the rows of ``distractors``.
        distractors: Picks of every choice; ``None`` where picks are not known.
        habits: Which positions the models pick; ``None`` where picks are not known.
        suspects: Items with a suspicious key; ``None`` where that cannot be told.
        reasons: Why something is missing, in sentences.
    """

    table: ScoreTable
    statistics: ItemStatistics
    keyed: IntArray
    distractors: DistractorTable | None
    habits: Habits | None
    suspects: tuple[Suspect, ...] | None
    reasons: tuple[str, ...]

    @cached_property
    def suspect_in(self) -> Mapping[int, Suspect]:
        """The suspects by their column."""
        return {suspect.column: suspect for suspect in self.suspects or ()}


def analyse_items(table: ScoreTable) -> ItemAnalysis:
    """Return what the models' answers say about the items of a table."""
    statistics = item_statistics(table.scores)
    few = len(table.models) < FEWEST_MODELS
    reasons = [f"Discrimination needs at least {FEWEST_MODELS} models; found {len(table.models)}."] if few else []
    picks = table.picks
    if picks is None or np.isnan(picks.positions[:, picks.key != NO_KEY]).all():
        reasons.append("What the models picked is not known, so there are no distractors, suspects or position habits.")
        return ItemAnalysis(table, statistics, np.array([], dtype=np.int64), None, None, None, tuple(reasons))
    keyed = np.flatnonzero(picks.key != NO_KEY)
    n_choices = len(picks.labels)
    if few:
        reasons.append(f"Wrong-key suspects need at least {FEWEST_MODELS} models; found {len(table.models)}.")
    return ItemAnalysis(
        table=table,
        statistics=statistics,
        keyed=keyed,
        distractors=distractor_table(picks.positions[:, keyed], picks.key[keyed], n_choices),
        habits=_habits(picks, keyed),
        suspects=None if few else _suspects(table, picks, keyed),
        reasons=tuple(reasons),
    )


def _habits(picks: Picks, keyed: IntArray) -> Habits:
    found = responders(picks.positions[:, keyed], picks.key[keyed], len(picks.labels))
    return Habits(
        responders=found,
        expected=np.bincount(picks.key[keyed], minlength=len(picks.labels)).astype(np.int64),
        p_adjusted=tuple(holm(found.p_value).adjusted.tolist()),
        labels=picks.labels,
    )


def _suspects(table: ScoreTable, picks: Picks, keyed: IntArray) -> tuple[Suspect, ...]:
    """Return the suspects, those first that the best models reject most clearly."""
    found = wrong_key_suspects(picks.positions[:, keyed], picks.key[keyed], len(picks.labels))
    suspects = [
        Suspect(
            column=int(keyed[place]),
            item=table.items[keyed[place]],
            key=picks.labels[picks.key[keyed[place]]],
            preferred=picks.labels[choice],
            picks_of_preferred=int(preferred),
            picks_of_key=int(right),
            top_models=len(found.top_models),
        )
        for place, choice, preferred, right in zip(
            found.items, found.choices, found.choice_picks, found.key_picks, strict=True
        )
    ]
    return tuple(sorted(suspects, key=lambda suspect: suspect.picks_of_key - suspect.picks_of_preferred))
