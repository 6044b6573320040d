"""A canary from the command line: written into data, found in what a model wrote, not found where none wrote it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError, DataError
from tests.support.chat_server import Script, completion, serve
from tests.support.exams import write_exam
from tests.support.sittings import number_of, right


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def write(*arguments: str | Path) -> list[str]:
    """Write a canary and return the lines that were printed."""
    return exambench("contamination", "canary", "write", *arguments).stdout.splitlines()


def search(store: Path, *arguments: str | Path) -> Any:
    """Search, and return the report as JSON."""
    return json.loads(exambench("contamination", "canary", "search", *arguments, "--store", store, "--json").stdout)


def sit(data: Path, store: Path, script: Script) -> None:
    """Put an exam to a model."""
    with serve(script) as server:
        model = f"tester@{server.base_url}"
        exambench("run", "--benchmark", "kmetbench", "--data", data, "--model", model, "--store", store)


def test_a_marked_exam_is_the_same_exam(tmp_path: Path) -> None:
    """Its content hash does not change, no model is shown the canary, and no field is unknown."""
    plain = write_exam(tmp_path, 3)
    first, path = write(plain, "--out", tmp_path / "marked", "--seed", "1")
    assert first.endswith("(from the seed 1)")
    told = exambench("check", path, "--benchmark", "kmetbench")
    assert "canary" not in told.stdout + told.stderr
    shown = [
        json.loads(
            exambench(
                *("run", "--benchmark", "kmetbench", "--data", data, "--model", "m@http://127.0.0.1:9/v1", "--dry-run")
            ).stdout
        )
        for data in (plain, Path(path))
    ]
    assert shown[0] == shown[1]


def test_a_model_that_writes_it_is_found_and_others_are_not(tmp_path: Path) -> None:
    """One writes the whole of it, one the first nine digits; a third answers the exam."""
    data = write_exam(tmp_path, 3)
    guid = write(data, "--seed", "5")[0].split()[1].rstrip(":")
    store = tmp_path / "r.db"

    def remembers(call: Any) -> Any:
        return completion({1: f"canary {guid.upper()}", 2: guid[:10]}.get(number_of(call), "2"))

    sit(data, store, remembers)
    found = search(store, "--canary", guid)
    (outputs,) = found["searched"]
    assert (found["found"], outputs["whole"], outputs["beginning"], outputs["outputs"]) == (True, 1, 1, 3)
    assert [(hit["item"], hit["digits"]) for hit in outputs["hits"]] == [("1", 32), ("2", 9)]
    clean = tmp_path / "clean.db"
    sit(data, clean, right)
    assert search(clean, "--file", data)["found"] is False


def test_every_form_says_the_same(tmp_path: Path) -> None:
    """Terminal, Markdown, CSV."""
    data = write_exam(tmp_path, 1)
    guid = write(data, "--seed", "5")[0].split()[1].rstrip(":")
    store = tmp_path / "r.db"
    sit(data, store, lambda _: completion(guid))
    common: list[str | Path] = ["contamination", "canary", "search", "--canary", guid, "--store", store]
    for page in (exambench(*common).stdout, exambench(*common, "--markdown").stdout):
        assert "it has read the marked data" in page
    (row,) = csv.DictReader(io.StringIO(exambench(*common, "--csv").stdout))
    assert (row["whole"], row["longest_digits"]) == ("1", "32")


def test_one_file_that_cannot_be_marked_keeps_all_unmarked(tmp_path: Path) -> None:
    """Every fault is named, and no file is touched."""
    good, bad = write_exam(tmp_path, 1), tmp_path / "bad.json"
    bad.write_text("[3]", encoding="utf-8")
    before = good.read_bytes()
    with pytest.raises(DataError, match=r"bad\.json: cannot be marked: a record is no object"):
        write(good, bad)
    assert good.read_bytes() == before
    assert not list(tmp_path.glob(".*.part"))


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file that it points to is marked; named by both names it is refused, and a folder is no file."""
    real, link, folder = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "c.txt"
    real.write_text("기상\n", encoding="utf-8")
    link.symlink_to(real)
    folder.mkdir()
    with pytest.raises(DataError, match="written twice") as error:
        write(real, link, folder)
    assert "Is a directory" in str(error.value)
    write(link)
    assert link.is_symlink()
    assert "EXAMBENCH-CANARY" in real.read_text(encoding="utf-8")


def test_there_must_be_a_canary_to_look_for(tmp_path: Path) -> None:
    """A GUID, a canary, or a file with one."""
    with pytest.raises(ConfigError, match="there is no canary in it"):
        search(tmp_path / "r.db", "--canary", "hello")
    with pytest.raises(ConfigError, match="name a canary, or a file that has one"):
        search(tmp_path / "r.db")
