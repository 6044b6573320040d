"""The font that files are drawn with, and which signs it has.

Converted without a font that has a sign, a figure would lack it without a word. So the font is one that we know, it is
found before anything is drawn, and every text is held against its signs.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from exambench.errors import ConfigError, Finding

PACKAGE: Final = "pylopdf-fonts-ko"
"""Distribution that carries Noto Sans KR (SIL Open Font License 1.1); its file is read, it is never imported."""
PACKAGE_FILE: Final = "NotoSansKR-Regular.otf"
SYSTEM_FONTS: Final = (
    Path("/usr/share/fonts/truetype/nanum/NanumGothic.ttf"),
    Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
)
HANGUL: Final = "가힣ㄱ"
TOFU: Final = "□"
"""What stands for a sign that the font does not have."""
SUBSTITUTES: Final[Mapping[str, str]] = MappingProxyType({"−": "-", "–": "-", "…": "...", "⋯": "...", "›": ">"})
"""What our own signs become in a font that lacks them."""


@dataclass(frozen=True, slots=True)
class Font:
    """A font with Hangul.

    Attributes:
        family: Its name.
        path: Its file.
        signs: The code points that it has.
    """

    family: str
    path: Path
    signs: frozenset[int]

    def lacks(self, text: str) -> set[str]:
        """Return the signs of a text that the font does not have."""
        return {sign for sign in text if ord(sign) not in self.signs}

    def drawable(self, text: str) -> str:
        """Return text of which the font has every sign: others become what is nearest, or an empty box."""
        if not self.lacks(text):
            return text
        return "".join(sign if ord(sign) in self.signs else self._instead(sign) for sign in text)

    def _instead(self, sign: str) -> str:
        other = SUBSTITUTES.get(sign, TOFU)
        return other if not self.lacks(other) else "?"


def find_font() -> Font:
    """Return the font that files are drawn with: the package's, or else Debian's.

    Raises:
        ConfigError: There is none with Hangul.
    """
    for path in _candidates():
        font = _read(path)
        if font is not None:
            return font
    raise ConfigError(
        Finding(
            problem="no font with Hangul was found to draw figures with",
            allowed=f"the Python package {PACKAGE}, or Debian's packages fonts-nanum or fonts-noto-cjk",
            remedy=f"Install one of them: pip install {PACKAGE}, or apt install fonts-nanum",
        )
    )


def texts_of(value: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    """Yield every text of a specification, data included, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_of(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts_of(each)


def drawable(value: Any, font: Font) -> Any:  # noqa: ANN401 - JSON
    """Return a specification of whose texts the font has every sign."""
    if isinstance(value, str):
        return font.drawable(value)
    if isinstance(value, Mapping):
        return {name: drawable(each, font) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [drawable(each, font) for each in value]
    return value


def names_of_signs(signs: set[str]) -> str:
    """Return signs as a person can look them up: ``U+1F642 SLIGHTLY SMILING FACE``."""
    return ", ".join(f"U+{ord(sign):04X} {unicodedata.name(sign, 'without a name')}" for sign in sorted(signs))


def _candidates() -> Iterator[Path]:
    try:
        found = files(PACKAGE) or []
    except PackageNotFoundError:
        found = []
    yield from (Path(str(each.locate())) for each in found if each.name == PACKAGE_FILE)
    yield from SYSTEM_FONTS


@cache
def _read(path: Path) -> Font | None:
    """Return a font; ``None`` where the file is not there, is no font, or has no Hangul."""
    from fontTools.ttLib import TTFont, TTLibError  # noqa: PLC0415 - the extra's, and looked for elsewhere

    try:
        with path.open("rb") as stream, TTFont(stream, lazy=True, fontNumber=0) as file:
            signs = frozenset(file.getBestCmap() or ())
            family = str(file["name"].getBestFamilyName())
    except (OSError, TTLibError, KeyError, struct.error):
        return None
    return Font(family, path, signs) if all(ord(sign) in signs for sign in HANGUL) else None
