"""The stage ``ingest``: items of a paper, each with how far its reading can be trusted, and what people say of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from exambench.construct.checked import read_checked
from exambench.construct.ingest_decided import settled
from exambench.construct.ingest_paper import HTML, read_html_paper, read_keys, read_pdf_paper
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.ingest_tables import read_table_paper
from exambench.construct.reading_result import Reading
from exambench.construct.records import StageResult
from exambench.construct.signs import LETTERS
from exambench.construct.stage import Context, StageKind
from exambench.construct.table_cells import TABLES
from exambench.errors import DataError, Finding
from exambench.items import Item


def ingest(items: tuple[Item, ...], settings: IngestSettings, context: Context) -> StageResult:
    """Add the items of a paper to those that there are.

    What cannot be an item as it was read, and what is doubtful, becomes a change for review with a picture of its
    place; so does a number that is missing. What people decided about one of these is done.

    Raises:
        ConfigError: A decision is none, or cannot be carried out.
        DataError: The paper or the file of keys cannot be read, has no items, or has an identifier that is taken.
        MissingExtraError: The extra ``construct`` (PDF) or ``sheets`` (XLSX) is not installed.
    """
    path = context.folder / settings.paper
    reading = _read(path, settings, context)
    if not reading.items and not reading.changes:
        raise DataError(
            Finding(
                "no numbered items were found",
                file=str(path),
                remedy="Check the file, and the settings pages, columns and first",
            )
        )
    decisions = None if settings.decisions is None else context.folder / settings.decisions
    checked = {} if decisions is None else read_checked(decisions)
    new, changes, facts = settled(reading, checked, settings.facets, str(decisions))
    known = {item.id for item in items}
    taken = [item.id for item in new if item.id in known]
    if taken:
        raise DataError(
            *(
                Finding(
                    "the identifier is that of an item of an earlier stage",
                    file=str(path),
                    item=name,
                    field="id",
                    remedy="Give this stage a prefix of its own",
                )
                for name in taken
            )
        )
    return StageResult((*items, *new), changes, facts)


def _read(path: Path, settings: IngestSettings, context: Context) -> Reading:
    suffix = path.suffix.lower()
    if suffix not in TABLES:
        return read_html_paper(path, settings, context) if suffix in HTML else read_pdf_paper(path, settings, context)
    keys = None if settings.keys is None else read_keys(context.folder / settings.keys, settings, LETTERS)
    return read_table_paper(path, settings, keys)


def _files(settings: IngestSettings) -> Sequence[Path]:
    return [path for path in (settings.paper, settings.keys, settings.decisions) if path is not None]


INGEST: Final = StageKind(IngestSettings, ingest, version=2, files=_files)
