"""The stage ``dedup``: of items that are nearly the same, the first stays."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import numpy as np
from pydantic import Field

from exambench.construct.opposites import SHIPPED, Opposites, read_opposites
from exambench.construct.picture_prints import Print, distance, prints_of
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.similarity import Corpus, ratio
from exambench.construct.stage import Context, Settings, StageKind
from exambench.items import Item

THRESHOLD: Final = 0.6
"""K-MetBench, section 3.1."""


class ChoiceOrder(StrEnum):
    """How the choices of an item stand in the text that is compared."""

    SORTED = "sorted"
    """In alphabetical order, so that the same choices in another order are the same text."""
    GIVEN = "given"
    LEFT_OUT = "left out"


class DedupSettings(Settings):
    """Settings of ``dedup``.

    Attributes:
        threshold: The least ``difflib.SequenceMatcher(None, a, b).ratio()`` of near-duplicates, in (0, 1].
        choices: How the choices stand in the text that is compared.
        opposites: A lexicon in place of the one that ships.
        pictures: The most bits (of 64) in which the perceptual hashes of two pictures that show the same differ.
    """

    threshold: Annotated[float, Field(gt=0, le=1)] = THRESHOLD
    choices: ChoiceOrder = ChoiceOrder.SORTED
    opposites: Path | None = None
    pictures: Annotated[int, Field(ge=0, le=64)] = 6


class Verdict(StrEnum):
    """What two items whose texts are alike are to each other."""

    DUPLICATE = "duplicate"
    REVERSED = "reversed condition"
    OTHER_PASSAGE = "another passage"
    OTHER_PICTURES = "other pictures"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items whose texts are alike.

    Attributes:
        kept: The earlier one, which stays.
        item: The later one; it is dropped as a duplicate, and stays otherwise.
        ratio: By ``difflib``.
        verdict: What they are to each other.
        word: In which word the one asks the reverse of the other; empty unless it does.
    """

    kept: str
    item: str
    ratio: float
    verdict: Verdict
    word: str = ""


def compared_text(item: Item, order: ChoiceOrder = ChoiceOrder.SORTED) -> str:
    """Return the text of an item that is compared: stem and choices, composed (NFC), white space folded.

    A passage is left out: items that share one are no more alike for it.
    """
    wording = item.wording()
    choices = [_folded(choice.text) for choice in wording.choices]
    match order:
        case ChoiceOrder.SORTED:
            choices.sort()
        case ChoiceOrder.LEFT_OUT:
            choices = []
        case ChoiceOrder.GIVEN:
            pass
    return "\n".join((_folded(wording.question.text), *choices))


def near_duplicates(
    items: Sequence[Item],
    settings: DedupSettings,
    opposites: Opposites,
    prints: Mapping[str, tuple[Print, ...]],
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[Pair, ...]:
    """Return which items are dropped, each with the first item that stays and that it duplicates.

    Items are taken in order. One is dropped when its text is alike to that of an earlier item that stays, unless one
    of the two asks the reverse of the other, they show other pictures, or they ask about different passages and one of
    them cannot stand without its own. So no two items that stay are duplicates, and
    each that is dropped is the duplicate of one that stays. Items that stay although their text is alike to an
    earlier one's come with the first such item.

    Args:
        items: The items, the earlier session first.
        settings: Threshold and text.
        opposites: What reverses a question.
        prints: Perceptual hashes of the pictures of each item, by identifier.
        on_progress: Told how many items of how many have been compared.

    Raises:
        MissingExtraError: The extra ``construct`` is not installed.
    """
    texts = [compared_text(item, settings.choices) for item in items]
    corpus = Corpus(texts, settings.threshold)
    stays = np.ones(len(items), dtype=np.bool_)
    found: dict[str, Pair] = {}
    for rows in corpus.portions():
        told = rows.start
        for earlier, later in corpus.candidates(rows, stays):
            if later > told:
                told = later
                on_progress(told, len(items))
            first, second = items[earlier], items[later]
            if not stays[earlier] or not stays[later]:
                continue
            value = ratio(texts[earlier], texts[later])
            if value < settings.threshold:
                continue
            word = opposites.reversal(first.wording().question.text, second.wording().question.text)
            alike = _show_the_same(prints.get(first.id, ()), prints.get(second.id, ()), settings.pictures)
            verdict = _verdict(first, second, word, show_the_same=alike)
            if verdict is Verdict.DUPLICATE:
                stays[later] = False
                found[second.id] = Pair(first.id, second.id, value, verdict)
            else:
                found.setdefault(second.id, Pair(first.id, second.id, value, verdict, word or ""))
        on_progress(rows.stop, len(items))
    return tuple(found[item.id] for item in items if item.id in found)


def dedup(items: tuple[Item, ...], settings: DedupSettings, context: Context) -> StageResult:
    """Drop near-duplicates; every one is in the record with what it duplicates, and so is every pair that was spared.

    Raises:
        ConfigError: The lexicon cannot be used.
        ImageError: A picture is missing or broken.
        MissingExtraError: The extra ``construct`` is not installed.
    """
    lexicon = SHIPPED if settings.opposites is None else context.folder / settings.opposites
    pairs = near_duplicates(
        items, settings, read_opposites(lexicon), prints_of(items, context.pictures), context.on_progress
    )
    dropped = {pair.item for pair in pairs if pair.verdict is Verdict.DUPLICATE}
    clusters = {pair.kept for pair in pairs if pair.verdict is Verdict.DUPLICATE}
    return StageResult(
        items=tuple(item for item in items if item.id not in dropped),
        changes=tuple(map(_change, pairs)),
        facts={
            "threshold": settings.threshold,
            "duplicates": len(dropped),
            "clusters": len(clusters),
            **{str(verdict): sum(pair.verdict is verdict for pair in pairs) for verdict in list(Verdict)[1:]},
        },
    )


DEDUP: Final = StageKind(
    DedupSettings,
    dedup,
    files=lambda settings: () if settings.opposites is None else (settings.opposites,),
    shipped=lambda settings, _: digests_of_shipped([SHIPPED] if settings.opposites is None else []),
)


def _verdict(first: Item, second: Item, word: str | None, *, show_the_same: bool) -> Verdict:
    if word is not None:
        return Verdict.REVERSED
    if (first.needs_passage or second.needs_passage) and _folded(first.passage) != _folded(second.passage):
        return Verdict.OTHER_PASSAGE
    return Verdict.DUPLICATE if show_the_same else Verdict.OTHER_PICTURES


def _show_the_same(first: tuple[Print, ...], second: tuple[Print, ...], most: int) -> bool:
    """Tell whether each picture of either item has its like among the other's."""
    return len(first) == len(second) and all(
        any(distance(print_, other) <= most for other in others)
        for own, others in ((first, second), (second, first))
        for print_ in own
    )


def _change(pair: Pair) -> Change:
    details = {"of" if pair.verdict is Verdict.DUPLICATE else "like": pair.kept, "ratio": pair.ratio}
    if pair.word:
        details["word"] = pair.word
    if pair.verdict is Verdict.DUPLICATE:
        return Change(pair.item, Action.DROPPED, "near-duplicate", details)
    return Change(pair.item, Action.NOTED, f"kept: {pair.verdict}", details)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
