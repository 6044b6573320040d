"""Which coefficients of agreement a rating sheet gets, from which ratings, and why one is not there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from exambench.analysis.agreement import TOTAL, AgreementReport, agreement, metrics_named
from exambench.analysis.coefficients import PEOPLES_MEAN, Coefficient, Question
from exambench.analysis.ratings import RatingSheet
from exambench.errors import ConfigError
from exambench.stats.agreement import Metric
from exambench.stats.resampling import Bootstrap

FEW = Bootstrap(50, 7)
NAN = math.nan


def sheet(**dimensions: Sequence[Sequence[float]]) -> RatingSheet:
    """Return a sheet with the raters r1, r2, … as columns and the items i00, i01, … as rows of each dimension."""
    scores = {
        (f"i{row:02}", f"r{column + 1}", dimension): score
        for dimension, rows in dimensions.items()
        for row, values in enumerate(rows)
        for column, score in enumerate(values)
        if not math.isnan(score)
    }
    items, raters = (tuple(sorted({place[index] for place in scores})) for index in (0, 1))
    return RatingSheet(MappingProxyType(scores), items, raters, tuple(dimensions))


def find(
    report: AgreementReport,
    name: str,
    dimension: str = "d",
    question: Question = Question.AMONG,
    pair: tuple[str, ...] | None = None,
) -> Coefficient:
    """Return one coefficient of a report."""
    (found,) = (
        each
        for part in report.dimensions
        if part.name == dimension
        for each in part.coefficients
        if each.name == name and each.question is question and (each.raters if each.pair else None) == pair
    )
    return found


# Three raters on eight items; the second has one rating missing, the third two.
SMALL: list[list[float]] = [
    [1, 1, 2],
    [2, 2, 2],
    [3, NAN, 3],
    [4, 4, 5],
    [2, 1, NAN],
    [5, 5, 5],
    [3, 4, 3],
    [1, 2, NAN],
]


def test_alpha_is_that_of_all_ratings_of_the_dimension() -> None:
    """Each level of α agrees with the krippendorff package on the same items, and counts its units and ratings."""
    report = agreement(sheet(d=SMALL), FEW)
    for level in ("nominal", "ordinal", "interval"):
        found = find(report, f"Krippendorff α ({level})")
        oracle = krippendorff.alpha(reliability_data=np.array(SMALL).T, level_of_measurement=level)
        assert found.estimate == pytest.approx(oracle)
        assert (found.n_units, found.n_ratings) == (8, 21)


def test_a_planted_agreement_is_found() -> None:
    """With variance 4 between items and 1 within, α and ICC(1,1) are 0.8, inside an interval that is not wide."""
    # The intraclass correlation of y = item + error is σ²_item / (σ²_item + σ²_error) = 4 / (4 + 1).
    rng = np.random.default_rng(20)
    scores = rng.normal(0.0, 2.0, (600, 1)) + rng.normal(0.0, 1.0, (600, 3))
    report = agreement(sheet(d=scores.round(1).tolist()), Bootstrap(200, 1))
    for name in ("Krippendorff α (interval)", "ICC(1,1)", "ICC(A,1)"):
        found = find(report, name)
        assert found.low is not None
        assert found.high is not None
        assert found.low < 0.8 < found.high
        assert found.high - found.low < 0.08


def test_a_planted_bias_of_the_judge_is_found() -> None:
    """A judge who gives half a point more than people's mean has this bias, and does not lower their agreement."""
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, (200, 1)).astype(float)
    people = truth + rng.choice([-1.0, 0.0, 1.0], (200, 2))
    judge = people.mean(axis=1, keepdims=True) + 0.5
    report = agreement(sheet(d=np.hstack([people, judge]).tolist()), FEW, judge="r3")
    bias = find(report, "Bland–Altman bias", question=Question.AGAINST)
    assert (bias.estimate, bias.low, bias.high) == pytest.approx((0.5, 0.5, 0.5))
    alone = agreement(sheet(d=people.tolist()), FEW)
    assert find(report, "Krippendorff α (interval)") == find(alone, "Krippendorff α (interval)")


def test_the_judge_is_compared_with_the_mean_of_those_who_rated() -> None:
    """People's mean is over the people who rated the item; the ratings behind it are counted."""
    # Means of r1 and r2: 2, 3 (r1 alone), 5; the judge r3: 2, 4, NaN → differences 0 and 1, bias 0.5.
    report = agreement(sheet(d=[[1, 3, 2], [3, NAN, 4], [5, 5, NAN]]), FEW, judge="r3")
    bias = find(report, "Bland–Altman bias", question=Question.AGAINST)
    assert bias.estimate == pytest.approx(0.5)
    assert bias.raters == ("r3", PEOPLES_MEAN)
    assert (bias.n_units, bias.n_ratings) == (2, 5)


def test_icc_and_alpha_against_people_take_two_columns() -> None:
    """The judge and the mean are two raters: ICC(A,1) of the pair as worked by hand."""
    # Pairs (1, 2), (3, 3), (5, 4): grand mean 3, unit means 1.5, 3, 4.5, rater means 3, 3.
    # MS_units = 2 × (1.5² + 0 + 1.5²) / 2 = 4.5; MS_raters = 0; SS_error = Σ(y − unit mean)² = 4 × 0.25 = 1 → MS 0.5.
    # ICC(A,1) = (4.5 − 0.5) / (4.5 + 0.5 + 2 (0 − 0.5) / 3) = 4 / 4.6667 = 0.857142….
    report = agreement(sheet(d=[[2, 1], [3, 3], [4, 5]]), FEW, judge="r2")
    found = find(report, "ICC(A,1)", question=Question.AGAINST)
    assert found.estimate == pytest.approx(6 / 7)
    assert found.f_low is not None


def test_the_total_is_of_raters_who_rated_every_dimension() -> None:
    """A rater who left a dimension of an item blank has no total on that item."""
    report = agreement(sheet(a=[[1, 2], [3, 3], [5, NAN]], b=[[2, 2], [4, 3], [5, 5]]), FEW)
    total = report.dimensions[-1]
    assert (total.name, total.is_total, total.n_ratings) == (TOTAL, True, 5)
    oracle = krippendorff.alpha(reliability_data=np.array([[3, 7, 10], [4, 6, NAN]]), level_of_measurement="interval")
    assert find(report, "Krippendorff α (interval)", TOTAL).estimate == pytest.approx(oracle)


def test_a_dimension_called_total_is_not_summed_again() -> None:
    """Where the sheet has its own total, no sum over the dimensions is made."""
    report = agreement(sheet(a=[[1, 2], [3, 3]], total=[[1, 2], [3, 3]]), FEW)
    assert [(part.name, part.is_total) for part in report.dimensions] == [("a", False), ("total", False)]


def test_only_the_dimensions_asked_for_are_summed() -> None:
    """The total of two dimensions leaves the third out."""
    rows = [[1, 2], [3, 3], [2, 5]]
    report = agreement(sheet(a=rows, b=rows, c=[[9, 1], [1, 9], [5, 5]]), FEW, dimensions=["b", "a"])
    assert [part.name for part in report.dimensions] == ["a", "b", TOTAL]
    assert find(report, "Cohen κ (quadratic)", TOTAL, pair=("r1", "r2")).estimate == pytest.approx(
        find(report, "Cohen κ (quadratic)", "a", pair=("r1", "r2")).estimate
    )


def test_fleiss_asks_for_equally_many_ratings_not_for_the_same_raters() -> None:
    """Two ratings on each item are enough, whoever gave them: κ of Fleiss' formula worked by hand."""
    # Items rated {1,1}, {1,2}, {2,2} by changing pairs of three: P = 1, 0, 1, mean 2/3; shares 1/2, 1/2, chance 1/2;
    # κ = (2/3 − 1/2) / (1/2) = 1/3.
    report = agreement(sheet(d=[[1, 1, NAN], [1, NAN, 2], [NAN, 2, 2]]), FEW)
    found = find(report, "Fleiss κ")
    assert found.estimate == pytest.approx(1 / 3)
    assert found.n_ratings == 6


def test_fleiss_does_not_exist_on_uneven_ratings() -> None:
    """Items with two and with three ratings have no Fleiss κ, and the reason says so."""
    found = find(agreement(sheet(d=SMALL), FEW), "Fleiss κ")
    assert found.estimate is None
    assert found.reason == "items have 2 to 3 ratings; Fleiss κ needs equally many on each"


def test_every_pair_of_raters_is_compared() -> None:
    """Three raters make three pairs, each on the items that both rated."""
    report = agreement(sheet(d=SMALL), FEW)
    units = {
        pair: find(report, "Cohen κ (unweighted)", pair=pair).n_units
        for pair in [("r1", "r2"), ("r1", "r3"), ("r2", "r3")]
    }
    assert units == {("r1", "r2"): 7, ("r1", "r3"): 6, ("r2", "r3"): 5}


def test_the_judge_is_no_pair_among_people() -> None:
    """With a judge named, pairs with the judge stand in the second block only."""
    report = agreement(sheet(d=SMALL), FEW, judge="r2")
    pairs = {(each.question, each.raters) for each in report.dimensions[0].coefficients if each.pair}
    assert pairs == {
        (Question.AMONG, ("r1", "r3")),
        (Question.AGAINST, ("r2", "r1")),
        (Question.AGAINST, ("r2", "r3")),
    }


def test_ratings_without_variation_have_no_coefficient() -> None:
    """Where everybody always gives the same score, nothing is 0 or 1: each coefficient says why it is not there."""
    report = agreement(sheet(d=[[3, 3], [3, 3], [3, 3]]), FEW)
    coefficients = report.dimensions[0].coefficients
    assert {each.estimate for each in coefficients} == {None}
    assert all(each.reason for each in coefficients)


@pytest.mark.parametrize("judge", [None, "r1"])
def test_one_rater_agrees_with_nobody(judge: str | None) -> None:
    """A single rater, person or judge, gives reasons instead of numbers."""
    report = agreement(sheet(d=[[1], [2]]), FEW, judge=judge)
    assert {each.estimate for each in report.dimensions[0].coefficients} == {None}
    assert "needs at least 2 raters" in find(report, "ICC(C,k)").reason


def test_many_raters_are_not_paired() -> None:
    """Beyond fifteen raters pairs are left out, with the reason; α is still there."""
    rng = np.random.default_rng(5)
    report = agreement(sheet(d=rng.integers(1, 6, (10, 16)).astype(float).tolist()), FEW)
    assert find(report, "pairs of raters").reason == "16 raters; pairs are compared for at most 15"
    assert find(report, "Krippendorff α (nominal)").estimate is not None


def test_a_name_that_the_sheet_does_not_have_is_refused() -> None:
    """An unknown judge, dimension or level is a configuration error that names those that exist."""
    with pytest.raises(ConfigError, match=r"field judge: .*\(found 'gpt'\); allowed: r1, r2"):
        agreement(sheet(d=[[1, 2]]), FEW, judge="gpt")
    with pytest.raises(ConfigError, match=r"field dimension: .*allowed: d"):
        agreement(sheet(d=[[1, 2]]), FEW, dimensions=["e"])
    with pytest.raises(ConfigError, match=r"allowed: nominal, ordinal, interval"):
        metrics_named(["ratio"])


def test_levels_of_measurement_can_be_chosen() -> None:
    """Only the α that were asked for are computed."""
    report = agreement(sheet(d=SMALL), FEW, metrics=metrics_named(["interval"]))
    names = [each.name for each in report.dimensions[0].coefficients if "α" in each.name]
    assert names == ["Krippendorff α (interval)"]
    assert metrics_named([]) == tuple(Metric)


@settings(max_examples=25)
@given(
    scores=st.lists(
        st.lists(st.sampled_from([1.0, 2.0, 3.0, NAN]), min_size=3, max_size=3), min_size=2, max_size=8
    ).filter(lambda rows: not np.isnan(rows).all()),
    judge=st.sampled_from([None, "r1"]),
    data=st.data(),
)
def test_no_rating_sheet_breaks_it(scores: list[list[float]], judge: str | None, data: st.DataObject) -> None:
    """Any ratings give finite numbers or reasons, and the order of the rows of the file changes nothing."""
    whole = sheet(d=scores)
    judge = judge if judge in whole.raters else None
    report = agreement(whole, FEW, judge=judge)
    for each in report.dimensions[0].coefficients:
        assert bool(each.reason) == (each.estimate is None or each.low is None)
        assert all(math.isfinite(value) for value in _numbers(each))
    rows = data.draw(st.permutations(list(whole.scores.items())))
    shuffled = RatingSheet(MappingProxyType(dict(rows)), whole.items, whole.raters, whole.dimensions)
    assert agreement(shuffled, FEW, judge=judge) == report


def _numbers(found: Coefficient) -> NDArray[np.float64]:
    values = (found.estimate, found.low, found.high, found.f_low, found.f_high)
    return np.array([value for value in values if value is not None])
