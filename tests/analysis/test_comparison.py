"""Two models on common items, and all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from exambench.analysis.comparison import all_pairs, compare, model_index
from exambench.errors import ConfigError
from exambench.stats.amip import NoMaximum
from exambench.stats.paired import MCNEMAR, SIGN_TEST, sign_test_exact
from exambench.stats.resampling import Bootstrap
from tests.support.tables import NAN, picks_of, table_of

DRAW = Bootstrap(resamples=300, seed=42)

# 12 items: both solve 2, only m0 solves 5, only m1 solves 2, neither solves 2, and one has no score of m1.
A = [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1]
B = [1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, NAN]


def test_the_four_cells_difference_and_test_on_common_items() -> None:
    """By hand: 2, 5, 2, 2 of 11 common items; 7/11 − 4/11; the exact test is scipy's binomial test of 2 in 7."""
    comparison = compare(table_of([A, B]), 0, 1, DRAW)
    outcomes = comparison.outcomes
    assert outcomes is not None
    assert (outcomes.both, outcomes.only_a, outcomes.only_b, outcomes.neither) == (2, 5, 2, 2)
    assert comparison.table.items == tuple(f"q{n}" for n in range(11))
    assert comparison.overall.difference.n == 11
    assert comparison.overall.difference.estimate == pytest.approx(3 / 11)
    assert comparison.overall.difference.low < 3 / 11 < comparison.overall.difference.high
    assert comparison.overall.test.p_value == pytest.approx(stats.binomtest(2, 7).pvalue)


def test_how_few_items_turn_the_order() -> None:
    """m0 leads by 3 wins: 3 removals tie, 4 of its 5 put m1 ahead, and removing them does so."""
    comparison = compare(table_of([A, B]), 0, 1, DRAW)
    assert comparison.minimum is not None
    assert (comparison.minimum.leader, comparison.minimum.to_tie, comparison.minimum.to_flip) == (0, 3, 4)
    assert comparison.removed == ("q2", "q3", "q4", "q5")
    kept = [column for column in range(11) if f"q{column}" not in comparison.removed]
    assert sum(A[column] for column in kept) < sum(B[column] for column in kept)


def test_axes_are_corrected_among_themselves() -> None:
    """By hand: p of 3:0 is 1/4 and of 2:2 is 1, so Holm gives 2 × 1/4 and 1; the axis of all items stands apart."""
    axes = {"first": [False, False, True, True, True] + [False] * 7, "second": [False] * 5 + [True] * 4 + [False] * 3}
    comparison = compare(table_of([A, B], axes=axes), 0, 1, DRAW)
    assert [axis.axis for axis in comparison.axes] == ["first", "second"]
    assert [axis.test.p_value for axis in comparison.axes] == pytest.approx([0.25, 1.0])
    assert [axis.p_adjusted for axis in comparison.axes] == pytest.approx([0.5, 1.0])
    assert comparison.overall.p_adjusted is None
    assert [axis.to_flip for axis in comparison.axes] == [None, None]  # m1 wins none, and a tie has no order


def test_the_items_that_differ_say_what_was_picked() -> None:
    """Identifier, facets, both picks and the key; items alike in score are not listed."""
    picks = picks_of([[0, 1, 2], [0, 3, NAN]], [0, 1, 2])
    table = table_of([[1, 1, 1], [1, 0, 0]], facets={"part": ["1", "2", None]}, picks=picks)
    first, second = compare(table, 0, 1, DRAW).differing
    assert (first.item, dict(first.facets), first.pick_a, first.pick_b, first.key) == (
        "q1",
        {"part": "2"},
        "B",
        "D",
        "B",
    )
    assert (second.item, dict(second.facets), second.pick_a, second.pick_b) == ("q2", {"part": ""}, "C", None)


def test_where_one_never_wins_there_is_only_the_exact_minimum() -> None:
    """m1 solves no item that m0 does not: three removals tie, and nothing puts m1 ahead."""
    comparison = compare(table_of([[1, 1, 1, 0], [0, 0, 0, 0]]), 0, 1, DRAW)
    assert isinstance(comparison.influence, NoMaximum)
    assert comparison.minimum is not None
    assert (comparison.minimum.to_tie, comparison.minimum.to_flip) == (3, None)
    assert comparison.removed == ()


def test_models_that_tie_have_no_order_to_turn() -> None:
    """Equal counts: no leader, no removal; models that never differ have no detectable difference either."""
    comparison = compare(table_of([[1, 0, 1], [1, 0, 1]]), 0, 1, DRAW)
    assert (comparison.influence, comparison.minimum, comparison.detectable) == (None, None, None)
    assert comparison.overall.test.p_value == 1.0


def test_the_detectable_difference_follows_the_formula() -> None:
    """Connor (1987) for n = 400, a discordance of 1/4, 5 % and 80 %: it is δ with n = (z√d + z'√(d − δ²))²/δ²."""
    a = [1] * 100 + [0] * 300
    b = [1] * 50 + [0] * 50 + [1] * 50 + [0] * 250
    delta = compare(table_of([a, b]), 0, 1, DRAW).detectable
    assert delta is not None
    z, power = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    assert ((z * 0.25**0.5 + power * (0.25 - delta**2) ** 0.5) / delta) ** 2 == pytest.approx(400)


def test_graded_scores_have_a_sign_test_and_no_four_cells() -> None:
    """Means over trials: an item is won by the higher score; p is that of 2 wins against 1."""
    comparison = compare(table_of([[0.5, 1, 0, 0.5], [0, 0.5, 1, 0.5]]), 0, 1, DRAW)
    assert comparison.outcomes is None
    assert comparison.overall.test == sign_test_exact(2, 1)
    assert comparison.overall.difference.estimate == pytest.approx(0.0)


def test_one_test_is_named_for_all_axes() -> None:
    """A graded score outside an axis makes the test of that axis a sign test too, so that one name fits the table."""
    axes = {"whole": [True, True, False], "rest": [False, False, True]}
    graded = compare(table_of([[1, 0, 0.5], [0, 0, 1]], axes=axes), 0, 1, DRAW)
    assert {axis.test.method for axis in (graded.overall, *graded.axes)} == {SIGN_TEST}
    assert all_pairs(graded.table).methods == (SIGN_TEST,)
    solved = compare(table_of([[1, 0, 0], [0, 0, 1]], axes=axes), 0, 1, DRAW)
    assert {axis.test.method for axis in (solved.overall, *solved.axes)} == {MCNEMAR}
    assert all_pairs(solved.table).methods == (MCNEMAR,)


def test_a_pair_has_the_test_of_comparing_the_two_alone_whatever_a_third_scores() -> None:
    """The oracle is the comparison of two. The graded score of the last is on an item that the second was not asked."""
    table = table_of([[1, 0, 0, 1], [0, 0, 1, NAN], [0.5, 1, 1, 0], [1, 1, 0, 0.5]])
    pairs = all_pairs(table)
    expected = [
        compare(table, int(a), int(b), DRAW).overall.test for a, b in zip(pairs.first, pairs.second, strict=True)
    ]
    assert [test.method for test in expected].count(MCNEMAR) == 2
    assert pairs.methods == tuple(test.method for test in expected)
    assert pairs.p_value.tolist() == [test.p_value for test in expected]


def test_a_comparison_needs_two_models_with_an_item_in_common() -> None:
    """One model twice, or no item with scores of both, is refused; so is a name that is not there."""
    table = table_of([[1, NAN], [NAN, 1]])
    with pytest.raises(ConfigError, match="no item has a score of both"):
        compare(table, 0, 1, DRAW)
    with pytest.raises(ConfigError, match="mean one model"):
        compare(table, 1, 1, DRAW)
    with pytest.raises(ConfigError, match="allowed: m0, m1"):
        model_index(table, "m2")


def test_all_pairs_are_the_comparisons_one_by_one() -> None:
    """n, difference, wins, p and the exact minimum of every pair equal those of compare; Holm counts the pairs."""
    rng = np.random.default_rng(5)
    scores = rng.choice([0.0, 1.0, NAN], p=[0.4, 0.5, 0.1], size=(4, 30))
    table = table_of(scores.tolist())
    pairs = all_pairs(table)
    assert pairs.adjusted.n == 6
    for place in range(6):
        one = compare(table, int(pairs.first[place]), int(pairs.second[place]), DRAW)
        assert pairs.n[place] == one.overall.difference.n
        assert pairs.difference[place] == pytest.approx(one.overall.difference.estimate)
        assert (pairs.only_first[place], pairs.only_second[place]) == (one.overall.test.only_a, one.overall.test.only_b)
        assert pairs.p_value[place] == pytest.approx(one.overall.test.p_value)


def test_a_pair_without_common_items_has_no_test() -> None:
    """Its p-value is missing and counts in no correction."""
    pairs = all_pairs(table_of([[1, NAN], [NAN, 1], [1, 1]]))
    assert np.isnan(pairs.p_value).tolist() == [True, False, False]
    assert (pairs.n.tolist(), pairs.adjusted.n) == ([0, 1, 1], 2)
