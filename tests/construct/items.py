"""Items for tests of the construction."""

from __future__ import annotations

from exambench.items import EXPLICIT, ChoiceKey, Content, Item, Wording


def item(name: str, stem: str, choices: tuple[str, ...] = ("가", "나", "다", "라"), key: int = 1, **more: str) -> Item:
    """Return an item of one wording."""
    wording = Wording(Content(stem), tuple(map(Content, choices)))
    return Item(name, {EXPLICIT: wording}, ChoiceKey(key), {"part": 1}, **more)
