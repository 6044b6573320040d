"""Files that are odd, broken or made to do harm end in an error or in doubts, never in another failure."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.pages import Box, Region
from exambench.construct.pdf_reading import open_pdf
from exambench.errors import ConfigError, DataError, ImageError
from tests.construct.papers import chart, keys, question, read, reviews, stems, typeset
from tests.construct.test_formula_signs import raw

HEADER = "번호,문제,보기1,보기2,정답\n"


@pytest.mark.parametrize(
    "seen",
    ["[40 100 595 842]", "[0 0 595 842]/CropBox[40 100 595 800]"]
    + [f"[40 100 595 842]/Rotate {turn}" for turn in (90, 180, 270)],
)
def test_pictures_show_what_the_reader_sees(tmp_path: Path, seen: str) -> None:
    """Of pages whose corner is elsewhere, that are cropped or turned: a letter's box has its ink, a corner has none."""
    path = raw(tmp_path, "(What is it?) Tj")
    path.write_bytes(path.read_bytes().replace(b"[0 0 595 842]", seen.encode()))
    with open_pdf(path) as pdf:
        (page,) = pdf.pages()
        (letter,) = [glyph for glyph in page.glyphs if glyph.text == "W"]
        ink, corner = (np.asarray(pdf.picture(Region(1, box), 100)).min() for box in (letter.box, Box(0, 0, 20, 20)))
    assert ink < 50  # black, but for the rounding of thin strokes
    assert corner == 255


def test_a_drawing_from_a_file_of_its_own_is_cut_out_where_it_stands(tmp_path: Path) -> None:
    """What is in a form of the file has coordinates of its own."""
    page = "#set page(width: 60mm, height: 40mm, margin: 0mm)\n"
    inside = "#place(dx: 5mm, dy: 5mm, rect(width: 50mm, height: 30mm)) #place(dx: 9mm, dy: 15mm, line(length: 9mm))"
    typeset(tmp_path, page + inside, name="drawing.pdf")
    stem = '그림에서 옳은 것은?\n\n#align(center, image("drawing.pdf", width: 30mm))'
    typeset(tmp_path, question(1, stem) + keys("1"))
    (image,) = read(tmp_path).items[0].wording().question.images
    with Image.open(tmp_path / "pictures" / image.path) as found:
        # The rectangle is 50 of the 60 mm that are shown as 30 mm: 25 × 15 mm at 200 dots per inch.
        assert found.size == pytest.approx((25 / 25.4 * 200, 15 / 25.4 * 200), abs=8)


@pytest.mark.parametrize("size", ["0 0 1 1", "0 0 14400000 14400000"])
def test_a_page_of_an_impossible_size_is_one_error(tmp_path: Path, size: str) -> None:
    """It names the page and what it measures."""
    path = raw(tmp_path, "(What is it?) Tj")
    path.write_bytes(path.read_bytes().replace(b"[0 0 595 842]", f"[{size}]".encode()))
    with pytest.raises(DataError, match=r"exam\.pdf: page 1 measures"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["exam.pdf", "exam.html", "exam.csv", "exam.xlsx"])
def test_a_pipe_is_no_paper(tmp_path: Path, name: str) -> None:
    """Nobody waits for what may never come."""
    os.mkfifo(tmp_path / name)
    with pytest.raises(DataError, match="no ordinary file"):
        read(tmp_path, name)


def test_text_outside_of_the_page_is_a_doubt(tmp_path: Path) -> None:
    """Nobody sees it; the picture of its place is that of the page's edge."""
    raw(tmp_path, "(What is it?) Tj 9000 0 Td (gone) Tj -9000 0 Td")
    assert "4 of its characters are in the file and hardly seen on the page" in reviews(read(tmp_path))["1"].reason


@pytest.mark.parametrize(
    "settings",
    [
        {"first": 10**12},
        {"last": 10**12},
        {"prefix": "a\x1b[2J"},
        {"prefix": "a\n"},
        {"pages": [5, 1]},
        {"part": 2**63},
        {"facets": {"a\x1b": 1}},
        {"facets": {"a": "\u202e"}},
        {"facets": {"a": 2**63}},
        {"fields": {"number": ["a"]}},
        {"fields": {"nobody": "a"}},
    ],
)
def test_settings_without_sense_are_refused(settings: dict[str, object]) -> None:
    """No list of a million million numbers is made, and no identifier steers a terminal."""
    with pytest.raises(ValueError, match=r"first|last|prefix|pages|part|facets|fields"):
        IngestSettings.model_validate({"paper": "x.pdf", **settings})


@pytest.mark.parametrize("number", ["9" * 5000, "a" * 300, "a\x1bb", "a\u202eb"])
def test_a_number_that_is_none_holds_its_row_back(tmp_path: Path, number: str) -> None:
    """Under the number of the row."""
    rows = f'{number},물음?,가,나,1\n2,"둘\u2028째?",가,나,{"9" * 5000}\n3,셋째?,가,나,2\n'
    (tmp_path / "exam.csv").write_text(HEADER + rows, encoding="utf-8")
    result = read(tmp_path, "exam.csv")
    assert [each.id for each in result.items if each.id != number] == ["3"] or "a" in number
    assert all(len(name) < 250 and name.isprintable() for name in reviews(result))
    assert reviews(result)["2"].reason == "no right answer was found"


def test_two_columns_of_one_name_are_an_error(tmp_path: Path) -> None:
    """Which of them has the answers, nothing tells."""
    (tmp_path / "exam.csv").write_text("번호,문제,보기1,보기2,정답,정답\n1,물음?,가,나,1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"several columns have this name .found '정답'"):
        read(tmp_path, "exam.csv")


def test_a_column_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    """Also one that is not needed otherwise."""
    (tmp_path / "exam.csv").write_text(HEADER + "1,물음?,가,나,1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"fields\.part.*found 'nope'"):
        read(tmp_path, "exam.csv", fields={"part": "nope"})


@pytest.mark.parametrize(("encoding", "delimiter"), [("euc_kr", ","), ("utf-16", ";"), ("utf-8", "\t")])
def test_tables_as_spreadsheets_save_them(tmp_path: Path, encoding: str, delimiter: str) -> None:
    """In Korean encodings too, and with other delimiters."""
    text = (HEADER + "1,물음?,가,나,2\n").replace(",", delimiter)
    (tmp_path / "exam.csv").write_bytes(text.encode(encoding))
    assert stems(read(tmp_path, "exam.csv")) == ["물음?"]


def test_a_text_in_another_encoding_is_an_error(tmp_path: Path) -> None:
    """It is not read as Hangul that it is not."""
    (tmp_path / "exam.csv").write_bytes(HEADER.encode() + "1,Où est-il né?,oui,non,1\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"exam\.csv: cannot be read.*UTF-8, UTF-16 or EUC-KR"):
        read(tmp_path, "exam.csv")


def test_lists_within_lists_without_end_are_read(tmp_path: Path) -> None:
    """Each list costs as much as the first."""
    (tmp_path / "exam.html").write_text("<ol><li>" * 5_000, encoding="utf-8")
    assert list(reviews(read(tmp_path, "exam.html"))) == ["1"]


def test_a_list_that_begins_at_no_number_begins_at_one(tmp_path: Path) -> None:
    """Thousands of digits are none."""
    choices = "".join(f"<li>{word}</li>" for word in "가나다라")
    page = f'<ol start="{"9" * 5000}"><li>물음?<ol>{choices}</ol></li></ol><p>정답</p><p>1 ②</p>'
    (tmp_path / "exam.html").write_text(page, encoding="utf-8")
    assert stems(read(tmp_path, "exam.html")) == ["물음?"]


def test_a_picture_in_a_format_that_runs_programs_is_refused(tmp_path: Path) -> None:
    """Whatever its name says; EPS starts an interpreter."""
    chart().save(tmp_path / "x.eps")
    (tmp_path / "x.eps").rename(tmp_path / "chart.png")
    page = '<p>1. 그림은?<img src="chart.png"></p><p>① 가</p><p>② 나</p><p>③ 다</p><p>④ 라</p><p>정답</p><p>1 ②</p>'
    (tmp_path / "exam.html").write_text(page, encoding="utf-8")
    with pytest.raises(ImageError, match=r"chart\.png"):
        read(tmp_path, "exam.html")


def test_a_picture_that_was_changed_is_cut_out_again(tmp_path: Path) -> None:
    """Its name says its content."""
    chart().save(tmp_path / "chart.png")
    page = '<p>1. 그림은?<img src="chart.png"></p><p>① 가</p><p>② 나</p><p>③ 다</p><p>④ 라</p><p>정답</p><p>1 ②</p>'
    (tmp_path / "exam.html").write_text(page, encoding="utf-8")
    (image,) = read(tmp_path, "exam.html").items[0].wording().question.images
    (tmp_path / "pictures" / image.path).write_bytes(b"cut off")
    read(tmp_path, "exam.html")
    with Image.open(tmp_path / "pictures" / image.path) as found:
        assert found.size == chart().size
