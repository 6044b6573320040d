"""``exambench agree`` prints one form to standard output, and refuses what it cannot use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError
from tests.support.commands import exambench

ROWS = ["a,r1,d,1", "a,r2,d,2", "b,r1,d,3", "b,r2,d,3", "c,r1,d,5", "c,r2,d,4", "c,j,d,5", "a,j,d,1"]


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Write a small rating sheet with a column that is not ours."""
    path = tmp_path / "ratings.csv"
    path.write_text("item,rater,dimension,score,when\n" + "\n".join(f"{row},now" for row in ROWS), encoding="utf-8")
    return path


def agree(*arguments: str | Path) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, ["agree", *map(str, arguments)])


def test_options_reach_the_numbers(ratings: Path) -> None:
    """Options are those of the command line; ignored columns are told on standard error."""
    done = agree(
        ratings, "--judge", "j", "--metric", "ordinal", "--level", "0.9", "--resamples", "30", "--seed", "5", "--json"
    )
    assert (done.exit_code, done.stderr) == (0, "exambench: columns that were not read: 'when'\n")
    document = json.loads(done.stdout)
    assert document["judge"] == "j"
    assert (document["level"], document["resamples"], document["seed"]) == (0.9, 30, 5)
    assert [each["name"] for each in document["dimensions"][0]["among"]][:2] == ["Krippendorff α (ordinal)", "ICC(1,1)"]


@pytest.mark.parametrize(
    ("option", "first_line"),
    [
        ("--csv", "ratings,dimension,total,question,coefficient,raters,pair,n_units,"),
        ("--markdown", "## Raters among themselves"),
        ("--dimension=d", "Raters among themselves ──"),
    ],
)
def test_each_form_is_printed(ratings: Path, option: str, first_line: str) -> None:
    """CSV, Markdown, and the terminal's tables by default."""
    done = agree(ratings, "--resamples", "10", option)
    assert done.exit_code == 0
    assert done.stdout.startswith(first_line)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--judge", "nobody"], "allowed: j, r1, r2"),
        (["--dimension", "e"], "field dimension"),
        (["--level", "95"], "a number between 0 and 1"),
        (
            ["--metric", "ratio"],
            "field metric: there is no such level of measurement (found 'ratio'); allowed: nominal, ordinal, interval",
        ),
        (["--json", "--csv"], "more than one form of output was asked for (found --json --csv)"),
    ],
)
def test_options_that_cannot_be_used_are_refused(ratings: Path, options: list[str], message: str) -> None:
    """One configuration error that names what is allowed, and nothing on standard output."""
    done = agree(ratings, *options)
    assert isinstance(done.exception, ConfigError)
    assert message in str(done.exception)
    assert done.stdout == ""


def test_a_broken_sheet_ends_in_exit_code_2(tmp_path: Path) -> None:
    """The error names file, row, field and value on standard error; nothing is on standard output."""
    path = tmp_path / "ratings.csv"
    path.write_text("item,rater,dimension,score\na,r1,d,five\n", encoding="utf-8")
    done = exambench("agree", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"exambench: {path}, item row 2, field score: this is not a score (found 'five')")


def test_a_long_row_of_columns_is_cut(ratings: Path) -> None:
    """Twenty names are told, and how many more there are."""
    header, *rows = ratings.read_text(encoding="utf-8").splitlines()
    wide = [header + "".join(f",c{number}" for number in range(99)), *(row + "," * 99 for row in rows)]
    ratings.write_text("\n".join(wide), encoding="utf-8")
    done = agree(ratings, "--resamples", "10")
    assert done.exit_code == 0
    assert done.stderr.endswith("'c17', 'c18' and 80 more\n")
