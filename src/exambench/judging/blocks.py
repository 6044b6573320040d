"""Blocks around text that must not steer the judge."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from exambench.exchange import ImagePart, Part, TextPart
from exambench.items import digest

TAG_LENGTH = 8


def block(text: str) -> list[Part]:
    """Return a text between two lines that name a tag, which the text itself does not contain.

    The tag depends on the whole text, so that whoever wrote the text could not know it: no text can end its own
    block. The same text always gets the same tag.
    """
    tag = next(tag for number in count() if (tag := digest([number, text])[:TAG_LENGTH]) not in text)
    return [TextPart(f"[구획 {tag} 시작]\n{text}\n[구획 {tag} 끝]")]


def without_pictures(parts: Iterable[Part], instead: str) -> list[Part]:
    """Return parts with each picture replaced by words."""
    return [TextPart(instead) if isinstance(part, ImagePart) else part for part in parts]
