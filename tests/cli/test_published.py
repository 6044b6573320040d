"""``exambench published`` shows findings, and fails only where the figures cannot be used."""

from __future__ import annotations

import csv
import io
import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exambench.cli import main
from exambench.cli.published import app
from exambench.errors import ConfigError

FOLDER = Path(str(files("exambench.benchmarks.published")))


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    """Return a copy of the figures that may be broken."""
    return Path(shutil.copytree(FOLDER, tmp_path / "figures"))


def test_claims_that_do_not_follow_are_no_failure() -> None:
    """A finding is not an error: the exit code is 0, and the last line counts."""
    result = CliRunner().invoke(app, ["check"])
    assert result.exit_code == 0
    assert result.output.split("\n\n")[-2].splitlines()[-1].startswith("All papers: ")
    assert "do not follow" in result.output


def test_the_formats_hold_the_same_claims() -> None:
    """JSON, CSV and Markdown have one entry for each claim."""
    document = json.loads(CliRunner().invoke(app, ["check", "--json"]).output)
    lines = list(csv.DictReader(io.StringIO(CliRunner().invoke(app, ["check", "--csv"]).output)))
    markdown = CliRunner().invoke(app, ["check", "--markdown"]).output
    assert [line["claim_id"] for line in lines] == [claim["claim_id"] for claim in document["claims"]]
    assert all(claim["statement"] in markdown for claim in document["claims"])


def test_sources_are_listed() -> None:
    """The list has every file of figures, as a table and as JSON."""
    shown = CliRunner().invoke(app, ["list"]).output
    document = json.loads(CliRunner().invoke(app, ["list", "--json"]).output)
    assert len(document) == len(list(FOLDER.glob("*/*.csv")))
    assert all(source["file"] in shown for source in document)
    for form in ("--csv", "--markdown"):
        printed = CliRunner().invoke(app, ["list", form]).output
        assert all(source["file"].partition("_")[0] in printed for source in document)


@pytest.mark.parametrize("command", ["check", "list"])
def test_one_form_at_a_time(command: str) -> None:
    """Two forms are refused, and nothing is printed."""
    done = CliRunner().invoke(app, [command, "--json", "--csv"])
    assert isinstance(done.exception, ConfigError)
    assert done.stdout == ""


def test_figures_of_ones_own_are_checked(figures: Path) -> None:
    """A corrected figure changes the verdict."""
    path = figures / "kmetbench" / "table13.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",16.17,", ",16.19,"), encoding="utf-8")
    output = CliRunner().invoke(app, ["check", "--json", "--figures", str(figures)]).output
    verdicts = {claim["claim_id"]: claim["verdict"] for claim in json.loads(output)["claims"]}
    assert verdicts["kmetbench.table13-rounding"] == "follows"


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("kmetbench/table05.csv", ("0.827", "high"), "row 1 (Factuality), field alpha"),
        ("kmetbench/leaderboard.csv", ("78.87323943661971", "78.9"), "item A.X-4.0, field korean_pct"),
        ("kmmmu/sources.toml", ("[paper]", "[paper"), "is not TOML"),
    ],
)
def test_broken_figures_end_in_exit_code_2(
    figures: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    file: str,
    change: tuple[str, str],
    says: str,
) -> None:
    """A figure that cannot be used is one message on standard error and exit code 2; nothing is printed."""
    path = figures / file
    path.write_text(path.read_text(encoding="utf-8").replace(*change, 1), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["exambench", "published", "check", "--figures", str(figures)])
    with pytest.raises(SystemExit) as ended:
        main()
    captured = capsys.readouterr()
    assert ended.value.code == 2
    assert captured.out == ""
    assert says in captured.err
    assert Path(file).name in captured.err
