"""A file of figures is read into typed rows, or every cell that does not fit is named."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench.benchmarks.published.reader import read_table
from exambench.benchmarks.published.sources import read_sources
from exambench.errors import DataError


@dataclass(frozen=True, slots=True)
class Example:
    """A row with every type of cell."""

    name: str
    count: int
    size: float
    score: Decimal
    flag: bool
    maybe: Decimal | None


HEADER = "name,count,size,score,flag,maybe"


def write(folder: Path, *lines: str) -> Path:
    """Write a CSV file with the header above."""
    path = folder / "example.csv"
    path.write_text("\n".join((HEADER, *lines)) + "\n", encoding="utf-8")
    return path


def test_cells_become_their_types(tmp_path: Path) -> None:
    """Every cell has the type that its column is annotated with; a blank optional cell is None."""
    path = write(tmp_path, "Qwen3-8B,3,1.5,0.50,yes,", '"A, B",0,7,-2.28,False,1.0')
    assert read_table(path, Example) == (
        Example("Qwen3-8B", 3, 1.5, Decimal("0.50"), True, None),
        Example("A, B", 0, 7.0, Decimal("-2.28"), False, Decimal("1.0")),
    )


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000))
def test_a_printed_number_keeps_its_digits(tmp_path_factory: pytest.TempPathFactory, number: Decimal) -> None:
    """0.50 stays 0.50, so that the printed precision is known."""
    path = write(tmp_path_factory.mktemp("figures"), f"x,1,1,{number},yes,")
    assert str(read_table(path, Example)[0].score) == str(number)


@pytest.mark.parametrize(
    ("line", "field", "allowed"),
    [
        ("Qwen3-8B,3.5,1,1,yes,", "count", "a whole number"),
        ("Qwen3-8B,3,big,1,yes,", "size", "a number"),
        ("Qwen3-8B,3,inf,1,yes,", "size", "a number"),
        ("Qwen3-8B,3,1,,yes,", "score", "a number"),
        ("Qwen3-8B,3,1,NaN,yes,", "score", "a number"),
        ("Qwen3-8B,3,1,1,maybe,", "flag", "yes or no"),
        ("Qwen3-8B,3,1,1,yes,-", "maybe", "a number or blank"),
    ],
)
def test_a_cell_of_the_wrong_type_is_named(tmp_path: Path, line: str, field: str, allowed: str) -> None:
    """The error names file, row, field, value and what is allowed."""
    path = write(tmp_path, "good,1,1,1,yes,", line)
    with pytest.raises(DataError) as caught:
        read_table(path, Example)
    (finding,) = caught.value.findings
    assert (finding.file, finding.item, finding.field) == (str(path), "row 2 (Qwen3-8B)", field)
    assert finding.allowed == allowed


def test_all_wrong_cells_are_reported_at_once(tmp_path: Path) -> None:
    """One reading mends everything: each wrong cell and each row of the wrong length is a finding."""
    path = write(tmp_path, "a,x,1,1,yes,", "b,1,1,1,perhaps,", "c,1")
    with pytest.raises(DataError) as caught:
        read_table(path, Example)
    assert [(finding.item, finding.field) for finding in caught.value.findings] == [
        ("row 1 (a)", "count"),
        ("row 2 (b)", "flag"),
        ("row 3", None),
    ]


def test_other_columns_are_refused(tmp_path: Path) -> None:
    """A file whose columns are not those of the dataclass is refused before any row is read."""
    path = tmp_path / "example.csv"
    path.write_text("name,score\nx,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="columns") as caught:
        read_table(path, Example)
    assert caught.value.findings[0].allowed == "name, count, size, score, flag, maybe"


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    """A table of no rows would make every claim about rows true."""
    with pytest.raises(DataError, match="no row"):
        read_table(write(tmp_path), Example)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A missing file is a DataError that names it."""
    with pytest.raises(DataError, match=r"absent\.csv"):
        read_table(tmp_path / "absent.csv", Example)


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are a DataError that names the file."""
    path = tmp_path / "example.csv"
    path.write_bytes(b"name\xff\n")
    with pytest.raises(DataError, match=r"example\.csv"):
        read_table(path, Example)


SOURCES = """
[paper]
key = "k"
title = "t"
reference = "r"

[[table]]
file = "a.csv"
label = "Table 1"
where = "section 1"
caption = "c"
units = ""
notes = ""
"""


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (SOURCES.replace('label = "Table 1"\n', ""), r"table\.0\.label"),
        (SOURCES.replace('notes = ""', 'notes = ""\ncolour = "red"'), r"table\.0\.colour"),
        (SOURCES.replace("[paper]", "[paper"), "is not TOML"),
    ],
)
def test_a_broken_list_of_sources_is_named(tmp_path: Path, content: str, says: str) -> None:
    """A missing field, a field too many, and broken TOML are DataErrors that name file and field."""
    (tmp_path / "sources.toml").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=says) as caught:
        read_sources(tmp_path)
    assert caught.value.findings[0].file == str(tmp_path / "sources.toml")
