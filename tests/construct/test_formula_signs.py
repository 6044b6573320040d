"""A formula in whatever font is marked, or a person is told: it is never text that says something else."""

from __future__ import annotations

import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from exambench.construct.formulas import MARK
from tests.construct.papers import chart, keys, question, read, reviews, stems, typeset

DIFFERENCES = b"/Encoding<</Type/Encoding/Differences[120/g120/g121/g122]>>"


def raw(folder: Path, stem: str, encoding: bytes = b"") -> Path:
    """Write a paper of one item as a PDF, its stem as PDF operators after the number."""
    lines = " T* ".join(f"({option}) Tj" for option in ("A. calm", "B. gale", "C. rain", "D. snow"))
    body = f"BT /F1 12 Tf 14 TL 60 700 Td (1. ) Tj {stem} T* {lines} T* T* T* (Answer key) Tj T* (1 B) Tj ET"
    stream = zlib.compress(body.encode("latin-1"))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>>>",
        b"<</Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Oblique" + encoding + b">>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj%s\nendobj\n" % (number, each)
    start = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    content += b"".join(b"%010d 00000 n \n" % place for place in places)
    content += b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    path = folder / "exam.pdf"
    path.write_bytes(content)
    return path


def read_one(folder: Path) -> tuple[str, str]:
    """Return the stem of the only item, and why a person looks at it besides there being one item alone."""
    result = read(folder)
    (stem,) = stems(result)
    reasons = reviews(result)["1"].reason.split("; ")
    return stem, "; ".join(reason for reason in reasons if "fewer than 3 items" not in reason)


def test_plain_text_is_no_formula(tmp_path: Path) -> None:
    """The page that the others change one thing of."""
    raw(tmp_path, "(What is 10 m + 3 m, in km?) Tj")
    assert read_one(tmp_path) == ("What is 10 m + 3 m, in km?", "")


@pytest.mark.parametrize(
    "script",
    [
        "(10) Tj 5 Ts (-3) Tj 0 Ts",
        "(H) Tj -4 Ts (2) Tj 0 Ts (O) Tj",
        "(m) Tj /F1 7 Tf 4 Ts (2) Tj 0 Ts /F1 12 Tf",
        "(x) Tj /F1 11 Tf 3 Ts (n) Tj 0 Ts /F1 12 Tf",
    ],
)
def test_text_that_is_raised_or_lowered_is_a_formula(tmp_path: Path, script: str) -> None:
    """In the font of the text, of its full size or smaller: 10-3 would be another number."""
    raw(tmp_path, f"(What is ) Tj {script} ( of it?) Tj")
    stem, doubts = read_one(tmp_path)
    assert MARK.sub("#", stem) == "What is # of it?"
    assert doubts == ""


def test_glyphs_that_the_file_does_not_explain_are_a_doubt(tmp_path: Path) -> None:
    """Their codes are not taken for letters."""
    raw(tmp_path, "(What is ) Tj /F2 12 Tf (xyz) Tj /F1 12 Tf ( of it?) Tj", DIFFERENCES)
    stem, doubts = read_one(tmp_path)
    assert "xyz" not in stem
    assert doubts == "3 characters have no meaning that the file tells"


def test_a_fraction_of_two_lines_is_a_doubt(tmp_path: Path) -> None:
    """A numerator over a denominator, in the font of the text."""
    raw(tmp_path, "(What is q = ) Tj 80 8 Td (p) Tj 0 -16 Td (r) Tj -80 8 Td T*")
    _, doubts = read_one(tmp_path)
    assert "lines of it overlap: a fraction, an exponent or a table may have been read as text" in doubts


@pytest.mark.parametrize(
    ("stem", "is_formula"),
    [
        ("값 #box(stack(dir: ttb, spacing: 2pt, [3], line(length: 6pt, stroke: .5pt), [4]))은?", True),
        ("평균 #box[#place(dy: -2pt, line(length: 5pt, stroke: .5pt))x]는?", True),
        ("옳지 #underline[않은] 것은?", False),
        ("#underline[옳지 않은 것은?] \\ 단, 하나이다.", False),
        ("밀도 $p / (R T)$는?", False),
    ],
)
def test_a_bar_in_text_is_a_doubt(tmp_path: Path, stem: str, *, is_formula: bool) -> None:
    """Of a fraction that is set by hand, or over a letter; not under words, nor in a formula that is marked."""
    typeset(tmp_path, question(1, stem) + keys("1"))
    assert ("1" in reviews(read(tmp_path))) is is_formula


def test_signs_in_a_font_without_words_are_a_doubt(tmp_path: Path) -> None:
    """A font of formulas that nobody has heard of."""
    raw(tmp_path, "(What is ) Tj /F2 12 Tf (2x=3) Tj /F1 12 Tf ( of it?) Tj")
    stem, doubts = read_one(tmp_path)
    assert stem == "What is 2x=3 of it?"
    assert doubts == "signs in a font that sets no words may be a formula that was read as text: Helvetica-Oblique"


@pytest.mark.parametrize("hidden", ["3 Tr ( Not!) Tj 0 Tr", "1 1 1 rg ( Not!) Tj 0 0 0 rg"])
def test_text_that_is_not_seen_is_a_doubt(tmp_path: Path, hidden: str) -> None:
    """A scan with the text of a machine under it, or white words."""
    raw(tmp_path, f"(What is it?) Tj {hidden}")
    assert read_one(tmp_path)[1] == "4 of its characters are in the file and hardly seen on the page"


def test_text_that_is_turned_is_a_doubt(tmp_path: Path) -> None:
    """As a stamp across the page is, whose letters stand among those of the text."""
    raw(tmp_path, "(What is it?) Tj 0.7 0.7 -0.7 0.7 200 686 Tm (COPY) Tj 1 0 0 1 60 700 Tm")
    assert "4 of its characters do not stand upright" in read_one(tmp_path)[1]


@pytest.mark.parametrize("height", [8, 12])
def test_a_formula_that_is_a_small_picture_is_a_doubt(tmp_path: Path, height: int) -> None:
    """It is too small for a figure, and is not left out unseen."""
    chart().save(tmp_path / "chart.png")
    typeset(
        tmp_path, question(1, f'값이 #box(image("chart.png", height: {height}pt))인 것은?') + question(2) + keys("12")
    )
    found = reviews(read(tmp_path))
    assert list(found) == ["1"]
    assert found["1"].reason == "something is drawn in it that is too small for a figure, and was left out"


def test_exponents_and_indices_that_are_characters_are_text(tmp_path: Path) -> None:
    """10⁻³, m² and H₂O say what they mean."""
    stem = "부피가 10⁻³ m³인 H₂O의 질량은?"
    typeset(tmp_path, '#set text(font: ("NanumGothic", "Libertinus Serif"))\n' + question(1, stem) + keys("1"))
    assert stems(read(tmp_path)) == [stem]


def odd_font(folder: Path) -> None:
    """Write a font of formulas under a name that says nothing of it."""
    spec = find_spec("ziamath")
    assert spec is not None
    assert spec.origin is not None
    font = TTFont(Path(spec.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf")
    for record in font["name"].names:
        if record.nameID in {1, 3, 4, 6, 16}:
            record.string = "OddFace"
    font.save(folder / "odd.ttf")


def test_a_font_of_formulas_of_any_name_is_known_by_its_letters(tmp_path: Path) -> None:
    """Italic letters of mathematics stand in no other."""
    odd_font(tmp_path)
    stem = "공기 밀도가 $rho = p / (R T)$일 때 $x^2 + sqrt(2)$에 가까운 것은?"
    body = '#show math.equation: set text(font: "OddFace")\n' + question(1, stem) + question(2) + keys("12")
    typeset(tmp_path, body)
    result = read(tmp_path)
    assert MARK.sub("#", stems(result)[0]) == "공기 밀도가 #일 때 #에 가까운 것은?"
    assert reviews(result) == {}
