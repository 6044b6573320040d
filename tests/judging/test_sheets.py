"""Scoring sheets: blind, harmless in a spreadsheet, and every fault named when they come back."""

from __future__ import annotations

import csv
import errno
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from PIL import Image as Picture

from exambench.errors import ConfigError, DataError
from exambench.items import EXPLICIT, Content, Image, Wording
from exambench.judging.returned_sheets import LARGEST_FILE, read_sheet
from exambench.judging.sheet_files import write_sheets
from exambench.judging.sheet_reading import read_scores
from exambench.judging.sheet_writing import LONGEST_CELL, csv_of
from exambench.judging.sheets import SampledAnswer, ScoringSheet, blind_cells, score_headers_of, scoring_sheets
from exambench.store import RatingRow, Store, open_store
from tests.judging.examples import AXES, answer, exam, shipped_rubric, sit

RUBRIC = shipped_rubric()
SCORE_HEADERS = ["정확성 (1-5)", "논리적 완결성 (1-5)", "추론의 깊이 (1-5)", "표현의 명확성 (1-5)"]
ANSWERS = {
    SampledAnswer(run, item, 0): ("문제", "보기", "1", "참고", "2", f"{run}의 {item}번 풀이".replace(run, "누군가"))
    for run in ("run-a", "run-b")
    for item in ("1", "2", "3")
}


def sheets_of(*raters: str, seed: int = 42) -> tuple[ScoringSheet, ...]:
    """Return the sheets of a study of two runs and three items."""
    return scoring_sheets("study", RUBRIC, ANSWERS, raters, seed)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with open_store(str(tmp_path / "results.db")) as opened:
        yield opened


def test_a_sheet_has_korean_headers_and_the_axes_of_the_rubric() -> None:
    """Identifier first, then what the judge sees, then one empty column an axis."""
    (sheet,) = sheets_of("김")
    assert sheet.header[:7] == ("답안 번호", "문제", "보기", "정답", "참고 풀이", "수험자의 답", "수험자의 풀이")
    assert list(sheet.header[7:]) == SCORE_HEADERS
    assert dict(zip(AXES, SCORE_HEADERS, strict=True)) == score_headers_of(RUBRIC)


def test_a_rubric_in_another_language_has_english_headers() -> None:
    """Headers follow the language of the rubric."""
    english = RUBRIC.model_copy(update={"language": "en"})
    (sheet,) = scoring_sheets("study", english, ANSWERS, ["kim"], 42)
    assert sheet.header[0] == "answer id"
    assert sheet.header[7] == "Accuracy (1-5)"


def test_each_rater_has_an_order_and_identifiers_of_their_own() -> None:
    """No identifier stands on two sheets, orders differ, both are the same for the same seed."""
    first, second = sheets_of("김", "이")
    assert {place.answer_id for place in first.places}.isdisjoint(place.answer_id for place in second.places)
    orders = [[(place.run_id, place.item_id) for place in sheet.places] for sheet in (first, second)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted((each.run_id, each.item_id) for each in ANSWERS)
    assert sheets_of("김", "이") == (first, second)
    assert sheets_of("김", seed=7)[0].places != first.places


def test_no_sheet_names_a_model(store: Store, tmp_path: Path) -> None:
    """Neither its own name nor another drawn model's: not in a cell, a file's name, or anywhere in the XLSX parts."""
    told = "저는 examinee-7b입니다. served-secret보다, Rival-9b보다 낫습니다."
    benchmark = exam(1)
    runs = [sit(store, benchmark, {"1": answer(1, told)}, model=model) for model in ("examinee-7b", "rival-9b")]
    wanted = [SampledAnswer(run.run_id, "1", 0) for run in runs]
    cells = blind_cells(store, runs, benchmark, wanted, RUBRIC)
    sheets = scoring_sheets("study", RUBRIC, cells, ["김"], 42)
    paths = write_sheets(tmp_path / "out", sheets, RUBRIC, xlsx=True)
    assert len(cells) == 2
    texts = [path.name + path.read_text(encoding="utf-8") for path in paths if path.suffix != ".xlsx"]
    with zipfile.ZipFile(tmp_path / "out" / "scores-김.xlsx") as book:
        texts += [book.read(name).decode() for name in book.namelist()]
    for name in ("examinee-7b", "rival-9b", "served-secret", *(run.run_id for run in runs)):
        assert all(name not in text.lower() for text in texts)
    assert any("저는 […]입니다. […]보다, […]보다 낫습니다." in text for text in texts)


def test_a_rater_sees_what_the_judge_sees_and_no_scratchpad(store: Store, tmp_path: Path) -> None:
    """Question with the paths of pictures, choices, key, the expert's rationale, the answer, the rationale."""
    benchmark = exam(1)
    item = benchmark.items[0]
    pictured = Wording(Content("그림을 보라.", (Image("일기도.png"),)), item.wordings[EXPLICIT].choices)
    Picture.new("RGB", (8, 8)).save(tmp_path / "일기도.png")
    benchmark = replace(benchmark, items=(replace(item, wordings={EXPLICIT: pictured}),), image_root=tmp_path)
    run = sit(store, benchmark, {"1": answer(1, "고도에 따라 낮다.")}, images=True)
    (cells,) = blind_cells(store, [run], benchmark, [SampledAnswer(run.run_id, "1", 0)], RUBRIC).values()
    assert cells == (
        "그림을 보라.\n[그림: 일기도.png]",
        "1. 10 hPa\n2. 11 hPa\n3. 12 hPa\n4. 13 hPa",
        "2",
        "1번의 참고 풀이",
        "2",
        "고도에 따라 낮다.",
    )


FORMULAS = ["=1+1", "+82", "-2+3", "@SUM(A1)", "\t=1", " =HYPERLINK(1)", "\r=1", "＝1+1", "＋1", "－1", "＠A1"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_what_looks_like_a_formula_is_text(formula: str, tmp_path: Path) -> None:
    """CSV: it begins with an apostrophe. XLSX: the cell is a string that stays one when it is edited."""
    answers = {SampledAnswer("r", "1", 0): (formula, *["x"] * 5)}
    sheets = scoring_sheets("study", RUBRIC, answers, ["김"], 42)
    row = list(csv.reader(io.StringIO(csv_of(sheets[0]))))[1]
    assert row[1].startswith("'")
    write_sheets(tmp_path, sheets, RUBRIC, xlsx=True)
    cell = openpyxl.load_workbook(tmp_path / "scores-김.xlsx").worksheets[0]["B2"]
    assert (cell.data_type, cell.quotePrefix) == ("s", True)


def test_hostile_and_endless_text_fits_a_cell(tmp_path: Path) -> None:
    """Control characters and lone surrogates are replaced; what is too long is cut, and says by how much."""
    answers = {SampledAnswer("r", "1", 0): ("\x00\x1b[31m\ud800", "x" * (LONGEST_CELL + 1234), *["x"] * 4)}
    sheets = scoring_sheets("study", RUBRIC, answers, ["김"], 42)
    write_sheets(tmp_path, sheets, RUBRIC, xlsx=True)
    for name in ("scores-김.csv", "scores-김.xlsx"):
        _, (_, cells) = read_sheet(tmp_path / name).rows
        assert cells[1] == "��[31m�"
        assert str(cells[2]).endswith("x […+1,234]")


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    """It may be filled in."""
    write_sheets(tmp_path, sheets_of("김"), RUBRIC, xlsx=False)
    before = (tmp_path / "scores-김.csv").read_bytes()
    with pytest.raises(ConfigError, match="is there already, and may be filled in"):
        write_sheets(tmp_path, sheets_of("이", "김"), RUBRIC, xlsx=False)
    assert (tmp_path / "scores-김.csv").read_bytes() == before
    assert not (tmp_path / "scores-이.csv").exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """Nothing can be written there, and nothing has to be cleaned up."""
    (tmp_path / "out").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"out: cannot be written: .*File exists"):
        write_sheets(tmp_path / "out", sheets_of("김"), RUBRIC, xlsx=False)


def test_what_cannot_be_written_leaves_no_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full after two of three files: none of them is there, not even in part."""
    rename, left = Path.rename, [2]

    def full(self: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(ConfigError, match="No space left on device"):
        write_sheets(tmp_path / "out", sheets_of("김", "이"), RUBRIC, xlsx=False)
    assert list((tmp_path / "out").iterdir()) == []


Fill = Callable[[list[list[str]]], object]


def filled(
    folder: Path,
    sheet: ScoringSheet,
    fill: Fill = lambda _: None,
    *,
    encoding: str = "utf-8-sig",
    delimiter: str = ",",
) -> Path:
    """Write a sheet's CSV with the scores 1, 2, 3, 4 in each row, changed by ``fill`` (the header is row 0)."""
    rows = [[*row[:7], "1", "2", "3", "4"] if number else row for number, row in enumerate(rows_of(sheet))]
    fill(rows)
    path = folder / f"{sheet.rater}.csv"
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    path.write_text(buffer.getvalue(), encoding=encoding, errors="replace", newline="")
    return path


def rows_of(sheet: ScoringSheet) -> list[list[str]]:
    """Return the rows of a sheet's CSV."""
    return list(csv.reader(io.StringIO(csv_of(sheet))))


def scores_in(*paths: Path, of: Sequence[ScoringSheet]) -> list[RatingRow]:
    """Read filled-in sheets."""
    places = [place for sheet in of for place in sheet.places]
    return read_scores([read_sheet(path) for path in paths], places, {"study": RUBRIC})


EXPECTED = dict(zip(AXES, (1, 2, 3, 4), strict=True))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "cp949", "utf-16"])
def test_filled_sheets_come_back_as_ratings(encoding: str, delimiter: str, tmp_path: Path) -> None:
    """Each answer on each axis, from CSV as editors and as spreadsheets save it ("Unicode text": UTF-16 with tabs)."""
    sheets = sheets_of("김", "이")
    paths = [filled(tmp_path, sheet, encoding=encoding, delimiter=delimiter) for sheet in sheets]
    found = {(row.answer_id, row.dimension): row.score for row in scores_in(*paths, of=sheets)}
    assert found == {
        (place.answer_id, axis): EXPECTED[axis] for sheet in sheets for place in sheet.places for axis in AXES
    }


def test_rows_and_columns_may_be_sorted_and_columns_added(tmp_path: Path) -> None:
    """Identifiers and headers say what is what, not places; blank rows are nothing."""
    (sheet,) = sheets_of("김")

    def mix(rows: list[list[str]]) -> None:
        rows[1:] = [[], *rows[:0:-1]]
        rows[:] = [["메모", *row[::-1]] if row else row for row in rows]

    found = {(row.answer_id, row.dimension): row.score for row in scores_in(filled(tmp_path, sheet, mix), of=[sheet])}
    assert found == {(place.answer_id, axis): EXPECTED[axis] for place in sheet.places for axis in AXES}


def test_a_title_that_looks_like_a_formula_comes_back(tmp_path: Path) -> None:
    """The apostrophe that keeps a header from being evaluated is no part of it."""
    axis = RUBRIC.axes[0].model_copy(update={"titles": {"ko": "=정확성"}})
    rubric = RUBRIC.model_copy(update={"axes": [axis, *RUBRIC.axes[1:]]})
    (sheet,) = scoring_sheets("study", rubric, ANSWERS, ["김"], 42)
    table = read_sheet(filled(tmp_path, sheet))
    assert len(read_scores([table], sheet.places, {"study": rubric})) == 6 * 4


def test_rows_above_the_header_and_line_breaks_in_it_do_not_matter(tmp_path: Path) -> None:
    """A title, what Excel writes of its separator, a header that was wrapped, a number with a decimal."""
    (sheet,) = sheets_of("김")

    def mark(rows: list[list[str]]) -> None:
        rows[0] = [cell.replace(" (", "\n(") for cell in rows[0]]
        rows[1][7] = "1.0"
        rows[:0] = [["sep=,"], ["채점표 (김)"], []]

    found = {(row.answer_id, row.dimension): row.score for row in scores_in(filled(tmp_path, sheet, mark), of=[sheet])}
    assert found == {(place.answer_id, axis): EXPECTED[axis] for place in sheet.places for axis in AXES}


def test_filled_xlsx_sheets_come_back_as_ratings(tmp_path: Path) -> None:
    """Numbers of a spreadsheet, whole floats and digits as text are integers alike, whatever sheet stands first."""
    (sheet,) = sheets_of("김")
    write_sheets(tmp_path, [sheet], RUBRIC, xlsx=True)
    path = tmp_path / "scores-김.xlsx"
    book = openpyxl.load_workbook(path)
    for row in range(2, len(sheet.rows) + 2):
        scores: tuple[int | float | str, ...] = (1, 2.0, "3", 4)
        for column, score in zip("HIJK", scores, strict=True):
            book.worksheets[0][f"{column}{row}"] = score
    book.create_sheet("메모", 0)
    path = tmp_path / "scores-김"  # told by its content
    book.save(path)
    found = {(row.answer_id, row.dimension): row.score for row in scores_in(path, of=[sheet])}
    assert found == {(place.answer_id, axis): EXPECTED[axis] for place in sheet.places for axis in AXES}


def put(row: int, column: int, value: str) -> Fill:
    """Return a change of one cell."""
    return lambda rows: rows[row].__setitem__(column, value)


FAULTS: dict[str, tuple[Fill, str]] = {
    "above the scale": (put(2, 7, "6"), r"row 3, field 정확성 \(1-5\): this is outside of the scale \(found '6'\)"),
    "below the scale": (put(1, 8, "0"), r"row 2, field 논리적 완결성 .*outside of the scale \(found '0'\)"),
    "negative": (put(1, 8, "-3"), r"outside of the scale \(found '-3'\)"),
    "a fraction": (
        put(1, 9, "3.5"),
        r"field 추론의 깊이 .*no integer \(found '3.5'\); allowed: an integer from 1 to 5",
    ),
    "a word": (put(1, 10, "좋음"), r"field 표현의 명확성 .*no integer \(found '좋음'\)"),
    "another script's digit": (put(1, 10, "４"), r"no integer"),
    "a huge number": (put(1, 10, "9" * 5000), r"no integer"),
    "blank": (put(4, 7, " "), r"row 5, field 정확성 \(1-5\): the score is missing; allowed"),
    "a short row": (lambda rows: rows[1].pop(), r"row 2, field 표현의 명확성 .*the score is missing"),
    "an unknown answer": (
        put(1, 0, "s99-001"),
        r"row 2, field 답안 번호: there is none of that name \(found 's99-001'\)",
    ),
    "no identifier": (put(1, 0, ""), r"row 2, field 답안 번호: there is none of that name"),
    "an answer twice": (lambda rows: rows.append(rows[1]), r"row 8, field 답안 번호: it stands in .*row 2"),
    "an answer without a row": (lambda rows: rows.pop(3), r"it has no row \(found 's\w{8}-003'\)"),
    "a column missing": (put(0, 7, "정확"), r"row 1, field 정확성 \(1-5\): this column is missing"),
    "a column twice": (put(0, 1, "추론의 깊이 (1-5)"), r"field 추론의 깊이 \(1-5\): this column stands more than once"),
    "nothing of ours": (lambda rows: rows.__delitem__(slice(1, None)), r"holds no 답안 번호 of any sheet"),
}


@pytest.mark.parametrize(("fill", "told"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_named_and_nothing_is_read(fill: Fill, told: str, tmp_path: Path) -> None:
    """File, row, field, value and what is allowed; the sound sheet beside it is not read either."""
    sheets = sheets_of("김", "이")
    good, bad = filled(tmp_path, sheets[1]), filled(tmp_path, sheets[0], fill)
    with pytest.raises(DataError, match=told) as caught:
        scores_in(good, bad, of=sheets)
    assert all(finding.file == str(bad) for finding in caught.value.findings)


def test_every_fault_of_every_sheet_is_told_at_once(tmp_path: Path) -> None:
    """One reading mends them all."""
    sheets = sheets_of("김", "이")
    paths = [filled(tmp_path, sheets[0], put(1, 7, "9")), filled(tmp_path, sheets[1], put(2, 8, ""))]
    with pytest.raises(DataError) as caught:
        scores_in(*paths, of=sheets)
    assert [finding.file for finding in caught.value.findings] == list(map(str, paths))


def test_two_peoples_rows_in_one_file_are_refused(tmp_path: Path) -> None:
    """A sheet belongs to one person."""
    mine, other = sheets_of("김", "이")
    path = filled(tmp_path, mine, put(1, 0, other.places[0].answer_id))
    with pytest.raises(DataError, match="stands on another sheet than the others"):
        scores_in(path, of=[mine, other])


def test_a_sheet_given_twice_is_refused(tmp_path: Path) -> None:
    """Its CSV and its XLSX, say: which scores count is not for us to guess."""
    (sheet,) = sheets_of("김")
    path = filled(tmp_path, sheet)
    copy = path.rename(tmp_path / "copy.csv")
    with pytest.raises(DataError, match=r"stands in .* already"):
        scores_in(filled(tmp_path, sheet), copy, of=[sheet])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("absent.csv", None),
        ("empty.csv", b""),
        ("binary.csv", b"\xff\xfe\x00\x81\x00"),
        ("quote.csv", b'"open'),
        ("no-zip.xlsx", b"PK but no archive"),
        ("empty.xlsx", b""),
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused(name: str, content: bytes | None, tmp_path: Path) -> None:
    """The message names the file and what would do."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=f"{name}: .*allowed: a CSV or XLSX file"):
        read_sheet(path)


def test_an_archive_that_is_no_workbook_is_refused(tmp_path: Path) -> None:
    """A renamed ZIP file."""
    path = tmp_path / "renamed.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", "hi")
    with pytest.raises(DataError, match=r"renamed\.xlsx: cannot be read"):
        read_sheet(path)


def repacked(source: Path, part: str, content: bytes) -> Path:
    """Return a copy of a workbook with another content of one part."""
    path = source.with_name("repacked.xlsx")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, content if name == part else old.read(name))
    return path


def test_a_workbook_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    """A few kilobytes can hold gigabytes of one letter."""
    write_sheets(tmp_path, sheets_of("김"), RUBRIC, xlsx=True)
    bomb = repacked(tmp_path / "scores-김.xlsx", "xl/worksheets/sheet1.xml", b" " * (LARGEST_FILE + 1))
    assert bomb.stat().st_size < 2**20
    with pytest.raises(DataError, match="is larger than 67,108,864 bytes when unpacked"):
        read_sheet(bomb)


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("xl/workbook.xml", b"<a/>"),
        ("xl/workbook.xml", b""),
        (
            "xl/worksheets/sheet1.xml",
            b"<worksheet><sheetData><row r='x'><c r='A1' t='s'><v>9</v></c></row></sheetData>",
        ),
        ("xl/styles.xml", b"<styleSheet"),
        ("[Content_Types].xml", b"<a/>"),
    ],
)
def test_a_workbook_with_a_broken_part_is_refused(part: str, content: bytes, tmp_path: Path) -> None:
    """Whatever the library stumbles over, it is the file's fault, and told as one."""
    write_sheets(tmp_path, sheets_of("김"), RUBRIC, xlsx=True)
    with pytest.raises(DataError, match=r"repacked\.xlsx: cannot be read as a workbook"):
        read_sheet(repacked(tmp_path / "scores-김.xlsx", part, content))
