"""Pixels that every endpoint sees alike: upright, opaque, eight bits, grey or RGB."""

from __future__ import annotations

import struct
from types import MappingProxyType
from typing import Final

import numpy as np
from PIL import ExifTags, Image

WHITE: Final = (255, 255, 255, 255)
OPAQUE: Final = 255
UPRIGHT: Final = 1

TURNS: Final = MappingProxyType(
    {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_270,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_90,
    }
)
"""What undoes each value of EXIF's orientation (tag 274)."""

_WITH_ALPHA: Final = frozenset({"LA", "La", "PA", "RGBA", "RGBa"})
_TARGETS: Final = MappingProxyType(
    {
        "1": "L",
        "LA": "L",
        "La": "L",
        "P": "RGB",
        "PA": "RGB",
        "CMYK": "RGB",
        "YCbCr": "RGB",
        "HSV": "RGB",
        "RGBX": "RGB",
    }
    | {"RGBA": "RGB", "RGBa": "RGB"}
)


def normalised(image: Image.Image) -> tuple[Image.Image, list[str]]:
    """Return a decoded picture in mode ``L`` or ``RGB``, and what a viewer of the original would notice or need.

    An alpha channel that is opaque everywhere is left out without a word: nothing is seen of it.

    Raises:
        ValueError: The pixels have no eight-bit form that could be meant, such as floating-point heights.
    """
    changes: list[str] = []
    orientation = _orientation(image)
    if image.mode.startswith("I;16"):
        image = _eight_bit(image)
        changes.append("depth:16:8")
    if _is_transparent(image):
        image = _on_white(image)
        changes.append("transparency:white")
    elif image.mode in _TARGETS:
        target = _TARGETS[image.mode]
        if image.mode not in _WITH_ALPHA:
            changes.append(f"mode:{image.mode}:{target}")
        image = image.convert(target)
    if image.mode not in {"L", "RGB"}:
        raise ValueError(f"pixels of mode {image.mode}")
    if orientation in TURNS:
        image = image.transpose(TURNS[orientation])
        changes.append(f"orientation:{orientation}")
    return image, changes


def _orientation(image: Image.Image) -> int:
    """Return EXIF's orientation; metadata that cannot be read does not spoil the picture."""
    try:
        return int(image.getexif().get(ExifTags.Base.Orientation, UPRIGHT))
    except (OSError, SyntaxError, ValueError, TypeError, KeyError, struct.error):
        return UPRIGHT


def _eight_bit(image: Image.Image) -> Image.Image:
    """Return 16-bit grey as 8-bit grey, with the one grey value that may be transparent made an alpha channel."""
    values = np.asarray(image).astype(np.uint16)
    grey = Image.fromarray((values >> 8).astype(np.uint8))
    clear = image.info.get("transparency")
    if not isinstance(clear, int):
        return grey
    alpha = Image.fromarray(np.where(values == clear, 0, OPAQUE).astype(np.uint8))
    return Image.merge("LA", (grey, alpha))


def _is_transparent(image: Image.Image) -> bool:
    if not image.has_transparency_data:
        return False
    least, _ = image.convert("RGBA").getchannel("A").getextrema()
    return isinstance(least, int | float) and least < OPAQUE


def _on_white(image: Image.Image) -> Image.Image:
    picture = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", picture.size, WHITE), picture).convert("RGB")
