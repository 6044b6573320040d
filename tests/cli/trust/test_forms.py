"""What ``exambench trust`` prints: the same figures in every form, and tables that fit."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.support.chat_server import serve
from tests.support.judges import (
    FAMILIES,
    PROBES,
    Shelf,
    by_length,
    exambench,
    indifferent,
    probe,
    scores,
    total,
)


@pytest.fixture(scope="module")
def panel(unjudged: Shelf, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Two of the models, judged twice by each of three judges with noise; for tests that only look."""
    shelf = Shelf(Path(shutil.copy(unjudged.store, tmp_path_factory.mktemp("panel") / "r.db")), unjudged.runs[:2])
    for name in ("하나", "둘", "셋"):
        shelf.judge(scores(indifferent), "--trials", "2", name=name)
    return shelf


@pytest.mark.parametrize("columns", [80, 100])
def test_every_table_fits_the_terminal_and_ends_in_plain_words(panel: Shelf, columns: int) -> None:
    """No line is wider; no number is folded; the last section is a sentence."""
    with serve(scores(indifferent)) as server:
        commands: list[list[object]] = [
            ["consistency", "--store", panel.store],
            ["length", "--store", panel.store],
            ["self-preference", *FAMILIES, "--store", panel.store],
            *([kind, panel.runs[0], *panel.options(server)] for kind in PROBES),
        ]
        for command in commands:
            shown = exambench("trust", *command, "--resamples", "50", columns=columns).stdout
            assert max(map(cell_len, shown.splitlines())) <= columns
            assert shown.split("In plain words")[1].count("judge" if command[0] in PROBES else "하나") == 1
            assert len(re.findall(r"[−+]?\d\.\d\d to [−+]?\d\.\d\d", shown)) >= 5


@pytest.mark.parametrize(
    ("command", "quantity", "more"),
    [
        ("consistency", "mean_sd", ()),
        ("length", "points_per_doubling", ()),
        ("self-preference", "preference", FAMILIES),
    ],
)
def test_csv_and_markdown_have_the_figures_of_json(
    panel: Shelf, command: str, quantity: str, more: tuple[str, ...]
) -> None:
    """CSV in full, Markdown rounded; what does not exist is empty in CSV."""
    common = [*more, "--resamples", "50", "--store", panel.store]
    document = json.loads(exambench("trust", command, *common, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(exambench("trust", command, *common, "--csv").stdout)))
    markdown = exambench("trust", command, *common, "--markdown").stdout
    expected = [each["estimate"] for each in values_of(document, quantity)]
    found = [row["estimate"] for row in rows if row["quantity"] == quantity]
    assert sorted(found) == sorted("" if value is None else str(value) for value in expected)
    assert any(f"{abs(value):.2f}" in markdown for value in expected if value)
    assert "## In plain words" in markdown


def test_a_probe_has_the_same_figures_in_every_form(shelf: Shelf) -> None:
    """CSV in full, the terminal and Markdown rounded, and nothing is asked for the sake of a form."""
    with serve(scores(by_length)) as server:
        report = probe(shelf, "padding", server)
        seen = len(server.calls)
        options = [shelf.runs[0], *shelf.options(server)]
        rows = list(csv.DictReader(io.StringIO(exambench("trust", "padding", *options, "--csv").stdout)))
        pages = [exambench("trust", "padding", *options, *form).stdout for form in ((), ("--markdown",))]
        assert len(server.calls) == seen
    assert [float(row["estimate"]) for row in rows] == [each["estimate"] for each in report["effects"]]
    assert all(f"{total(report)['estimate']:+.2f}" in page for page in pages)


def values_of(document: Any, quantity: str) -> list[Any]:
    """Return every value under a key, anywhere in a JSON document."""
    if isinstance(document, dict):
        own = [document[quantity]] if quantity in document else []
        return own + [found for value in document.values() for found in values_of(value, quantity)]
    return [found for value in document for found in values_of(value, quantity)] if isinstance(document, list) else []
