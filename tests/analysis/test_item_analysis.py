"""What the answers of many models say about the items."""

from __future__ import annotations

import numpy as np
import pytest

from exambench.analysis.item_analysis import analyse_items
from exambench.analysis.score_table import NO_KEY
from tests.support.tables import NAN, picks_of, table_of

# Six models on four items with the key A B C D; the two best prefer B to D on the last item.
KEY = [0, 1, 2, 3]
PICKS: list[list[float]] = [[0, 1, 2, 1], [0, 1, 2, 1], [0, 1, 0, 2], [0, 2, 0, 2], [1, 1, 0, 0], [1, 2, 0, 3]]


def scores_of(picks: list[list[float]], key: list[int]) -> list[list[float]]:
    """Return 1 where a pick is the key."""
    return [[float(pick == right) for pick, right in zip(row, key, strict=True)] for row in picks]


def test_suspects_and_difficulty() -> None:
    """By hand: item 4 is a suspect, B by 2 of the 2 best against 0 for the key; difficulties are 4, 4, 2 and 1 of 6."""
    analysis = analyse_items(table_of(scores_of(PICKS, KEY), picks=picks_of(PICKS, KEY)))
    assert analysis.suspects is not None
    (suspect,) = analysis.suspects
    assert (suspect.item, suspect.key, suspect.preferred) == ("q3", "D", "B")
    assert (suspect.picks_of_preferred, suspect.picks_of_key, suspect.top_models) == (2, 0, 2)
    assert analysis.statistics.difficulty.tolist() == pytest.approx([4 / 6, 4 / 6, 2 / 6, 1 / 6])
    assert analysis.reasons == ()


def test_two_models_suspect_nothing_and_say_so() -> None:
    """With fewer than three models there is neither discrimination nor a suspect, and the reasons say how many."""
    analysis = analyse_items(table_of(scores_of(PICKS[:2], KEY), picks=picks_of(PICKS[:2], KEY)))
    assert analysis.suspects is None
    assert all("at least 3 models; found 2" in reason for reason in analysis.reasons)
    assert len(analysis.reasons) == 2
    assert np.isnan(analysis.statistics.discrimination).all()


def test_without_picks_there_is_difficulty_alone() -> None:
    """A matrix of scores knows no distractors; that is said, not guessed."""
    analysis = analyse_items(table_of(scores_of(PICKS, KEY)))
    assert (analysis.distractors, analysis.habits, analysis.suspects) == (None, None, None)
    assert "is not known" in analysis.reasons[0]


def test_items_without_a_single_key_are_left_out_of_choices() -> None:
    """A free answer among choices has a difficulty, and no row in the distractor table."""
    picks = picks_of([[*row, NAN] for row in PICKS], [*KEY, NO_KEY])
    scores = [[*row, 1.0] for row in scores_of(PICKS, KEY)]
    analysis = analyse_items(table_of(scores, picks=picks))
    assert analysis.distractors is not None
    assert (analysis.keyed.tolist(), len(analysis.distractors.counts)) == ([0, 1, 2, 3], 4)
    assert analysis.statistics.solved_by_all.tolist() == [False] * 4 + [True]


def test_a_model_that_always_picks_one_position_is_near_constant() -> None:
    """By hand: twelve picks of A against keys 3 each: χ² = (12 − 3)²/3 + 3 · 3²/3 = 36 on three degrees of freedom."""
    key = [0, 1, 2, 3] * 3
    picks: list[list[float]] = [[0] * 12, [float(position) for position in key]]
    habits = analyse_items(table_of(scores_of(picks, key), picks=picks_of(picks, key))).habits
    assert habits is not None
    assert habits.responders.near_constant.tolist() == [True, False]
    assert habits.responders.chi_square.tolist() == pytest.approx([36, 0])
    assert habits.expected.tolist() == [3, 3, 3, 3]
    assert habits.p_adjusted == pytest.approx((2 * habits.responders.p_value[0], 1.0))
