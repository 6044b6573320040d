"""Sheets of items with pictures from the command line: in the XLSX files where their folder is known."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image as Pixels
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ImageError
from exambench.items import EXPLICIT, Benchmark, Image
from exambench.store import open_store
from tests.judging.examples import answer, exam, sit, verdict_text
from tests.support.chat_server import always, completion, serve

RUBRIC = Path(__file__).parents[2] / "src/exambench/benchmarks/kmetbench/rubric.toml"


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def pictured(folder: Path) -> Benchmark:
    """Return an exam of three items, the first of which shows a chart, and write the chart."""
    folder.mkdir()
    Pixels.new("RGB", (40, 30), (0, 80, 160)).save(folder / "일기도.png")
    plain = exam(3)
    first = plain.items[0]
    old = first.wordings[EXPLICIT]
    wording = replace(old, question=replace(old.question, images=(Image("일기도.png"),)))
    return replace(plain, items=(replace(first, wordings={EXPLICIT: wording}), *plain.items[1:]), image_root=folder)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A judged run of that exam; the pictures lie in ``charts`` beside the store."""
    path = tmp_path / "r.db"
    with open_store(str(path)) as results:
        texts = {str(item): answer(item) for item in (1, 2, 3)}
        run = sit(results, pictured(tmp_path / "charts"), texts, images=True)
    with serve(always(completion(verdict_text()))) as server:
        judge: list[str | Path] = ["--judge", f"judge@{server.base_url}", "--rubric", RUBRIC, "--store", path]
        assert exambench("judge", run.run_id, *judge).exit_code == 0
    return path


def sample(store: Path, out: Path, *more: str | Path) -> Result:
    """Draw all three answers for one person."""
    how: list[str | Path] = ["--judge", "judge", "--sampling", "random", "--raters", "kim", "--store", store]
    return exambench("meta", "sample", out, *how, *more)


def media(path: Path) -> list[str]:
    """Return the pictures in a workbook."""
    with zipfile.ZipFile(path) as book:
        return [name for name in book.namelist() if name.startswith("xl/media/")]


def test_pictures_stand_in_the_workbook_and_paths_in_the_csv(store: Path, tmp_path: Path) -> None:
    """The folder is named; nothing is warned of."""
    done = sample(store, tmp_path / "out", "--images", tmp_path / "charts")
    assert (done.exit_code, done.stderr) == (0, "")
    assert len(media(tmp_path / "out" / "scores-kim.xlsx")) == 1
    text = (tmp_path / "out" / "scores-kim.csv").read_text(encoding="utf-8-sig")
    assert "[그림: 일기도.png]" in text
    assert "그림 1" not in text


def test_a_folder_that_nobody_named_is_asked_for(store: Path, tmp_path: Path) -> None:
    """The sheets are written with paths, and a warning says how pictures get in; CSV alone needs none."""
    done = sample(store, tmp_path / "out")
    assert done.exit_code == 0
    assert "--images DIR" in done.stderr
    assert media(tmp_path / "out" / "scores-kim.xlsx") == []
    assert sample(store, tmp_path / "other", "--csv-only").stderr == ""


def test_a_wrong_folder_is_an_error_before_anything_is_written(store: Path, tmp_path: Path) -> None:
    """No sheet without its picture, and no study without its sheets."""
    with pytest.raises(ImageError, match="there is no such picture"):
        sample(store, tmp_path / "out", "--images", tmp_path)
    assert not (tmp_path / "out").exists()
