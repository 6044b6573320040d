"""A rating sheet is read whole or refused with every fault named."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.analysis.ratings import RatingSheet, read_ratings
from exambench.errors import DataError

HEADER = "item,rater,dimension,score\n"


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """The path of a rating sheet, not written yet."""
    return tmp_path / "ratings.csv"


def read(path: Path, text: str) -> RatingSheet:
    """Write a sheet and read it."""
    path.write_text(text, encoding="utf-8", newline="")
    return read_ratings(path)


def faults(path: Path, text: str) -> tuple[str, ...]:
    """Return what is wrong with a sheet, one sentence each."""
    with pytest.raises(DataError) as caught:
        read(path, text)
    return tuple(str(finding).removeprefix(f"{path}, ") for finding in caught.value.findings)


def test_scores_stand_by_item_and_rater(sheet: Path) -> None:
    """A matrix has the items as rows and the raters as columns, both sorted, and NaN where there is no rating."""
    read_sheet = read(sheet, HEADER + "b,r2,depth,3\na,r1,depth,1.5\nb,r1,depth,\n")
    assert (read_sheet.items, read_sheet.raters, read_sheet.dimensions) == (("a", "b"), ("r1", "r2"), ("depth",))
    np.testing.assert_array_equal(read_sheet.matrix("depth"), [[1.5, np.nan], [np.nan, 3.0]])


def test_a_file_from_a_spreadsheet_is_read(sheet: Path) -> None:
    """A byte order mark, CRLF, capitals in the header and columns in another order change nothing."""
    plain = read(sheet, HEADER + "a,r1,depth,1\n")
    sheet.write_bytes(b"\xef\xbb\xbfScore,Rater,Dimension,Item\r\n1,r1,depth,a\r\n\r\n")
    assert read_ratings(sheet).content_hash == plain.content_hash


def test_names_are_composed(sheet: Path) -> None:
    """A Hangul name is the same name in Unicode's composed and decomposed form."""
    name = "김"
    found = read(sheet, HEADER + f"a,{name},d,1\nb, {unicodedata.normalize('NFD', name)} ,d,2\n")
    assert found.raters == (name,)


def test_other_columns_are_named(sheet: Path) -> None:
    """Columns that are not ours are left out, and told."""
    found = read(sheet, "item,rater,comment,dimension,score,when\na,r1,좋음,d,1,now\n")
    assert found.ignored_columns == ("comment", "when")
    assert dict(found.scores) == {("a", "r1", "d"): 1.0}


def test_the_digest_does_not_depend_on_the_order_of_rows(sheet: Path) -> None:
    """The same ratings have the same digest; another score has another."""
    rows = ["a,r1,d,1\n", "a,r2,d,2\n", "b,r1,d,3\n"]
    first = read(sheet, HEADER + "".join(rows)).content_hash
    assert read(sheet, HEADER + "".join(reversed(rows))).content_hash == first
    assert read(sheet, HEADER + "".join(rows).replace("3", "4")).content_hash != first


@pytest.mark.parametrize(
    "score", ["x", "nan", "inf", "-Infinity", "1,5", "1_000", "１", "0x1p3", "1e999", "1e7", "--1"]
)
def test_what_is_not_a_score_is_named(sheet: Path, score: str) -> None:
    """Text, NaN, infinity, decimal commas and numbers out of range are errors with row, field and value."""
    (fault,) = faults(sheet, HEADER + f'a,r1,d,1\nb,r1,d,"{score}"\n')
    assert fault.startswith("item row 3, field score: this is not a score (found ")
    assert "allowed: a number from -1,000,000 to 1,000,000" in fault


@pytest.mark.parametrize(("score", "value"), [("4", 4.0), (" -2.50 ", -2.5), (".5", 0.5), ("1e2", 100.0), ("+3.", 3.0)])
def test_plain_numbers_are_scores(sheet: Path, score: str, value: float) -> None:
    """Integers, decimals and exponents are read."""
    assert list(read(sheet, HEADER + f"a,r1,d,{score}\n").scores.values()) == [value]


def test_a_rating_that_stands_twice_is_named(sheet: Path) -> None:
    """The same item, rater and dimension again is an error, even when one of the two is blank."""
    (fault,) = faults(sheet, HEADER + "a,r1,d,1\na,r2,d,1\na,r1,d,\n")
    assert "item row 4: this item, rater and dimension stand in row 2 already (found 'a,r1,d')" in fault


def test_every_fault_is_told_at_once(sheet: Path) -> None:
    """One reading mends them all."""
    found = faults(sheet, HEADER + "a,,d,1\na,r1,d\nb,r1,d,x\n\x1b[31m,r1,d,1\n")
    assert [fault.split(":")[0] for fault in found] == [
        "item row 2, field rater",
        "item row 3",
        "item row 4, field score",
        "item row 5, field item",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the column 'item' is missing"),
        ("a,b,c\n", "the column 'item' is missing"),
        ("item;rater;dimension;score\n", "the column 'item' is missing"),
        ("item,rater,dimension,score,score\n", "the column 'score' stands more than once"),
        (HEADER, "holds no rating"),
        (HEADER + "a,r1,d,\n", "holds no rating"),
        (HEADER + f"{'a' * 200_000},r1,d,1\n", "cannot be read: field larger than field limit"),
        (HEADER + f"{'a' * 2_000},r1,d,1\n", "this is not a name"),
        (HEADER + '"a"b,r1,d,1\n', "cannot be read"),
    ],
)
def test_files_that_are_no_rating_sheet_are_refused(sheet: Path, text: str, problem: str) -> None:
    """An empty file, other columns, no rating, huge fields: one clear error."""
    assert problem in faults(sheet, text)[0]


def test_other_encodings_are_refused(sheet: Path) -> None:
    """Korean text in CP949 is not UTF-8, and not guessed at."""
    sheet.write_bytes((HEADER + "가,김,정확성,1\n").encode("cp949"))
    with pytest.raises(DataError, match="cannot be read: 'utf-8' codec"):
        read_ratings(sheet)


def test_a_missing_file_is_a_data_error(tmp_path: Path) -> None:
    """The error names the file."""
    with pytest.raises(DataError, match=r"nowhere\.csv: cannot be read"):
        read_ratings(tmp_path / "nowhere.csv")


@given(content=st.one_of(st.binary(max_size=300), st.text(alphabet='a1,"\n\r .-é가', max_size=200).map(str.encode)))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """Whatever follows the header, the result is a sheet of finite scores or a data error, and nothing else."""
    path = tmp_path_factory.mktemp("sheets") / "ratings.csv"
    path.write_bytes(HEADER.encode() + content)
    try:
        found = read_ratings(path)
    except DataError:
        return
    assert all(np.isfinite(score) for score in found.scores.values())
