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
_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
_HANGUL_END: Final = re.compile("[\uac00-\ud7a3]+$")
_BROKEN: Final = re.compile("[\u3131-\u318e『』「」\\[\\]{}<>|^]")
"""What Korean letters alone make of Latin ones."""
_OVERLAP: Final = 0.4
LATIN_LEAD: Final = 0.1
"""By how much a reading of Latin letters may be less sure and is still the better one."""


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
    return combined(korean, mixed)


def combined(korean: Sequence[Word], mixed: Sequence[Word]) -> tuple[Word, ...]:
    """Return the better reading of each stretch of a line.

    Latin letters, digits and units are better in the second reading, Hangul in the first. Where both say the same, the
    confidence is the greater of the two; where they differ, it is low.
    """
    found: list[Word] = []
    rest = list(mixed)
    groups: list[tuple[list[Word], list[Word]]] = []
    for word in korean:
        others = [other for other in rest if _overlap(word, other)]
        shared = [group for group in groups[-1:] if any(_overlap(word, other) for other in group[1])]
        if shared:
            shared[0][0].append(word)
            shared[0][1].extend(others)
        else:
            groups.append(([word], others))
        rest = [other for other in rest if other not in others]
    for first, second in groups:
        found += _better(first, second)
    lines = list(dict.fromkeys(word.line for word in found))
    return tuple(sorted(found, key=lambda word: (lines.index(word.line), word.box.left)))


def _better(korean: Sequence[Word], mixed: Sequence[Word]) -> list[Word]:
    texts = ["".join(word.text for word in words) for words in (korean, mixed)]
    sure = [min((word.confidence for word in words), default=0.0) for words in (korean, mixed)]
    if texts[0] == texts[1]:
        return [replace(word, confidence=max(sure)) for word in korean]
    is_latin = bool(_LATIN.search(texts[1])) and not _HANGUL.search(texts[1])
    is_broken = bool(_BROKEN.search(texts[0])) and not _BROKEN.search(texts[1])
    if mixed and ((is_latin and (is_broken or sure[1] > sure[0] - LATIN_LEAD)) or (is_broken and sure[1] > sure[0])):
        line, particle = korean[0].line, _HANGUL_END.search(texts[0])
        chosen = [replace(word, line=line, confidence=min(sure[1], DOUBT)) for word in mixed]
        if particle and not _HANGUL.search(texts[1]):
            chosen[-1] = replace(chosen[-1], text=chosen[-1].text + particle[0])  # as in km/h의
        return chosen
    return [replace(word, confidence=min(word.confidence, DOUBT)) for word in korean]


def _overlap(one: Word, two: Word) -> bool:
    """Tell whether two readings are of the same place."""
    width = min(one.box.right, two.box.right) - max(one.box.left, two.box.left)
    height = min(one.box.bottom, two.box.bottom) - max(one.box.top, two.box.top)
    return height > _OVERLAP * min(one.box.height, two.box.height) and width > _OVERLAP * min(
        one.box.width, two.box.width
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
