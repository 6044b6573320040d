"""Items with what every model made of them, for pages that show the examination itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from exambench.analysis.item_analysis import ItemAnalysis
from exambench.analysis.leaderboard import Ranking
from exambench.analysis.verdicts import JudgedRun


@dataclass(frozen=True, eq=False)
class ItemSet:
    """The items of a ranking.

    Attributes:
        ranking: The runs, and the items.
        analysis: Difficulty, discrimination and distractors of the items.
        judged: What judges say of runs of these models, the first judging first.
        pictures: Digest of a picture's file → its bytes; pictures that are not there are named only.
    """

    ranking: Ranking
    analysis: ItemAnalysis
    judged: tuple[JudgedRun, ...] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict)
