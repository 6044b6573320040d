"""What a rewritten stem must preserve, by rule: terms, numbers, units, formulas, marks, negation, conditions. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.construct.opposites import Opposites
from exambench.construct.translation_rules import listed, quantities_added, quantities_lost
from exambench.items import Wording

SHIPPED: Final = Path(__file__).with_name("terms.toml")
SHORTEST_TERM: Final = 2
LENGTH_FACTOR: Final = 3
LENGTH_SLACK: Final = 60

_MARK: Final = re.compile(
    r"[①-⑳㉠-㉻㈀-㈛Ⅰ-Ⅻ]|\([가-하A-Za-z]\)|[<〈《「][^<>〈〉《》「」]{1,20}[>〉》」]|[ㄱ-ㅎ]|[⁰¹²³⁴-⁹⁺⁻₀-₉]+"
)
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9.+-]*[A-Za-z0-9]|[A-Za-z]")
_WORD: Final = re.compile(r"[가-힣]+")
_FORMULA: Final = re.compile(r"\$[^$]+\$")
_LATIN_SCRIPT: Final = "Latin"
_SCRIPTS: Final = MappingProxyType(
    {
        "LATIN": _LATIN_SCRIPT,
        "HANGUL": "Korean",
        "CJK": "Chinese",
        "HIRAGANA": "Japanese",
        "KATAKANA": "Japanese",
        "CYRILLIC": "Cyrillic",
        "ARABIC": "Arabic",
        "HEBREW": "Hebrew",
        "THAI": "Thai",
        "DEVANAGARI": "Devanagari",
    }
)
"""Scripts of languages, by the first word of their letters' Unicode names. Greek letters are of formulas and units."""

Word = Annotated[str, Field(min_length=1)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    terms: list[Word] = Field(default_factory=list)
    ordinary: list[Word] = Field(default_factory=list)
    conditions: list[Annotated[list[Word], Field(min_length=1)]] = Field(default_factory=list)


@dataclass(frozen=True)
class Terms:
    """Words that a rewriting may not touch, and those that it may.

    Attributes:
        terms: Technical terms: one that stands in a stem stays, as it is written.
        ordinary: Beginnings of words that stem and choices may share without being terms.
        conditions: Words that set a condition, those of one meaning together; one of a meaning stays where one was,
            and none comes in where none was.
    """

    terms: tuple[str, ...] = ()
    ordinary: tuple[str, ...] = ()
    conditions: tuple[tuple[str, ...], ...] = field(default=())

    def over(self, other: Terms) -> Terms:
        """Return these and the words of another list."""
        return Terms(
            (*self.terms, *other.terms), (*self.ordinary, *other.ordinary), (*self.conditions, *other.conditions)
        )

    def as_json(self) -> list[object]:
        """Return them as JSON values, for a digest."""
        return [list(self.terms), list(self.ordinary), list(map(list, self.conditions))]

    def in_stem(self, wording: Wording) -> tuple[str, ...]:
        """Return the terms of a stem: those listed, Latin words, and what it shares with a choice.

        What two Korean words share is their common beginning, of two syllables or more: endings and particles differ.
        """
        stem = _composed(wording.question.text)
        choices = [word for choice in wording.choices for word in _WORD.findall(_composed(choice.text))]
        shared = (_common(word, choices) for word in _WORD.findall(stem))
        found = [term for term in self.terms if term in stem]
        found += _LATIN.findall(stem)
        found += [term for term in shared if len(term) >= SHORTEST_TERM and not term.startswith(self.ordinary)]
        return tuple(dict.fromkeys(found))


def read_terms(path: Path = SHIPPED) -> Terms:
    """Read a list of terms from a TOML or YAML file; ordinary words and conditions ship with the toolkit.

    Raises:
        ConfigError: The file is no such list.
    """
    table = validate(_Table, read_table(path), str(path))
    return Terms(tuple(table.terms), tuple(table.ordinary), tuple(map(tuple, table.conditions)))


def violations(wording: Wording, stem: str, terms: Terms, opposites: Opposites) -> tuple[str, ...]:
    """Return in sentences what a rewritten stem does not preserve.

    Args:
        wording: The item as it is.
        stem: The rewritten stem.
        terms: What has to stay.
        opposites: Negations and antonyms.
    """
    return tuple(f"{problem}." for problem in _problems(wording, stem, terms, opposites))


def edit_share(before: str, after: str) -> float:
    """Return how much of a text was edited: 1 − ``difflib``'s ratio, in [0, 1]."""
    return 1.0 - SequenceMatcher(None, before, after, autojunk=False).ratio()


def _problems(wording: Wording, stem: str, terms: Terms, opposites: Opposites) -> Iterator[str]:
    before = _composed(wording.question.text)
    if not stem:
        yield "The new stem is empty"
        return
    if len(stem) > LENGTH_FACTOR * len(before) + LENGTH_SLACK:
        yield "The new stem is much longer than the old one"
        return
    missing = [term for term in terms.in_stem(wording) if term not in stem]
    if missing:
        yield f"Terms are missing: {listed(missing)}"
    for problem in (*quantities_lost(before, stem), *quantities_added(before, stem)):
        yield problem[0].upper() + problem[1:]
    old, new = (Counter(_MARK.findall(text)) for text in (before, stem))
    if old != new:
        yield f"Marks were changed: {listed(sorted(((old - new) + (new - old)).elements()))}"
    reversal = opposites.reversal(before, stem)
    if reversal is not None:
        yield f"Negation or direction was changed: {reversal}"
    yield from _changed_conditions(before, stem, terms.conditions)
    yield from _changed_language(wording, stem)
    choices = [text for choice in wording.choices if len(text := _composed(choice.text).strip()) >= SHORTEST_TERM]
    added = [text for text in choices if text in stem and text not in before]
    if len(added) > 1:
        yield f"Choices were put into the stem: {listed(added)}"


def _changed_conditions(before: str, after: str, conditions: Sequence[Sequence[str]]) -> Iterator[str]:
    for words in conditions:
        had, has = (any(word in text for word in words) for text in (before, after))
        if had and not has:
            yield f"A condition is missing: {next(word for word in words if word in before)}"
        if has and not had:
            yield f"A condition was added: {next(word for word in words if word in after)}"


def _changed_language(wording: Wording, stem: str) -> Iterator[str]:
    """Yield what is in another language than the item: models fall into those that they know better."""
    known = "\n".join(_composed(part.text) for part in (wording.question, *wording.choices))
    language, found = _language(_composed(wording.question.text)), _language(stem)
    if language and found and language != found:
        yield f"The language was changed: {language} letters became {found} ones"
    new = _FORMULA.sub(" ", stem)
    strange = dict.fromkeys(sign for sign in new if (script := _script(sign)) and script not in _scripts(known))
    if language and language != _LATIN_SCRIPT:
        words = dict.fromkeys(word for word in _LATIN.findall(new) if word not in known)
        strange = dict.fromkeys(sign for sign in strange if _script(sign) != _LATIN_SCRIPT)
        if words:
            yield f"Words in Latin letters were added: {listed(list(words))}"
    if strange:
        yield f"Letters of another script were added: {listed(list(strange))}"


def _language(text: str) -> str:
    """Return the script that most letters are of; Latin letters stand for terms where there is another one."""
    counts = _scripts(text)
    others = [script for script in counts if script != _LATIN_SCRIPT]
    return max(others or counts, key=lambda script: counts[script], default="")


def _scripts(text: str) -> Counter[str]:
    return Counter(script for sign in _FORMULA.sub(" ", text) if (script := _script(sign)))


def _script(sign: str) -> str:
    """Return the script of a letter; nothing for other signs."""
    return _SCRIPTS.get(unicodedata.name(sign, "").split(" ", 1)[0], "") if sign.isalpha() else ""


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _common(word: str, others: Sequence[str]) -> str:
    """Return the longest beginning that a word shares with one of several."""
    best = 0
    for other in others:
        same = next(
            (place for place, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
        )
        best = max(best, same)
    return word[:best]
