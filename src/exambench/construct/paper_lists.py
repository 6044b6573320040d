"""Lists of papers in CSV, XLSX, TOML, YAML or JSON: read whole, and refused with every fault named."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from exambench.configuration import read_ordinary, read_table, validate
from exambench.construct.table_cells import TABLES, cells_of
from exambench.errors import DataError, Finding, listed, show
from exambench.parsing.unicode import normal_form
from exambench.text import strange_in

LICENCES: Final = Path(__file__).with_name("licences.toml")
PAPERS: Final = "papers"
FIELDS: Final = ("file", "title", "journal", "year", "citations", "licence", "category", "language")
"""What a list says of each paper; an ``id`` is the name of its file without the suffix unless it is given."""
YEARS: Final = range(1600, 2101)
MOST_PAPERS: Final = 100_000
MOST_CITATIONS: Final = 10_000_000
LONGEST: Final = 1_000
_IDENTIFIER: Final = re.compile(r"\w[\w.-]{0,79}")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
_WHOLE: Final = re.compile(r"([0-9]{1,9})(?:\.0+)?")
"""A whole number; tables in which one is missing are written with all of them as 14.0."""


@dataclass(frozen=True, slots=True)
class Paper:
    """What a list says of a paper.

    Attributes:
        id: Identifier, unique in the list.
        row: Where it stands in the list, counted as the file counts.
        file: Path of its text, relative to the folder of papers.
        title: Its title.
        journal: Where it was published.
        year: When.
        citations: How often it is cited.
        licence: SPDX identifier of its licence.
        category: The category that it counts towards.
        language: ISO 639 code of its language.
    """

    id: str
    row: str
    file: Path
    title: str
    journal: str
    year: int
    citations: int
    licence: str
    category: str
    language: str

    @property
    def source(self) -> str:
        """Where a text of it was taken from, for people."""
        return f"{self.title}. {self.journal}, {self.year}. {self.licence}."


class Licences(BaseModel):
    """Licences that are known.

    Attributes:
        licences: Other ways to write each, by its SPDX identifier.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    licences: dict[str, list[str]]

    def find(self, text: str) -> str | None:
        """Return the identifier of a licence, however it is written; ``None`` where it is not known."""
        names = {_bare(name): key for key, others in self.licences.items() for name in (key, *others)}
        return names.get(_bare(text))


def read_licences(path: Path = LICENCES) -> Licences:
    """Read which licences are known; a list ships.

    Raises:
        ConfigError: The file is something else.
    """
    return validate(Licences, read_table(path), str(path))


def read_papers(path: Path, licences: Licences, *, reference_year: int | None = None) -> tuple[Paper, ...]:
    """Read a list of papers.

    Args:
        path: CSV, TSV or XLSX with a header; or TOML, YAML or JSON with a list ``papers``; or JSON that is one.
        licences: Those that are known.
        reference_year: A year that none of them lies after.

    Raises:
        ConfigError: A TOML or YAML file cannot be read.
        DataError: The list cannot be read, or an entry cannot be used; every fault of every entry is a finding.
        MissingExtraError: It is an XLSX file, and the extra ``sheets`` is not installed.
    """
    entries = _entries(path)
    if not entries or len(entries) > MOST_PAPERS:
        raise DataError(
            Finding(
                f"lists {len(entries)} papers", file=str(path), allowed=f"1 to {MOST_PAPERS:,}", remedy="Correct it"
            )
        )
    papers: list[Paper] = []
    findings: list[Finding] = []
    seen: dict[str, str] = {}
    for row, entry in entries:
        reader = _EntryReader(str(path), row, entry)
        paper = reader.paper(licences, reference_year)
        if paper is not None and paper.id in seen:
            reader.fault(
                "id", f"is that of {seen[paper.id]} too", paper.id, "identifiers that stand once", "Give it an id"
            )
        findings += reader.findings
        if paper is not None:
            seen.setdefault(paper.id, row)
            papers.append(paper)
    if findings:
        raise DataError(*findings)
    return tuple(papers)


class _EntryReader:
    """Reads one entry, and keeps what is wrong with it."""

    def __init__(self, file: str, row: str, entry: Mapping[str, object]) -> None:
        self._file = file
        self._row = row
        self._entry = entry
        self.findings: list[Finding] = []

    def fault(self, field: str, problem: str, value: object, allowed: str, remedy: str = "Correct the list") -> None:
        self.findings.append(
            Finding(
                problem,
                file=self._file,
                item=self._row,
                field=field,
                value=None if value in {None, ""} else show(value),
                allowed=allowed,
                remedy=remedy,
            )
        )

    def paper(self, licences: Licences, reference_year: int | None) -> Paper | None:
        """Return the paper; ``None`` where anything is wrong."""
        years = YEARS if reference_year is None else range(YEARS.start, reference_year + 1)
        file = Path(self._text("file"))
        if file.is_absolute() or ".." in file.parts:
            self.fault("file", "leads out of the folder of papers", str(file), "a path inside of it")
        found = {name: self._text(name) for name in ("title", "journal", "category", "language")}
        if found["language"] and not _LANGUAGE.fullmatch(found["language"]):
            self.fault("language", "is no code of a language", found["language"], "ISO 639 codes, such as ko and en")
        identifier = self._optional("id") or file.stem
        if identifier and not _IDENTIFIER.fullmatch(identifier):
            self.fault("id", "cannot be an identifier", identifier, "80 letters, digits, dots, hyphens and underscores")
        paper = Paper(
            id=identifier,
            row=self._row,
            file=file,
            year=self._number("year", years),
            citations=self._number("citations", range(MOST_CITATIONS)),
            licence=self._licence(licences),
            **found,
        )
        return None if self.findings else paper

    def _optional(self, name: str) -> str:
        value = self._entry.get(name)
        text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
        return " ".join(normal_form("NFC", text[: 2 * LONGEST]).split())

    def _text(self, name: str) -> str:
        text = self._optional(name)
        if not text or len(text) > LONGEST:
            problem = "is missing" if not text else "is too long"
            self.fault(name, problem, text, f"a text of at most {LONGEST:,} characters")
        elif strange_in(text):
            self.fault(name, "has characters that no text has", text, "text without controls")
        return text

    def _number(self, name: str, allowed: range) -> int:
        text = self._optional(name).replace(",", "")
        match = _WHOLE.fullmatch(text)
        number = None if match is None else int(match[1])
        if number is None or number not in allowed:
            problem = "is missing" if not text else "is no number that can be"
            self.fault(name, problem, text, f"a whole number from {allowed.start} to {allowed.stop - 1}")
        return number or 0

    def _licence(self, licences: Licences) -> str:
        text = self._text("licence")
        found = licences.find(text)
        if text and found is None:
            self.fault(
                "licence",
                "is no licence that is known",
                text,
                listed(licences.licences),
                "Write its SPDX identifier, or add it to a file of your own: known_licences = …",
            )
        return found or ""


def _entries(path: Path) -> list[tuple[str, Mapping[str, object]]]:
    """Return the entries of a list with the names of their places."""
    suffix = path.suffix.lower()
    if suffix in TABLES:
        return _rows(path)
    value: Any = _json(path) if suffix == ".json" else read_table(path)
    entries = value.get(PAPERS) if isinstance(value, dict) else value
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise DataError(
            Finding(
                "holds no list of papers", file=str(path), field=PAPERS, allowed="a list of tables", remedy="Correct it"
            )
        )
    return [(f"paper {number}", entry) for number, entry in enumerate(entries, start=1)]


def _rows(path: Path) -> list[tuple[str, Mapping[str, object]]]:
    cells = cells_of(path)
    header = [cell.strip().lower() for cell in cells[0]] if cells else []
    missing = [name for name in FIELDS if name not in header]
    repeated = {name for name in header if name and header.count(name) > 1}
    if missing or repeated:
        what = f"has no column {listed(missing)}" if missing else f"has a column twice: {listed(sorted(repeated))}"
        raise DataError(
            Finding(what, file=str(path), value=show(listed(header)), allowed=f"{listed(FIELDS)}; id", remedy="Add it")
        )
    return [
        (f"row {number}", dict(zip(header, row, strict=False)))
        for number, row in enumerate(cells[1:], start=2)
        if any(cell.strip() for cell in row)
    ]


def _json(path: Path) -> object:
    try:
        found: object = json.loads(read_ordinary(path).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        problem = f"cannot be read: {' '.join(str(error).split())}"
        raise DataError(Finding(problem, file=str(path), allowed="JSON", remedy="Correct the file")) from error
    return found


def _bare(text: str) -> str:
    return re.sub(r"[\s_.-]+", "", normal_form("NFC", text)).casefold()
