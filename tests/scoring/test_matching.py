"""Free answers: what is settled without a judge, and what is not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.scoring.matching import Match, match
from exambench.scoring.quantities import Quantity, quantity


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("42", 42, ""),
        ("-5", -5, ""),
        ("−5", -5, ""),
        ("+5", 5, ""),
        (".5", Fraction(1, 2), ""),
        ("2.", 2, ""),
        ("１２", 12, ""),
        ("1,013", 1013, ""),
        ("1{,}013", 1013, ""),
        ("1\\,013", 1013, ""),
        ("1,234,567.5", Fraction(2469135, 2), ""),
        ("\\frac{1}{2}", Fraction(1, 2), ""),
        ("-\\dfrac{1}{2}", Fraction(-1, 2), ""),
        ("1/2", Fraction(1, 2), ""),
        ("3 \\times 10^{5}", 300_000, ""),
        ("3\\cdot10^{-3}", Fraction(3, 1000), ""),
        ("3 × 10⁵", 300_000, ""),
        ("3e5", 300_000, ""),
        ("1.5E-3", Fraction(3, 2000), ""),
        ("10^{5}", 100_000, ""),
        ("50%", 50, "%"),
        ("50\\%", 50, "%"),
        ("$9.8$", Fraction(49, 5), ""),
        ("9.8\\,\\text{m/s}^2", Fraction(49, 5), "m/s^2"),
        ("9.8 m/s²", Fraction(49, 5), "m/s^2"),
        ("25^{\\circ}C", 25, "°C"),
        ("25 ℃", 25, "°C"),
        ("1013.25 hPa", Fraction(101325, 100), "hPa"),
        ("3.2 \\mathrm{W\\,m^{-2}}", Fraction(16, 5), "W m^-2"),
        ("10 m", 10, "m"),
        ("3개", 3, "개"),
        ("\\text{12 km}", 12, "km"),
    ],
)
def test_a_quantity_is_read(text: str, value: int | Fraction, unit: str) -> None:
    """Signs, separators, fractions, powers, percent and units, in LaTeX or not."""
    assert quantity(text) == Quantity(Fraction(value), unit)


@pytest.mark.parametrize(
    "text",
    ["", "-", "abc", "1,5", "1/0", "\\frac{1}{0}", "1.5.2", "2 3", "5-3", "3 이상", "3 or 4", "x = 5", "약 5", "≈5",
     "1 1/2", "5 m and 3 s", "3:00", "1e99999", "10^99999", "9" * 5_000, "½", "\\sqrt{2}", "2\\pi", "\ud800"],
)  # fmt: skip
def test_anything_more_than_a_quantity_is_none(text: str) -> None:
    """Bounds, lists, equations and words are for the judge; what would not fit in memory is not computed."""
    assert quantity(text) is None


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("권층운", "권층운"),
        ("\\text{권층운}", "권층운."),
        ("  편서풍\n파동 ", "편서풍 파동"),
        ("0.5", "1/2"),
        ("\\frac{1}{2}", "0.5"),
        ("300000", "3 \\times 10^{5}"),
        ("1013.25 hPa", "1,013.25"),
        ("1013.25", "1013.25 hPa"),
        ("5 m/s", "5\\,\\text{m/s}"),
        ("50%", "0.5"),
        ("50%", "50"),
        ("0.5", "50\\%"),
        ("1.0000005", "1"),
        ("0", "0.0"),
    ],
)
def test_the_same_string_or_number_matches(answer: str, gold: str) -> None:
    """Typesetting, separators, a unit that only one names, and 1e-6 make no difference."""
    assert match(answer, gold) is Match.MATCH


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("", "5"),
        (" $ $ ", "5"),
        ("", "권층운"),
        ("3", "5"),
        ("5 m/s", "7 m/s"),
        ("0", "5"),
        ("30%", "70%"),
    ],
)
def test_nothing_and_a_number_that_is_far_off_do_not_match(answer: str, gold: str) -> None:
    """An empty answer is wrong without asking; so is another number in the same unit."""
    assert match(answer, gold) is Match.MISMATCH


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("권운", "권층운"),
        ("Cirrostratus", "cirrostratus"),
        ("5 km", "5000 m"),
        ("5 km", "5 m"),
        ("18 km/h", "5 m/s"),
        ("18", "5 m/s"),
        ("0.333", "1/3"),
        ("0.33", "1/3"),
        ("-5", "5"),
        ("50", "0.5"),
        ("1.01", "1"),
        ("50%", "0.5%"),
        ("2, 3", "3, 2"),
        ("x = 5", "5"),
        ("3 이상", "3"),
    ],
)
def test_what_rounding_units_or_words_may_explain_is_left_open(answer: str, gold: str) -> None:
    """The judge decides: a mismatch must be beyond doubt."""
    assert match(answer, gold) is Match.UNDECIDED


numbers = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)


@given(numbers)
def test_a_fraction_matches_itself_in_every_notation(number: Fraction) -> None:
    """Inline, LaTeX and scientific notation are one number."""
    sign = "-" if number < 0 else ""
    upper, lower = abs(number.numerator), number.denominator
    inline, latex = f"{sign}{upper}/{lower}", f"{sign}\\frac{{{upper}}}{{{lower}}}"
    assert match(inline, latex) is Match.MATCH
    assert match(f"{float(number):.15e}", inline) is Match.MATCH


@given(st.text(max_size=30), st.text(max_size=30))
def test_matching_has_no_side(answer: str, gold: str) -> None:
    """Any two strings have a verdict, and but for the empty one it is the same from both sides."""
    verdict = match(answer, gold)
    assert verdict in set(Match)
    if verdict is not Match.MISMATCH:
        assert match(gold, answer) in {verdict, Match.MISMATCH}


@given(st.text(min_size=1, max_size=40))
def test_an_answer_matches_itself(text: str) -> None:
    """Whatever it is, unless it is nothing."""
    assert match(text, text) is Match.MATCH or match(text, "x") is Match.MISMATCH
