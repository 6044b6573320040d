"""Long stems cut in two: what a model is shown, and what it would have to remember."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from exambench.items import Benchmark, Image, Item, facet_text
from exambench.probing.tokens import Tokenizer

NO_SOURCE: Final = "–"
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")


@dataclass(frozen=True, slots=True)
class Stem:
    """A question's stem, cut.

    Attributes:
        item: The item.
        prefix: The beginning, which is shown.
        rest: What comes after it, which is not.
        images: The pictures of the stem, which are shown.
        tokens: Tokens of the whole stem.
        source: What to group it by.
        exam: What the exam is called.
        year: The exam's year; empty where it is not known.
    """

    item: Item
    prefix: str
    rest: str
    images: tuple[Image, ...]
    tokens: int
    source: str
    exam: str
    year: str


@dataclass(frozen=True)
class Stems:
    """The stems of a benchmark that are long enough.

    Attributes:
        benchmark: The benchmark.
        stems: Those of more tokens than asked for, in the order of the file.
        longest: Tokens of the longest stem of all.
        tokenizer: What cut them.
    """

    benchmark: Benchmark
    stems: tuple[Stem, ...]
    longest: int
    tokenizer: Tokenizer


def long_stems(benchmark: Benchmark, tokenizer: Tokenizer, *, more_than: int, share: float, by: str) -> Stems:
    """Cut the stems of a benchmark that are long enough, as they are put explicitly.

    Args:
        benchmark: The items.
        tokenizer: What counts, and where it may be cut.
        more_than: A stem has more tokens than this.
        share: Share of the tokens, rounded down, that are shown; in (0, 1).
        by: The facet to group by. Without it an item goes by the name of its source, up to the first digit: there
            begin years, rounds and numbers.
    """
    found: list[Stem] = []
    longest = 0
    for item in benchmark.items:
        question = item.wording().question
        text = unicodedata.normalize("NFC", question.text).strip()
        tokens = tokenizer.cut(text)
        longest = max(longest, len(tokens))
        if len(tokens) <= more_than:
            continue
        cut = tokens[max(1, int(share * len(tokens))) - 1].end
        exam, year = _exam(item), _year(item)
        found.append(
            Stem(
                item=item,
                prefix=text[:cut],
                rest=text[cut:].strip(),
                images=question.images,
                tokens=len(tokens),
                source=_source(item, by),
                exam=exam or benchmark.title,
                year=year,
            )
        )
    return Stems(benchmark, tuple(found), longest, tokenizer)


def lengths_told(stems: Stems, more_than: int) -> str:
    """Return in a sentence how many stems are long enough."""
    return (
        f"{stems.benchmark.name}: {len(stems.stems)} of {len(stems.benchmark.items)} stems have more than {more_than} "
        f"tokens ({stems.tokenizer.name}); the longest has {stems.longest}."
    )


def _source(item: Item, by: str) -> str:
    facet = item.facets.get(by)
    if facet is not None:
        return facet_text(facet)
    return re.split(r"\d", item.source, maxsplit=1)[0].strip(" -_·,(") or NO_SOURCE


def _exam(item: Item) -> str:
    facet = item.facets.get("exam")
    return item.source if facet is None else facet_text(facet)


def _year(item: Item) -> str:
    facet = item.facets.get("year")
    if facet is not None:
        return facet_text(facet)
    found = _YEAR.search(item.source)
    return found.group() if found else ""
