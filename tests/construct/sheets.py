"""Sheets of what a stage proposed, taken out, filled in and brought back by the command line."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import openpyxl
from typer.testing import CliRunner

from exambench.cli.app import app

Row = dict[str, str]


def exambench(*arguments: str | Path) -> str:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    done = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def read_csv(path: Path) -> list[Row]:
    """Return the rows of a sheet."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def decided(folder: Path, change: Callable[[Row], None], stage: str = "explicit", suffix: str = "csv") -> str:
    """Take the sheet of a stage out, fill it in, and bring it back."""
    sheet = folder / f"sheet.{suffix}"
    sheet.unlink(missing_ok=True)
    exambench("build", "proposals", stage, "--project", folder, "--out", sheet)
    fill_in = _fill_in_xlsx if suffix == "xlsx" else _fill_in_csv
    fill_in(sheet, change)
    return exambench(
        "build", "decide", sheet, "--stage", stage, "--project", folder, "--out", folder / "decisions.json"
    )


def _fill_in_csv(sheet: Path, change: Callable[[Row], None]) -> None:
    rows = read_csv(sheet)
    for row in rows:
        change(row)
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _fill_in_xlsx(sheet: Path, change: Callable[[Row], None]) -> None:
    book = openpyxl.load_workbook(sheet)
    table = book.worksheets[0]
    header, *rows = table.iter_rows()
    for cells in rows:
        row = {str(name.value): str(cell.value or "") for name, cell in zip(header, cells, strict=True)}
        change(row)
        for name, cell in zip(header, cells, strict=True):
            cell.value = row[str(name.value)]
    book.save(sheet)
