"""What a translation must preserve, by rule: number of choices, numbers, units, formulas, and no Hangul left. Pure."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from exambench.items import Wording

MONTHS: Final = tuple(calendar.month_name)[1:]
SHOWN: Final = 5

_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_NEGATIVE: Final = re.compile(r"(?<!\d)(?<!\d\s)[-−–](\d+(?:,\d{3})*(?:\.\d+)?)")
"""A number with a minus sign: not the second one of a range or a difference."""
_NEGATION: Final = re.compile(r"영하|마이너스|음의|\bminus\b|\bnegative\b|\bbelow (?:zero|freezing)\b", re.IGNORECASE)
_FORMULA: Final = re.compile(r"\$[^$]+\$")
_UNIT: Final = re.compile(r"\d\s*([A-Za-zµμΩ°℃℉%‰][A-Za-z0-9µμΩ°℃℉%‰/·²³⁻¹^-]*)")
_HANGUL: Final = re.compile(r"[가-힣]")
_MONTH: Final = re.compile(r"(\d{1,2})\s*월")


@dataclass(frozen=True, slots=True)
class Translation:
    """The English side of an item.

    Attributes:
        question: The stem.
        choices: The choices in their order; empty text where a choice is a picture alone.
    """

    question: str
    choices: tuple[str, ...] = ()


def violations(original: Wording, translation: Translation) -> tuple[str, ...]:
    """Return in sentences what a translation does not preserve.

    Args:
        original: The Korean item.
        translation: The English one.
    """
    if len(translation.choices) != len(original.choices):
        return (f"There are {len(original.choices)} choices, and {len(translation.choices)} in the translation.",)
    pairs = zip_longest(
        ("question", *(f"choice {number}" for number in range(1, len(original.choices) + 1))),
        (original.question, *original.choices),
        (translation.question, *translation.choices),
    )
    pictured = bool(original.images)
    return tuple(
        f"{place.capitalize()}: {problem}."
        for place, content, english in pairs
        for problem in _problems(content.text, english, pictured=pictured)
    )


def _problems(korean: str, english: str, *, pictured: bool) -> Iterator[str]:
    if bool(korean.strip()) != bool(english.strip()):
        yield "the translation is empty" if korean.strip() else "the original has no text"
        return
    months = Counter(_MONTH.findall(korean))
    named = Counter(str(place) for place, name in enumerate(MONTHS, 1) for _ in re.findall(rf"\b{name}\b", english))
    yield from quantities_lost(korean, english, forgiven=months & named)  # 3월 may become March
    if not pictured and _HANGUL.search(english):
        yield "Hangul is left"


def quantities_lost(before: str, after: str, forgiven: Counter[str] | None = None) -> Iterator[str]:
    """Yield what a text says otherwise about quantities than the one that it is made from, as clauses.

    Args:
        before: The text as it was.
        after: What was made of it.
        forgiven: Numbers that may be missing.
    """
    missing, extra = _difference(_numbers(before), _numbers(after))
    if forgiven is not None:
        missing -= forgiven
    if missing:
        yield f"numbers are missing: {_listed(missing)}"
    if extra:
        yield f"numbers were added: {_listed(extra)}"
    yield from _signs_changed(before, after)
    units, _ = _difference(_units(before), _units(after))
    if units:
        yield f"units are missing: {_listed(units)}"
    formulas, _ = _difference(_formulas(before), _formulas(after))
    if formulas:
        yield f"formulas were changed: {_listed(formulas)}"


def quantities_added(before: str, after: str) -> Iterator[str]:
    """Yield the units and formulas that a text has beyond those of the one that it is made from, as clauses."""
    _, units = _difference(_units(before), _units(after))
    if units:
        yield f"units were added: {_listed(units)}"
    _, formulas = _difference(_formulas(before), _formulas(after))
    if formulas:
        yield f"formulas were added: {_listed(formulas)}"


def _signs_changed(before: str, after: str) -> Iterator[str]:
    """Yield which numbers that stay have lost or gained their minus sign; a word may stand for it."""
    stay = _numbers(before) & _numbers(after)
    old, new = (_negatives(text) & stay for text in (before, after))
    lost, gained = _difference(old, new)
    if lost.total() > len(_NEGATION.findall(after)):
        yield f"minus signs are missing: {_listed(lost)}"
    if gained.total() > len(_NEGATION.findall(before)):
        yield f"minus signs were added: {_listed(gained)}"


def _negatives(text: str) -> Counter[str]:
    return Counter(number.replace(",", "") for number in _NEGATIVE.findall(text))


def _difference(wanted: Counter[str], found: Counter[str]) -> tuple[Counter[str], Counter[str]]:
    return wanted - found, found - wanted


def _numbers(text: str) -> Counter[str]:
    return Counter(number.replace(",", "") for number in _NUMBER.findall(text))


def _units(text: str) -> Counter[str]:
    return Counter(_UNIT.findall(_FORMULA.sub(" ", text)))


def _formulas(text: str) -> Counter[str]:
    found = ("".join(formula.split()) for formula in _FORMULA.findall(text))
    return Counter(formula for formula in found if not _HANGUL.search(formula))


def listed(names: Sequence[str]) -> str:
    """Return the first of some names in a row, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _listed(counts: Counter[str]) -> str:
    return listed(list(counts.elements()))
