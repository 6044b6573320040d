"""Pictures in texts that people edit: a mark stands for each, so that it can stay, move or go with the text.

The mark of a formula is that of its item's text; ``⟦picture 0123456789ab⟧`` stands for a figure, and the text of an
item has none. Both name the beginning of the picture's file name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from exambench.construct.formulas import DIGITS, is_formula
from exambench.construct.joining import clean
from exambench.items import Content, Image

_MARK: Final = re.compile(rf"⟦(formula|picture) ([0-9a-f]{{{DIGITS}}})⟧")
_BRACKET: Final = re.compile("[⟦⟧]")


def marked(content: Content) -> str:
    """Return a content as text: its own, then the mark of each figure in a line."""
    figures = [f"⟦picture {image.path[:DIGITS]}⟧" for image in content.images if not is_formula(image, content.text)]
    return "\n".join([content.text, *figures] if content.text else figures)


def without_figures(text: str) -> str:
    """Return the text of a content of which :func:`marked` made text; marks of formulas stay in it."""
    return clean(_MARK.sub(lambda match: match[0] if match[1] == "formula" else "", text))


def shows_figures(text: str) -> bool:
    """Tell whether a text has marks of figures."""
    return any(match[1] == "picture" for match in _MARK.finditer(text))


def problem_of(text: str, pictures: Mapping[str, Image]) -> str | None:
    """Return what is wrong with the marks of a text; ``None`` where each stands for a picture that there is.

    Args:
        text: The text.
        pictures: What marks may stand for, by what they name.
    """
    unknown = [match[0] for match in _MARK.finditer(text) if match[2] not in pictures]
    if unknown:
        return f"there is no picture for {unknown[0]}"
    return "⟦ or ⟧ stands outside of a mark" if _BRACKET.search(_MARK.sub("", text)) else None


def content_from(text: str, pictures: Mapping[str, Image]) -> Content:
    """Return the content that :func:`marked` made text of; every mark has to stand for a picture."""
    found = [(match[1], pictures[match[2]]) for match in _MARK.finditer(text)]
    kinds = {kind: [image for each, image in found if each == kind] for kind in ("picture", "formula")}
    return Content(without_figures(text), tuple(dict.fromkeys([*kinds["picture"], *kinds["formula"]])))
