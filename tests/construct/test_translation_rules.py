"""What a translation must preserve, case by case."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.construct.translation_rules import Translation, violations
from exambench.items import Content, Image, Wording


def wording(question: str, *choices: str, picture: bool = False) -> Wording:
    """Return an item."""
    images = (Image("a.png"),) if picture else ()
    return Wording(Content(question, images), tuple(map(Content, choices)))


@pytest.mark.parametrize(
    ("korean", "english"),
    [
        ("기압이 1,013 hPa이고 기온이 15 ℃이다.", "The pressure is 1013 hPa and the temperature is 15 ℃."),
        ("3월에 40 km/h로 6시간", "In March at 40 km/h for 6 hours"),
        ("$240\\,\\mathrm{km}$를 이동한다.", "It moves $240\\,\\mathrm{km}$."),
        ("$-9.8$ K 변한다", "It changes by $ -9.8 $ K"),
        ("영하 10 ℃", "-10 ℃"),
        ("-10 ℃", "minus 10 ℃"),
    ],
)
def test_a_faithful_translation_breaks_no_rule(korean: str, english: str) -> None:
    """Thousands separators, months by name, spaces within formulas may differ."""
    assert violations(wording(korean), Translation(english)) == ()


@pytest.mark.parametrize(
    ("korean", "english", "told"),
    [
        ("1,013 hPa", "1031 hPa", "numbers are missing: 1013"),
        ("두 시간", "2 hours", "numbers were added: 2"),
        ("40 km/h", "40 mph", "units are missing: km/h"),
        ("-9.8 ℃", "9.8 ℃", "minus signs are missing: 9.8"),
        ("$x^2$의 값", "The value of $x^3$", "formulas were changed: $x^2$"),
        ("기압은?", "What is 기압?", "Hangul is left"),
        ("기압은?", " ", "the translation is empty"),
        ("3월의 4일", "On day 4 of April", "numbers are missing: 3"),
    ],
)
def test_what_is_lost_is_named(korean: str, english: str, told: str) -> None:
    """Numbers, units, formulas, text; and Hangul that stayed."""
    assert any(told in problem for problem in violations(wording(korean), Translation(english)))


def test_marks_in_pictures_may_stay() -> None:
    """What a picture is labelled with cannot be translated in the text alone."""
    shown = wording("지점 가는?", picture=True)
    assert violations(shown, Translation("Which is point 가?")) == ()
    assert violations(wording("지점 가는?"), Translation("Which is point 가?")) == ("Question: Hangul is left.",)


def test_the_number_of_choices_stays() -> None:
    """Too many, too few; a choice that is a picture alone has no text in either language."""
    item = wording("값은?", "10 m", "20 m")
    assert violations(item, Translation("The value?", ("10 m",))) == ("There are 2 choices, and 1 in the translation.",)
    assert violations(item, Translation("The value?", ("20 m", "10 m"))) == (
        "Choice 1: numbers are missing: 10.",
        "Choice 1: numbers were added: 20.",
        "Choice 2: numbers are missing: 20.",
        "Choice 2: numbers were added: 10.",
    )
    assert violations(wording("?", ""), Translation("?", ("",))) == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_judged_without_failing(korean: str, english: str) -> None:
    """And a text without Hangul always keeps its own rules."""
    violations(wording(korean), Translation(english))
    if not any("가" <= sign <= "힣" for sign in korean):
        assert violations(wording(korean), Translation(korean)) == ()
