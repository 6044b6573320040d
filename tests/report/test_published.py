"""Claims are shown so that a person and a program see the same thing."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from exambench.analysis.published import CheckedClaim, Paper, Verdict, check_claims
from exambench.benchmarks.published import Published, load_published
from exambench.report import published as rendering
from exambench.report import published_sources


@pytest.fixture(scope="module")
def published() -> Published:
    """Return the figures that ship."""
    return load_published()


@pytest.fixture(scope="module")
def checked(published: Published) -> tuple[CheckedClaim, ...]:
    """Return all checked claims."""
    return check_claims(published)


def claim(verdict: Verdict, statement: str = "A statement", paper: Paper = Paper.KMMMU) -> CheckedClaim:
    """Return a claim with this verdict."""
    open_ = verdict is Verdict.CANNOT_BE_RECOMPUTED
    return CheckedClaim(
        claim_id=f"{paper.value}.x",
        paper=paper,
        where="Table 1",
        statement=statement,
        claimed="0.5",
        recomputed="" if open_ else "0.51",
        values=() if open_ else (0.512345678901,),
        n=None if open_ else 1234,
        verdict=verdict,
        note="a note",
    )


def text(renderable: RenderableType, width: int = 100) -> str:
    """Return what a terminal of this width shows."""
    buffer = io.StringIO()
    Console(file=buffer, width=width).print(renderable)
    return buffer.getvalue()


def test_the_terminal_shows_every_claim_within_100_columns(checked: tuple[CheckedClaim, ...]) -> None:
    """No line is wider than the terminal, and nothing is cut off."""
    shown = text(rendering.terminal(checked))
    assert max(cell_len(line) for line in shown.splitlines()) <= 100
    assert "…" not in shown
    assert all(claim.statement[:20] in shown for claim in checked)


def test_what_does_not_follow_comes_first() -> None:
    """Within a paper the findings stand above what follows, each group under a heading with its count."""
    shown = text(rendering.terminal([claim(Verdict.FOLLOWS, "Good"), claim(Verdict.DOES_NOT_FOLLOW, "Bad")]))
    assert shown.index("KMMMU: 1 of 2 does not follow") < shown.index("Bad")
    assert shown.index("Bad") < shown.index("KMMMU: 1 of 2 follows") < shown.index("Good")


def test_the_last_line_counts_all_verdicts() -> None:
    """One line says how many claims follow, how many do not, and how many cannot be recomputed."""
    claims = [claim(Verdict.FOLLOWS), claim(Verdict.FOLLOWS, paper=Paper.SCHOLARBENCH), claim(Verdict.DOES_NOT_FOLLOW)]
    last = text(rendering.terminal(claims)).split("\n\n")[-2].splitlines()[-1].rstrip()
    assert last == "All papers: 3 claims: 2 follow, 1 does not follow, 0 cannot be recomputed."


def test_brackets_in_a_statement_are_no_markup() -> None:
    """A statement is text; square brackets in it are shown, not read as a style."""
    assert "[red] stays" in text(rendering.terminal([claim(Verdict.FOLLOWS, "[red] stays")]))


def test_a_blank_is_a_dash_not_a_zero() -> None:
    """What could not be recomputed has a dash for value and n."""
    row = rendering.markdown([claim(Verdict.CANNOT_BE_RECOMPUTED)]).splitlines()[6]
    assert row == "| cannot be recomputed | A statement | Table 1 | 0.5 | – | a note | – |"


def test_json_has_values_in_full_precision() -> None:
    """The JSON holds counts by verdict and each claim with its unrounded values."""
    document = json.loads(rendering.as_json([claim(Verdict.DOES_NOT_FOLLOW)]))
    assert document["summary"] == {"follows": 0, "does not follow": 1, "cannot be recomputed": 0}
    assert document["claims"][0]["values"] == [0.512345678901]
    assert document["claims"][0]["verdict"] == "does not follow"


def test_csv_has_a_line_for_each_claim(checked: tuple[CheckedClaim, ...]) -> None:
    """The CSV keeps the order of the papers; numbers come back unrounded."""
    lines = list(csv.DictReader(io.StringIO(rendering.as_csv(checked))))
    assert [line["claim_id"] for line in lines] == [claim.claim_id for claim in checked]
    assert [tuple(float(value) for value in line["values"].split()) for line in lines] == [
        claim.values for claim in checked
    ]


def test_markdown_rows_have_seven_cells(checked: tuple[CheckedClaim, ...]) -> None:
    """No cell breaks the table: every line of a table has seven cells."""
    rows = [line for line in rendering.markdown(checked).splitlines() if line.startswith("| ")]
    assert len(rows) == len(checked) + 2 * len(Paper)
    assert {row.count(" | ") for row in rows} == {6}


def test_the_same_claims_give_the_same_bytes(published: Published, checked: tuple[CheckedClaim, ...]) -> None:
    """Checking twice writes the same JSON."""
    assert rendering.as_json(check_claims(published)) == rendering.as_json(checked)


def test_no_statement_acts_on_markdown() -> None:
    """Signs that would start a tag, a link or emphasis are escaped, in every column."""
    shown = rendering.markdown([claim(Verdict.FOLLOWS, "<b> *a* | [x](y)")])
    assert "| \\<b\\> \\*a\\* \\| \\[x](y) |" in shown


def test_json_refuses_what_is_no_json() -> None:
    """NaN has no place in it; a value that could not be computed is no value at all."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        rendering.as_json([replace(claim(Verdict.FOLLOWS), values=(float("nan"),))])


def test_sources_are_listed_with_paper_table_and_rows(published: Published) -> None:
    """The list of files names paper, table, section and number of rows, within 100 columns."""
    shown = text(published_sources.terminal(published))
    assert max(cell_len(line) for line in shown.splitlines()) <= 100
    line = next(line for line in shown.splitlines() if "leaderboard.csv" in line)
    assert line.split()[:3] == ["K-MetBench", "leaderboard.csv", "Leaderboard,"]
    assert " 55 " in line
    document = json.loads(published_sources.as_json(published))
    assert len(document) == len(published.sources)
    assert {"paper": "kmmmu", "file": "table16.csv", "rows": 2}.items() <= document[12].items()
