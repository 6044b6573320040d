"""The stage ``collect``: papers of a list that questions may be written about, chosen by rules and quotas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from exambench.benchmarks.scholarbench_format import CATEGORY, TASK
from exambench.construct.collect_settings import CollectSettings
from exambench.construct.draws import Circle
from exambench.construct.generated_items import LANGUAGE, PAPER
from exambench.construct.paper_lists import LICENCES, Licences, Paper, read_licences, read_papers
from exambench.construct.paper_texts import PaperText, is_in_language, read_paper_text
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import Context, StageKind
from exambench.engine.images import find_below
from exambench.errors import ConfigError, DataError, Finding, show
from exambench.items import EXPLICIT, Content, Item, TextKey, Wording

LONGEST_TEXT: Final = 1_000_000
NOT_CHOSEN: Final = "the quota of its category is full"


@dataclass
class _Category:
    """What was taken of one category."""

    quota: int | None
    eligible: int = 0
    taken: int = 0

    @property
    def is_full(self) -> bool:
        return self.quota is not None and self.taken >= self.quota


@dataclass
class _Collected:
    """What was taken, and what was not, so far."""

    texts: dict[str, PaperText] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    categories: dict[str, _Category] = field(default_factory=dict)


def collect(items: tuple[Item, ...], settings: CollectSettings, context: Context) -> StageResult:
    """Add the papers of a list that keep the rules, as many of each category as its quota allows.

    A paper becomes an item whose stem is the title and whose passage is the whole text; ``generate`` asks about it. In
    a category papers are taken in order until the quota is full: the most cited first (of equals the newer one), or as
    drawn. A paper whose text cannot be used is left for people, and the next one takes its place.

    Raises:
        ConfigError: A setting names a licence that there is not, or a file of settings cannot be used.
        DataError: The list or a file of it cannot be read, or an identifier is taken; every fault is a finding.
        MissingExtraError: An optional part that reads a file is not installed.
    """
    path = context.folder / settings.papers
    known = read_licences(LICENCES if settings.known_licences is None else context.folder / settings.known_licences)
    allowed = _allowed(settings, known)
    papers = read_papers(path, known, reference_year=settings.reference_year)
    _check_identifiers(papers, items, path)
    found = _collected(papers, allowed, settings, context)
    if found.findings:
        raise DataError(*found.findings)
    taken = [_item(paper, found.texts[paper.id]) for paper in papers if paper.id in found.texts]
    return StageResult(
        items=(*items, *taken),
        changes=tuple(found.changes),
        facts=_facts(papers, found, settings) | ({"seed": context.seed} if settings.order == "drawn" else {}),
    )


COLLECT: Final = StageKind(
    CollectSettings,
    collect,
    files=lambda settings: [
        path for path in (settings.papers, settings.folder, settings.known_licences) if path is not None
    ],
    shipped=lambda settings, _: digests_of_shipped([LICENCES] if settings.known_licences is None else []),
)


def _collected(
    papers: Sequence[Paper], allowed: frozenset[str], settings: CollectSettings, context: Context
) -> _Collected:
    found = _Collected(categories={name: _Category(quota) for name, quota in settings.quotas.items()})
    ordered = _in_order(papers, settings, context.seed)
    for done, paper in enumerate(ordered, start=1):
        context.on_progress(done, len(ordered))
        category = found.categories.setdefault(paper.category, _Category(settings.quota_of(paper.category)))
        reason = _against(paper, allowed, settings)
        if reason is None:
            category.eligible += 1
            reason = NOT_CHOSEN if category.is_full else None
        if reason is not None:
            found.changes.append(Change(paper.id, Action.NOTED, f"left out: {reason}", _details(paper)))
            continue
        category.taken += _take(paper, found, settings, context)
    order = {paper.id: place for place, paper in enumerate(papers)}
    found.changes.sort(key=lambda change: order[change.item])
    return found


def _take(paper: Paper, found: _Collected, settings: CollectSettings, context: Context) -> bool:
    """Read a paper; tell whether it can be used."""
    path = context.folder / settings.folder / paper.file
    try:
        text = read_paper_text(_place(context.folder / settings.folder, paper.file), settings.end_headings)
    except DataError as error:
        found.findings += [
            Finding(
                f"names a file that {finding.problem}",
                file=str(context.folder / settings.papers),
                item=paper.row,
                field="file",
                value=show(str(path)),
                allowed=finding.allowed,
                remedy=finding.remedy,
            )
            for finding in error.findings
        ]
        return False
    doubt = _doubt(paper, text, settings)
    size = {"characters": len(text.text), **({"pages": text.pages} if text.pages else {})}
    if doubt is not None:
        scanned = {"scanned pages": list(text.scanned)} if text.scanned else {}
        found.changes.append(Change(paper.id, Action.REVIEW, doubt, _details(paper) | size | scanned))
        return False
    cut = {"characters after its end": text.left_out} if text.left_out else {}
    found.texts[paper.id] = text
    found.changes.append(Change(paper.id, Action.ADDED, "taken from the list", _details(paper) | size | cut))
    return True


def _place(folder: Path, file: Path) -> Path:
    """Return where a file of the folder of papers is: archives made on macOS have Hangul names in another form (NFD).

    Raises:
        DataError: It is a link that leads out of the folder.
    """
    try:
        root = folder.resolve(strict=True)
        found = find_below(root, file.parts)
        is_inside = found.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # whoever reads it says what is wrong
        return folder / file
    if not is_inside:
        raise DataError(
            Finding("is a link that leads out of the folder of papers", remedy="Copy the file into the folder")
        )
    return found


def _in_order(papers: Sequence[Paper], settings: CollectSettings, seed: int) -> list[Paper]:
    if settings.order == "drawn":
        by_id = {paper.id: paper for paper in papers}
        return [by_id[name] for name in Circle(by_id, seed, "collect").names]
    return sorted(papers, key=lambda paper: (-paper.citations, -paper.year, paper.id))


def _against(paper: Paper, allowed: frozenset[str], settings: CollectSettings) -> str | None:
    """Return why a paper is left out, by what the list says of it."""
    least = settings.least_year
    if least is not None and paper.year < least:
        return f"published before {least}"
    if paper.citations < settings.least_citations:
        return f"cited less than {settings.least_citations} times"
    if paper.licence not in allowed:
        return f"the licence {paper.licence} is not allowed"
    return None


def _doubt(paper: Paper, text: PaperText, settings: CollectSettings) -> str | None:
    """Return why the text of a paper cannot be used as it was read."""
    if text.scanned:
        return "it has pages that are scanned, and only text is read; recognise it, and list the text file"
    if len(text.text) < settings.shortest:
        return f"its text has fewer than {settings.shortest:,} characters"
    if len(text.text) > LONGEST_TEXT:
        return f"its text has more than {LONGEST_TEXT:,} characters"
    if is_in_language(text.text, paper.language) is False:
        return f"its text is hardly in the language {paper.language} that the list names"
    return None


def _item(paper: Paper, text: PaperText) -> Item:
    return Item(
        id=paper.id,
        wordings={EXPLICIT: Wording(Content(paper.title))},
        key=TextKey(""),
        facets={
            TASK: PAPER,
            CATEGORY: paper.category,
            LANGUAGE: paper.language,
            "year": paper.year,
            "licence": paper.licence,
        },
        source=paper.source,
        passage=text.text,
    )


def _details(paper: Paper) -> dict[str, Any]:
    return {
        "file": paper.file.as_posix(),
        "title": paper.title,
        "journal": paper.journal,
        "year": paper.year,
        "citations": paper.citations,
        "licence": paper.licence,
        "category": paper.category,
        "language": paper.language,
    }


def _facts(papers: Sequence[Paper], found: _Collected, settings: CollectSettings) -> dict[str, Any]:
    reasons = Counter(change.reason for change in found.changes if change.action is Action.NOTED)
    missing = sum(max(0, (each.quota or 0) - each.taken) for each in found.categories.values())
    return {
        "listed": len(papers),
        "left_out": reasons.total(),
        "left_to_people": sum(change.action is Action.REVIEW for change in found.changes),
        "taken": len(found.texts),
        "missing_for_quotas": missing,
        "least_year": settings.least_year,
        "order": settings.order,
        "reasons": [{"reason": reason, "papers": count} for reason, count in sorted(reasons.items())],
        "categories": [
            {
                "category": name,
                "eligible": each.eligible,
                "quota": each.quota,
                "taken": each.taken,
                "missing": None if each.quota is None else max(0, each.quota - each.taken),
            }
            for name, each in sorted(found.categories.items())
        ],
    }


def _allowed(settings: CollectSettings, known: Licences) -> frozenset[str]:
    found = {name: known.find(name) for name in settings.licences}
    unknown = [name for name, licence in found.items() if licence is None]
    if unknown:
        raise ConfigError(
            *(
                Finding(
                    "is no licence that is known",
                    field="licences",
                    value=show(name),
                    allowed=", ".join(known.licences),
                    remedy="Write its SPDX identifier, or add it to a file of your own: known_licences = …",
                )
                for name in unknown
            )
        )
    return frozenset(licence for licence in found.values() if licence is not None)


def _check_identifiers(papers: Sequence[Paper], items: Sequence[Item], path: Path) -> None:
    taken = {item.id for item in items}
    twice = [paper for paper in papers if paper.id in taken]
    if twice:
        raise DataError(
            *(
                Finding(
                    "the identifier is that of an item of an earlier stage",
                    file=str(path),
                    item=paper.row,
                    field="id",
                    value=show(paper.id),
                    remedy="Give the paper another one in the list",
                )
                for paper in twice
            )
        )
