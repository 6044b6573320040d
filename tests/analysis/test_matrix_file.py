"""Foreign matrices are read strictly: what is taken for what is said, every fault is named, and blank is never 0."""

from __future__ import annotations

import csv
import gzip
import io
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.analysis import matrix_file
from exambench.analysis.matrix_columns import Layout
from exambench.analysis.matrix_file import read_matrix
from exambench.analysis.odd_picks import OddPicks
from exambench.errors import DataError

NAN = float("nan")
PLAIN = "item,alpha,beta\nq1,1,0\nq2,0,\nq3,1,1\n"
PICKED = "row,category,answer,alpha,beta\n0,law,B,B,\n1,law,A,A,C\n2,art,D,b,D\n"


def write(folder: Path, content: str | bytes) -> Path:
    """Write a matrix and return its path."""
    path = folder / "matrix.csv"
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def test_a_blank_is_no_score(tmp_path: Path) -> None:
    """0 and 1 are scores, a blank is none, and the notes count the blanks."""
    table = read_matrix(write(tmp_path, PLAIN), Layout())
    np.testing.assert_array_equal(table.scores, [[1, 0, 1], [0, NAN, 1]])
    assert (table.models, table.items) == (("alpha", "beta"), ("q1", "q2", "q3"))
    assert "Blank cells: 1 of 6; a blank is no score, never 0." in table.notes
    assert table.picks is None


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.replace("\n", "\r\n").encode(),
        gzip.compress(PLAIN.encode()),
        PLAIN.replace(",1,", ",1.0,").replace(",0,", ",0.0,").encode(),
        PLAIN.replace("q2,0,", "q2,0,NaN").encode(),
        PLAIN.replace("q2,0,", "q2, 0 , ").encode(),
        (PLAIN + "\n,,\n\n").encode(),
        PLAIN.replace("q1", '"q1"').encode(),
    ],
    ids=["BOM", "CRLF", "gzip", "decimals", "NaN", "blanks around", "empty lines", "quotes"],
)
def test_the_same_matrix_in_other_clothes(tmp_path: Path, content: bytes) -> None:
    """What spreadsheets and data frames make of a file changes nothing."""
    plain = read_matrix(write(tmp_path, PLAIN), Layout())
    table = read_matrix(write(tmp_path, content), Layout())
    np.testing.assert_array_equal(table.scores, plain.scores)
    assert (table.models, table.items, table.notes) == (plain.models, plain.items, plain.notes)


def test_what_each_column_was_taken_for_is_said(tmp_path: Path) -> None:
    """A column without any score is a facet, a named one too, a crowded one is not used, and names are composed."""
    decomposed = unicodedata.normalize("NFD", "과목")
    rows = [f"q{n},{'법' if n % 2 else '예술'},{n % 2},{n % 2},stem {n}" for n in range(120)]
    path = write(tmp_path, f"id,{decomposed},image,alpha,question\n" + "\n".join(rows))
    table = read_matrix(path, Layout(facets=("image",)))
    assert dict(table.origin) | {"sha256": ""} == {
        "file": "matrix.csv",
        "sha256": "",
        "item": "id",
        "facets": "과목, image",
        "models": "alpha",
        "not used": "question",
    }
    assert table.notes[0] == ("Taken as item: id; facets: 과목, image; models (1): alpha; not used: question.")
    assert list(table.axes) == ["all", "과목=법", "과목=예술", "image=0", "image=1"]
    assert table.axes["과목=법"].sum() == 60


def test_picks_are_scored_by_the_key(tmp_path: Path) -> None:
    """Letters in either case, a blank pick is no score, and difficulty of the key's position is kept."""
    table = read_matrix(write(tmp_path, PICKED), Layout(key="answer", choices=4))
    np.testing.assert_array_equal(table.scores, [[1, 1, 0], [NAN, 0, 1]])
    assert table.picks is not None
    np.testing.assert_array_equal(table.picks.positions, [[1, 0, 1], [NAN, 2, 3]])
    assert (table.picks.key.tolist(), table.picks.labels) == ([1, 0, 3], ("A", "B", "C", "D"))
    assert table.facets == {"category": ("law", "law", "art")}


def test_picks_may_be_numbers(tmp_path: Path) -> None:
    """Choices counted from 1; five of them when the person says so."""
    table = read_matrix(write(tmp_path, "item,key,alpha\na,1,1\nb,5,4\n"), Layout(key="key", choices=5))
    assert table.scores.tolist() == [[1, 0]]
    assert table.picks is not None
    assert table.picks.labels == ("1", "2", "3", "4", "5")


@pytest.mark.parametrize(("odd", "score"), [(OddPicks.WRONG, 0.0), (OddPicks.BLANK, NAN)])
def test_a_pick_that_is_no_choice_is_what_the_person_says(tmp_path: Path, odd: OddPicks, score: float) -> None:
    """Wrong or no answer, never a pick; how many there were stands in the notes."""
    path = write(tmp_path, PICKED.replace("1,law,A,A,C", "1,law,A,A,질"))
    table = read_matrix(path, Layout(key="answer", choices=4, odd_picks=odd))
    np.testing.assert_array_equal(table.scores[1], [NAN, score, 1])
    assert table.picks is not None
    assert np.isnan(table.picks.positions[1, 1])
    assert any("Picks that are no choice: 1," in note for note in table.notes)


def test_one_model_is_a_matrix(tmp_path: Path) -> None:
    """There is nothing to compare it with, and still an accuracy."""
    assert read_matrix(write(tmp_path, "item,alpha\nq1,1\n"), Layout()).scores.tolist() == [[1]]


SCORES = Layout()
PICKS = Layout(key="answer", choices=4)


@pytest.mark.parametrize(
    ("content", "layout", "said"),
    [
        ("", SCORES, ["is empty", "a first row with the names"]),
        ("item,alpha\n", SCORES, ["holds no items"]),
        ("item,alpha\nq1,2\nq2,1\n", SCORES, ["row 2", "field alpha", "not a score", "'2'", "0 or 1", "--facet"]),
        ("item,alpha\nq1,1\nq2,0.5\n", SCORES, ["row 3", "'0.5'"]),
        ("item,alpha\nq1,1\nq1,0\n", SCORES, ["row 3", "stands in row 2 already", "'q1'"]),
        ("item,alpha\ne\u0301,1\né,0\n", SCORES, ["row 3", "stands in row 2 already"]),
        ("item,alpha\n,1\n", SCORES, ["row 2", "field item", "not a name"]),
        ("item,alpha\nq1,\n", SCORES, ["holds no score at all"]),
        ("item,alpha\nq1,1,0\n", SCORES, ["row 2", "another number of fields", "(found 3)", "allowed: 2"]),
        ("item,alpha,alpha\nq1,1,0\n", SCORES, ["row 1", "two columns have this name", "'alpha'"]),
        (",alpha\nq1,1\n", SCORES, ["column 1 has no usable name"]),
        ("item,alpha\x1b[31m\nq1,1\n", SCORES, ["column 2 has no usable name"]),
        ("alpha,beta\n1,0\n", SCORES, ["no column holds the names of the items", "called item", "--item"]),
        ("item;alpha\nq1;1\n", SCORES, ["no column holds the names", "'item;alpha'"]),
        ("item,what\nq1,law\n", SCORES, ["no column holds scores of a model", "--picks"]),
        ("item,alpha\nq1,1\n", Layout(item="question"), ["that --item names is missing", "allowed: item, alpha"]),
        ("item,alpha\nq1,1\n", Layout(facets=("part",)), ["that --facet names is missing", "'part'"]),
        ("item,alpha\nq1,A\n", PICKS, ["that --key names is missing"]),
        ("item,answer,alpha\nq1,,A\n", PICKS, ["row 2", "field answer", "not a key", "--choices"]),
        ("item,answer,alpha\nq1,E,A\n", PICKS, ["row 2", "not a key", "'E'", "A, B, C, D"]),
        ("item,answer,alpha\nq1,A,A\nq2,A,E\n", PICKS, ["row 3", "not a choice", "'E'", "--odd-picks wrong"]),
        ("item,answer,what\nq1,A,law\n", PICKS, ["no column holds picks of a model"]),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place(tmp_path: Path, content: str, layout: Layout, said: list[str]) -> None:
    """File, row, column, what was found, what is allowed, and what to do."""
    with pytest.raises(DataError) as raised:
        read_matrix(write(tmp_path, content), layout)
    for words in ("matrix.csv", *said):
        assert words in str(raised.value)


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    """One reading mends the file: a repeated item, and bad scores of two models."""
    with pytest.raises(DataError) as raised:
        read_matrix(write(tmp_path, "item,alpha,beta\nq1,1,x\nq1,y,0\nq2,0,1\n"), SCORES)
    assert [finding.item for finding in raised.value.findings] == ["row 3", "row 3", "row 2"]


def test_a_facet_of_very_many_values_is_refused_where_it_was_named(tmp_path: Path) -> None:
    """A text that differs from item to item groups nothing."""
    rows = "\n".join(f"q{n},1,stem {n}" for n in range(101))
    with pytest.raises(DataError, match=r"field question: the facet has too many different values \(found 101\)"):
        read_matrix(write(tmp_path, f"item,alpha,question\n{rows}"), Layout(facets=("question",)))


@pytest.mark.parametrize(
    "content",
    [b"item,alpha\nq1,\xff\n", gzip.compress(PLAIN.encode())[:-10], b"\x1f\x8b broken", b'item,alpha\n"q1,1\n'],
    ids=["not UTF-8", "gzip cut short", "not gzip", "open quote"],
)
def test_a_file_that_cannot_be_read_is_one_finding(tmp_path: Path, content: bytes) -> None:
    """Broken bytes are no scores."""
    with pytest.raises(DataError, match=r"matrix\.csv: cannot be read: "):
        read_matrix(write(tmp_path, content), SCORES)


def test_a_file_that_is_not_there_is_one_finding(tmp_path: Path) -> None:
    """So is a folder."""
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(DataError, match="cannot be read"):
            read_matrix(path, SCORES)


def test_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are counted after unpacking, and cells while they are read."""
    monkeypatch.setattr(matrix_file, "MOST_BYTES", 1000)
    packed = gzip.compress(b"item,alpha\n" + b"\n" * 2000)
    assert len(packed) < 1000
    with pytest.raises(DataError, match="is too large"):
        read_matrix(write(tmp_path, packed), SCORES)
    monkeypatch.setattr(matrix_file, "MOST_CELLS", 5)
    with pytest.raises(DataError, match="too many items × columns"):
        read_matrix(write(tmp_path, PLAIN), SCORES)


cell = st.sampled_from(["0", "1", ""])


@given(st.lists(st.lists(cell, min_size=3, max_size=3), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], line_end: str
) -> None:
    """Any matrix of 0, 1 and blanks comes back, unless it holds no score at all."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator=line_end)
    writer.writerow(["item", "a", "b", "c"])
    writer.writerows([f"문항 {number}", *row] for number, row in enumerate(rows))
    path = write(tmp_path_factory.mktemp("matrix"), buffer.getvalue())
    if not any(field for row in rows for field in row):
        with pytest.raises(DataError, match="no score at all"):
            read_matrix(path, SCORES)
        return
    expected = np.array([[float(field) if field else NAN for field in row] for row in rows]).T
    np.testing.assert_array_equal(read_matrix(path, SCORES).scores, expected)
