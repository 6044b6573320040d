"""The same drawing as the same bytes: what a converter leaves to chance is put in order.

vl-convert draws alike each time, but names and orders some parts by counters and tables that differ from one conversion
to the next: the entries of a PDF's resource dictionaries, and the names of an SVG's clipping paths.
"""

from __future__ import annotations

import re
from typing import Final

_STREAM: Final = re.compile(rb"(\bstream\r?\n.*?\bendstream\b)", re.DOTALL)
_ENTRIES: Final = re.compile(rb"(?:\n[ ]+/[A-Za-z]+[0-9]+ [0-9]+ 0 R(?=\n)){2,}")
_TAG: Final = re.compile(r"<[^<>]*>")
_NAMED: Final = re.compile(r"""(?<=id=")(?:clip|gradient_)[0-9]+(?=")|(?<=url\(#)(?:clip|gradient_)[0-9]+(?=\))""")


def canonical_pdf(data: bytes) -> bytes:
    """Return a PDF with the entries of each resource dictionary in the order of their names.

    An entry moves within its dictionary only, so that no object starts elsewhere and the table of objects stays true.
    """
    parts = _STREAM.split(data)
    parts[::2] = [_ENTRIES.sub(_sorted, part) for part in parts[::2]]
    return b"".join(parts)


def canonical_svg(text: str) -> str:
    """Return an SVG with its clipping paths and gradients numbered in the order in which they first occur."""
    numbers: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"part{len(numbers)}")

    return _TAG.sub(lambda tag: _NAMED.sub(renamed, tag[0]), text)


def _sorted(found: re.Match[bytes]) -> bytes:
    entries = found[0].split(b"\n")[1:]
    return b"".join(b"\n" + entry for entry in sorted(entries, key=lambda entry: (len(entry.split()[0]), entry)))
