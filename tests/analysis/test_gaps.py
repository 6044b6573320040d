"""Which gaps a table has, which way round, and how much hangs on single items."""

from __future__ import annotations

import numpy as np
import pytest

from exambench.analysis.gaps import Gap, assess, assess_values, contrasts
from exambench.stats.matrix import restrict
from exambench.stats.resampling import Bootstrap
from tests.support.tables import NAN, table_of

DRAW = Bootstrap(resamples=200, seed=42)


@pytest.mark.parametrize(
    ("facet", "values", "name", "formula"),
    [
        ("modality", ["image", "text", "image"], "modality", "modality image − text"),
        ("korean", ["false", "true", "false"], "geo-cultural", "korean true − false"),
        ("negated", ["no", "yes", "yes"], "negated", "negated yes − no"),
        ("level", ["hard", "easy", "easy"], "level", "level hard − easy"),
        ("level", ["hard", "easy", "hard"], "level", "level easy − hard"),
        ("korean", ["ko", "en", "en"], "korean", "korean ko − en"),
    ],
)
def test_two_values_of_a_facet_are_a_gap(facet: str, values: list[str], name: str, formula: str) -> None:
    """Named gaps have a fixed direction, yes goes before no, and otherwise the rarer value goes first."""
    (gap,) = contrasts(table_of([[1, 0, 1]], facets={facet: values}))
    assert (gap.name, gap.formula) == (name, formula)


def test_one_value_three_values_and_facets_nobody_compares_are_no_gap() -> None:
    """Only a facet with exactly two values among scored items, and that the axes are about, gives one."""
    facets = {"one": ["a", "a", "a"], "three": ["a", "b", "c"], "unused": ["a", "b", "b"], "unscored": ["a", "a", "b"]}
    assert contrasts(table_of([[1, 0, NAN]], facets=facets, compared=["one", "unscored"])) == ()
    assert contrasts(table_of([[1, 0, 1]], facets=facets, compared=["three"])) == ()


def test_a_gap_with_its_single_items() -> None:
    """By hand: two of four Korean items are right, two of two others.

    The gap is 2/4 − 2/2 = −1/2. Without a right Korean item it is 1/3 − 1 = −2/3, without a wrong one 2/3 − 1 = −1/3:
    the largest change is 1/6, and no item turns the sign.
    """
    table = table_of([[1, 1, 0, 0, 1, 1]], facets={"korean": ["true"] * 4 + ["false"] * 2})
    family = assess("contrasts", contrasts(table), table, DRAW)
    assert family.estimates.estimate[0, 0] == pytest.approx(-1 / 2)
    assert (family.estimates.n_first[0, 0], family.estimates.n_second[0, 0]) == (4, 2)
    (influence,) = family.influence
    assert influence is not None
    assert influence.max_change[0] == pytest.approx(1 / 6)
    assert (influence.sign_flips[0], influence.n[0], influence.item) == (0, 4, ("q0",))


def test_a_model_without_one_side_has_no_gap() -> None:
    """A text-only model has no modality gap: no number, no comparison, n = 0."""
    facets = {"modality": ["image", "image", "text", "text"]}
    table = table_of([[1, 0, 1, 1], [NAN, NAN, 1, 0]], facets=facets)
    family = assess("contrasts", contrasts(table), table, DRAW)
    assert family.estimates.estimate[1, 0] != family.estimates.estimate[1, 0]
    assert (family.estimates.n_first[1, 0], family.adjusted.n) == (0, 1)
    assert family.influence[0] is not None
    assert family.influence[0].item[1] is None


def test_each_value_of_a_facet_against_the_rest() -> None:
    """By hand: part 1 has 2/2, the other items 1/3; part 2 has 0/2 against 3/3; an item of no part is rest of both."""
    table = table_of([[1, 1, 0, 0, 1]], facets={"part": ["1", "1", "2", "2", None]})
    family = assess_values("part", table, DRAW)
    assert family.names == ("1", "2")
    assert family.formulas == ("part 1 − rest", "part 2 − rest")
    assert family.estimates.estimate[0].tolist() == pytest.approx([1 - 1 / 3, 0 - 1])
    assert [each.n[0] for each in family.influence if each is not None] == [2, 2]


def test_a_gap_may_set_two_scores_of_the_same_items_against_each_other() -> None:
    """A judge's normalised score less accuracy, on items where both exist: (0.5 + 1)/2 − (1 + 1 + 0)/3 = 1/12."""
    table = table_of([[1, 1, 0]])
    judged = restrict([[0.5, 1.0, NAN]], [True, True, False])
    family = assess("further", [Gap("reasoning", "judged − accuracy", judged, table.scores)], table, DRAW)
    assert family.estimates.estimate[0, 0] == pytest.approx(1 / 12)
    assert (family.estimates.n_first[0, 0], family.estimates.n_second[0, 0]) == (2, 3)


def test_values_in_portions_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where memory allows two sides at a time only, nothing but the time changes."""
    rng = np.random.default_rng(1)
    scores = rng.choice([0.0, 1.0, NAN], p=[0.4, 0.5, 0.1], size=(3, 40))
    table = table_of(scores.tolist(), facets={"part": [str(n % 5) for n in range(40)]})
    whole = assess_values("part", table, DRAW)
    monkeypatch.setattr("exambench.analysis.gaps.SIDES_BYTES", 2 * table.scores.nbytes)
    portions = assess_values("part", table, DRAW)
    assert portions.names == whole.names == ("0", "1", "2", "3", "4")
    for field in ("estimate", "low", "high", "p_value", "n_first", "n_second"):
        np.testing.assert_array_equal(getattr(portions.estimates, field), getattr(whole.estimates, field))
