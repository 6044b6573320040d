"""A paper with a text layer becomes items: to the letter, or with a person told."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageChops

from exambench.construct.formulas import MARK, is_formula, mark_of
from exambench.construct.ingest import ingest
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.records import check_result
from exambench.construct.stage import Context
from exambench.errors import ConfigError, DataError
from exambench.items import ChoiceKey
from tests.construct.items import item
from tests.construct.papers import FOUR, chart, keys, options, question, read, reviews, stems, typeset

HEADER = 'header: align(center)[모의시험], footer: context align(center, counter(page).display("- 1 -"))'


def test_one_column(tmp_path: Path) -> None:
    """Stems, options and keys of three items; nobody has to look at anything."""
    typeset(tmp_path, question(1) + question(2, "바르지 않은 것은?") + question(3) + keys("314"))
    result = read(tmp_path)
    assert stems(result) == ["다음 중 옳은 것은?", "바르지 않은 것은?", "다음 중 옳은 것은?"]
    assert options(result) == ["가을", "나비", "다리", "라면"]
    assert [each.key for each in result.items] == [ChoiceKey(3), ChoiceKey(1), ChoiceKey(4)]
    assert reviews(result) == {}
    check_result("ingest", (), result)


LONG = "대기 중의 수증기가 응결하여 구름이 만들어지는 과정을 설명한 것으로 다음 중 가장 알맞은 것은 어느 것인가?"


def test_two_columns_in_reading_order(tmp_path: Path) -> None:
    """Lines that were broken within words are whole again; headers and page numbers are no text of items."""
    body = "".join(question(n, f"{LONG} ({n} km)") for n in range(1, 13))
    typeset(tmp_path, body + keys("123412341234"), columns=2, more=HEADER)
    result = read(tmp_path)
    assert stems(result) == [f"{LONG} ({n} km)" for n in range(1, 13)]
    assert result.facts["columns"] == 2
    assert result.facts["headers and footers left out"] == ["- # -", "모의시험"]
    assert reviews(result) == {}


@pytest.mark.parametrize("line", ["① 가을 ② 나비 ③ 다리 ④ 라면", "① 가을 #h(2em) ② 나비 #h(2em) ③ 다리 #h(2em) ④ 라면"])
def test_options_in_one_line(tmp_path: Path, line: str) -> None:
    """Single spaces between options are enough, and a person is told that nothing else told them apart."""
    typeset(tmp_path, question(1, options=line) + keys("2"))
    result = read(tmp_path)
    assert options(result) == ["가을", "나비", "다리", "라면"]
    doubts = ["its options are told apart by single spaces"] if "#h" not in line else []
    assert [change.reason for change in reviews(result).values()] == doubts


def test_short_stems_over_options_side_by_side_are_one_column(tmp_path: Path) -> None:
    """The blank between two options is no gutter, though no line crosses it."""
    cells = "#grid(columns: (1fr, 1fr), row-gutter: 6pt, [① 가], [② 나], [③ 다], [④ 라])"
    typeset(tmp_path, "".join(question(n, "옳은 것은?", cells) for n in range(1, 6)) + keys("12341"))
    result = read(tmp_path)
    assert [options(result, place) for place in range(5)] == [["가", "나", "다", "라"]] * 5
    assert result.facts["columns"] == 1


def test_options_side_by_side_that_fill_two_lines(tmp_path: Path) -> None:
    """The second line of each option is its own."""
    cells = ", ".join(
        f"[{mark} {'긴 선택지의 낱말들이 여러 줄에 걸쳐 이어진다 ' + mark_} 끝]"
        for mark, mark_ in zip("①②③④", "갑을병정", strict=True)
    )
    typeset(tmp_path, question(1, options=f"#grid(columns: (1fr, 1fr), gutter: 8pt, {cells})") + keys("1"))
    assert options(read(tmp_path)) == [
        f"긴 선택지의 낱말들이 여러 줄에 걸쳐 이어진다 {letter} 끝" for letter in "갑을병정"
    ]


def test_an_option_that_names_others_does_not_begin_one(tmp_path: Path) -> None:
    """Marks inside of an option's text are text."""
    typeset(tmp_path, question(1, options="① 가을 \\ ② 나비 \\ ③ 다리 \\ ④ ①, ③") + keys("4"))
    result = read(tmp_path)
    assert options(result) == ["가을", "나비", "다리", "①, ③"]
    assert reviews(result) == {}


def test_a_figure_between_stem_and_options_is_cut_out_as_it_was_put_in(tmp_path: Path) -> None:
    """Pixel by pixel; the item is one with a picture."""
    chart().save(tmp_path / "chart.png")
    stem = '그림에 대한 설명으로 옳은 것은?\n\n#align(center, image("chart.png", width: 40%))'
    typeset(tmp_path, question(1, stem) + question(2) + keys("12"))
    result = read(tmp_path)
    (image,) = result.items[0].wording().question.images
    with Image.open(tmp_path / "pictures" / image.path) as found:
        assert ImageChops.difference(found.convert("RGB"), chart()).getbbox() is None
    assert [each.facets["modality"] for each in result.items] == ["image", "text"]
    assert result.items[1].wording().images == ()


def test_a_drawing_is_cut_out_with_its_letters_and_its_caption(tmp_path: Path) -> None:
    """Vector drawings have no pixels of their own: they are drawn at 200 dpi; no letter stays in the stem."""
    inside = "#place(dx: 5mm, dy: 5mm, line(length: 20mm)) #place(dx: 30mm, dy: 9mm)[저기압 가]"
    drawing = f"#box(width: 50mm, height: 25mm, stroke: 1pt)[{inside}]"
    stem = f"그림을 보고 고르시오.\n\n{drawing} \\\n#text(size: 8pt)[\\<그림 1\\> 일기도]"
    typeset(tmp_path, question(1, stem) + keys("1"))
    result = read(tmp_path)
    (image,) = result.items[0].wording().question.images
    with Image.open(tmp_path / "pictures" / image.path) as found:
        assert found.width >= 50 / 25.4 * 200  # 50 mm at 200 dots per inch
        assert found.height > 27 / 25.4 * 200  # and the caption is in it
    assert stems(result) == ["그림을 보고 고르시오."]


def test_a_frame_around_text_is_no_figure(tmp_path: Path) -> None:
    """What stands in a box of statements is text of the stem."""
    stem = "다음 설명 중 옳은 것은?\n\n#rect(width: 100%)[ㄱ. 하나이다. \\ ㄴ. 둘이다.]"
    typeset(tmp_path, question(1, stem) + keys("1"))
    result = read(tmp_path)
    assert stems(result) == ["다음 설명 중 옳은 것은?\nㄱ. 하나이다.\nㄴ. 둘이다."]
    assert result.items[0].wording().images == ()


def test_the_end_of_a_sentence_begins_no_list(tmp_path: Path) -> None:
    """A line that begins with 다. goes on with a word; one that begins with 가. after a full stop is a new line."""
    long = "수증기가 응결하여 구름이 만들어지는 과정에서는 잠열이 나와 주위의 공기가 데워진"
    typeset(tmp_path, question(1, f"{long}\\ 다. 옳은가?") + question(2, f"{LONG} \\ 가. 하나 \\ 나. 둘") + keys("12"))
    first, second = stems(read(tmp_path))
    assert first.replace("\n", "") == f"{long}다. 옳은가?"
    assert second == f"{LONG}\n가. 하나\n나. 둘"


def test_pictures_as_options(tmp_path: Path) -> None:
    """Each mark has the picture beside it."""
    colours = ("navy", "teal", "maroon", "olive")
    for place, colour in enumerate(colours):
        chart(colour).save(tmp_path / f"{place}.png")
    cells = ", ".join(f'[{mark} #box(image("{n}.png", width: 30mm))]' for n, mark in enumerate("①②③④"))
    typeset(tmp_path, question(1, options=f"#grid(columns: 2, row-gutter: 8pt, {cells})") + question(2) + keys("12"))
    result = read(tmp_path)
    for choice, colour in zip(result.items[0].wording().choices, colours, strict=True):
        with Image.open(tmp_path / "pictures" / choice.images[0].path) as found:
            assert ImageChops.difference(found.convert("RGB"), chart(colour)).getbbox() is None
    assert result.items[0].wording().question.images == ()
    assert reviews(result) == {}


def test_a_formula_is_marked_and_cut_out(tmp_path: Path) -> None:
    """Its mark names its picture; what stands around it is to the letter."""
    stem = "공기 밀도가 $rho = p / (R T)$일 때 $1.2 times 10^(-3)$에 가까운 것은?"
    typeset(tmp_path, question(1, stem, "① $x^2$ \\ ② 약 3 \\ ③ $sqrt(2)$ \\ ④ 없음") + keys("1"))
    result = read(tmp_path)
    wording = result.items[0].wording()
    assert MARK.sub("#", wording.question.text) == "공기 밀도가 #일 때 #에 가까운 것은?"
    assert [MARK.sub("#", text) for text in options(result)] == ["#", "약 3", "#", "없음"]
    assert [mark_of(image) in wording.question.text for image in wording.question.images] == [True, True]
    assert is_formula(wording.choices[0].images[0], wording.choices[0].text)
    for image in wording.images:
        with Image.open(tmp_path / "pictures" / image.path) as found:
            darkest, _ = found.convert("L").getextrema()
            assert isinstance(darkest, int)
            assert darkest < 100  # something is drawn
    assert result.items[0].facets["modality"] == "text"


def test_a_formula_that_is_broken_over_lines_is_one(tmp_path: Path) -> None:
    """Two pieces, one mark, one picture that is wider than high."""
    stem = "가" * 39 + " $1.23 times 10^(-5) + 4.56 times 10^(-7) + 7.89 times 10^(-9)$이다."
    others = "".join(question(n, f"{'나' * n} {LONG} {LONG}") for n in range(2, 8))  # so that ends of lines tell
    typeset(tmp_path, question(1, stem) + others + keys("1111111"))
    text = stems(read(tmp_path))[0]
    assert MARK.sub("#", text) == "가" * 39 + " #이다."


def test_an_exponent_in_the_font_of_the_text_is_a_formula_too(tmp_path: Path) -> None:
    """Flattened to "ms-2" it would be another quantity."""
    typeset(tmp_path, question(1, "중력가속도는 9.8 ms#super[-2]이다.") + keys("1"))
    (text,) = stems(read(tmp_path))
    assert MARK.sub("#", text) == "중력가속도는 9.8 #이다."


def test_a_number_that_is_missing_is_found(tmp_path: Path) -> None:
    """1, 2, 4: a person is told of 3, and no item swallowed it unseen."""
    typeset(tmp_path, question(1) + question(2) + question(4) + keys("1234"))
    result = read(tmp_path)
    assert [each.id for each in result.items] == ["1", "2", "4"]
    assert reviews(result)["3"].reason == "no item of this number was found"
    assert result.facts["numbers missing"] == [3]
    assert result.facts["answers without an item"] == [3]


def test_the_last_number_may_be_said(tmp_path: Path) -> None:
    """A paper whose last page was lost is not complete."""
    typeset(tmp_path, question(1) + keys("1"))
    assert list(reviews(read(tmp_path, last=3))) == ["2", "3"]


def test_a_missing_option_holds_the_item_back_with_a_picture_of_its_place(tmp_path: Path) -> None:
    """What was read is in the record, and what a person has to see is a file."""
    typeset(tmp_path, question(1, options="① 가을 \\ ② 나비 \\ ④ 라면") + question(2) + keys("12"))
    result = read(tmp_path)
    assert [each.id for each in result.items] == ["2"]
    change = reviews(result)["1"]
    assert "it has 2 options where 4 are expected; marks seen: ①②④" in change.reason
    ((name, page),) = change.details["regions"]
    with Image.open(tmp_path / "pictures" / name) as found:
        assert found.width > 150
    assert page == 1
    assert change.details["confidence"] == 0.0


def test_without_a_key_no_item_goes_on(tmp_path: Path) -> None:
    """Nothing is guessed and nothing is dropped in silence."""
    typeset(tmp_path, question(1) + question(2))
    result = read(tmp_path)
    assert result.items == ()
    assert [change.reason for change in reviews(result).values()] == ["no right answer was found"] * 2


def test_keys_in_another_pdf(tmp_path: Path) -> None:
    """A row of numbers over a row of answers."""
    typeset(tmp_path, question(1) + question(2) + question(3))
    typeset(tmp_path, "#table(columns: 3, [1], [2], [3], [4], [1], [2])", name="keys.pdf")
    result = read(tmp_path, keys="keys.pdf")
    assert [each.key for each in result.items] == [ChoiceKey(4), ChoiceKey(1), ChoiceKey(2)]


def test_several_answers_hold_an_item_back(tmp_path: Path) -> None:
    """An examination that accepts two answers has no single key."""
    typeset(tmp_path, question(1) + question(2))
    (tmp_path / "keys.csv").write_text('번호,정답\n1,"①, ③"\n2,2\n', encoding="utf-8")
    result = read(tmp_path, keys="keys.csv")
    assert [each.id for each in result.items] == ["2"]
    assert reviews(result)["1"].reason == "several answers are named as right"


def test_headings_give_the_part(tmp_path: Path) -> None:
    """And are no text of the item before them."""
    body = "제1과목: 기상학\n\n" + question(1) + "#align(center)[*제2과목: 기후학*]\n\n" + question(2) + keys("12")
    typeset(tmp_path, body)
    result = read(tmp_path, facets={"session": "2003"})
    assert [each.facets for each in result.items] == [
        {"part": 1, "modality": "text", "session": "2003"},
        {"part": 2, "modality": "text", "session": "2003"},
    ]
    assert options(result)[3] == "라면"


def test_text_below_the_last_option_is_not_part_of_it(tmp_path: Path) -> None:
    """A line that belongs to no item is left out, and said."""
    typeset(tmp_path, question(1) + "#v(12pt) 수고하셨습니다.\n" + keys("1"))
    result = read(tmp_path)
    assert options(result)[3] == "라면"
    assert reviews(result)["1"].reason == "text below the last option was left out: 수고하셨습니다."


def test_a_line_in_the_middle_below_the_last_option_is_a_doubt(tmp_path: Path) -> None:
    """It stands as near as a line of the option would, and begins elsewhere."""
    typeset(tmp_path, question(1, options=FOUR + " \\ #h(1fr) 끝 #h(1fr)") + keys("1"))
    assert reviews(read(tmp_path))["1"].reason == "a line below the last option may not belong to it: 끝"


def test_numbers_at_the_beginning_of_a_line_do_not_begin_an_item(tmp_path: Path) -> None:
    """A decimal, a year, and a list within a stem."""
    stem = "다음 값은? \\ 3.5 km \\ 2021. 3. 1. 관측 \\ 30. 12. 관측"
    typeset(tmp_path, question(1, stem) + question(2) + question(3) + keys("123"))
    result = read(tmp_path)
    assert stems(result) == ["다음 값은?\n3.5 km\n2021. 3. 1. 관측\n30. 12. 관측"] + ["다음 중 옳은 것은?"] * 2


def test_a_passage_for_several_items_is_put_before_each(tmp_path: Path) -> None:
    """And a person looks at them."""
    body = (
        "[1\\~2] 다음 글을 읽고 물음에 답하시오. 바람이 분다.\n\n"
        + question(1)
        + question(2)
        + question(3)
        + keys("123")
    )
    typeset(tmp_path, body)
    result = read(tmp_path)
    assert [text.startswith("[1~2] 다음 글을 읽고") for text in stems(result)] == [True, True, False]
    assert list(reviews(result)) == ["1", "2"]


def test_a_figure_that_is_spoken_of_and_missing_is_a_doubt(tmp_path: Path) -> None:
    """It may stand on another page, or be drawn in a way that was not seen."""
    typeset(tmp_path, question(1, "그림은 일기도이다. 옳은 것은?") + keys("1"))
    assert reviews(read(tmp_path))["1"].reason == "it speaks of a figure, and none was found"


def test_hostile_text_is_text(tmp_path: Path) -> None:
    """Characters that nobody sees are gone, and nobody can forge the mark of a formula."""
    stem = "<script>alert(1)</script> 뒤\\u{200b}집힌 ⟦formula 0123456789ab⟧ =HYPERLINK()"
    typeset(tmp_path, question(1, f'#"{stem}"') + keys("1"))
    (text,) = stems(read(tmp_path))
    assert text == "<script>alert(1)</script> 뒤집힌 [formula 0123456789ab] =HYPERLINK()"


def test_prefix_and_identifiers(tmp_path: Path) -> None:
    """Two papers of one project need prefixes; without them it is one error with all that clash."""
    typeset(tmp_path, question(1) + question(2) + keys("12"))
    assert [each.id for each in read(tmp_path, prefix="2003-").items] == ["2003-1", "2003-2"]
    with pytest.raises(DataError, match="item 2, field id: the identifier is that of an item of an earlier stage"):
        ingest((item("2", "있다"),), IngestSettings(paper=Path("exam.pdf")), Context(tmp_path, tmp_path / "p", 1, {}))


def test_pages_may_be_chosen(tmp_path: Path) -> None:
    """A cover is not read."""
    typeset(tmp_path, question(7, "표지의 보기 문항") + "#pagebreak()" + question(1) + keys("3"))
    assert stems(read(tmp_path, pages=(2, 3))) == ["다음 중 옳은 것은?"]


ENCRYPTED = b"""%%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
4 0 obj<</Filter/Standard/V 1/R 2/P -4/O(%s)/U(%s)>>endobj
trailer<</Root 1 0 R/Encrypt 4 0 R/ID[(0123456789012345)(0123456789012345)]>>
%%%%EOF""" % (b"x" * 32, b"y" * 32)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ENCRYPTED, "is encrypted.*Save it without a password"),
        (b"", "is no PDF file that can be read"),
        (b"%PDF-1.7\n" + b"\x00\xff" * 400, "is no PDF file that can be read"),
        (b"PK\x03\x04 a document", "is no PDF file that can be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_error(tmp_path: Path, content: bytes, message: str) -> None:
    """It names the file and what to do, and no picture was written."""
    (tmp_path / "exam.pdf").write_bytes(content)
    with pytest.raises(DataError, match=rf"exam\.pdf: {message}"):
        read(tmp_path)
    assert not (tmp_path / "pictures").exists()


def test_a_truncated_file_is_one_error_or_is_read(tmp_path: Path) -> None:
    """Half of a paper never ends in another kind of failure."""
    whole = typeset(tmp_path, question(1) + question(2) + keys("12")).read_bytes()
    for part in range(1, 8):
        (tmp_path / "exam.pdf").write_bytes(whole[: len(whole) * part // 8])
        with pytest.raises(DataError, match=r"exam\.pdf"):
            read(tmp_path)


def test_an_empty_page_is_one_error(tmp_path: Path) -> None:
    """There is neither text nor a picture."""
    typeset(tmp_path, "")
    with pytest.raises(DataError, match="has neither text nor pictures of pages"):
        read(tmp_path)


def test_a_letter_is_no_paper(tmp_path: Path) -> None:
    """Text without numbered items is an error, not a build of nothing."""
    typeset(tmp_path, "친애하는 여러분께 드립니다.")
    with pytest.raises(DataError, match="no numbered items were found"):
        read(tmp_path)


def test_the_same_paper_gives_the_same_items_and_pictures(tmp_path: Path) -> None:
    """Pictures are named by their content, so nothing is written twice."""
    typeset(tmp_path, question(1, "$x^2$은?") + keys("1"))
    first, names = read(tmp_path), sorted((tmp_path / "pictures").iterdir())
    assert read(tmp_path) == first
    assert sorted((tmp_path / "pictures").iterdir()) == names


@pytest.mark.parametrize(("heading", "message"), [("(", "is no pattern"), ("제.과목", "has no group")])
def test_a_pattern_of_headings_that_cannot_be_used_is_refused(heading: str, message: str) -> None:
    """When the project is read, not in the middle of a build."""
    with pytest.raises(ValueError, match=message):
        IngestSettings(paper=Path("x"), heading=heading)


def test_a_scan_without_tesseract_names_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One clear error, before anything is read."""
    from tests.construct.papers import scanned  # noqa: PLC0415 - used here alone

    scanned(typeset(tmp_path, question(1) + keys("1")), tmp_path / "scan.pdf")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="apt-get install tesseract-ocr tesseract-ocr-kor"):
        read(tmp_path, "scan.pdf")
