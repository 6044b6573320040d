"""Items that are broken over columns and pages, and what stands around them, are read whole, or someone is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from exambench.items import ChoiceKey
from tests.construct.papers import FOUR, chart, keys, options, question, read, reviews, stems, typeset

LONG = "구름이 만들어지는 과정을 설명한 것으로 가장 알맞은 것은 다음의 여러 가지 가운데에서 어느 것인가?"
WORDS = "수증기가 많은 공기가 산을 타고 올라가서 차가워지고 이슬점에 이르러 구름이 만들어진다"


@pytest.mark.parametrize("indent", ["0em", "2em"])
def test_an_option_that_goes_on_in_the_first_column_of_the_next_page_is_whole(tmp_path: Path, indent: str) -> None:
    """Though its second half stands to the left of its mark."""
    broken = f"① 가 \\ ② 나 \\ ③ 다 \\ ④ {WORDS[:20]} #colbreak() {WORDS[20:]}"
    body = question(1) + "#colbreak()" + question(2, LONG, f"#pad(left: {indent})[{broken}]") + question(3)
    typeset(tmp_path, body + keys("123"), columns=2)
    result = read(tmp_path)
    assert options(result, 1)[3].replace("\n", "").replace(" ", "") == WORDS.replace(" ", "")


def test_options_side_by_side_that_go_on_in_another_column_are_doubted(tmp_path: Path) -> None:
    """Which of them a line there belongs to, only its place from the edge of the column tells."""
    cells = f"[① {WORDS}], [② {WORDS}], [③ {WORDS}], [④ {WORDS}]"
    pairs = f"#grid(columns: (1fr, 1fr), gutter: 6pt, {cells})"
    body = "#v(120mm)" + question(1, "옳은 것은?", pairs) + question(2) + question(3)
    typeset(tmp_path, body + keys("123"), columns=2)
    result = read(tmp_path)
    assert [option.replace(" ", "").replace("\n", "") for option in options(result)] == [WORDS.replace(" ", "")] * 4
    assert "options side by side go on in another column" in reviews(result)["1"].reason


@pytest.mark.parametrize("columns", [1, 2])
def test_pictures_whose_marks_stand_at_their_lower_edges(tmp_path: Path, columns: int) -> None:
    """Each is its own option's, though the middle of another one is nearer."""
    sizes = [(160, 120), (162, 121), (160, 70), (162, 71)]
    for n, size in enumerate(sizes):
        chart("navy", size).save(tmp_path / f"{n}.png")
    cells = ", ".join(f'[{mark} #box(image("{n}.png", width: 26mm))]' for n, mark in enumerate("①②③④"))
    grid = f"#grid(columns: ({'1fr, ' * columns}), row-gutter: 6pt, {cells})"
    typeset(tmp_path, question(1, LONG, grid) + question(2) + question(3) + keys("123"))
    (first, *_) = read(tmp_path).items
    assert [_size(tmp_path / "pictures" / choice.images[0].path) for choice in first.wording().choices] == sizes


def test_pictures_of_two_items_in_the_same_place_of_two_pages_are_figures(tmp_path: Path) -> None:
    """They are as large and stand as high; two do not make a background."""
    for n, colour in enumerate(("navy", "teal"), start=1):
        chart(colour).save(tmp_path / f"{n}.png")
    items = [
        f"{question(n, f'옳은 것은? #image({chr(34)}{n}.png{chr(34)}, width: 40mm)')} #pagebreak()" for n in (1, 2)
    ]
    typeset(tmp_path, f"{''.join(items)} {question(3)} {keys('123')}")
    result = read(tmp_path)
    assert [len(item.wording().question.images) for item in result.items] == [1, 1, 0]


def test_a_second_first_mark_is_a_doubt(tmp_path: Path) -> None:
    """An option that names another one, at the beginning of a line, looks as the first option does."""
    typeset(tmp_path, question(1, options=f"① 바람 \\ {FOUR}") + question(2) + question(3) + keys("123"))
    assert "another first mark stands above its options" in reviews(read(tmp_path))["1"].reason


def _size(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        return picture.size


def test_a_heading_at_the_top_of_each_page_is_no_running_head(tmp_path: Path) -> None:
    """Each part on a page of its own: alike but for the number, and in the same place."""
    parts = [
        f"제{part}과목 기상학 \\ \\ {question(1)} {question(2)} {question(3)} #pagebreak()\n" for part in (1, 2, 3)
    ]
    tables = "".join(f"제{part}과목 기상학 \\ 1 ① #h(1em) 2 ② #h(1em) 3 ③\n\n" for part in (1, 2, 3))
    typeset(tmp_path, f"{''.join(parts)} 정답\n\n{tables}")
    result = read(tmp_path)
    assert [item.id for item in result.items] == [f"{part}-{number}" for part in (1, 2, 3) for number in (1, 2, 3)]
    assert [item.key for item in result.items] == [ChoiceKey(n) for n in (1, 2, 3)] * 3


def test_a_header_on_a_single_page_is_doubted_where_it_stands_in_an_item(tmp_path: Path) -> None:
    """It stands over the middle column, and an item goes on there."""
    broken = question(4, LONG, "① 가 \\ ② 나 \\ ③ 다 #colbreak() ④ 라")
    body = question(1) + question(2) + question(3) + broken + question(5) + "#colbreak()" + question(6)
    (tmp_path / "keys.csv").write_text("number,answer\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n", encoding="utf-8")
    typeset(tmp_path, body, columns=3, more="header: align(center)[모의 문제지],")
    result = read(tmp_path, keys="keys.csv", columns=3)
    assert "may be a header or a footer" in reviews(result)["4"].reason


@pytest.mark.parametrize("last", ["", question(7)])
def test_three_columns_of_which_the_last_is_all_but_empty(tmp_path: Path, last: str) -> None:
    """They are columns all the same, and lines end where the column does."""
    (tmp_path / "keys.csv").write_text("number,answer\n" + "".join(f"{n},1\n" for n in range(1, 8)), encoding="utf-8")
    body = "".join(question(n, LONG) for n in (1, 2, 3)) + "#colbreak()" + "".join(question(n, LONG) for n in (4, 5, 6))
    typeset(tmp_path, f"{body}#colbreak(){last}", columns=3)
    result = read(tmp_path, keys="keys.csv")
    assert result.facts["columns"] == 3
    assert stems(result)[:6] == [LONG] * 6


def test_a_key_without_an_item_is_told(tmp_path: Path) -> None:
    """The paper's last page was lost, and the table of right answers names what stood there."""
    typeset(tmp_path, question(1) + question(2) + question(3) + keys("12345"))
    found = reviews(read(tmp_path))
    assert {name: change.reason for name, change in found.items()} == dict.fromkeys(
        ("4", "5"), "the key table names it, and no item of this number was found"
    )


def test_rows_of_formulas_that_reach_into_each_other_are_doubted(tmp_path: Path) -> None:
    """The lower half of a fraction may have been read in the row below."""
    formulas = "#grid(columns: (1fr, 1fr), row-gutter: 3pt, [① $x/y$], [② $sum_(i=1)^n x_i$], [③ $a$], [④ $sqrt(b)$])"
    typeset(tmp_path, question(1, "옳은 것은?", formulas) + question(2) + question(3) + keys("123"))
    assert "lines of it overlap" in reviews(read(tmp_path))["1"].reason
