"""Options are marked and items are numbered in many ways; what a paper does not tell is left to people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.records import StageResult
from exambench.errors import DataError
from exambench.items import ChoiceKey
from tests.construct.papers import options, read, reviews, stems

WORDS = ("가을", "나비", "다리", "라면", "마음")
STATEMENTS = ("ㄱ. 하나이다", "ㄴ. 둘이다", "ㄷ. 셋이다", "ㄹ. 넷이다")


def item(number: str, marks: Sequence[str], *, stem: Sequence[str] = ("다음 중 옳은 것은?",)) -> str:
    """Return an item as HTML: a line for each line of its stem and each option."""
    lines = [f"{number} {stem[0]}", *stem[1:], *(f"{mark} {word}" for mark, word in zip(marks, WORDS, strict=False))]
    return "".join(f"<p>{line}</p>" for line in lines)


def paper(folder: Path, *parts: str, **settings: object) -> StageResult:
    """Write a page, and read it."""
    (folder / "exam.html").write_text(f"<body>{''.join(parts)}</body>", encoding="utf-8")
    return read(folder, "exam.html", **settings)


def keys(*answers: str) -> str:
    """Return a key table: the answers of items 1, 2 …."""
    row = " ".join(f"{number} {answer}" for number, answer in enumerate(answers, start=1))
    return f"<p>정답</p><p>{row}</p>"


@pytest.mark.parametrize(
    ("number", "marks", "answers"),
    [
        ("{}.", "A. B. C. D.", "B D A"),
        ("{}.", "A) B) C) D)", "B D A"),
        ("{}.", "(A) (B) (C) (D)", "(B) (D) (A)"),
        ("{}.", "a) b) c) d)", "b d a"),
        ("{}.", "(a) (b) (c) (d)", "B D A"),
        ("{}.", "ⓐ ⓑ ⓒ ⓓ", "ⓑ ⓓ ⓐ"),
        ("{}.", "가. 나. 다. 라.", "나 라 가"),
        ("{}.", "가) 나) 다) 라)", "나 라 가"),
        ("{}.", "(가) (나) (다) (라)", "나 라 가"),
        ("{}.", "㉮ ㉯ ㉰ ㉱", "㉯ ㉱ ㉮"),
        ("{}.", "㉠ ㉡ ㉢ ㉣", "㉡ ㉣ ㉠"),
        ("{}.", "1) 2) 3) 4)", "2 4 1"),
        ("{}.", "(1) (2) (3) (4)", "② ④ ①"),
        ("문 {}.", "1. 2. 3. 4.", "2 4 1"),
        ("[{}]", "1. 2. 3. 4.", "② ④ ①"),
        ("{})", "1. 2. 3. 4.", "2 4 1"),
        ("{}.", "① ② ③ ④ ⑤", "② ④ ①"),
        ("{}.", "A. B. C. D. E.", "B D A"),
    ],
)
def test_a_kind_of_marks_that_numbers_all_options_is_the_papers(
    tmp_path: Path, number: str, marks: str, answers: str
) -> None:
    """Keys are in the same signs, or digits; nobody has to look at anything."""
    items = [item(number.format(n), marks.split()) for n in (1, 2, 3)]
    result = paper(tmp_path, *items, keys(*answers.split()))
    assert stems(result) == ["다음 중 옳은 것은?"] * 3
    assert options(result) == list(WORDS[: len(marks.split())])
    assert [each.key for each in result.items] == [ChoiceKey(2), ChoiceKey(4), ChoiceKey(1)]
    assert result.facts["option marks"] == marks.split(maxsplit=1)[0]
    assert reviews(result) == {}


@pytest.mark.parametrize("marks", ["① ② ③ ④", "A. B. C. D.", "1) 2) 3) 4)"])
@pytest.mark.parametrize(
    "statements", [STATEMENTS, ["가. 하나", "나. 둘", "다. 셋", "라. 넷"], ["㉠ 하나", "㉡ 둘", "㉢ 셋", "㉣ 넷"]]
)
def test_statements_in_a_stem_are_no_options(tmp_path: Path, marks: str, statements: Sequence[str]) -> None:
    """Whatever marks them in every item, and though they are as many: the options stand below."""
    stem = ("옳은 것을 모두 고른 것은?", "〈보기〉", *statements)
    items = [item(f"{n}.", marks.split(), stem=stem) for n in (1, 2, 3)]
    result = paper(tmp_path, *items, keys(*("B", "B", "B") if "A" in marks else "222"))
    assert stems(result)[0] == "\n".join(stem)
    assert options(result) == list(WORDS[:4])
    assert reviews(result) == {}


def test_statements_alone_are_no_options(tmp_path: Path) -> None:
    """A paper whose options were lost has none, and ㄱ to ㄹ do not stand for them."""
    result = paper(tmp_path, *(item(f"{n}.", (), stem=("옳은 것은?", *STATEMENTS)) for n in (1, 2, 3)), keys(*"123"))
    assert result.items == ()
    assert all("it has 0 options where 4 are expected" in change.reason for change in reviews(result).values())


def test_marks_that_number_too_few_items_are_not_guessed(tmp_path: Path) -> None:
    """Half of the items are lists of letters, half of digits: all wait for the setting."""
    items = [item(f"{n}.", ("A. B. C. D." if n % 2 else "가. 나. 다. 라.").split()) for n in range(1, 7)]
    result = paper(tmp_path, *items, keys(*"111111"))
    assert result.items == ()
    assert all("name the kind with the setting marks" in change.reason for change in reviews(result).values())
    named = paper(tmp_path, *items, keys(*"ABCDAB"), marks="A.")
    assert [each.id for each in named.items] == ["1", "3", "5"]
    assert "it has 0 options where 4 are expected" in reviews(named)["2"].reason


def test_two_kinds_in_changing_order_are_not_guessed(tmp_path: Path) -> None:
    """Which of them are the options, no order tells."""
    first, second = ("A. B. C. D.", "1) 2) 3) 4)")
    items = []
    for n in (1, 2, 3):
        stem = ("옳은 것은?", *(f"{mark} 말" for mark in (first if n == 2 else second).split()))
        items.append(item(f"{n}.", (second if n == 2 else first).split(), stem=stem))
    result = paper(tmp_path, *items, keys(*"111"))
    assert result.items == ()
    assert all("its options may be marked by any of" in change.reason for change in reviews(result).values())


def test_a_single_item_does_not_tell_for_sure(tmp_path: Path) -> None:
    """Its letters may be those of a list; circled digits are options anywhere."""
    result = paper(tmp_path, item("1.", ["A.", "B.", "C.", "D."]), keys("A"))
    assert reviews(result)["1"].reason == "fewer than 3 items tell that options are marked by A."


def test_a_mark_out_of_turn_is_a_doubt(tmp_path: Path) -> None:
    """A line that begins with the end of a sentence looks like the third option."""
    broken = item("3.", ["가."]) + "<p>나. 바람이 분</p><p>다. 그렇다</p><p>다. 다리</p><p>라. 라면</p>"
    items = [item(f"{n}.", ["가.", "나.", "다.", "라."]) for n in (1, 2, 4)]
    result = paper(tmp_path, *items[:2], broken, items[2], keys(*"가나다라"))
    assert list(reviews(result)) == ["3"]
    assert "marks stand among its options that do not count up: 다." in reviews(result)["3"].reason


def test_most_items_tell_how_many_options_there_are(tmp_path: Path) -> None:
    """One that has fewer is held back, though four would be usual."""
    items = [item(f"{n}.", "①②③④⑤"[: 4 if n == 2 else 5]) for n in range(1, 5)]
    result = paper(tmp_path, *items, keys(*"1234"))
    assert [each.id for each in result.items] == ["1", "3", "4"]
    assert "it has 4 options where 5 are expected" in reviews(result)["2"].reason


def test_keys_in_signs_of_another_kind_are_no_keys(tmp_path: Path) -> None:
    """B is none of ① to ④."""
    result = paper(tmp_path, *(item(f"{n}.", "①②③④") for n in (1, 2, 3)), keys("2", "3", "4"))
    assert len(result.items) == 3
    letters = paper(tmp_path, *(item(f"{n}.", "①②③④") for n in (1, 2, 3)), keys("B", "C", "D"))
    assert letters.items == ()
    assert {change.reason for change in reviews(letters).values()} == {"no right answer was found"}


def test_a_kind_that_does_not_exist_is_refused() -> None:
    """With those that do."""
    with pytest.raises(ValueError, match=r"is no kind of option marks; allowed: auto, ①"):
        IngestSettings(paper=Path("x"), marks="%")


CIRCLES = "①②③④"


def part(number: int, *numbers: int) -> str:
    """Return a part with a heading and its items."""
    return f"<h2>제{number}과목 기상학</h2>" + "".join(
        item(f"{n}.", CIRCLES, stem=(f"{number}부 {n}?",)) for n in numbers
    )


def test_numbers_may_start_anew_in_each_part(tmp_path: Path) -> None:
    """Identifiers carry the part, keys stand under the headings of parts, a gap is noticed in its part."""
    table = "<p>정답</p><p>제1과목</p><p>1 ① 2 ② 3 ③</p><p>제2과목</p><p>1 ④ 2 ① 3 ② 4 ③</p>"
    result = paper(tmp_path, part(1, 1, 2, 3), part(2, 1, 2, 4), table, prefix="p-")
    assert [each.id for each in result.items] == ["p-1-1", "p-1-2", "p-1-3", "p-2-1", "p-2-2", "p-2-4"]
    assert [each.key for each in result.items] == [ChoiceKey(n) for n in (1, 2, 3, 4, 1, 3)]
    assert [each.facets["part"] for each in result.items] == [1, 1, 1, 2, 2, 2]
    assert reviews(result)["p-2-3"].reason == "no item of this number was found"
    assert "the next item that was found is number 4" in reviews(result)["p-2-2"].reason
    assert result.facts["answers without an item"] == ["2-3"]


def test_each_part_may_end_in_its_own_key_table(tmp_path: Path) -> None:
    """It belongs to the items above it."""
    result = paper(tmp_path, part(1, 1, 2), keys("1", "2"), part(2, 1, 2), keys("3", "4"))
    assert [each.key for each in result.items] == [ChoiceKey(n) for n in (1, 2, 3, 4)]
    assert reviews(result) == {}


def test_a_key_table_may_have_a_column_for_each_part(tmp_path: Path) -> None:
    """A row has as many answers as there are parts; one that has fewer says nothing."""
    rows = ["번호 1과목 2과목", "1 ① ③", "2 ② ④", "3 ②"]
    cells = ("".join(f"<td>{cell}</td>" for cell in row.split()) for row in rows)
    table = "<p>정답</p><table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"
    result = paper(tmp_path, part(1, 1, 2, 3), part(2, 1, 2, 3), table)
    assert {each.id: each.key for each in result.items} == {
        "1-1": ChoiceKey(1),
        "1-2": ChoiceKey(2),
        "2-1": ChoiceKey(3),
        "2-2": ChoiceKey(4),
    }


def test_a_key_table_without_parts_is_no_ones(tmp_path: Path) -> None:
    """Item 1 of which part has ①, nothing tells."""
    result = paper(tmp_path, part(1, 1, 2, 3), part(2, 1, 2, 3), keys(*"①②③"))
    assert result.items == ()
    assert {change.reason for change in reviews(result).values()} == {"no right answer was found"}


def test_keys_of_parts_in_a_table_of_their_own(tmp_path: Path) -> None:
    """A column names the part."""
    (tmp_path / "keys.csv").write_text("과목,번호,정답\n1,1,①\n1,2,2\n제2과목,1,3\n2,2,4\n", encoding="utf-8")
    result = paper(tmp_path, part(1, 1, 2), part(2, 1, 2), keys="keys.csv")
    assert [each.key for each in result.items] == [ChoiceKey(n) for n in (1, 2, 3, 4)]


def test_a_heading_beside_the_middle_of_its_rows_is_noticed(tmp_path: Path) -> None:
    """Then rows above it are the next part's, and no key of the part before can be trusted."""
    table = "<p>정답</p><p>1 ①</p><p>제1과목 2 ②</p><p>1 ③</p><p>제2과목 2 ④</p>"
    result = paper(tmp_path, part(1, 1, 2), part(2, 1, 2), table)
    assert [each.id for each in result.items] == ["2-2"]
    assert "the key table has two answers" in reviews(result)["1-1"].reason


def test_a_part_that_is_missing_is_found(tmp_path: Path) -> None:
    """A person is told of part 2."""
    table = "<p>정답</p><p>제1과목</p><p>1 ① 2 ②</p><p>제3과목</p><p>1 ③ 2 ④</p>"
    result = paper(tmp_path, part(1, 1, 2), part(3, 1, 2), table)
    assert reviews(result)["2"].reason == "no items of a part of this number were found"


def test_named_parts_are_told_by_a_pattern(tmp_path: Path) -> None:
    """Their names are in identifiers and facets; without the pattern the item before them is held back."""
    body = "".join(f"<p>{name}</p>" + item("1.", CIRCLES) + item("2.", CIRCLES) for name in ("국어", "영어"))
    table = "<p>정답</p><p>국어</p><p>1 ① 2 ②</p><p>영어</p><p>1 ③ 2 ④</p>"
    result = paper(tmp_path, body, table, heading="(?P<part>국어|영어)$")
    assert [each.id for each in result.items] == ["국어-1", "국어-2", "영어-1", "영어-2"]
    assert [each.key for each in result.items] == [ChoiceKey(n) for n in (1, 2, 3, 4)]
    without = paper(tmp_path, body, keys("1", "2"))
    assert "other items may stand in it" in reviews(without)["2"].reason
    assert [each.id for each in without.items] == ["1"]


@pytest.mark.parametrize(("text", "name"), [("Part 2: Law", 2), ("SECTION II", 2), ("제 2 교시", 2), ("Part B", "B")])
def test_usual_headings_of_parts(tmp_path: Path, text: str, name: int | str) -> None:
    """In Korean and English, with digits, Roman numerals or letters."""
    result = paper(tmp_path, f"<p>{text}</p>", item("1.", CIRCLES), keys("1"))
    assert result.items[0].facets["part"] == name


def test_a_table_whose_numbers_start_anew(tmp_path: Path) -> None:
    """The column of parts tells items of one number apart."""
    header = "과목,번호,문제,보기1,보기2,보기3,정답\n"
    (tmp_path / "exam.csv").write_text(header + "1,1,물음?,가,나,다,㉯\n2,1,물음?,가,나,다,ⓒ\n", encoding="utf-8")
    result = read(tmp_path, "exam.csv")
    assert [(each.id, each.key) for each in result.items] == [("1-1", ChoiceKey(2)), ("2-1", ChoiceKey(3))]


def test_lists_of_a_page_have_the_marks_that_a_browser_shows(tmp_path: Path) -> None:
    """Letters where the list says so, and keys are letters then."""
    choices = "".join(f"<li>{word}</li>" for word in WORDS[:4])
    items = [f'<p>{n}. 물음?</p><ol type="A">{choices}</ol>' for n in (1, 2, 3)]
    result = paper(tmp_path, *items, keys(*"BDA"))
    assert options(result) == list(WORDS[:4])
    assert [each.key for each in result.items] == [ChoiceKey(2), ChoiceKey(4), ChoiceKey(1)]


def test_an_element_that_is_never_closed_is_an_error(tmp_path: Path) -> None:
    """A browser shows nothing below it; nothing is dropped in silence."""
    with pytest.raises(DataError, match=r"has an element that is never closed.*<math>"):
        paper(tmp_path, item("1.", CIRCLES), "<math>", item("2.", CIRCLES))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<math><mfrac><mi>p</mi><mi>q</mi></mfrac></math>", ""),
        ("<svg><text>p</text></svg>", ""),
        ("<b hidden>p</b>", "p"),
        ('<b style="display: none">p</b>', "p"),
    ],
)
def test_what_only_a_browser_draws_or_hides_is_a_doubt(tmp_path: Path, formula: str, text: str) -> None:
    """A formula is not flattened to letters unseen, and what nobody sees is no text like the rest."""
    result = paper(tmp_path, item("1.", CIRCLES, stem=(f"값 {formula}은?",)), keys("1"))
    assert stems(result) == [f"값 \ufffd{text}은?"]
    assert "1 characters have no meaning that the file tells" in reviews(result)["1"].reason
