"""The text of a paper: of a text file, or of the text layer of a PDF file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.configuration import read_ordinary
from exambench.construct.figures import is_scan
from exambench.construct.joining import clean, joined_text
from exambench.construct.layout import layout_of
from exambench.construct.pdf_reading import open_pdf
from exambench.construct.questions import fragments_of
from exambench.errors import DataError, Finding, show

TEXTS: Final = frozenset({".txt", ".md"})
PDF: Final = ".pdf"
LARGEST_FILE: Final = 20_000_000
_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*\n")
_HANGUL: Final = re.compile("[가-힣]")
_LETTER: Final = re.compile("[가-힣A-Za-z]")
LEAST_SHARE: Final = {"ko": 0.25}
"""Share of words with Hangul among the words of a text in a language, at least."""
MOST_SHARE: Final = 0.1
"""The same of a text in a language of Latin letters, at most."""
LATIN_LANGUAGES: Final = frozenset({"en", "de", "fr", "es", "it", "pt", "nl"})


@dataclass(frozen=True, slots=True)
class PaperText:
    """What was read of a paper.

    Attributes:
        text: Paragraphs, one a line; empty where no page has text.
        pages: How many pages it has; 0 for a text file.
        scanned: Pages that are pictures without text.
        left_out: Characters after the heading at which the text ends.
    """

    text: str
    pages: int = 0
    scanned: tuple[int, ...] = ()
    left_out: int = 0


def read_paper_text(path: Path, end_headings: tuple[str, ...] = ()) -> PaperText:
    """Read a paper.

    Args:
        path: A PDF file with a text layer, or a text file in UTF-8.
        end_headings: What stands alone in a line, perhaps after a number, where the text ends, such as References; one
            in the first half of a text does not count.

    Raises:
        DataError: It is missing, too large, in another form, encrypted or broken.
        MissingExtraError: It is a PDF file, and the extra ``construct`` is not installed.
    """
    suffix = path.suffix.lower()
    if suffix == PDF:
        found = _pdf_text(path)
    elif suffix in TEXTS:
        found = PaperText(clean(_paragraphs(_plain(path))))
    else:
        raise DataError(
            Finding(
                "is of a kind that no paper is read from",
                file=str(path),
                value=show(suffix),
                allowed=", ".join(sorted({PDF, *TEXTS})),
                remedy="Save it as text in UTF-8, or as PDF",
            )
        )
    return _until(found, end_headings)


def is_in_language(text: str, language: str) -> bool | None:
    """Tell whether a text is in a language by its letters: Hangul or Latin; ``None`` where these do not tell.

    Words count, for a Korean question may name things by long Latin words: DNMT3A의 is one with Hangul.
    """
    words = [word for word in text.split() if _LETTER.search(word)]
    if not words:
        return None
    share = sum(_HANGUL.search(word) is not None for word in words) / len(words)
    if language in LEAST_SHARE:
        return share >= LEAST_SHARE[language]
    return share <= MOST_SHARE if language in LATIN_LANGUAGES else None


def _pdf_text(path: Path) -> PaperText:
    with open_pdf(path) as pdf:
        pages = tuple(pdf.pages())
    layout = layout_of(pages)
    text = clean(joined_text(fragments_of(layout.lines), layout))
    return PaperText(text, len(pages), tuple(page.number for page in pages if is_scan(page)))


def _plain(path: Path) -> str:
    try:
        return read_ordinary(path, LARGEST_FILE).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        problem = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise DataError(
            Finding(problem, file=str(path), allowed="text in UTF-8", remedy="Correct its path, or save it anew")
        ) from error


def _paragraphs(text: str) -> str:
    """Return text with each paragraph in one line: where blank lines part them, other line ends are of the layout."""
    text = "\n".join(text.splitlines())
    if not _BLANK_LINE.search(text.strip()):
        return text
    return "\n".join(" ".join(paragraph.split()) for paragraph in _BLANK_LINE.split(text))


def _until(found: PaperText, headings: tuple[str, ...]) -> PaperText:
    if not headings:
        return found
    names = "|".join(map(re.escape, headings))
    pattern = re.compile(
        rf"^[^\w\n]{{0,9}}(?:\d{{1,2}}[.)]?\s*|[ivx]{{1,5}}\.\s*)?(?:{names})[^\w\n]{{0,9}}$",
        re.IGNORECASE | re.MULTILINE,
    )
    place = next((match.start() for match in pattern.finditer(found.text, len(found.text) // 2)), None)
    if place is None:
        return found
    return PaperText(found.text[:place].rstrip(), found.pages, found.scanned, len(found.text) - place)
