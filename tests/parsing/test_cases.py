"""The parsers against responses of every kind that the rules name, one test a response."""

from __future__ import annotations

from pathlib import Path

import pytest

from exambench.evaluation.cases import Case, read_cases
from exambench.evaluation.describing import describe
from exambench.parsing import PARSERS

DATA = Path(__file__).parents[1] / "data"
CASES = [case for name in ("extraction.jsonl", "extraction-more.jsonl") for case in read_cases(DATA / name)]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_response_is_read_as_its_case_says(case: Case) -> None:
    """The outcome and, where the case gives one, the answer with its type."""
    result = case.parse()
    assert case.accepts(result), f"expected {case.expected}, got {describe(result)}"


@pytest.mark.parametrize("name", PARSERS)
def test_every_parser_has_cases_of_each_outcome(name: str) -> None:
    """No parser goes without an answer, a violation and a cut response."""
    assert {str(case.outcome) for case in CASES if case.parser == name} == {"answered", "unparsed", "truncated"}
