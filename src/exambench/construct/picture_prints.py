"""Perceptual hashes: pictures that look the same have hashes that differ in few bits, whatever their files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from PIL import Image as Pixels

from exambench.engine.images import prepare, resolve
from exambench.errors import MissingExtraError
from exambench.items import Image, Item
from exambench.models import Capabilities

Print = int
"""The perceptual hash of a picture: 64 bits."""

_SMALL: Final = Capabilities(images=True, max_image_side=1024)
"""A hash is taken of 32 × 32 pixels, so a picture may be scaled down before."""


def prints_of(items: Sequence[Item], root: Path) -> Mapping[str, tuple[Print, ...]]:
    """Return the hashes of the pictures of each item that has any, in reading order, by identifier.

    Raises:
        ImageError: A picture is missing or broken.
        MissingExtraError: The extra ``construct`` is not installed.
    """
    known: dict[Image, Print] = {}
    found = {}
    for item in items:
        images = item.wording().images
        for image in images:
            if image not in known:
                known[image] = _print(root, image)
        if images:
            found[item.id] = tuple(known[image] for image in images)
    return found


def distance(one: Print, other: Print) -> int:
    """Return in how many of 64 bits two hashes differ."""
    return (one ^ other).bit_count()


def _print(root: Path, image: Image) -> Print:
    """Return the hash of a picture: the signs of the low frequencies of its cosine transform."""
    try:
        from imagehash import phash  # noqa: PLC0415 - an optional part
    except ImportError as error:
        raise MissingExtraError("construct", "comparing pictures") from error
    with Pixels.open(io.BytesIO(prepare(resolve(root, image.path), _SMALL).data)) as picture:
        return int(str(phash(picture)), 16)
