"""Scores on other benchmarks: what is a number, which model is which, and what is refused."""

from __future__ import annotations

import math
import unicodedata
from pathlib import Path

import pytest

from exambench.analysis.other_scores import OtherScores, read_other_scores
from exambench.errors import DataError


def read(folder: Path, text: str) -> OtherScores:
    """Read a table of models and benchmarks."""
    path = folder / "others.csv"
    path.write_text(text, encoding="utf-8")
    return read_other_scores(path)


def test_a_number_is_one_as_people_write_it(tmp_path: Path) -> None:
    """Signs, a leading point, an exponent and blanks around it; a blank cell is no value."""
    found = read(tmp_path, "model,a,b,c,d\nm, 0.61,-.5,+1.e-2 ,\n").of(["m"])[0]
    assert list(found[:3]) == [0.61, -0.5, 0.01]
    assert math.isnan(found[3])


@pytest.mark.parametrize("cell", ["1_000", "٣", "1e999", "nan", "0x1f", "50%", "\x001"])
def test_what_only_a_program_reads_as_a_number_is_refused(cell: str, tmp_path: Path) -> None:
    """1_000 may be a thousand or a slip of the hand: nobody guesses."""
    with pytest.raises(DataError, match="is no score"):
        read(tmp_path, f"model,a\nm,{cell}\n")


def test_a_quotation_mark_without_its_other_is_refused(tmp_path: Path) -> None:
    """It would swallow the rows after it."""
    with pytest.raises(DataError, match="cannot be read as CSV"):
        read(tmp_path, 'model,a\nm,"1')


def test_hangul_in_letters_is_the_same_name(tmp_path: Path) -> None:
    """A file from a system that takes Hangul apart (NFD) has the same models, on both sides."""
    apart, whole = unicodedata.normalize("NFD", "하이퍼클로바"), "하이퍼클로바"
    for written, asked in ((apart, whole), (whole, apart)):
        found = read(tmp_path, f"model,a\n{written},0.5\n")
        assert found.of([asked, "other"])[0, 0] == 0.5
        assert found.known([asked, "other"]) == 1


def test_one_name_written_in_two_ways_stands_twice(tmp_path: Path) -> None:
    """Which of the two rows counts is not guessed."""
    with pytest.raises(DataError, match="stands twice"):
        read(tmp_path, f"model,a\n한글,1\n{unicodedata.normalize('NFD', '한글')},2\n")
