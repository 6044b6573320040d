"""A claim is compared at the precision that the paper prints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.analysis.published import (
    NumberClaim,
    Numbers,
    Paper,
    Printed,
    Relation,
    Rows,
    RowsClaim,
    Unavailable,
    Verdict,
)
from exambench.analysis.published.claim import agree, last_place, one_digit_more
from exambench.benchmarks.published import Published, load_published


@pytest.fixture(scope="module")
def published() -> Published:
    """Return the figures that ship."""
    return load_published()


def number_claim(found: Numbers | Unavailable, *numbers: str, unit: str = "") -> NumberClaim:
    """Return a claim whose recomputation gives ``found``."""
    return NumberClaim("kmmmu.x", Paper.KMMMU, "section 1", "Something", Printed(numbers, unit=unit), lambda _: found)


def rows_claim(found: Rows | Unavailable) -> RowsClaim:
    """Return a claim about rows whose look gives ``found``."""
    return RowsClaim("kmmmu.x", Paper.KMMMU, "Table 1", "Every row is so", lambda _: found)


@pytest.mark.parametrize(("number", "unit"), [("-18.55", 0.01), ("0.7", 0.1), ("18", 1.0), ("1.43e-5", 1e-7)])
def test_the_last_digit_says_how_precise_a_number_is(number: str, unit: float) -> None:
    """One unit of the last printed digit, also in scientific notation."""
    assert last_place(number) == pytest.approx(unit)


@pytest.mark.parametrize("number", ["NaN", "Infinity"])
def test_a_number_that_is_not_finite_has_no_last_digit(number: str) -> None:
    """NaN and infinity cannot be printed figures."""
    with pytest.raises(ValueError, match="not a finite number"):
        last_place(number)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("14.88", 26400 / 1774),  # 14.8816…
        ("3.13", 3.125),  # half up
        ("3.12", 3.125),  # half to even
        ("1.43e-5", 1.4301e-5),
        ("1.43e-5", 1.4251e-5),
        ("19", 19.0),
    ],
)
def test_a_value_agrees_if_it_rounds_to_the_printed_number(number: str, value: float) -> None:
    """Half a unit of the last digit is the tolerance; at the half both ways of rounding are accepted."""
    assert agree(number, value)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("8.65", 30000 / 3466),  # 8.6555… rounds to 8.66
        ("0.959", 0.9211),
        ("1.43e-5", 1.4249e-5),
        ("19", 19.6),
    ],
)
def test_a_value_that_rounds_to_another_number_does_not_agree(number: str, value: float) -> None:
    """A number that was cut off instead of rounded, and numbers that are further away."""
    assert not agree(number, value)


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_every_value_agrees_with_its_own_rounding(value: float, digits: int) -> None:
    """Whatever is printed of a value agrees with it."""
    assert agree(f"{value:.{digits}f}", value)


@given(st.floats(-1e6, 1e6), st.integers(0, 6), st.floats(0.51, 1e3))
def test_a_value_further_off_does_not_agree(value: float, digits: int, steps: float) -> None:
    """More than half a unit beyond the printed number is a different number."""
    printed = f"{value:.{digits}f}"
    assert not agree(printed, float(printed) + steps * 10.0**-digits)


def test_rounded_inputs_widen_the_tolerance() -> None:
    """The nine columns of o3-mini average .5424, printed .543: their own rounding explains the rest."""
    assert not agree("0.543", 0.54244)
    assert agree("0.543", 0.54244, uncertainty=0.0005)


def test_a_limit_is_strict() -> None:
    """Below 0.99 is not 0.99."""
    assert agree("0.99", 0.9893, Relation.BELOW)
    assert not agree("0.99", 0.99, Relation.BELOW)
    assert agree("0.7", 0.742, Relation.ABOVE)
    assert not agree("0.7", 0.7, Relation.ABOVE)


@pytest.mark.parametrize(
    ("number", "value", "shown"),
    [("-18.55", -19.14646, "-19.146"), ("18", 6.0, "6"), ("18", 18.09, "18.1"), ("1.43e-5", 1.43018e-5, "1.430e-05")],
)
def test_a_value_is_shown_with_one_digit_more(number: str, value: float, shown: str) -> None:
    """One digit more than is printed shows on which side the value lies."""
    assert one_digit_more(number, value) == shown


def test_a_number_that_agrees_follows(published: Published) -> None:
    """The result keeps claim, value, n and verdict."""
    checked = number_claim(Numbers((0.7778,), 55, "a note"), "0.78").check(published)
    assert (checked.claimed, checked.recomputed, checked.values) == ("0.78", "0.778", (0.7778,))
    assert (checked.n, checked.verdict, checked.note) == (55, Verdict.FOLLOWS, "a note")


def test_one_number_that_differs_is_enough(published: Published) -> None:
    """Of two printed numbers both must agree."""
    checked = number_claim(Numbers((0.5, 235.0), 52), "0.6", "235", unit="B").check(published)
    assert checked.verdict is Verdict.DOES_NOT_FOLLOW
    assert (checked.claimed, checked.recomputed) == ("0.6, 235 B", "0.50, 235 B")


def test_as_many_values_as_numbers_are_needed(published: Published) -> None:
    """A recomputation that returns another number of values is a mistake in the code, not a verdict."""
    with pytest.raises(ValueError, match="shorter"):
        number_claim(Numbers((1.0,), 1), "1", "2").check(published)


def test_rows_without_exception_follow(published: Published) -> None:
    """A claim about every row follows if no row contradicts it."""
    checked = rows_claim(Rows(17)).check(published)
    assert (checked.claimed, checked.recomputed, checked.verdict) == ("all", "17 of 17", Verdict.FOLLOWS)


def test_one_exception_is_enough(published: Published) -> None:
    """A claim about every row does not follow if one row contradicts it; the row is named."""
    checked = rows_claim(Rows(7, ("Gemma2-9b at 0.496",), "a note")).check(published)
    assert (checked.recomputed, checked.verdict) == ("6 of 7", Verdict.DOES_NOT_FOLLOW)
    assert checked.note == "Gemma2-9b at 0.496; a note"


def test_many_exceptions_are_summed_up(published: Published) -> None:
    """A summary stands for a long list."""
    checked = rows_claim(Rows(3, ("a", "b"), summary="two of them")).check(published)
    assert (checked.recomputed, checked.note) == ("1 of 3", "two of them")


@pytest.mark.parametrize("claim", [number_claim(Unavailable("no data"), "0.1"), rows_claim(Unavailable("no data"))])
def test_what_is_not_published_cannot_be_recomputed(published: Published, claim: NumberClaim | RowsClaim) -> None:
    """Missing data is neither agreement nor disagreement, and has no value and no n."""
    checked = claim.check(published)
    assert checked.verdict is Verdict.CANNOT_BE_RECOMPUTED
    assert (checked.recomputed, checked.values, checked.n, checked.note) == ("", (), None, "no data")


def test_a_relation_is_shown_with_its_number() -> None:
    """A limit is printed with its sign and unit."""
    assert str(Printed(("1.16",), Relation.BELOW, "points")) == "< 1.16 points"
