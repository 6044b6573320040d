"""Corrected means by hand, and in a thousand simulated studies whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from exambench.analysis.agreement import TOTAL
from exambench.analysis.corrected_means import TOGETHER, CorrectedRow, ModelAnswers, corrected_means
from exambench.stats.intervals import Interval
from tests.support.studies import AXES, BIAS, TRUE_MEAN, simulated_model

NAN = np.nan
DRAWS = 1000


def model_of(name: str, judge: list[float], people: list[float]) -> ModelAnswers:
    """Return a model with two axes that both have these scores."""
    axes = ("a", "b")
    items = tuple(f"q{number}" for number in range(len(judge)))
    return ModelAnswers(
        name, name, items, {axis: np.array(judge) for axis in axes}, {axis: np.array(people) for axis in axes}
    )


def covers(interval: Interval | None, truth: float) -> bool:
    """Tell whether an interval holds the truth."""
    assert interval is not None
    return interval.low <= truth <= interval.high


def test_the_corrected_interval_covers_the_truth_and_the_judges_own_does_not() -> None:
    """1 000 studies of two models, 15 of 141 answers each: 93 to 97 % of the 95 % intervals hold the truth.

    For an axis, for the total, and for all models together. The judge is 0.6 points too generous on each axis, so
    its own interval, 2 · 0.6 = 1.2 above the truth with an error of about 0.15, never does. Draw and estimate are
    those of the commands.
    """
    rng = np.random.default_rng(11)
    corrected, alone, errors = [], [], []
    for number in range(DRAWS):
        models = [simulated_model(rng, f"{number}:{name}") for name in ("a", "b")]
        total, axis, *_ = corrected_means(models)
        assert (total.name, axis.name) == (TOTAL, AXES[0])
        truths = ((total, len(AXES) * TRUE_MEAN), (axis, TRUE_MEAN))
        rows = [(dimension.rows[place], truth) for dimension, truth in truths for place in (0, -1)]
        corrected.append([row.corrected is not None and covers(row.corrected.mean, truth) for row, truth in rows])
        alone.append([covers(row.judge, truth) for row, truth in rows])
        errors.append([row.corrected.correction for row, _ in rows if row.corrected is not None])
    assert np.mean(corrected, axis=0) == pytest.approx(np.full(4, 0.95), abs=0.02)
    assert np.mean(alone, axis=0) == pytest.approx(np.zeros(4), abs=0.002)
    assert np.mean(errors, axis=0) == pytest.approx([-2 * BIAS, -2 * BIAS, -BIAS, -BIAS], abs=0.02)


def test_the_means_by_hand() -> None:
    """Judge 1 2 3 | 2 4, people 1 1 2 | – –: λ = 1/2, 12/5 · 1/2 + (4/3 − 1) = 23/15, and the total is twice that."""
    total, first, second = corrected_means([model_of("m", [1, 2, 3, 2, 4], [1, 1, 2, NAN, NAN])])
    assert [each.name for each in (total, first, second)] == [TOTAL, "a", "b"]
    estimates = []
    for dimension in (total, first, second):
        row = dimension.rows[0]
        assert row.corrected is not None
        assert (row.n_judge, row.n_people) == (5, 3)
        assert row.corrected.weight == pytest.approx(1 / 2)
        estimates.append(row.corrected.mean.estimate)
    assert estimates == pytest.approx([46 / 15, 23 / 15, 23 / 15])
    assert first.rows[0].judge is not None
    assert first.rows[0].judge.estimate == pytest.approx(12 / 5)
    assert first.rows[0].people == pytest.approx(4 / 3)


def test_a_model_with_two_scored_answers_counts_in_the_mean_of_all_only() -> None:
    """Its own mean would have no degree of freedom; one with a single scored answer is in neither."""
    models = [
        model_of("three", [1, 2, 3, 2], [1, 1, 2, NAN]),
        model_of("two", [3, 3, 5, 5], [NAN, NAN, 4, 3]),
        model_of("one", [5, 5, 5, 5], [5, NAN, NAN, NAN]),
        model_of("none", [5, 5, 5, 5], [NAN] * 4),
    ]
    *rows, together = corrected_means(models)[1].rows
    assert [row.corrected is not None for row in rows] == [True, False, False, False]
    assert {row.reason for row in rows[1:]} == {"people scored fewer than 3 of its answers"}
    assert [row.people for row in rows[1:]] == [3.5, 5.0, None]
    assert (together.name, together.n_judge, together.n_people) == (TOGETHER, 8, 5)
    assert together.corrected is not None
    # λ = (1 + 0)/(2 + 0) = 1/2: half of 1/2 · 2 + (4/3 − 1), and half of 1/2 · 4 + (7/2 − 5/2).
    assert together.corrected.mean.estimate == pytest.approx((4 / 3 + 3) / 2)


def test_without_enough_scores_of_people_there_is_a_reason_and_no_number() -> None:
    """Two answers of one model are no sample; nothing is made up."""
    (row, together) = corrected_means([model_of("m", [1, 2, 3], [1, 2, NAN])])[0].rows
    assert (row.corrected, together.corrected) == (None, None)
    assert together.reason == "people scored too few: it takes 2 answers of a model, and 3 items"
    nobody: CorrectedRow = corrected_means([model_of("m", [1, 2, 3], [NAN] * 3)])[0].rows[-1]
    assert (nobody.corrected, nobody.judge, nobody.people, nobody.n_judge) == (None, None, None, 0)
