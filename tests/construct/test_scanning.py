"""A scan is read through Tesseract: items by the shape of their marks, and no one trusts its text unseen."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from exambench.construct import tesseract
from exambench.construct.pages import Box
from exambench.construct.records import StageResult
from exambench.construct.scan_pixels import find_things, gutter_in, upright
from exambench.construct.tesseract import Word, combined
from exambench.errors import DataError
from exambench.items import ChoiceKey
from tests.construct.papers import chart, keys, options, question, read, reviews, scanned, typeset
from tests.support.parts import require_part


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StageResult]:
    """Return the folder of a scanned paper of two columns, and what was read of it."""
    found = (
        shutil.which("tesseract") is not None
        and "kor"
        in subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False).stdout.split()
    )
    require_part(
        "Tesseract with Korean",
        "Install it with: apt-get install --no-install-recommends tesseract-ocr tesseract-ocr-kor",
        found=found,
    )
    folder = tmp_path_factory.mktemp("scan")
    chart().save(folder / "chart.png")
    figure = '그림에 대한 설명으로 옳은 것은?\n\n#align(center, image("chart.png", width: 60%))'
    two = "#grid(columns: (1fr, 1fr), gutter: 6pt, [① 서울], [② 부산], [③ 대구], [④ 광주])"
    lost = "① 서울 \\ ② 부산 \\ ④ 광주"
    body = question(1, "우리나라의 수도는?", two) + question(2, figure, two) + "#colbreak()"
    body += question(3, "가장 큰 항구는?", two) + question(4, "바람은?", lost) + keys("1324")
    scanned(typeset(folder, body, columns=2), folder / "scan.pdf")
    return folder, read(folder, "scan.pdf")


def test_items_of_a_scan_are_cut_at_the_right_places(scan: tuple[Path, StageResult]) -> None:
    """Three items in two columns with the right number of options and the right answers."""
    _, result = scan
    assert [each.id for each in result.items] == ["1", "2", "3"]
    assert [each.key for each in result.items] == [ChoiceKey(1), ChoiceKey(3), ChoiceKey(2)]
    assert [len(each.wording().choices) for each in result.items] == [4, 4, 4]
    assert options(result, 0) == ["서울", "부산", "대구", "광주"]
    assert result.facts["read as"] == "scan"


def test_every_item_of_a_scan_is_left_for_people(scan: tuple[Path, StageResult]) -> None:
    """Tesseract can be sure of 옮은 where 옳은 is printed."""
    _, result = scan
    assert {each.id for each in result.items} <= reviews(result).keys()


def test_a_figure_of_a_scan_is_cut_out_and_left_for_people(scan: tuple[Path, StageResult]) -> None:
    """Its colours are those of the scan, its size about that on the page."""
    folder, result = scan
    (image,) = result.items[1].wording().question.images
    with Image.open(folder / "pictures" / image.path) as found:
        values = np.asarray(found.convert("L"))
    # The navy area takes 120 × 40 of the chart's 160 × 90 pixels, and the white around it is cut off.
    assert values.shape[1] / values.shape[0] == pytest.approx(120 / 40, rel=0.05)
    assert "its figures were cut out of a scan by their outline" in reviews(result)["2"].reason


def test_a_missing_option_of_a_scan_holds_the_item_back(scan: tuple[Path, StageResult]) -> None:
    """Marks are told apart by what they look like, not only counted: ①, ②, ④ are no run."""
    folder, result = scan
    change = reviews(result)["4"]
    assert "it has 2 options where 4 are expected; marks seen: ①②④" in change.reason
    assert (folder / "pictures" / change.details["regions"][0][0]).is_file()


@pytest.mark.parametrize("turn", [-1.7, 0.0, 0.4, 2.3])
def test_a_page_is_put_upright(turn: float) -> None:
    """Lines of text, drawn as bars, are level again to a tenth of a degree."""
    page = np.full((1800, 1400), 255, dtype=np.uint8)
    for top in range(120, 1680, 52):
        page[top : top + 30, 120 : 1120 + top % 180] = 0
    turned = Image.fromarray(page).rotate(turn, resample=Image.Resampling.BICUBIC, fillcolor=255)
    level = np.asarray(upright(turned)) < 128
    left, right = level[:, 200], level[:, 1000]
    # 800 pixels further on, a line that is turned by 0.1° has moved by 1.4 pixels.
    assert abs(int(np.flatnonzero(left)[0]) - int(np.flatnonzero(right)[0])) <= 1


def test_columns_are_told_from_one_wide_column() -> None:
    """A title may cross the gutter; a column that fills the page has none."""
    page = np.full((3000, 2000), 255, dtype=np.uint8)
    for top in range(300, 2700, 50):
        page[top : top + 30, 150:950] = page[top : top + 30, 1050:1850] = 0
    page[100:120, 700:1300] = 0
    assert gutter_in([page]) == (950, 1050)
    page[300:2700:2, 900:1100] = 0
    assert gutter_in([page]) is None


def test_rings_with_something_inside_are_marks() -> None:
    """Empty rings, as in 이 and 0, and filled discs are none."""
    page = np.full((300, 900), 255, dtype=np.uint8)
    down, across = np.mgrid[0:300, 0:900]
    for place, inside in ((150, "digit"), (450, "nothing"), (750, "ink")):
        distance = np.hypot(across - place, down - 150)
        page[(distance <= 18) & ((distance >= 15.5) | (inside == "ink"))] = 0
        if inside == "digit":
            page[142:158, place - 2 : place + 2] = 0
    (mark,) = find_things(page).marks
    assert mark.middle == pytest.approx((150.5, 150.5))


def word(text: str, left: float, right: float, confidence: float = 0.9) -> Word:
    """Return a word of the only line."""
    return Word(text, Box(left, 0, right, 20), Box(0, 0, 400, 20), confidence)


def test_both_readings_agree() -> None:
    """Then the greater confidence counts."""
    assert combined([word("기온", 0, 40, 0.6)], [word("기온", 1, 41, 0.95)]) == (word("기온", 0, 40, 0.95),)


def test_units_are_read_by_the_second_reading() -> None:
    """Korean alone makes letters of other alphabets of them; that they differ makes the words doubtful."""
    found = combined(
        [word("풍속", 0, 40), word("10", 50, 70), word("[ㅁ", 80, 95), word("/5", 96, 120)],
        [word("SS", 0, 40, 0.3), word("10", 50, 70), word("m/s", 80, 120)],
    )
    assert [each.text for each in found] == ["풍속", "10", "m/s"]
    assert [each.confidence for each in found] == [0.5, 0.9, 0.5]


def test_an_answer_of_tesseract_that_is_no_table_is_one_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program of that name that fails is said to have failed."""
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(tesseract, "PROGRAM", str(program))
    with pytest.raises(DataError, match="Tesseract could not read a page: broken"):
        tesseract.read_words(Image.new("L", (50, 50), 255))
