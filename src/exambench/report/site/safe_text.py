"""Text that others wrote, on its way to a page: bounded, storable, and without signs that reorder what is around it.

Escaping is not done here: the templates escape everything, and :func:`json_for_script` what stands in a script.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from exambench.text import printable, storable

NAME_LENGTH: Final = 200
TEXT_LENGTH: Final = 20_000

_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
_IN_SCRIPTS: Final = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def safe_name(text: str) -> str:
    """Return a name in one line, cut to 200 characters."""
    return _bounded(printable(storable(text[: NAME_LENGTH + 1])), NAME_LENGTH, len(text))


def safe_text(text: str, most: int = TEXT_LENGTH) -> str:
    """Return a text with its line breaks, cut to a number of characters; what is cut off is counted."""
    head = storable(text[:most]).replace("\r\n", "\n").replace("\t", "    ")
    return _bounded("\n".join(map(printable, head.split("\n"))), most, len(text))


def language_of(text: str) -> str:
    """Return the code of the language that a screen reader should read a text in: Korean where it has Hangul."""
    return "ko" if _HANGUL.search(text, 0, NAME_LENGTH) else "en"


def json_for_script(value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a JSON value as it may stand between ``<script>`` tags: nothing in it ends the script or opens a tag."""
    dumped = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return storable(dumped).translate(_IN_SCRIPTS)


def _bounded(text: str, most: int, length: int) -> str:
    return text if length <= most else f"{text[:most]}… ({length:,} characters)"
