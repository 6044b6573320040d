"""A diagnosis: axes, ranks, gaps, and where a model is weakest."""

from __future__ import annotations

import numpy as np
import pytest

from exambench.analysis.diagnosis import diagnose
from exambench.analysis.gaps import Gap
from exambench.analysis.reasoning_gap import Judge, JudgedModel, ReasoningGap
from exambench.analysis.score_table import ScoreTable
from exambench.errors import ConfigError
from exambench.stats.resampling import Bootstrap
from tests.support.tables import NAN, table_of

DRAW = Bootstrap(resamples=200, seed=42)

# Two axes of ten items each. m0: 9/10 and 3/10, overall 12/20. m1: 6/10 and 8/10.
FIRST, SECOND = [True] * 10 + [False] * 10, [False] * 10 + [True] * 10
SCORES = [[1] * 9 + [0] + [1] * 3 + [0] * 7, [1] * 6 + [0] * 4 + [1] * 8 + [0] * 2]


def test_the_weakest_axis_with_its_distances() -> None:
    """By hand: m0 is weakest on the second axis, 3/10 against 12/20 overall and 8/10 of m1."""
    weakness = diagnose(table_of(SCORES, axes={"first": FIRST, "second": SECOND}), DRAW).weaknesses[0]
    assert (weakness.model, weakness.axis, weakness.accuracy.n) == ("m0", "second", 10)
    assert (weakness.accuracy.estimate, weakness.overall) == pytest.approx((3 / 10, 12 / 20))
    assert (weakness.best_model, weakness.best_score, weakness.own_score) == ("m1", 0.8, 0.3)
    assert (weakness.common, weakness.few) == (10, False)
    assert weakness.excludes_overall is not (weakness.accuracy.low <= 0.6 <= weakness.accuracy.high)


def test_an_axis_of_few_items_is_named_only_without_another() -> None:
    """Nine items describe; a larger axis is named before them although its accuracy is higher."""
    scores = [[0] * 9 + [1, 1, 0] * 4]
    few, many = [True] * 9 + [False] * 12, [False] * 9 + [True] * 12
    both = diagnose(table_of(scores, axes={"few": few, "many": many}), DRAW)
    assert both.weaknesses == ()  # 8/12 on the larger axis is above 8/21 overall
    (alone,) = diagnose(table_of(scores, axes={"few": few}), DRAW).weaknesses
    assert (alone.axis, alone.few, alone.best_model) == ("few", True, None)


def test_the_best_is_found_on_common_items() -> None:
    """m1 has 2/2 where it has scores, but on those two items m0 has 2/2 as well: nobody is better."""
    table = table_of([[1, 1, 0, 0, 1, 1], [1, 1, NAN, NAN, 1, 0]], axes={"half": [True] * 4 + [False] * 2})
    weakness = next(each for each in diagnose(table, DRAW).weaknesses if each.model == "m0")
    assert (weakness.accuracy.estimate, weakness.common) == (0.5, 2)
    assert (weakness.own_score, weakness.best_score) == (1.0, 1.0)


def test_a_model_that_is_even_everywhere_has_no_weakest_axis() -> None:
    """No axis lies below the accuracy on all items."""
    assert diagnose(table_of([[1] * 20], axes={"first": FIRST}), DRAW).weaknesses == ()


def test_models_that_are_left_out_of_rankings_change_no_rank() -> None:
    """An incomplete run has intervals but no place, and its missing items are not missing from the ranking."""
    table = table_of([*SCORES, [1] + [NAN] * 19])
    table.ranked[2] = False
    ranks = diagnose(table, DRAW).ranks
    assert ranks is not None
    assert ranks.n.tolist() == [20]
    np.testing.assert_array_equal(ranks.rank[:, 0], [2, 1, NAN])


def test_one_model_alone_has_no_rank() -> None:
    """There is nobody to be ranked with."""
    assert diagnose(table_of(SCORES[:1]), DRAW).ranks is None


def judged(table: ScoreTable) -> ReasoningGap:
    """Return a gap of judged reasoning in which every model scores half of what it answers right."""
    gap = Gap("reasoning", "judged − accuracy", table.scores / 2, table.scores)
    models = tuple(JudgedModel(model, "run", "judging", 20, 20, 0) for model in table.models)
    return ReasoningGap(gap, Judge("judge", "rubric", "r", sees_images=False), models, ())


def test_the_reasoning_gap_stands_beside_those_of_the_facets() -> None:
    """They are corrected together: one family of two gaps and two models."""
    table = table_of(SCORES, facets={"korean": ["true", "false"] * 10})
    (family,) = diagnose(table, DRAW, reasoning=judged(table)).families
    assert family.names == ("geo-cultural", "reasoning")
    assert family.adjusted.n == 4


def test_a_gap_that_cannot_be_had_is_absent_with_its_reason() -> None:
    """A text-only model has no modality gap, and without a judge no model has a reasoning gap."""
    facets = {"modality": ["text"] * 20, "korean": ["true", "false"] * 10, "reasoning": ["true"] * 20}
    table = table_of(SCORES, facets=facets, compared=["modality", "korean"])
    absent = {each.name: each.reason for each in diagnose(table, DRAW).absent}
    assert absent == {
        "modality": "all items with scores have modality text",
        "reasoning": "no judge's verdicts among these scores; see: exambench verdicts",
    }
    assert [each.name for each in diagnose(table, DRAW, reasoning=judged(table)).absent] == ["modality"]


def test_a_facet_called_reasoning_does_not_hide_the_gap_of_judged_reasoning() -> None:
    """The gap between its two values has another name."""
    table = table_of(SCORES, facets={"reasoning": ["true", "false"] * 10})
    (family,) = diagnose(table, DRAW, reasoning=judged(table)).families
    assert family.names == ("reasoning items", "reasoning")
    np.testing.assert_allclose(family.estimates.estimate[:, 1], [-12 / 40, -14 / 40])


def test_no_gap_is_missed_that_the_items_have_no_labels_for() -> None:
    """Without the facet, or with other values than those of the named gap, nothing is said to be absent."""
    assert diagnose(table_of(SCORES), DRAW).absent == ()
    assert diagnose(table_of(SCORES, facets={"korean": ["ko", "en"] * 10}), DRAW).absent == ()


def test_a_facet_that_is_not_there_names_those_that_are() -> None:
    """The error says what may be asked for."""
    with pytest.raises(ConfigError, match="allowed: korean"):
        diagnose(table_of(SCORES, facets={"korean": ["true"] * 20}), DRAW, by=["part"])


def test_a_facet_with_one_value_has_no_rest() -> None:
    """No family is made of it."""
    assert diagnose(table_of(SCORES, facets={"korean": ["true"] * 20}), DRAW, by=["korean"]).families == ()
