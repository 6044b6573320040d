"""From an examination paper to a release and its exports, by the commands that a person types."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from PIL import Image, ImageChops
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from tests.construct.papers import chart, keys, question, typeset

BUILD: Final = """
name = "small-exam"
title = "A small exam"
licence = "CC-BY-4.0"
seed = 7

[[stages]]
use = "ingest"
paper = "{paper}"
prefix = "a-"
part = 4
last = 4

[[stages]]
use = "dedup"

[[stages]]
use = "shuffle"
"""

STEMS: Final = (
    "그림의 자료에 대한 설명으로 옳은 것은?",
    "해륙풍이 낮에 바다에서 부는 까닭을 고르시오.",
    "해륙풍이 낮에 바다에서 부는 까닭을 고르면?",
    "대기권에서 오존이 가장 많은 층은?",
)
CHOICES: Final = (
    ("푸른 네모이다", "붉은 세모이다", "검은 동그라미이다", "노란 별이다"),
    ("육지가 먼저 데워져서", "바다가 먼저 데워져서", "지구가 자전하여서", "달이 끌어서"),
    ("육지가 먼저 데워져서", "바다가 먼저 데워져서", "지구가 자전하여서", "달이 끌어서"),
    ("대류권", "성층권", "중간권", "열권"),
)
KEYS: Final = "1112"
RIGHT: Final = {"a-1": "푸른 네모이다", "a-2": "육지가 먼저 데워져서", "a-4": "성층권"}
"""Items 2 and 3 are nearly the same, so 3 goes."""


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def write_pdf(folder: Path) -> str:
    """Typeset the paper, and return its name."""
    body = ""
    for number, (stem, choices) in enumerate(zip(STEMS, CHOICES, strict=True), start=1):
        figure = '\n\n#align(center, image("chart.png", width: 40%))' if number == 1 else ""
        options = " \\ ".join(f"{mark} {choice}" for mark, choice in zip("①②③④", choices, strict=True))
        body += question(number, stem + figure, options)
    return typeset(folder, body + keys(KEYS)).name


def write_page(folder: Path) -> str:
    """Write the paper as a web page, and return its name."""
    page = "<ol>"
    for stem, choices in zip(STEMS, CHOICES, strict=True):
        figure = '<p><img src="chart.png"></p>' if stem == STEMS[0] else ""
        page += f"<li>{stem}{figure}<ol>{''.join(f'<li>{choice}</li>' for choice in choices)}</ol></li>"
    cells = "".join(f"<td>{number}</td><td>{'①②③④'[int(key) - 1]}</td>" for number, key in enumerate(KEYS, start=1))
    path = folder / "exam.html"
    path.write_text(f"{page}</ol><p>정답</p><table><tr>{cells}</tr></table>", encoding="utf-8")
    return path.name


@pytest.mark.parametrize("write", [write_pdf, write_page])
def test_a_paper_becomes_a_release_that_other_programs_read(write: Callable[[Path], str], tmp_path: Path) -> None:
    """Four printed items, one a near-duplicate: three in the release, each with its right choice and its picture."""
    project, releases = tmp_path / "project", tmp_path / "releases"
    project.mkdir()
    chart().save(project / "chart.png")
    (project / "build.toml").write_text(BUILD.format(paper=write(project)), encoding="utf-8")

    assert exambench("build", "--project", project).exit_code == 0
    funnel = json.loads(exambench("build", "status", "--project", project, "--json").stdout)
    assert [(row["stage"], row["state"], row["out"]) for row in funnel] == [
        ("ingest", "current", 4),
        ("dedup", "current", 3),
        ("shuffle", "current", 3),
    ]
    assert "near-duplicate" in exambench("build", "lineage", "a-3", "--project", project).stdout

    assert exambench("build", "release", "1.0", "--project", project, "--out", releases).exit_code == 0
    released = releases / "small-exam-1.0"
    checked = exambench("check", "--benchmark", released)
    assert (checked.exit_code, checked.stdout) == (0, "3 usable items, 1 pictures: 0 errors, 0 warnings.\n")

    for form in ("kmetbench", "inspect"):
        assert exambench("export", form, tmp_path / form, "--benchmark", released).exit_code == 0
    entries = json.loads((tmp_path / "kmetbench" / "small-exam.json").read_text(encoding="utf-8"))
    assert {entry["id"]: entry["choices"][entry["answer"] - 1]["text"] for entry in entries} == RIGHT
    assert {entry["part"] for entry in entries} == {4}
    records = [json.loads(line) for line in (tmp_path / "inspect" / "items.jsonl").read_text("utf-8").splitlines()]
    assert {each["id"]: each["choices"]["ABCD".index(*each["target"])] for each in records} == RIGHT
    (picture,) = records[0]["images"]
    with Image.open(tmp_path / "inspect" / "images" / picture) as found:
        assert ImageChops.difference(found.convert("RGB"), chart()).getbbox() is None
