"""How long the texts of a benchmark are, in units that are named."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.errors import MissingExtraError
from exambench.items import Benchmark
from exambench.stats.distributions import Summary, summary


@dataclass(frozen=True, slots=True)
class LengthUnit:
    """A unit of length.

    Attributes:
        name: What it is called beside a figure; a tokenizer's name and version.
        count: From texts to their lengths.
    """

    name: str
    count: Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class TextLengths:
    """Lengths of one kind of text in one unit.

    Attributes:
        text: ``stem``, ``choice``, ``rationale`` or ``passage``.
        unit: Name of the unit.
        total: Of all texts.
        summary: Moments and extremes; n is the number of texts that are not empty. ``None`` where there is none.
    """

    text: str
    unit: str
    total: int
    summary: Summary | None


def _count_characters(texts: Sequence[str]) -> list[int]:
    return [len(unicodedata.normalize("NFC", text)) for text in texts]


def _count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


CHARACTERS: Final = LengthUnit("characters", _count_characters)
"""Code points of the composed text (NFC), spaces included; a Hangul syllable is one."""
WORDS: Final = LengthUnit("words", _count_words)
"""Runs of characters between white space; in Korean, eojeol."""


def korean_morphemes() -> LengthUnit:
    """Return the morphemes of the Kiwi tokenizer as a unit.

    Raises:
        MissingExtraError: Kiwi is not installed.
    """
    try:
        import kiwipiepy  # noqa: PLC0415  # optional, and slow to load
    except ImportError as error:
        raise MissingExtraError("korean", "counting Korean morphemes") from error
    kiwi = kiwipiepy.Kiwi()
    return LengthUnit(
        name=f"Kiwi {kiwipiepy.__version__} morphemes",
        count=lambda texts: [len(tokens) for tokens in kiwi.tokenize(texts)],
    )


def text_lengths(benchmark: Benchmark, units: Sequence[LengthUnit]) -> tuple[TextLengths, ...]:
    """Return the lengths of texts in each unit: stems, choices (explicit wording, without pictures), rationales.

    Where items are asked about passages, these follow, each passage once, however many items share it.
    """
    wordings = [item.wording() for item in benchmark.items]
    texts = {
        "stem": [wording.question.text for wording in wordings],
        "choice": [choice.text for wording in wordings for choice in wording.choices],
        "rationale": [item.rationale for item in benchmark.items],
    }
    passages = {item.passage: None for item in benchmark.items if item.passage}
    if passages:
        texts["passage"] = list(passages)
    return tuple(
        _lengths(name, [text for text in found if text.strip()], unit)
        for name, found in texts.items()
        for unit in units
    )


def _lengths(name: str, texts: Sequence[str], unit: LengthUnit) -> TextLengths:
    lengths = unit.count(texts) if texts else []
    return TextLengths(name, unit.name, sum(lengths), summary(lengths) if lengths else None)
