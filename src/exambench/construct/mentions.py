"""Whether a term stands in a text as words of its own, and how a text speaks of itself. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.parsing.unicode import normal_form, without_invisible

SHIPPED: Final = Path(__file__).with_name("self_references.toml")
SHORTEST_STEM: Final = 2
MOST_ENDINGS: Final = 3
_BETWEEN: Final = re.compile(r"\s+|(?<=\w)[\u2010-\u2015-](?=\w)")
_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
_UNSEEN: Final = " \"'“”‘’「」『』"
_OUTER: Final = f"{_UNSEEN}.,;:。·"
_SAME: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉’‘∼〜～−", "0123456789''~~~-")
"""Characters that papers and models write in more than one way; superscripts are others, for 10² is not 102."""

Word = Annotated[str, Field(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    references: list[Word]
    endings: list[Word]


@dataclass(frozen=True)
class Wordbook:
    """How texts speak of themselves, and what may follow a Korean word.

    Attributes:
        references: Words by which a text refers to itself.
        endings: Particles and endings of Korean words.
    """

    references: tuple[str, ...]
    endings: tuple[str, ...]

    def reference_in(self, text: str) -> str | None:
        """Return how a text speaks of itself; ``None`` where it does not."""
        plain = folded(text)
        return next((word for word, pattern in self._references if pattern.search(plain)), None)

    def holds(self, text: str, term: str) -> bool:
        """Tell whether a term stands in a text in words of its own: 수소 stands in 수소는, and not in 탄화수소.

        Neither case nor the spaces of Korean words matter. English words may be plural, Korean ones have up to three
        endings, and a term that ends in one is looked for without it too.
        """
        plain, wanted = folded(text), folded(term).strip(_OUTER)
        return any(re.search(self._pattern(form), plain) for form in self._forms(wanted))

    def as_json(self) -> list[object]:
        """Return the words as JSON values, for a digest."""
        return [list(self.references), list(self.endings)]

    def _forms(self, term: str) -> Iterator[str]:
        if term:
            yield term
        for ending in self._longest_first:
            if (
                term.endswith(ending)
                and len(term) - len(ending) >= SHORTEST_STEM
                and _is_hangul(term[-len(ending) - 1])
            ):
                yield term.removesuffix(ending)

    @cached_property
    def _longest_first(self) -> tuple[str, ...]:
        return tuple(sorted(map(folded, self.endings), key=lambda ending: (-len(ending), ending)))

    @cached_property
    def _endings(self) -> str:
        """What matches endings and then no further syllable."""
        endings = "|".join(map(re.escape, self._longest_first)) or "(?!)"
        return f"(?:{endings}){{0,{MOST_ENDINGS}}}(?![\uac00-\ud7a3])"

    @cached_property
    def _references(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        return tuple((word, re.compile(self._pattern(folded(word)))) for word in self.references)

    def _pattern(self, term: str) -> str:
        """Return what matches a term with nothing before or after it that makes another word of it."""
        return f"{_before(term[0])}{_spaced(_BETWEEN.split(term))}{self._after(term[-1])}"

    def _after(self, last: str) -> str:
        if _is_hangul(last):
            return self._endings
        if last.isdecimal():
            return r"(?![a-z0-9]|[.,]\d)"
        return r"(?:e?s)?(?![a-z0-9])" if last.isalnum() else ""


def read_wordbook(path: Path = SHIPPED) -> Wordbook:
    """Read how texts speak of themselves from a TOML or YAML file; Korean and English words ship.

    Raises:
        ConfigError: The file is something else.
    """
    table = validate(_Table, read_table(path), str(path))
    return Wordbook(tuple(table.references), tuple(table.endings))


def folded(text: str) -> str:
    """Return a text as it is compared.

    Composed (NFC), without case and characters that nobody sees, with single spaces; CO₂ is CO2, and an apostrophe or a
    tilde is one of its kind.
    """
    return " ".join(without_invisible(normal_form("NFC", text)).translate(_SAME).casefold().split())


def compact(text: str) -> str:
    """Return the same without spaces and quotation marks, and without full stops and the like at its ends."""
    return "".join(character for character in folded(text).strip(_OUTER) if character not in _UNSEEN)


def _before(first: str) -> str:
    if _is_hangul(first):
        return "(?<![\uac00-\ud7a3])"
    if first.isdecimal():
        return r"(?<![a-z0-9])(?<!\d[.,])"
    return r"(?<![a-z0-9])" if first.isalnum() else ""


def _spaced(words: Sequence[str]) -> str:
    """Return what matches words in a row; of Korean ones, with or without spaces or hyphens in and between them."""
    found = ""
    for place, word in enumerate(words):
        inner = "".join(
            re.escape(character) + (r"\s?" if _is_hangul(character) and number < len(word) - 1 else "")
            for number, character in enumerate(word)
        )
        if place:
            loose = _is_hangul(words[place - 1][-1]) or _is_hangul(word[0])
            found += r"[\s\u2010-\u2015-]?" if loose else r"[\s\u2010-\u2015-]+"
        found += inner
    return found


def _is_hangul(character: str) -> bool:
    return _HANGUL.match(character) is not None
