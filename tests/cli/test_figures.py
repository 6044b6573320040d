"""``exambench figures``: from a store to files, and why some are not there."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError, DataError, InputError, MissingExtraError, StoreError
from exambench.report.figures.names import FigureName
from tests.support.exams import write_exam


def run(*arguments: str | Path) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "100", "TERM": "dumb"})


def failure(kind: type[InputError], *arguments: str | Path) -> str:
    """Run a command that must fail with such an error, and return its text."""
    done = run("figures", *arguments)
    assert isinstance(done.exception, kind), done.output
    return str(done.exception)


@pytest.fixture(scope="module", name="store")
def fixture_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store in which three baselines and a text-only one sat an exam of 20 items with two pictures."""
    folder = tmp_path_factory.mktemp("exam")
    data = write_exam(folder, 20, pictures=2)
    place = folder / "results.db"
    options = ("--benchmark", "kmetbench", "--data", data, "--images", folder / "images", "--store", place)
    models = (each for name in ("first", "longest", "oracle") for each in ("--model", f"baseline/{name}"))
    assert run("run", *options, *models).exit_code == 0
    return place


def test_figures_that_can_be_drawn_are_written_and_the_others_explained(store: Path, tmp_path: Path) -> None:
    """Four files a figure; for each other one a line with the reason."""
    done = run("figures", tmp_path / "out", "--store", store, "--format", "svg", "--resamples", "20")
    assert done.exit_code == 0, done.exception
    drawn = {"radar", "forest", "orthogonality", "influence", "items", "positions", "topics"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {f"{n}.{e}" for n in drawn for e in ("svg", "csv")}
    told = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert set(told) == set(FigureName)
    assert "no model file declares a size" in told["size"]
    assert "no run of it under the protocol reasoning" in told["reasoning"]
    assert "exambench meta sample" in told["slope"]
    assert "[serving] gpus" in told["gpu-hours"]


def test_the_same_command_writes_the_same_bytes(store: Path, tmp_path: Path) -> None:
    """In all formats, into a folder that has the files already: they are replaced, whole, and nothing else stays."""
    options = ("--store", store, "--only", "radar", "--language", "ko", "--resamples", "20")
    assert run("figures", tmp_path, *options).exit_code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert run("figures", tmp_path, *options).exit_code == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert set(before) == {f"radar.{end}" for end in ("pdf", "svg", "png", "csv")}
    assert before["radar.pdf"].startswith(b"%PDF-")
    assert before["radar.png"].startswith(b"\x89PNG\r\n\x1a\n")
    assert "정확도" in before["radar.svg"].decode()


def test_the_csv_has_what_diagnose_says(store: Path, tmp_path: Path) -> None:
    """Scores of the radar are those of the diagnosis, in full precision."""
    options = ("--store", store, "--resamples", "20")
    assert run("figures", tmp_path, *options, "--only", "radar", "--format", "svg").exit_code == 0
    ours = {
        (row["model"], row["axis"]): row for row in csv.DictReader(io.StringIO((tmp_path / "radar.csv").read_text()))
    }
    said = csv.DictReader(io.StringIO(run("diagnose", *options, "--csv").stdout))
    theirs = {(row["model"], row["axis"]): row for row in said if row["section"] == "axis"}
    assert ours
    for place, row in ours.items():
        assert [row[name] for name in ("score", "low", "high", "n")] == [
            theirs[place][name] for name in ("accuracy", "low", "high", "n")
        ]


def test_published_tables_are_drawn(tmp_path: Path) -> None:
    """A paper's tables need no store; what they do not print is named."""
    done = run(
        "figures", tmp_path, "--published", "kmetbench", "--format", "svg", "--only", "size,slope", "--metric", "korean"
    )
    assert done.exit_code == 0, done.exception
    assert "한국" not in (tmp_path / "size.svg").read_text()
    assert "Korean by model size" in (tmp_path / "size.svg").read_text()
    assert "the paper's tables hold no numbers of it" in done.stdout


def test_other_benchmarks_join_the_heatmap(store: Path, tmp_path: Path) -> None:
    """Columns of a CSV stand beside our axes; those in which lower is better are turned."""
    others = tmp_path / "others.csv"
    others.write_text(
        "model,KMMLU,loss\nbaseline/first,0.2,3\nbaseline/longest,0.3,2\nbaseline/oracle,1,1\n", encoding="utf-8"
    )
    options = ("--others", others, "--lower-is-better", "loss", "--only", "orthogonality", "--format", "svg")
    assert run("figures", tmp_path, "--store", store, "--resamples", "20", *options).exit_code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "orthogonality.csv").read_text())))
    found = {
        row["column"]: float(row["tau_b"]) for row in rows if row["axis"] == "accuracy" and row["foreign"] == "True"
    }
    assert found["KMMLU"] == found["loss"] > 0


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("model,x\na,one\n", "'one'"),
        ("model,x\na,inf\n", "'inf'"),
        ("model,x\na,1\na,2\n", "stands twice"),
        ("model,x,x\na,1,2\n", "stands twice"),
        ("model,x\na,1,2\n", "the number of cells is wrong"),
        ("model,x\n", "no table"),
        ("model\na\n", "no table"),
    ],
)
def test_a_faulty_file_of_other_benchmarks_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    """The finding names what is wrong, and nothing is written."""
    path = tmp_path / "others.csv"
    path.write_text(text, encoding="utf-8")
    assert complaint in failure(DataError, tmp_path / "out", "--published", "kmetbench", "--others", path)
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_is_an_error_that_names_what_is(tmp_path: Path) -> None:
    """Figures, formats, axes, papers, columns and the folder itself."""
    out, paper = tmp_path / "out", ("--published", "kmetbench")
    assert "radar, forest" in failure(ConfigError, out, *paper, "--only", "pie")
    assert "pdf, svg, png" in failure(ConfigError, out, *paper, "--format", "gif")
    assert "names nothing" in failure(ConfigError, out, *paper, "--format", ",")
    assert "accuracy, reasoning, korean" in failure(ConfigError, out, *paper, "--metric", "taste")
    assert "allowed: kmetbench" in failure(ConfigError, out, "--published", "mmlu")
    assert "--list" in failure(ConfigError, *paper)
    others = tmp_path / "others.csv"
    others.write_text("model,x\na,1\n", encoding="utf-8")
    assert "no such column" in failure(DataError, out, *paper, "--others", others, "--lower-is-better", "y")
    assert isinstance(run("figures", out, "--store", tmp_path / "none.db").exception, ConfigError | StoreError)
    assert not out.exists()


def test_an_option_that_would_be_passed_over_is_refused(tmp_path: Path) -> None:
    """A model beside a paper's tables, or a column of no file, is a slip: nothing is drawn."""
    out, paper = tmp_path / "out", ("--published", "kmetbench")
    for name, options in (("RUN", ["gpt-5.2"]), ("--study", ["--study", "a"]), ("--by", ["--by", "part"])):
        assert f"{name}: means nothing beside --published" in failure(ConfigError, out, *options, *paper)
    assert "--common" in failure(ConfigError, out, "--common", *paper)
    assert "without --others" in failure(ConfigError, out, "--lower-is-better", "loss", *paper)
    assert not out.exists()


def test_a_file_of_other_models_is_a_reason(tmp_path: Path) -> None:
    """Names that are written otherwise would leave the heatmap blank: the figure is not drawn, and that is why."""
    others = tmp_path / "others.csv"
    others.write_text("model,KMMLU\nGPT 5.2,1\nQwen 3,2\n", encoding="utf-8")
    options = ("--published", "kmetbench", "--only", "orthogonality", "--others", others)
    assert "has none of these models" in failure(ConfigError, tmp_path / "out", *options)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """A file stands where the folder should be: nothing is written beside it."""
    (tmp_path / "out").write_text("mine")
    assert "cannot be written" in failure(
        ConfigError, tmp_path / "out", "--published", "kmetbench", "--only", "gpu-hours", "--format", "svg"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_when_nothing_can_be_drawn_the_reasons_are_the_error(tmp_path: Path) -> None:
    """Asked for one figure that the tables have no numbers for, the command fails and writes nothing."""
    assert "slope" in failure(ConfigError, tmp_path / "out", "--published", "kmetbench", "--only", "slope")
    assert not (tmp_path / "out").exists()


def test_the_list_names_every_figure() -> None:
    """In both languages, without a store or a folder."""
    for language in ("en", "ko"):
        done = run("figures", "--list", "--language", language)
        assert [line.split()[0] for line in done.stdout.splitlines()] == list(FigureName)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without Altair the command says which extra to install, before it reads anything."""
    monkeypatch.setitem(sys.modules, "altair", None)
    done = run("figures", tmp_path, "--published", "kmetbench")
    assert isinstance(done.exception, MissingExtraError)
    assert ".[figures]" in str(done.exception)
