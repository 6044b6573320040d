"""``exambench parse`` applies parsers to a file of cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import exambench

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("name", ["extraction.jsonl", "extraction-more.jsonl"])
def test_our_cases_pass(name: str) -> None:
    """A run without a mismatch prints its count and exits 0."""
    result = exambench("parse", DATA / name, "--check")
    count = len((DATA / name).read_text(encoding="utf-8").splitlines())
    assert (result.returncode, result.stdout) == (0, f"{count} cases, 0 mismatches.\n")


def test_a_mismatch_is_printed_and_exits_1(tmp_path: Path) -> None:
    """The line names the case, what was expected, and what came out."""
    case = {
        "id": "x1",
        "parser": "boxed",
        "n_choices": 4,
        "finish_reason": "stop",
        "response": "\\boxed{3}",
        "expect": {"outcome": "answered", "answer": 3},
    }
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case), encoding="utf-8")
    result = exambench("parse", path, "--check")
    assert result.returncode == 1
    assert result.stdout == "x1 boxed: expected answered 3, got answered '3'\n1 cases, 1 mismatches.\n"


def test_without_check_every_case_is_shown(tmp_path: Path) -> None:
    """One line a case says what was parsed; nothing is compared, text from outside is escaped."""
    case = {
        "id": "x1",
        "parser": "boxed-free",
        "n_choices": 0,
        "finish_reason": "length",
        "response": "\\boxed{\u001b[31m\ud800}",
        "expect": {"outcome": "unparsed"},
    }
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case), encoding="utf-8")
    result = exambench("parse", path)
    assert result.returncode == 0
    assert result.stdout == "x1 boxed-free: answered '\\x1b[31m\\ud800' [length_limit]\n"


def test_a_malformed_file_exits_2(tmp_path: Path) -> None:
    """The message names file, line and field on standard error."""
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "a", "parser": "dict"}\n', encoding="utf-8")
    result = exambench("parse", path, "--check")
    assert result.returncode == 2
    assert result.stdout == ""
    assert f"{path}, line 1, item a, field parser" in result.stderr
