"""Reversals from the command line: a seeded sample, blind sheets, strict import, codes by facet, agreement."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
import pytest
from sklearn.metrics import cohen_kappa_score
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError, DataError
from exambench.store import CodingPlace, open_existing_store
from tests.support.chat_server import Call, Reply, completion, serve
from tests.support.exams import write_exam
from tests.support.sittings import number_of

SIZE = 40
READERS = ("김", "이")


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def answer(number: int, *, right: bool) -> str:
    """Return an answer in the required form."""
    return json.dumps({"정답": number % 4 + 1 if right else (number + 1) % 4 + 1}, ensure_ascii=False)


def instructed(call: Call) -> Reply:
    """Solve the items up to 30."""
    return completion(f"solid-9b입니다. {answer(number_of(call), right=number_of(call) <= 30)}")


def thinking(call: Call) -> Reply:
    """Solve every third item, and those above 30; think aloud before."""
    number = number_of(call)
    solved = number % 3 == 0 or number > 30
    return completion(answer(number, right=solved), reasoning_content=f"solid-9b보다 낫게, {number}번을 생각한다.")


class Sample(NamedTuple):
    """Where everything is."""

    store: Path
    folder: Path
    told: str


def draw(store: Path, folder: Path, *more: str | Path) -> Result:
    """Draw ten items of each part at most."""
    people = [word for reader in READERS for word in ("--readers", reader)]
    return exambench(
        *("reversals", "sample", "solid-9b", "deep-9b", "--facet", "part", "--per-facet", "3"),
        *("--out", folder, "--store", store, *people, *more),
    )


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """Two models on forty items, and a sample of the items that the first solves and the second misses."""
    folder = tmp_path_factory.mktemp("reversals")
    data, store = write_exam(folder, SIZE), folder / "r.db"
    with serve(instructed) as first, serve(thinking) as second:
        exambench(
            *("run", "--benchmark", "kmetbench", "--data", data, "--store", store),
            *("--model", f"solid-9b@{first.base_url}", "--model", f"deep-9b@{second.base_url}"),
        )
    drawn = draw(store, folder / "sheets")
    assert drawn.exit_code == 0, drawn.stderr
    return Sample(store, folder / "sheets", drawn.stdout)


def rows_of(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a CSV sheet."""
    header, *rows = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig")))
    return header, rows


def fill(sample: Sample, folder: Path, code: Callable[[str, CodingPlace], str]) -> list[Path]:
    """Fill in every reader's sheet: ``code(reader, place)`` is what the person writes."""
    with open_existing_store(str(sample.store)) as results:
        places = {place.answer_id: place for place in results.codings.places()}
    paths = []
    for reader in READERS:
        header, rows = rows_of(sample.folder / f"reversals-{reader}.csv")
        for row in rows:
            row[6:] = [code(reader, places[row[0]]), "메모" if places[row[0]].item_id == "1" else ""]
        paths.append(folder / f"reversals-{reader}.csv")
        with paths[-1].open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    return paths


def test_only_reversals_are_drawn_and_as_many_of_each_part(sample: Sample) -> None:
    """Items up to 30 that are no multiples of three: 20, four in each part; three of each are drawn."""
    _, rows = rows_of(sample.folder / "reversals-김.csv")
    with open_existing_store(str(sample.store)) as results:
        drawn = {int(place.item_id) for place in results.codings.places() if place.rater == "김"}
    assert len(rows) == len(drawn) == 15
    assert all(number <= 30 and number % 3 for number in drawn)
    assert [sum(number % 5 == part for number in drawn) for part in range(5)] == [3] * 5
    assert sample.told.count("3 of 4 drawn") == 5


def test_the_same_seed_draws_the_same(sample: Sample, tmp_path: Path) -> None:
    """And another one others."""
    again = draw(sample.store, tmp_path / "again", "--csv-only").stdout
    other = draw(copy_of(sample, tmp_path), tmp_path / "other", "--csv-only", "--seed", "7").stdout
    assert again.splitlines()[0] == sample.told.splitlines()[0]
    assert other.splitlines()[0] != again.splitlines()[0]


def copy_of(sample: Sample, folder: Path) -> Path:
    """Return a store of one's own."""
    path = folder / "copy.db"
    path.write_bytes(sample.store.read_bytes())
    return path


def test_sheets_are_blind_and_in_an_order_of_the_readers_own(sample: Sample) -> None:
    """No name of a model in any cell; the thoughts of the one that missed stand before its answer."""
    sheets = [rows_of(sample.folder / f"reversals-{reader}.csv") for reader in READERS]
    header, rows = sheets[0]
    assert header == ["답안 번호", "문제", "보기", "정답", "맞은 응답", "틀린 응답", "오류 코드", "메모"]
    assert [row[1] for row in rows] != [row[1] for row in sheets[1][1]]
    assert sorted(row[1] for row in rows) == sorted(row[1] for row in sheets[1][1])
    for row in rows:
        assert not any(name in cell for cell in row for name in ("solid", "deep"))
        assert row[4].startswith("[…]입니다. {")
        assert row[5].startswith("[생각]\n[…]보다 낫게, ")
        key = int(row[3])
        assert (f'"정답": {key}}}' in row[4], f'"정답": {key}}}' in row[5]) == (True, False)


def test_the_spreadsheet_offers_the_codes(sample: Sample) -> None:
    """A list in the column of the codes, and their meanings on a second worksheet."""
    book = openpyxl.load_workbook(sample.folder / "reversals-김.xlsx")
    (rule,) = book.worksheets[0].data_validations.dataValidation
    assert rule.formula1 == '"finalisation,framing,knowledge,perception,calculation,format,ambiguous,other"'
    assert str(rule.sqref) == "G2:G16"
    assert book.worksheets[1]["A1"].value.startswith("finalisation: 마무리 실패.")
    assert (sample.folder / "codes.txt").read_text(encoding="utf-8").count("\n") == 8


def first_reader(place: CodingPlace) -> str:
    """Code parts 1 and 2 as framing errors, the others as failures to finish."""
    return "framing" if int(place.item_id) % 5 in {0, 1} else "finalisation"


def second_reader(place: CodingPlace) -> str:
    """Differ on every fourth item; write titles in place of keys."""
    return "지식 부족" if int(place.item_id) % 4 == 0 else first_reader(place).upper()


@pytest.fixture(scope="module")
def reported(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report as JSON after both readers have coded."""

    def code(reader: str, place: CodingPlace) -> str:
        return first_reader(place) if reader == "김" else second_reader(place)

    paths = fill(sample, tmp_path_factory.mktemp("filled"), code)
    told = exambench("reversals", "import", *paths, "--store", sample.store).stdout
    assert [line.partition(",")[0] for line in told.splitlines()] == [f"{each}: 15 items coded" for each in READERS]
    return json.loads(exambench("reversals", "report", "--json", "--store", sample.store).stdout)


def test_codes_are_counted_by_facet(reported: Any) -> None:
    """Every reading is counted once: 15 items by two readers."""
    assert sum(each["readings"] for each in reported["counts"]) == 30
    by_group: dict[str, dict[str, int]] = {}
    for each in reported["counts"]:
        by_group.setdefault(each["group"], {})[each["code"]] = each["readings"]
    expected: dict[str, dict[str, int]] = {}
    for reading in reported["readings"]:
        for code in reading["codes"].values():
            row = expected.setdefault(reading["group"], dict.fromkeys(by_group["1"], 0))
            row[code] += 1
    assert by_group == expected
    assert by_group["1"]["finalisation"] == 0  # part 1 is items 5, 10, … : framing, as the first reader has it
    assert {each["solved_by"] for each in reported["readings"]} == {"solid-9b"}


def test_agreement_is_cohens(reported: Any) -> None:
    """The oracle is scikit-learn's cohen_kappa_score on the same codes."""
    first, second = ([reading["codes"][reader] for reading in reported["readings"]] for reader in READERS)
    (pair,) = reported["agreement"]
    assert pair["kappa"] == pytest.approx(cohen_kappa_score(first, second))
    assert (pair["n"], pair["same"]) == (15, sum(a == b for a, b in zip(first, second, strict=True)))
    assert pair["low"] <= pair["kappa"] <= pair["high"]


@pytest.mark.usefixtures("reported")
def test_every_form_says_the_same(sample: Sample) -> None:
    """Terminal, Markdown, CSV."""
    common: list[str | Path] = ["reversals", "report", "--store", sample.store]
    for page in (exambench(*common).stdout, exambench(*common, "--markdown").stdout):
        assert "solid-9b is right, deep-9b wrong" in page
        assert "마무리 실패" in page
    rows = list(csv.DictReader(io.StringIO(exambench(*common, "--csv").stdout)))
    assert sum(int(row["readings"]) for row in rows if row["section"] == "code") == 30


@pytest.mark.parametrize(
    ("code", "told"),
    [("", "the code is missing"), ("tired", r"there is no such code \(found 'tired'\); allowed: final")],
)
def test_one_fault_keeps_every_code_out(sample: Sample, tmp_path: Path, code: str, told: str) -> None:
    """A blank or an unknown code in one row, and nothing of either sheet is stored."""
    store = copy_of(sample, tmp_path)
    paths = fill(sample, tmp_path, lambda reader, place: code if reader == "이" and place.solver == 0 else "other")
    with open_existing_store(str(store)) as results:
        before = results.codings.codes(results.codings.find().coding_id)
    with pytest.raises(DataError, match=told):
        exambench("reversals", "import", *paths, "--store", store)
    with open_existing_store(str(store)) as results:
        assert results.codings.codes(results.codings.find().coding_id) == before


def test_both_ways_are_told_apart(sample: Sample, tmp_path: Path) -> None:
    """Items above 30 are solved by the second model alone."""
    store = copy_of(sample, tmp_path)
    told = draw(store, tmp_path / "both", "--both", "--csv-only").stdout
    assert told.count("solid-9b right, deep-9b wrong") == 5
    assert told.count("deep-9b right, solid-9b wrong") == 5
    with open_existing_store(str(store)) as results:
        (coding,) = [each for each in results.codings.all() if each.coding_id in told]
        assert {place.solver for place in results.codings.places(coding.coding_id) if int(place.item_id) > 30} == {1}


def test_a_scheme_of_ones_own_takes_the_place_of_ours(sample: Sample, tmp_path: Path) -> None:
    """Its headers and codes stand on the sheet; one that cannot work is refused."""
    scheme = tmp_path / "scheme.toml"
    text = 'name = "two"\nlanguage = "en"\ncode_header = "code"\nnote_header = "{}"\n'
    for key in ("slip", "gap"):
        text += f'[[codes]]\nkey = "{key}"\ntitles = {{ en = "{key.title()}" }}\ndescription = "A {key}."\n'
    scheme.write_text(text.replace("{}", "note"), encoding="utf-8")
    draw(copy_of(sample, tmp_path), tmp_path / "own", "--scheme", scheme, "--csv-only")
    header, _ = rows_of(tmp_path / "own" / "reversals-김.csv")
    assert (header[0], header[-2:]) == ("answer id", ["code", "note"])
    scheme.write_text(text.replace("{}", "code"), encoding="utf-8")
    with pytest.raises(ConfigError, match="code_header and note_header are the same"):
        draw(sample.store, tmp_path / "bad", "--scheme", scheme)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("deep-9b", "deep-9b"), "the two runs are one"),
        (("solid-9b", "deep-9b", "--facet", "colour"), "no item has this facet"),
        (("solid-9b", "deep-9b", "--readers", "../x"), "cannot be the name of a sheet"),
    ],
)
def test_what_cannot_be_drawn_is_said(sample: Sample, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    """Runs, facet, readers; nothing is written."""
    with pytest.raises(ConfigError, match=told):
        exambench("reversals", "sample", *arguments, "--out", tmp_path / "x", "--store", sample.store)
    assert not (tmp_path / "x").exists()


def test_items_are_shown_as_the_models_saw_them(tmp_path: Path) -> None:
    """Of two runs in another order the sheet shows that order, with the key at its place; other runs do not mix."""
    store = tmp_path / "r.db"
    order = ["contamination", "order", "--benchmark", "kmetbench", "--sorted", "--permutations", "1"]
    data = write_exam(tmp_path, 12)
    for strategy in ("oracle", "first"):
        exambench(*order, "--data", data, "--model", f"baseline/{strategy}", "--store", store)
    with open_existing_store(str(store)) as results:
        runs = {(run.run.model_name, "order" in run.run.condition): run.run_id for run in results.runs()}
    a, b, published = runs["baseline/oracle", True], runs["baseline/first", True], runs["baseline/first", False]
    exambench("reversals", "sample", a, b, "--out", tmp_path / "out", "--csv-only", "--store", store)
    _, rows = rows_of(tmp_path / "out" / "reversals-reader-1.csv")
    assert rows
    for row in rows:
        number = int(row[1].partition("번")[0])
        shown = dict(line.split(". ") for line in row[2].splitlines())
        assert shown[row[3]] == f"{1000 + number + number % 4} hPa"
        assert row[4] == f'{{"정답": {row[3]}}}'
    with pytest.raises(ConfigError, match="showed the items in different ways"):
        exambench("reversals", "sample", a, published, "--out", tmp_path / "x", "--store", store)


def test_a_report_before_any_codes_says_what_is_missing(sample: Sample, tmp_path: Path) -> None:
    """No codes, no table."""
    store = copy_of(sample, tmp_path)
    drawn = draw(store, tmp_path / "out", "--csv-only", "--seed", "3").stdout.split()[1].rstrip(",")
    with pytest.raises(ConfigError, match="no codes are in yet"):
        exambench("reversals", "report", "--sample", drawn, "--store", store)
