"""Files of parser cases: every problem is named, and comparison minds types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exambench.errors import DataError
from exambench.evaluation.cases import Case, read_cases
from exambench.outcomes import Answered, ParseResult, Truncated, Unparsed

GOOD: dict[str, Any] = {
    "id": "x1",
    "parser": "dict-strict",
    "n_choices": 4,
    "finish_reason": "stop",
    "response": '{"정답": 2}',
    "expect": {"outcome": "answered", "answer": 2},
}


def _write(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _case(tmp_path: Path, **changes: Any) -> Case:
    return read_cases(_write(tmp_path, json.dumps(GOOD | changes)))[0]


def test_a_case_carries_the_number_of_options_where_it_has_no_texts(tmp_path: Path) -> None:
    """Without ``choices`` the wording has ``n_choices`` options without text."""
    assert [choice.text for choice in _case(tmp_path).wording.choices] == ["", "", "", ""]


def test_a_case_carries_the_texts_of_its_options(tmp_path: Path) -> None:
    """With ``choices`` the wording has them in their order."""
    case = _case(tmp_path, n_choices=2, choices=["비", "눈"])
    assert [choice.text for choice in case.wording.choices] == ["비", "눈"]


@pytest.mark.parametrize(
    ("answer", "result", "accepted"),
    [
        (1, Answered(1), True),
        (1, Answered(True), False),
        (True, Answered(1), False),
        (True, Answered(True), True),
        (3, Answered("3"), False),
        ("3", Answered("3"), True),
        ("3", Answered(("3",)), False),
        (["1", "2"], Answered(("1", "2")), True),
        (["2", "1"], Answered(("1", "2")), True),
        (["1"], Answered(("1", "2")), False),
        (2, Unparsed("no"), False),
        (2, Truncated(), False),
    ],
)
def test_an_answer_is_compared_with_its_type(
    tmp_path: Path, answer: object, result: ParseResult, *, accepted: bool
) -> None:
    """True is not 1 and "3" is not 3; the members of a set have no order."""
    case = _case(tmp_path, expect={"outcome": "answered", "answer": answer})
    assert case.accepts(result) is accepted


@pytest.mark.parametrize(("result", "accepted"), [(Answered(1), True), (Answered("free"), True), (Truncated(), False)])
def test_a_case_without_an_answer_checks_the_outcome_alone(
    tmp_path: Path, result: ParseResult, *, accepted: bool
) -> None:
    """Whatever was answered will do."""
    assert _case(tmp_path, expect={"outcome": "answered"}).accepts(result) is accepted


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"id": ""}, "id"),
        ({"id": "a\nb"}, "id"),
        ({"id": 7}, "id"),
        ({"parser": "dict"}, "parser"),
        ({"parser": None}, "parser"),
        ({"n_choices": "4"}, "n_choices"),
        ({"n_choices": True}, "n_choices"),
        ({"n_choices": -1}, "n_choices"),
        ({"n_choices": 10**9}, "n_choices"),
        ({"finish_reason": 1}, "finish_reason"),
        ({"response": 3}, "response"),
        ({"choices": ["a"]}, "choices"),
        ({"choices": [1, 2, 3, 4]}, "choices"),
        ({"expect": "answered"}, "expect"),
        ({"expect": {}}, "expect.outcome"),
        ({"expect": {"outcome": "failed"}}, "expect.outcome"),
        ({"expect": {"outcome": "answered", "answer": 2.5}}, "expect.answer"),
        ({"expect": {"outcome": "answered", "answer": [1]}}, "expect.answer"),
        ({"expect": {"outcome": "answered", "answer": None}}, "expect.answer"),
        ({"expect": {"outcome": "unparsed", "answer": 2}}, "expect.answer"),
    ],
)
def test_a_bad_field_is_named_with_file_and_line(tmp_path: Path, changes: dict[str, Any], field: str) -> None:
    """The message says where to look: file, line, field."""
    path = _write(tmp_path, json.dumps(GOOD), json.dumps(GOOD | {"id": "x2"} | changes))
    with pytest.raises(DataError) as caught:
        read_cases(path)
    assert [finding.field for finding in caught.value.findings] == [field]
    assert f"{path}, line 2" in str(caught.value)


@pytest.mark.parametrize("field", ["id", "parser", "n_choices", "finish_reason", "response", "expect"])
def test_a_missing_field_is_named(tmp_path: Path, field: str) -> None:
    """A field that is absent is not taken for null."""
    with pytest.raises(DataError, match=f"line 1.*field {field}: the field is missing"):
        read_cases(_write(tmp_path, json.dumps({name: value for name, value in GOOD.items() if name != field})))


@pytest.mark.parametrize("line", ["{", "[1]", "3", "nope", "[" * 100_000, '{"id": ' + "9" * 5_000 + "}"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    """Broken, deeply nested and oversized JSON is an error of the file, not of the program."""
    with pytest.raises(DataError, match="line 2"):
        read_cases(_write(tmp_path, json.dumps(GOOD), line))


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    """One reading mends the whole file."""
    with pytest.raises(DataError) as caught:
        read_cases(_write(tmp_path, "{", json.dumps(GOOD | {"parser": "x", "response": 1})))
    assert len(caught.value.findings) == 3


def test_an_identifier_is_used_once(tmp_path: Path) -> None:
    """Two cases of one name could not be told apart in a report."""
    with pytest.raises(DataError, match="line 2, item x1, field id"):
        read_cases(_write(tmp_path, json.dumps(GOOD), json.dumps(GOOD)))


def test_a_file_without_cases_is_an_error(tmp_path: Path) -> None:
    """Nothing checked is not everything right."""
    with pytest.raises(DataError, match="no case"):
        read_cases(_write(tmp_path, "", "  "))


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """A missing file and one in another encoding are named."""
    with pytest.raises(DataError, match=r"none\.jsonl"):
        read_cases(tmp_path / "none.jsonl")
    (tmp_path / "cp949.jsonl").write_bytes("정답".encode("cp949"))
    with pytest.raises(DataError, match=r"cp949\.jsonl"):
        read_cases(tmp_path / "cp949.jsonl")


def test_a_line_ends_at_a_line_feed_alone(tmp_path: Path) -> None:
    """JSON strings may hold line separators of Unicode."""
    line = json.dumps(GOOD | {"response": '{"a": "\u2028\u0085", "정답": 2}'}, ensure_ascii=False)
    assert len(read_cases(_write(tmp_path, "\ufeff" + line, ""))) == 1
