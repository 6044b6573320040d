"""Keys as people and models write them: numbers or labels of choices, with commas between, or a truth value. Pure."""

from __future__ import annotations

import re
from typing import Final

from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, Item, Key, TextKey

_TRUTHS: Final = {"true": True, "false": False}
_BETWEEN: Final = re.compile(r"[,\s]+")


def key_as_text(key: Key, item: Item) -> str:
    """Return a key of an item as :func:`key_from_text` reads it; a free answer as it is."""
    labels = _labels(item)
    match key:
        case ChoiceKey(index):
            return labels[index - 1]
        case ChoiceSetKey(indices):
            return ", ".join(labels[index - 1] for index in sorted(indices))
        case BooleanKey(value):
            return str(value).lower()
        case TextKey(text):
            return text


def key_from_text(text: str, item: Item) -> Key | None:
    """Return what a text names as right, a key of the kind that the item has; ``None`` where it names no such thing."""
    words = [word for word in _BETWEEN.split(text.strip()) if word]
    match item.key:
        case ChoiceKey():
            found = _indices(words, item)
            return ChoiceKey(found[0]) if found is not None and len(found) == 1 else None
        case ChoiceSetKey():
            found = _indices(words, item)
            return ChoiceSetKey(frozenset(found)) if found else None
        case BooleanKey():
            value = _TRUTHS.get(text.strip().lower())
            return None if value is None else BooleanKey(value)
        case TextKey():
            return TextKey(text.strip()) if text.strip() else None


def _indices(words: list[str], item: Item) -> list[int] | None:
    labels = _labels(item)
    found = [labels.index(word) + 1 for word in words if word in labels]
    return found if len(found) == len(words) else None


def _labels(item: Item) -> tuple[str, ...]:
    wording = item.wording()
    return wording.labels or tuple(str(number) for number in range(1, len(wording.choices) + 1))
