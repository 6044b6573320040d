"""What the data say in words of their own, in the reader's language."""

from __future__ import annotations

import pytest

from exambench.protocols.condition import ChainOfThought, Choices, Images, Question, condition_text
from exambench.protocols.labels import Labels
from exambench.report.site.catalogue import catalogue
from exambench.report.site.wordings import condition_in, formula_in

VALUES = {"question": Question, "choices": Choices, "images": Images, "labels": Labels, "cot": ChainOfThought}
SETTINGS = [
    *((name, str(value)) for name, values in VALUES.items() for value in list(values)[1:]),
    *(("wording", name) for name in ("explicit", "implicit", "original", "english", "jejueo")),
    *(("order", order) for order in ("reversed", "shuffled-3", "shuffled-2@7")),
    *(("shots", shots) for shots in ("5", "5@42")),
]
"""Every value that is not as usual, and samples of those that have no end."""


@pytest.mark.parametrize(("dimension", "value"), SETTINGS)
def test_a_condition_is_said_in_both_languages(dimension: str, value: str) -> None:
    """English pages say what the command line says; Korean ones say it in Korean."""
    condition = {dimension: value}
    assert condition_in(catalogue("en"), condition) == condition_text(condition)
    assert any("가" <= sign <= "힣" for sign in condition_in(catalogue("ko"), condition))


def test_the_parts_of_a_condition_stand_in_the_order_of_the_command_line() -> None:
    """Whatever the order of the mapping."""
    condition = {"images": "hidden", "wording": "explicit", "question": "hidden"}
    assert condition_in(catalogue("en"), condition) == "wording explicit, no question, no pictures"
    assert condition_in(catalogue("ko"), condition) == "명시 문구(explicit), 질문 숨김, 그림 숨김"


def test_gaps_of_the_field_are_said_in_words_and_others_as_the_data_name_them() -> None:
    """A facet of somebody else's has no translation."""
    assert formula_in(catalogue("ko"), "modality", "modality image − text") == "그림 문항 − 텍스트 문항"
    assert formula_in(catalogue("ko"), "season", "season winter − summer") == "season winter − summer"
