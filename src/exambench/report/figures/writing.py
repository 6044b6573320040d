"""Figures as files in a folder: everything is drawn before anything is written, and each file appears whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from exambench.errors import ConfigError, Finding
from exambench.report.figures.figure import Figure
from exambench.report.figures.fonts import Font
from exambench.report.figures.rendering import FileFormat, prepare


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one figure.

    Attributes:
        stem: Name of its files without the ending.
        title: What it shows, in its first line.
        files: Names of its files.
        replaced: Signs that the font does not have.
    """

    stem: str
    title: str
    files: tuple[str, ...]
    replaced: frozenset[str]


def write_figures(
    folder: Path, figures: Iterable[tuple[str, Figure]], formats: Sequence[FileFormat], font: Font
) -> tuple[Written, ...]:
    """Write figures and the numbers behind them: ``STEM.pdf``, ``STEM.svg``, ``STEM.png``, ``STEM.csv``.

    Args:
        folder: Where to; made if it is not there. Files of the same names are replaced, others stay.
        figures: Stems and figures.
        formats: In which formats to draw; the CSV comes always.
        font: What to draw with.

    Raises:
        ConfigError: The folder cannot be written to.
    """
    content: dict[str, bytes] = {}
    written = []
    for stem, figure in figures:
        drawing = prepare(figure, font)
        files = {f"{stem}.{each}": drawing.bytes_in(each) for each in formats}
        files[f"{stem}.csv"] = figure.csv().encode("utf-8", "replace")
        content |= files
        written.append(Written(stem, figure.title, tuple(files), drawing.replaced))
    _write(folder, content)
    return tuple(written)


def _write(folder: Path, content: Mapping[str, bytes]) -> None:
    """Write all files beside their places before the first is put in its place: a full disk leaves older ones alone."""
    partial = {name: folder / f".{name}.{os.getpid()}.part" for name in content}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            for name, data in content.items():
                partial[name].write_bytes(data)
            for name, path in partial.items():
                path.replace(folder / name)
        finally:
            for path in partial.values():
                path.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(
            Finding(
                problem=f"the figures cannot be written: {error.strerror or error}",
                file=str(folder),
                remedy="Name a folder that can be written to",
            )
        ) from error
