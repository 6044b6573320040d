"""Items of a paper in PDF or HTML: what stands on its pages, put together with the right answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from exambench.construct.answer_keys import Keys, KeyTables, key_tables_in, merged, split_at_keys
from exambench.construct.checked import Place, details_of, with_contents
from exambench.construct.conventions import convention_of
from exambench.construct.cuttings import Cuttings, Source
from exambench.construct.figures import is_scan
from exambench.construct.formulas import mark_of
from exambench.construct.html_pages import read_html
from exambench.construct.ingest_gaps import source_of
from exambench.construct.ingest_result import Made, Paper, name_of_draft, reading_of
from exambench.construct.ingest_settings import IngestSettings
from exambench.construct.ingest_tables import read_key_table
from exambench.construct.joining import clean
from exambench.construct.layout import Element, Layout, layout_of
from exambench.construct.numbering import streams_of
from exambench.construct.pages import Page
from exambench.construct.pdf_reading import Pdf, open_pdf
from exambench.construct.questions import Draft, Part, draft_of
from exambench.construct.reading_result import Reading
from exambench.construct.scanning import recognise
from exambench.construct.stage import Context
from exambench.construct.table_cells import TABLES
from exambench.errors import DataError, Finding
from exambench.items import EXPLICIT, ChoiceKey, Content, FacetValue, Image, Item, Wording

HTML: Final = frozenset({".html", ".htm", ".xhtml"})
DOUBT: Final = 0.7
"""What one doubt leaves of an item's confidence."""


def read_pdf_paper(path: Path, settings: IngestSettings, context: Context) -> Reading:
    """Read the items of a PDF file.

    Raises:
        ConfigError: It is a scan, and Tesseract is not installed.
        DataError: It cannot be read, or has no text and no picture of a page.
        MissingExtraError: The extra ``construct`` is not installed.
    """
    with open_pdf(path) as pdf:
        return _assembled(_pdf_paper(pdf, settings, context), settings, context)


def read_html_paper(path: Path, settings: IngestSettings, context: Context) -> Reading:
    """Read the items of a page of HTML.

    Raises:
        DataError: It cannot be read.
        ImageError: A picture is missing or broken.
    """
    page = read_html(path)
    return _assembled(_with_keys(page.layout, page, (), settings), settings, context)


def read_keys(path: Path, settings: IngestSettings, signs: Mapping[str, int]) -> KeyTables:
    """Read the right answers from a file of their own.

    Args:
        path: The file.
        settings: Of the stage; ``heading`` tells parts.
        signs: Signs that name options besides digits, and which.

    Raises:
        DataError: It cannot be read, or has none.
        MissingExtraError: The extra that reads it is not installed.
    """
    if path.suffix.lower() in TABLES:
        return read_key_table(path, re.compile(settings.heading), signs)
    with open_pdf(path) as pdf:
        pages = tuple(pdf.pages())
        scanned = [page for page in pages if is_scan(page)]
        if scanned:
            raise DataError(
                Finding(
                    "is a scan, and a table of right answers is not read from a scan of its own",
                    file=str(path),
                    remedy="Type it as a CSV file with the columns number and answer",
                )
            )
        elements = layout_of(pages, columns=1).elements
        keys = key_tables_in(elements, re.compile(settings.heading), signs)
    if not keys.whole.answers:
        raise DataError(
            Finding(
                "holds no table of right answers",
                file=str(path),
                allowed="numbers of items beside or above their answers",
                remedy="Name another file, or type it as a CSV file with the columns number and answer",
            )
        )
    return keys


def _pdf_paper(pdf: Pdf, settings: IngestSettings, context: Context) -> Paper:
    first, last = settings.pages or (1, len(pdf))
    pages = tuple(page for page in pdf.pages() if first <= page.number <= last)
    scanned = tuple(page for page in pages if is_scan(page))
    if scanned:
        scan = recognise(pdf, pages, scanned, settings.count, context.on_progress)
        layout = _laid_out(scan.pages, settings, pdf.path)
        return _with_keys(layout, scan, tuple(page.number for page in scanned), settings)
    if not any(not glyph.text.isspace() for page in pages for glyph in page.glyphs):
        raise DataError(
            Finding(
                "has neither text nor pictures of pages",
                file=str(pdf.path),
                value=f"{len(pages)} pages",
                remedy="Check the file, and the setting pages",
            )
        )
    return _with_keys(_laid_out(pages, settings, pdf.path), pdf, (), settings)


def _laid_out(pages: Sequence[Page], settings: IngestSettings, path: Path) -> Layout:
    layout = layout_of(pages, settings.columns, re.compile(settings.heading))
    if settings.columns not in {"auto", layout.columns}:
        raise DataError(
            Finding(
                f"has no blanks between {settings.columns} columns of text",
                file=str(path),
                field="columns",
                value=str(settings.columns),
                allowed="the number of its columns, or auto",
                remedy="Correct the setting, or choose pages that are laid out so with the setting pages",
            )
        )
    return layout


def _with_keys(layout: Layout, source: Source, scanned: tuple[int, ...], settings: IngestSettings) -> Paper:
    heading = re.compile(settings.heading)
    body, table = split_at_keys(layout.elements, heading)
    convention = convention_of(body, heading, settings.marks, settings.count)
    signs = convention.options.style.key_signs
    own: list[KeyTables] = []
    if convention.starts_anew:
        body, own = _without_own_keys(body, heading, signs)
        convention = convention_of(body, heading, settings.marks, settings.count)
    last = list(streams_of(body, heading))[-1] if own else None
    keys = merged([*own, key_tables_in(table, heading, signs, last)])
    drafts = tuple(draft_of(section, layout, convention.options) for section in convention.sections)
    return Paper(drafts, convention, keys, layout, source, scanned)


def _without_own_keys(
    body: Sequence[Element], heading: re.Pattern[str], signs: Mapping[str, int]
) -> tuple[tuple[Element, ...], list[KeyTables]]:
    """Return a paper without the key tables at the ends of its parts, and these."""
    rest: list[Element] = []
    found = []
    for part, stream in streams_of(body, heading).items():
        items, table = split_at_keys(stream)
        rest += items
        if table:
            found.append(key_tables_in(table, heading, signs, part))
    return tuple(rest), found


def _assembled(paper: Paper, settings: IngestSettings, context: Context) -> Reading:
    tables = paper.keys
    if settings.keys is not None:
        tables = read_keys(context.folder / settings.keys, settings, paper.convention.options.style.key_signs)
    keys = {part: tables.of(part, starts_anew=paper.convention.starts_anew) for part in {d.part for d in paper.drafts}}
    cuttings = Cuttings(paper.source, context.pictures, settings.dpi)
    made = []
    for done, draft in enumerate(paper.drafts, start=1):
        made.append((draft, _made(draft, keys[draft.part], cuttings, settings, name_of_draft(draft, paper, settings))))
        context.on_progress(done, len(paper.drafts))
    return reading_of(made, paper, tables, settings)


def _made(draft: Draft, keys: Keys, cuttings: Cuttings, settings: IngestSettings, name: str) -> Made:
    stem, options = _content(draft.stem, cuttings), tuple(_content(option, cuttings) for option in draft.options)
    faults, doubts = list(draft.faults), list(draft.doubts)
    answers = keys.answers.get(draft.number, ())
    if len(answers) != 1:
        faults.append("no right answer was found" if not answers else "several answers are named as right")
    elif answers[0] > len(options):
        faults.append("the right answer is none of its options")
    if draft.number in keys.conflicts:
        faults.append("the key table has two answers")
    if draft.number in keys.doubtful:
        doubts.append("its right answer was read uncertainly")
    confidence = 0.0 if faults else round(draft.confidence * DOUBT ** len(doubts), 4)
    facets, source = _facets(draft, settings), _source(draft, settings, name)
    details = {}
    if faults or doubts:
        place = Place(
            answers=tuple(answers),
            facets=facets,
            source=source,
            regions=tuple((cuttings.region(region).path, region.page) for region in draft.regions if region.page),
            is_item=not faults,
        )
        details = {"confidence": confidence, **details_of(with_contents(place, stem, options))}
    item = None
    if not faults:
        item = Item(
            id=name,
            wordings={EXPLICIT: Wording(stem, options)},
            key=ChoiceKey(answers[0]),
            facets=facets,
            source=source,
        )
    return Made(name, item, (*faults, *doubts), confidence, details)


def _content(part: Part, cuttings: Cuttings) -> Content:
    """Return text with marks for formulas, and the pictures: figures first, then formulas."""
    figures = [cuttings.figure(figure) for figure in part.figures]
    formulas: list[Image] = []
    text: list[str] = []
    for piece in part.text.pieces:
        if isinstance(piece, str):
            text.append(piece.replace("⟦", "[").replace("⟧", "]"))
        else:
            formulas.append(cuttings.formula(piece))
            text.append(mark_of(formulas[-1]))
    return Content(clean("".join(text)), tuple(dict.fromkeys([*figures, *formulas])))


def _facets(draft: Draft, settings: IngestSettings) -> dict[str, FacetValue]:
    part = settings.part if draft.part is None else draft.part
    figures = bool(draft.stem.figures) or any(option.figures for option in draft.options)
    facets: dict[str, FacetValue] = {} if part is None else {"part": part}
    return facets | {"modality": "image" if figures else "text"} | settings.facets


def _source(draft: Draft, settings: IngestSettings, name: str) -> str:
    page = draft.regions[0].page
    return source_of(name, page, settings)
