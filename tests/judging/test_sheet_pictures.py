"""Pictures in XLSX sheets: beside the question, small enough, the ones that the models saw; CSV has their paths."""

from __future__ import annotations

import hashlib
import io
import random
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet
from PIL import Image as Pixels

from exambench.errors import ImageError
from exambench.items import EXPLICIT, Content, Image, Wording
from exambench.judging.returned_sheets import read_sheet
from exambench.judging.sheet_files import write_sheets
from exambench.judging.sheet_pictures import (
    HIGHEST_ROW,
    LARGEST_SIDE,
    MOST_BYTES,
    SHOWN_SIZE,
    SheetPicture,
    read_pictures,
)
from exambench.judging.sheet_reading import read_scores
from exambench.judging.sheet_writing import csv_of
from exambench.judging.sheets import SampledAnswer, pictures_of, scoring_sheets
from exambench.store import open_store
from tests.judging.examples import AXES, answer, exam, shipped_rubric, sit

RUBRIC = shipped_rubric()
PLAIN, CHART, CHOICES = (SampledAnswer("run", item, 0) for item in ("1", "2", "3"))
CELLS = ("문제", "보기", "1", "참고", "2", "풀이")


def picture(folder: Path, name: str, size: tuple[int, int] = (40, 30)) -> Image:
    """Write a picture of noise, which no compression makes small, and return it as an item has it."""
    noise = random.Random(name).randbytes(3 * size[0] * size[1])
    Pixels.frombytes("RGB", size, noise).save(folder / name, lossless=True)
    return Image(name, hashlib.sha256((folder / name).read_bytes()).hexdigest())


def written(
    folder: Path, shown: Mapping[SampledAnswer, tuple[Image, ...]], cells: tuple[str, ...] = CELLS
) -> Worksheet:
    """Write the sheet of one rater with these pictures, and return it as it is read back."""
    images = [image for found in shown.values() for image in found]
    (sheet,) = scoring_sheets(
        "study", RUBRIC, dict.fromkeys((PLAIN, CHART, CHOICES), cells), ["김"], 42, pictures=shown
    )
    write_sheets(folder / "out", [sheet], RUBRIC, xlsx=True, pictures=read_pictures(folder, images))
    return openpyxl.load_workbook(folder / "out" / "scores-김.xlsx").worksheets[0]


def test_pictures_stand_beside_the_question_of_their_answer(tmp_path: Path) -> None:
    """One column a picture, in reading order; an answer without pictures has none, and CSV has no such columns."""
    chart, *choices = (picture(tmp_path, name) for name in ("일기도.png", "a.png", "b.jpg"))
    shown = {CHART: (chart,), CHOICES: tuple(choices)}
    table = written(tmp_path, shown)
    (sheet,) = scoring_sheets("study", RUBRIC, dict.fromkeys((PLAIN, *shown), CELLS), ["김"], 42, pictures=shown)
    header = [cell.value for cell in table[1]]
    assert header[:5] == ["답안 번호", "문제", "그림 1", "그림 2", "보기"]
    rows = {SampledAnswer(each.run_id, each.item_id, 0): row for row, each in enumerate(sheet.places, start=2)}
    drawings: Any = vars(table)["_images"]  # openpyxl has no other way to what was drawn
    places = [vars(drawing.anchor)["_from"] for drawing in drawings]
    anchors = sorted((place.col + 1, place.row + 1) for place in places)
    assert anchors == sorted([(3, rows[CHART]), (3, rows[CHOICES]), (4, rows[CHOICES])])
    assert "그림 1" not in csv_of(sheet)
    assert table.row_dimensions[rows[PLAIN]].height is None
    with zipfile.ZipFile(tmp_path / "out" / "scores-김.xlsx") as book:
        media = [book.read(name) for name in book.namelist() if name.startswith("xl/media/")]
    assert sorted(map(len, media)) == sorted(len((tmp_path / image.path).read_bytes()) for image in (chart, *choices))


def test_a_sheet_with_pictures_comes_back(tmp_path: Path) -> None:
    """Identifiers and scores are found by their headers, wherever the pictures stand."""
    shown = {CHART: (picture(tmp_path, "a.png"),)}
    written(tmp_path, shown)
    path = tmp_path / "out" / "scores-김.xlsx"
    book = openpyxl.load_workbook(path)
    for row in (2, 3, 4):
        for column in "IJKL":
            book.worksheets[0][f"{column}{row}"] = 3
    book.save(path)
    (sheet,) = scoring_sheets("study", RUBRIC, dict.fromkeys((PLAIN, CHART, CHOICES), CELLS), ["김"], 42)
    found = read_scores([read_sheet(path)], sheet.places, {"study": RUBRIC})
    assert {(row.dimension, row.score) for row in found} == {(axis, 3) for axis in AXES}
    assert len(found) == 3 * len(AXES)


def test_a_huge_picture_is_scaled_down_and_shown_small(tmp_path: Path) -> None:
    """In the file within side and bytes, on the screen within its column, its proportions kept."""
    huge = picture(tmp_path, "huge.png", (3000, 1500))
    (found,) = read_pictures(tmp_path, [huge]).values()
    assert max(found.width, found.height) <= LARGEST_SIDE
    assert len(found.data) <= MOST_BYTES
    assert found.width / found.height == pytest.approx(2, rel=0.02)
    assert found.shown == (SHOWN_SIZE[0], SHOWN_SIZE[0] // 2)
    assert SheetPicture(b"", 40, 30).shown == (40, 30)
    assert SheetPicture(b"", 10, 100_000).shown == (1, SHOWN_SIZE[1])


def test_many_pictures_share_the_room_of_a_sheet(tmp_path: Path) -> None:
    """Ten thousand placements of one picture leave each about 3 kB, so that the sheet can still be read back."""
    image = picture(tmp_path, "a.png", (300, 300))
    (found,) = read_pictures(tmp_path, [image] * 10_000).values()
    assert len(found.data) <= 32 * 2**20 // 10_000


@pytest.mark.parametrize("most", [1, 200])
def test_what_spreadsheets_do_not_show_becomes_png(tmp_path: Path, most: int) -> None:
    """WebP, alone and where room is short."""
    image = picture(tmp_path, "a.webp", (200, 100))
    (found,) = read_pictures(tmp_path, [image] * most * 1000).values()
    with Pixels.open(io.BytesIO(found.data)) as shown:
        assert (shown.format, shown.size) == ("PNG", (found.width, found.height))
    assert len(found.data) <= max(1024, min(MOST_BYTES, 32 * 2**20 // (most * 1000)))


def test_a_row_is_as_high_as_its_picture_and_its_text(tmp_path: Path) -> None:
    """40 pixels are 30 points, and 4 between; 40 lines are 600 points, more than a row can have."""
    shown = {CHART: (picture(tmp_path, "a.png", (40, 40)),)}
    low = written(tmp_path, shown)
    heights = [dimension.height for dimension in low.row_dimensions.values() if dimension.height]
    assert heights == [40 * 0.75 + 4]
    (tmp_path / "long").mkdir()
    picture(tmp_path / "long", "a.png", (40, 40))
    high = written(tmp_path / "long", shown, (*CELLS[:5], "줄\n" * 40))
    assert [each.height for each in high.row_dimensions.values() if each.height] == [HIGHEST_ROW]


def test_another_picture_than_the_models_saw_is_refused(tmp_path: Path) -> None:
    """And one that is missing, or outside of the folder: named, with what to do."""
    image = picture(tmp_path, "a.png")
    Pixels.new("RGB", (40, 30)).save(tmp_path / "a.png")
    with pytest.raises(ImageError, match=r"a\.png: this is not the picture that the models saw"):
        read_pictures(tmp_path, [image])
    with pytest.raises(ImageError, match="there is no such picture"):
        read_pictures(tmp_path, [Image("absent.png")])
    with pytest.raises(ImageError, match="leads out of the image root"):
        read_pictures(tmp_path, [Image("../a.png")])


def test_the_pictures_are_those_of_the_wording_that_was_asked(tmp_path: Path) -> None:
    """The stem's first, then the choices'."""
    stem, choice = Image("stem.png"), Image("choice.png")
    for image in (stem, choice):
        Pixels.new("RGB", (8, 8)).save(tmp_path / image.path)
    plain = exam(1)
    wording = Wording(Content("그림을 보라.", (stem,)), (Content("가", (choice,)), Content("나")))
    benchmark = replace(plain, items=(replace(plain.items[0], wordings={EXPLICIT: wording}),), image_root=tmp_path)
    with open_store(str(tmp_path / "r.db")) as store:
        run = sit(store, benchmark, {"1": answer(1)}, images=True)
    wanted = [SampledAnswer(run.run_id, "1", 0)]
    assert pictures_of([run], benchmark, wanted) == {wanted[0]: (stem, choice)}
