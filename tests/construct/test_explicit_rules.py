"""What choices that name the country must keep, by rule."""

from __future__ import annotations

from typing import Final

import pytest

from exambench.construct.explicit_rules import read_explicit_rules
from exambench.construct.reviewed import numbered
from exambench.items import Content
from tests.construct.items import item

RULES: Final = read_explicit_rules()
STEM: Final = "강수량이 가장 많은 관측소에 대한 설명은?"
CHOICES: Final = (
    "우리나라 관측소이며 1,000 mm 이상이다",
    "일본 관측소이며 900 mm 이상이다",
    "국내에 없지 않다",
    "한국에 있다",
)
GOOD: Final = ("한국 관측소이며 1,000 mm 이상이다", CHOICES[1], "한국에 없지 않다", CHOICES[3])


def problems(*choices: str, before: tuple[str, ...] = CHOICES) -> str:
    """Return what is wrong with proposed choices, one a line."""
    return "\n".join(RULES.problems_of_choices(item("1", STEM, before), numbered([Content(text) for text in choices])))


def test_choices_that_name_the_country_and_keep_the_rest_are_good() -> None:
    """Those that left nothing unsaid stay to the letter."""
    assert problems(*GOOD) == ""


@pytest.mark.parametrize(
    ("place", "new", "problem"),
    [
        (1, CHOICES[0], "Choice 1: Words that leave the country unsaid are left: 우리나라."),
        (1, "이곳 관측소이며 1,000 mm 이상이다", "Choice 1: The country is not named: 한국, 대한민국, Korea."),
        (1, "한국 관측소이며 1,200 mm 이상이다", "Choice 1: Numbers are missing: 1000."),
        (1, "한국 관측소이며 1,000 cm 이상이다", "Choice 1: Units are missing: mm."),
        (1, "한국 측정소이며 1,000 mm 이상이다", "Choice 1: Terms are missing: 관측소이며."),
        (1, "한국 관측소이며 1,000 mm이다", "Choice 1: A condition is missing: 이상."),
        (3, "한국에 있다", "Choice 3: Negation or direction was changed: 않다."),
        (3, "", "Choice 3: It is empty."),
        (3, "한국에 없지 않다" * 30, "Choice 3: It is much longer than before."),
        (2, "중국 관측소이며 900 mm 이상이다", "Choice 2: It is to stay as it is."),
    ],
)
def test_what_a_choice_does_not_keep_is_named(place: int, new: str, problem: str) -> None:
    """With its number, so that the model can mend it; what it shares with the stem and with other choices is a term."""
    assert problem in problems(*(new if at == place else text for at, text in enumerate(GOOD, start=1))).splitlines()


def test_two_choices_may_not_become_equal() -> None:
    """Naming the country can make one choice of two: then people have to find other words."""
    assert problems("한국", "한국", "일본", before=("우리나라", "한국", "일본")) == "Choices 1 and 2 became equal."


@pytest.mark.parametrize("choices", [GOOD[:3], (*GOOD, "없다"), ()])
def test_there_are_as_many_choices_as_before(choices: tuple[str, ...]) -> None:
    """None is left out, and none comes in."""
    assert problems(*choices) == "There are not 4 choices, each in a line after its number."
