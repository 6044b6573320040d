"""The composition of our own short examination, in every form."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from exambench.analysis.composition import Composition, CrossTable, compose
from exambench.analysis.duplicates import DuplicateGroup, Likeness
from exambench.analysis.picture_facts import PictureFacts
from exambench.benchmarks.kmetbench_format import read_items
from exambench.items import Axis, Benchmark
from exambench.report.composition import CompositionRendering
from tests.support.exams import write_exam


@pytest.fixture(name="composition")
def fixture_composition(tmp_path: Path) -> Composition:
    """Twelve items, two of them with a picture."""
    items, _ = read_items(write_exam(tmp_path, 12, pictures=2))
    exam = Benchmark("exam", "시험", items, (Axis("all", {}),), licence="CC0-1.0")
    facts = [PictureFacts(f"chart-{number}.png", "PNG", 40, 30, 100 * number) for number in (11, 12)]
    return compose(exam, pictures=facts)


def shown(composition: Composition, *notes: str) -> list[str]:
    """Return the lines in a terminal of 100 columns."""
    stream = io.StringIO()
    Console(file=stream, width=100, no_color=True).print(CompositionRendering(notes).terminal(composition))
    return stream.getvalue().splitlines()


def test_the_terminal_shows_each_part(composition: Composition) -> None:
    """The sections come in order, within 100 columns, with n and the digest first and the notes after it."""
    lines = shown(composition, "A note.")
    assert max(map(cell_len, lines)) <= 100
    headings = [line.split(" ──")[0] for line in lines if " ────" in line]
    assert headings == ["시험: items", "Facets crossed", "Texts", "Choices and keys", "Pictures", "Duplicates"]
    assert lines[1:3] == [f"12 items. Content {composition.content_hash[:12]}. Licence: CC0-1.0.", "A note."]


def test_facets_are_shown_with_counts_and_shares(composition: Composition) -> None:
    """Two of twelve items have a picture: 16.7%."""
    rows = [line.split() for line in shown(composition)]
    assert ["modality", "image", "2", "16.7%"] in rows
    assert ["text", "10", "83.3%"] in rows


def test_cross_tables_have_margins(composition: Composition) -> None:
    """Parts by modality: items 11 and 12 are of parts 2 and 3, and every row and column has its sum."""
    lines = shown(composition)
    start = lines.index("part × modality")
    rows = [line.split() for line in lines[start + 3 : start + 9]]
    assert rows[1] == ["2", "1", "(8.3%)", "2", "(16.7%)", "3", "(25.0%)"]
    assert rows[-1] == ["all", "2", "(16.7%)", "10", "(83.3%)", "12", "(100.0%)"]


def test_a_table_that_is_too_wide_is_named_instead(composition: Composition) -> None:
    """A cross-table of nine columns is left to CSV and JSON."""
    values = tuple(range(9))
    wide = CrossTable("site", "year", values, values, ((0,) * 9,) * 9)
    lines = shown(replace(composition, crosses=(wide,), uncrossed=("source",)))
    assert "Too wide to show, see --csv or --json: site × year." in lines
    assert "Facets with too many values to cross: source." in lines


def test_duplicates_are_shown_up_to_a_number(composition: Composition) -> None:
    """Twenty groups are shown, the rest is counted; a long group is shortened."""
    groups = tuple(
        DuplicateGroup(tuple(str(n) for n in range(14)), Likeness.STEM, same_key=number > 0) for number in range(21)
    )
    lines = shown(replace(composition, duplicates=groups))
    assert "The first 20 of 21 groups; all stand in --csv and --json." in lines
    assert sum("10, 11 and 2 more" in line for line in lines) == 20


def test_csv_is_one_line_for_each_number(composition: Composition) -> None:
    """Rows name table, row, column and measure; all of them the dataset."""
    lines = list(csv.DictReader(io.StringIO(CompositionRendering().as_csv(composition))))
    values = {(line["table"], line["row"], line["column"], line["measure"]): line["value"] for line in lines}
    assert len(values) == len(lines)
    assert {(line["benchmark"], line["dataset"]) for line in lines} == {("exam", composition.content_hash)}
    assert values["facet korean", "true", "", "items"] == "1"
    assert values["part × modality", "2", "image", "items"] == "1"
    assert values["pictures", "bytes", "", "mean"] == "1150.0"
    assert values["key position", "4", "", "n"] == "12"


def test_json_holds_everything(composition: Composition) -> None:
    """The document is the whole composition with its notes; what is no number is null."""
    single = replace(composition, pictures=replace(composition.pictures, width=None))
    document = json.loads(CompositionRendering(("A note.",)).as_json(single))
    assert document["n"] == 12
    assert document["notes"] == ["A note."]
    assert document["pictures"]["width"] is None
    assert [facet["facet"] for facet in document["facets"]] == ["korean", "modality", "part", "reasoning"]
    assert document["facets"][0]["counts"][1] == {"value": True, "n": 1, "share": pytest.approx(1 / 12)}


def test_a_spread_of_one_number_is_null_in_json(tmp_path: Path) -> None:
    """NaN is no JSON: the standard deviation of a single stem is null."""
    items, _ = read_items(write_exam(tmp_path, 1))
    document = json.loads(CompositionRendering().as_json(compose(Benchmark("exam", "Exam", items, ()))))
    assert document["lengths"][0]["summary"]["n"] == 1
    assert document["lengths"][0]["summary"]["sd"] is None


def test_markdown_has_a_table_for_each_of_the_terminal(composition: Composition) -> None:
    """Six headings, and the facets as a table."""
    text = CompositionRendering().markdown(composition)
    assert text.count("\n## ") + text.startswith("## ") == 6
    assert "| modality | image | 2 | 16.7% |" in text
