"""Templates: text with placeholders in double braces, filled with text and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from exambench.errors import ConfigError, Finding, show
from exambench.exchange import ImagePart, Part, TextPart
from exambench.items import Content

_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)\}\}")


def placeholders(template: str) -> frozenset[str]:
    """Return the names of the placeholders of a template."""
    return frozenset(_PLACEHOLDER.findall(template))


def parts_of(content: Content) -> list[Part]:
    """Return a content's text, then its pictures."""
    parts: list[Part] = [TextPart(content.text)] if content.text else []
    parts.extend(ImagePart(image) for image in content.images)
    return parts


def stem_of(question: Content, passage: str = "") -> list[Part]:
    """Return a passage, if there is one, and below it a stem with its pictures."""
    stem = parts_of(question)
    if not passage:
        return stem
    return [TextPart(f"{passage}\n\n"), *stem] if stem else [TextPart(passage)]


def fill(template: str, values: Mapping[str, Sequence[Part]]) -> Iterator[Part]:
    """Yield a template's parts, each placeholder replaced; what replaces one is not searched for placeholders.

    Raises:
        ConfigError: The template holds a placeholder that has no value.
    """
    for index, piece in enumerate(_PLACEHOLDER.split(template)):
        if index % 2 == 0:
            yield TextPart(piece)
        elif piece in values:
            yield from values[piece]
        else:
            raise ConfigError(
                Finding(
                    problem="the template has an unknown placeholder",
                    value=show(f"{{{{{piece}}}}}"),
                    allowed=", ".join(f"{{{{{name}}}}}" for name in values),
                    remedy="Correct the template",
                )
            )


def merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Join neighbouring texts, so that a chat without pictures is one string."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, TextPart) and isinstance(last, TextPart):
            merged[-1] = TextPart(last.text + part.text)
        else:
            merged.append(part)
    return tuple(part for part in merged if not (isinstance(part, TextPart) and not part.text))
