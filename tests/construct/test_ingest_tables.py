"""Items and right answers in CSV, XLSX and HTML."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from exambench.errors import ConfigError, DataError, ImageError
from exambench.items import ChoiceKey
from tests.construct.papers import chart, options, read, reviews, stems

HEADER = "번호,문제,보기1,보기2,보기3,보기4,정답,과목\n"


def test_a_table_with_usual_names(tmp_path: Path) -> None:
    """One item a row; the part is a facet; text is composed and clean."""
    rows = '1,"대기의, 층은?",가,나,다,라,③,2\n2,바람은?,A,B,C,D,B,2\n3,값은?,1,2,3,4,4,3\n'
    (tmp_path / "exam.csv").write_text("\ufeff" + HEADER + rows, encoding="utf-8")
    result = read(tmp_path, "exam.csv", prefix="c-")
    assert stems(result) == ["대기의, 층은?", "바람은?", "값은?"]
    assert [each.key for each in result.items] == [ChoiceKey(3), ChoiceKey(2), ChoiceKey(4)]
    assert [each.facets["part"] for each in result.items] == [2, 2, 3]
    assert [each.id for each in result.items] == ["c-1", "c-2", "c-3"]


def test_a_workbook_with_names_of_its_own(tmp_path: Path) -> None:
    """The mapping names the columns; numbers in cells are text without a point."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Nr", "Q", "a", "b", "Right"])
    sheet.append([1.0, "Wind?", "calm", "gale", "gale"])
    sheet.append([2, "Rain?", 10, 20.0, "A"])
    book.save(tmp_path / "exam.xlsx")
    fields = {"number": "Nr", "question": "Q", "choices": ["a", "b"], "answer": "Right"}
    result = read(tmp_path, "exam.xlsx", fields=fields, choices=2)
    assert options(result, 1) == ["10", "20"]
    assert [each.key for each in result.items] == [ChoiceKey(2), ChoiceKey(1)]


def test_rows_that_are_no_items_go_to_people(tmp_path: Path) -> None:
    """An empty stem, a missing option, no key, a key out of range, a number twice: each is said."""
    rows = "1,,가,나,다,라,1,1\n2,물음,가,나,,라,1,1\n3,물음,가,나,다,라,,1\n4,물음,가,나,다,라,7,1\n"
    rows += "5,물음,가,나,다,라,1,1\n5,또,가,나,다,라,1,1\n,,,,,,,\n"
    (tmp_path / "exam.csv").write_text(HEADER + rows, encoding="utf-8")
    result = read(tmp_path, "exam.csv")
    assert [each.id for each in result.items] == ["5"]
    assert {name: change.reason for name, change in reviews(result).items()} == {
        "1": "the stem is empty",
        "2": "it has 3 options where 4 are expected",
        "3": "no right answer was found",
        "4": "the right answer is none of its options",
        "5 (row 7)": "its number stands in another row too",
    }


def test_a_column_that_is_missing_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    """All of them at once."""
    (tmp_path / "exam.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"(?s)fields\.question.*allowed: a, b.*fields\.choices\[4\]"):
        read(tmp_path, "exam.csv", fields={"question": "nein"})


@pytest.mark.parametrize(
    ("name", "content"), [("exam.csv", b"\xff\xfe\x00"), ("exam.csv", b""), ("exam.xlsx", b"PK no"), ("exam.xlsx", b"")]
)
def test_a_table_that_cannot_be_read_is_one_error(tmp_path: Path, name: str, content: bytes) -> None:
    """It names the file."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=name):
        read(tmp_path, name)


LISTS = """<!DOCTYPE html><html><head><title>1. no item</title><style>b{}</style></head><body>
<h2>제2과목 기후학</h2>
<ol>
 <li>기온이 <b>가장</b> 높은 층은?
  <p>10<sup>-5</sup> m<p><img src="chart.png"></p>
  <ol><li>대류권</li><li>성층권</li><li>중간권</li><li>열권 &lt;위&gt;</li></ol></li>
 <li>바람은?<ol><li>가</li><li>나</li><li>다</li><li>라</li></ol></li>
</ol>
<script>document.write("3. forged")</script>
<p>정답</p><table><tr><td>1</td><td>④</td><td>2</td><td>①</td></tr></table>
</body></html>"""


def test_a_page_of_lists(tmp_path: Path) -> None:
    """Numbers and marks come from the lists, pictures from files beside the page; scripts are no text."""
    (tmp_path / "exam.html").write_text(LISTS, encoding="utf-8")
    chart().save(tmp_path / "chart.png")
    result = read(tmp_path, "exam.html")
    assert stems(result) == ["기온이 가장 높은 층은?\n10$^{-5}$ m", "바람은?"]
    assert options(result) == ["대류권", "성층권", "중간권", "열권 <위>"]
    assert len(result.items[0].wording().question.images) == 1
    assert [(each.key, each.facets["part"]) for each in result.items] == [(ChoiceKey(4), 2), (ChoiceKey(1), 2)]
    assert reviews(result) == {}


def test_a_page_with_a_table_of_questions(tmp_path: Path) -> None:
    """A row is an item, its first cell the number."""
    row = "<tr><td>{}</td><td>물음 {}?</td><td>① 가</td><td>② 나</td><td>③ 다</td><td>④ 라</td></tr>"
    rows = "".join(row.format(n, n) for n in (1, 2))
    (tmp_path / "exam.html").write_text(f"<table>{rows}</table>", encoding="utf-8")
    (tmp_path / "keys.csv").write_text("1,2\n2,3\n", encoding="utf-8")
    result = read(tmp_path, "exam.html", keys="keys.csv")
    assert stems(result) == ["물음 1?", "물음 2?"]
    assert options(result, 1) == ["가", "나", "다", "라"]


@pytest.mark.parametrize("source", ["https://example.org/a.png", "../../etc/passwd", "/etc/passwd", "none.png", ""])
def test_a_picture_that_is_no_file_beside_the_page_is_an_error(tmp_path: Path, source: str) -> None:
    """Nothing is fetched, and nothing outside of the folder is read."""
    (tmp_path / "exam.html").write_text(f'<p>1. 물음<img src="{source}"></p>', encoding="utf-8")
    with pytest.raises(ImageError):
        read(tmp_path, "exam.html")


def test_html_that_is_broken_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """A thousand open tags are no reason to fail; what is no item goes to people."""
    (tmp_path / "exam.html").write_text("<ol><li>" * 1000 + "<td" + "</ol>" * 3, encoding="utf-8")
    result = read(tmp_path, "exam.html")
    assert result.items == ()
    assert list(reviews(result)) == ["1"]
