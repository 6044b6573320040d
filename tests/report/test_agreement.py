"""Agreement for people and for programs: the same numbers in every form, and none that does not exist."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from exambench.analysis.agreement import AgreementReport, agreement
from exambench.analysis.ratings import read_ratings
from exambench.report import agreement as rendering
from exambench.stats.resampling import Bootstrap

RATERS = ("judge/a-model-with-a-long-name", "김전문", "이전문")
SCORES = {
    "정확성": [(5, 4, 5), (4, 4, 3), (2, 1, 2), (3, 3, 3), (5, 5, 4), (1, 2, 2)],
    "표현의_명확성": [(3, 3, 3)] * 6,
}


@pytest.fixture(name="report")
def fixture_report(tmp_path: Path) -> AgreementReport:
    """Two people and a judge on six items, of which the second dimension shows no variation."""
    rows = [
        f"{item},{rater},{dimension},{score}"
        for dimension, scores in SCORES.items()
        for item, row in enumerate(scores)
        for rater, score in zip(RATERS, row, strict=True)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["item,rater,dimension,score", *rows]), encoding="utf-8")
    return agreement(read_ratings(path), Bootstrap(100, 42), judge=RATERS[0])


def shown(report: AgreementReport) -> list[str]:
    """Return the lines in a terminal of 100 columns."""
    stream = io.StringIO()
    Console(file=stream, width=100, no_color=True).print(rendering.terminal(report))
    return stream.getvalue().splitlines()


def test_it_fits_a_hundred_columns(report: AgreementReport) -> None:
    """No line is wider, and no number is cut."""
    lines = shown(report)
    assert max(map(cell_len, lines)) <= 100
    assert not any("…" in line for line in lines)


def test_people_and_judge_are_two_blocks(report: AgreementReport) -> None:
    """People among themselves come first, the judge against them in a block of its own."""
    headings = [line.split(" ──")[0] for line in shown(report) if line.endswith("──────")]
    assert [each for each in headings if not each.startswith("─")] == [
        "People among themselves",
        "The judge against people",
    ]
    assert "People: 김전문, 이전문." in shown(report)
    assert "Judge: judge/a-model-with-a-long-name." in shown(report)


def test_without_variation_there_is_a_dash_and_a_reason(report: AgreementReport) -> None:
    """The dimension on which all scores are equal shows neither 0 nor 1."""
    text = "\n".join(shown(report))
    (row,) = (line for line in shown(report) if line.startswith("표현의_명확성") and line.count("– (") == 4)
    assert row.split()[1] == "–"
    assert "(1) the 6 units have no variation." in text


def test_json_and_csv_hold_every_coefficient(report: AgreementReport) -> None:
    """Both forms have one entry for each coefficient, with interval, n, level, resamples, seed and reason."""
    document = json.loads(rendering.as_json(report))
    lines = list(csv.DictReader(io.StringIO(rendering.as_csv(report))))
    entries = [
        (dimension["dimension"], question, each)
        for dimension in document["dimensions"]
        for question in ("among", "against")
        for each in dimension[question]
    ]
    assert len(lines) == len(entries) == sum(len(dimension.coefficients) for dimension in report.dimensions)
    for line, (dimension, question, each) in zip(lines, entries, strict=True):
        assert (line["dimension"], line["question"], line["coefficient"]) == (dimension, question, each["name"])
        assert line["estimate"] == ("" if each["estimate"] is None else repr(each["estimate"]))
        assert (line["resamples"], line["seed"], line["ratings"]) == ("100", "42", report.content_hash)
        assert line["reason"] == each["reason"]
    assert (document["judge"], document["level"]) == (RATERS[0], 0.95)


def test_markdown_holds_the_same_tables(report: AgreementReport) -> None:
    """Each table of the terminal is one of Markdown, with a heading for each block."""
    text = rendering.markdown(report)
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## People among themselves",
        "## The judge against people",
    ]
    assert text.count("| dimension |") == 6


def test_coefficients_are_written_as_the_field_writes_them(report: AgreementReport) -> None:
    """No 0 before the point of a coefficient; differences in points keep it."""
    text = "\n".join(shown(report))
    # Differences of the judge from the people's mean: .5, .5, .5, 0, .5, −1; their mean is 1/6.
    assert "0.167" in text
    assert " .167" not in text
