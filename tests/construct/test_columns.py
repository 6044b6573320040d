"""Columns of a paper are read one after the other, however many there are, and options side by side are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from exambench.errors import DataError
from exambench.items import ChoiceKey
from tests.construct.papers import keys, options, question, read, reviews, stems, typeset

LONG = "구름이 만들어지는 과정을 설명한 것으로 가장 알맞은 것은?"
PAIRS = "#grid(columns: (1fr, 1fr), row-gutter: 6pt, [{} 가을], [{} 나비], [{} 다리], [{} 라면])"


@pytest.mark.parametrize("columns", ["auto", 3])
def test_three_columns(tmp_path: Path, columns: str | int) -> None:
    """In reading order, over pages."""
    body = "".join(question(n, f"{LONG} ({n})") for n in range(1, 31))
    typeset(tmp_path, body + keys("12341" * 6), columns=3)
    result = read(tmp_path, columns=columns)
    assert stems(result) == [f"{LONG} ({n})" for n in range(1, 31)]
    assert [each.key for each in result.items] == [ChoiceKey(int(key)) for key in "12341" * 6]
    assert result.facts["columns"] == 3
    assert reviews(result) == {}


@pytest.mark.parametrize("columns", [2, 3])
def test_columns_of_items_that_are_all_alike(tmp_path: Path, columns: int) -> None:
    """Rows of numbers beside numbers and marks beside marks, none of them long enough to fill a column."""
    typeset(tmp_path, "".join(question(n, "옳은 것?") for n in range(1, 37)) + keys("1234" * 9), columns=columns)
    result = read(tmp_path)
    assert [each.id for each in result.items] == [str(n) for n in range(1, 37)]
    assert result.facts["columns"] == columns
    assert reviews(result) == {}


def test_columns_that_are_not_there_are_an_error(tmp_path: Path) -> None:
    """A setting that the paper contradicts is not passed over."""
    typeset(tmp_path, "".join(question(n, f"{LONG} {LONG}") for n in range(1, 4)) + keys("123"))
    with pytest.raises(DataError, match=r"field columns: has no blanks between 3 columns of text"):
        read(tmp_path, columns=3)


@pytest.mark.parametrize("marks", ["① ② ③ ④", "A. B. C. D.", "1) 2) 3) 4)", "가. 나. 다. 라."])
@pytest.mark.parametrize("columns", [1, 2])
def test_options_two_a_row(tmp_path: Path, marks: str, columns: int) -> None:
    """In one column and in two; the blank between two options is no gutter, whatever marks them."""
    cells = PAIRS.format(*marks.replace(".", "\\.").split())
    typeset(
        tmp_path,
        "".join(question(n, f"옳은 것은? ({n})", cells) for n in range(1, 13)) + keys("1234" * 3),
        columns=columns,
    )
    result = read(tmp_path)
    assert [options(result, n) for n in range(12)] == [["가을", "나비", "다리", "라면"]] * 12
    assert stems(result) == [f"옳은 것은? ({n})" for n in range(1, 13)]
    assert result.facts["columns"] == columns
    assert reviews(result) == {}


def test_one_column_with_all_options_in_a_row(tmp_path: Path) -> None:
    """Four cells with wide blanks over the whole page; words that were broken in them are guessed, and that is said."""
    cells = ", ".join(
        f"[{mark} 긴 선택지의 낱말들이 {word} 이어진다]" for mark, word in zip("①②③④", "갑을병정", strict=True)
    )
    grid = f"#grid(columns: (1fr, 1fr, 1fr, 1fr), gutter: 12pt, {cells})"
    typeset(tmp_path, "".join(question(n, "옳은 것은?", grid) for n in range(1, 9)) + keys("12341234"))
    result = read(tmp_path)
    assert [options(result, n) for n in range(8)] == [
        [f"긴 선택지의 낱말들이 {word} 이어진다" for word in "갑을병정"]
    ] * 8
    assert result.facts["columns"] == 1
    assert all(
        "it is not known whether a space or a hyphen belongs there" in each.reason for each in reviews(result).values()
    )
    assert len(reviews(result)) == 8
