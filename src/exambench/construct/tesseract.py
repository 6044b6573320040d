"""Tesseract as a process: words with their places from a picture of lines, read twice."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from PIL import Image

from exambench.construct.pages import Box
from exambench.errors import ConfigError, DataError, Finding

PROGRAM: Final = "tesseract"
LANGUAGES: Final = ("kor", "kor+eng")
"""Text is read by the first; numbers, units and Latin words by the second."""
NEEDED: Final = {"kor": "tesseract-ocr-kor", "eng": "tesseract-ocr"}
BORDER: Final = 20
"""Pixels of white around what is read; without them the first letters suffer."""
SECONDS: Final = 300
DOUBT: Final = 0.5
"""What the confidence of a word is at most when both readings differ."""
DPI: Final = 300
_WORD_LEVEL: Final = "5"
_LATIN: Final = re.compile(r"[A-Za-z0-9]")
_HANGUL: Final = re.compile("[\uac00-\ud7a3\u3131-\u318e]")
_OVERLAP: Final = 0.5


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a picture.

    Attributes:
        text: What it says.
        box: Where, in pixels.
        line: Its line's box.
        confidence: How sure that is, in [0, 1].
    """

    text: str
    box: Box
    line: Box
    confidence: float


def check_tesseract() -> None:
    """Make sure that Tesseract is installed with what it needs for Korean.

    Raises:
        ConfigError: It is not; the message names the Debian packages.
    """
    missing = ["tesseract-ocr"] if shutil.which(PROGRAM) is None else _missing_languages()
    if missing:
        raise ConfigError(
            Finding(
                "reading a scan needs Tesseract with Korean, which is not installed",
                value=f"missing: {', '.join(missing)}",
                remedy="Install it; on Debian: apt-get install tesseract-ocr tesseract-ocr-kor",
            )
        )


def read_words(picture: Image.Image) -> tuple[Word, ...]:
    """Read a picture of one column of lines; its words from top to bottom.

    Raises:
        DataError: Tesseract failed.
    """
    korean, mixed = (_pass(picture, languages) for languages in LANGUAGES)
    return tuple(_better(word, _same_place(word, mixed)) for word in korean)


def _better(word: Word, other: Word | None) -> Word:
    """Return the reading to go on with: the second pass for Latin letters and digits, the first for Hangul."""
    if other is None:
        return replace(word, confidence=min(word.confidence, DOUBT))
    if other.text == word.text:
        return replace(word, confidence=max(word.confidence, other.confidence))
    is_latin = bool(_LATIN.search(other.text)) and not _HANGUL.search(other.text)
    chosen = other if is_latin and other.confidence > word.confidence - 0.1 else word
    return replace(word, text=chosen.text, confidence=min(chosen.confidence, DOUBT))


def _same_place(word: Word, others: Sequence[Word]) -> Word | None:
    """Return the other reading of a word; words that the other pass has cut into pieces are put together."""
    found = []
    for other in others:
        width = min(word.box.right, other.box.right) - max(word.box.left, other.box.left)
        height = min(word.box.bottom, other.box.bottom) - max(word.box.top, other.box.top)
        if height > _OVERLAP * min(word.box.height, other.box.height) and width > _OVERLAP * other.box.width:
            found.append(other)
    if not found:
        return None
    found.sort(key=lambda other: other.box.left)
    return replace(
        found[0],
        text="".join(other.text for other in found),
        confidence=min(other.confidence for other in found),
    )


def _pass(picture: Image.Image, languages: str) -> tuple[Word, ...]:
    framed = Image.new("L", (picture.width + 2 * BORDER, picture.height + 2 * BORDER), 255)
    framed.paste(picture, (BORDER, BORDER))
    content = io.BytesIO()
    framed.save(content, format="PNG", compress_level=1)
    command = [PROGRAM, "stdin", "stdout", "-l", languages, "--psm", "6", "--dpi", str(DPI), "tsv"]
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            command,
            input=content.getvalue(),
            capture_output=True,
            check=False,
            timeout=SECONDS,
            env=os.environ | {"OMP_THREAD_LIMIT": "1"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failed(str(error)) from error
    if done.returncode:
        raise _failed(done.stderr.decode("utf-8", "replace"))
    return _words(done.stdout.decode("utf-8", "replace"))


def _words(table: str) -> tuple[Word, ...]:
    lines: dict[tuple[str, ...], Box] = {}
    words = []
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        left, top, width, height = (int(row[name]) for name in ("left", "top", "width", "height"))
        box = Box(left - BORDER, top - BORDER, left + width - BORDER, top + height - BORDER)
        key = (row["block_num"], row["par_num"], row["line_num"])
        text = (row["text"] or "").strip()
        if row["level"] != _WORD_LEVEL:
            lines[key] = box
        elif text:
            words.append(Word(text, box, lines.get(key, box), max(0.0, float(row["conf"]) / 100)))
    return tuple(words)


@cache
def _missing_languages() -> list[str]:
    done = subprocess.run([PROGRAM, "--list-langs"], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - our own arguments
    found = set(done.stdout.split())
    return [package for language, package in NEEDED.items() if language not in found]


def _failed(message: str) -> DataError:
    return DataError(Finding(f"Tesseract could not read a page: {' '.join(message.split())[:200]}"))
