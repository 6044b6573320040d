"""The pictures of items, asked for by what they are and never by where they lie."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from exambench.benchmarks import find_definition, shipped_definitions
from exambench.benchmarks.loading import image_path
from exambench.engine.images import read_picture, resolve
from exambench.errors import ImageError
from exambench.evaluation.pictures import pictures_of
from exambench.report.site.item_material import ItemSet, read_pictures
from exambench.report.view.live import Moment

DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_BEGINNINGS: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
BEGINNING: Final = 16
"""Bytes that tell the type of a picture."""
_WEBP: Final = re.compile(rb"RIFF....WEBP", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that a browser may show."""

    content: bytes
    kind: str


@dataclass(frozen=True)
class Gallery:
    """Where the pictures of benchmarks lie: a folder that a person named, and those that come with the toolkit.

    Attributes:
        folder: The image root that a person named.
    """

    folder: Path | None = None

    def find(self, moment: Moment, digest: str) -> Picture | None:
        """Return the picture of a digest; ``None`` where no item has it, or its file is not there as it was.

        Only names that stand in the store's items lead to files, and only below an image root. A file whose content is
        another one by now is not shown.

        Raises:
            StoreError: The store cannot be read.
        """
        if not DIGEST.fullmatch(digest):
            return None
        for benchmark, paths in self._known(moment).items():
            for root in self._roots(benchmark):
                for path in paths.get(digest, ()):
                    picture = _read(root, path, digest)
                    if picture is not None:
                        return picture
        return None

    def with_pictures(self, items: ItemSet) -> ItemSet:
        """Return items with what pages must know of their pictures: which are at hand, and of what type they are."""
        found: dict[str, bytes] = {}
        for root in self._roots(items.benchmark.name):
            found |= {digest: content[:BEGINNING] for digest, content in read_pictures(items.benchmark, root).items()}
        return replace(items, pictures=found)

    def _known(self, moment: Moment) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        return moment.memory.get("pictures", moment.stamp, lambda: _paths(moment))

    def _roots(self, benchmark: str) -> list[Path]:
        named = [] if self.folder is None else [self.folder]
        if benchmark not in shipped_definitions():  # never a path: the name comes from the store
            return named
        own = image_path(find_definition(benchmark))
        return named if own is None else [*named, own]


def _paths(moment: Moment) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return by benchmark and digest where the items say that a picture lies."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for run in {(run.benchmark, run.dataset_hash): run for run in moment.runs()}.values():
        paths = found.setdefault(run.benchmark, {})
        for _, image in pictures_of(moment.benchmark(run)):
            if image.sha256 is not None and image.path not in paths.get(image.sha256, ()):
                paths[image.sha256] = (*paths.get(image.sha256, ()), image.path)
    return found


def _read(root: Path, path: str, digest: str) -> Picture | None:
    try:
        content = read_picture(resolve(root, path))
    except ImageError:  # it is named on the page, and not shown
        return None
    kind = next((kind for beginning, kind in _BEGINNINGS if content.startswith(beginning)), None)
    kind = "image/webp" if _WEBP.match(content) else kind
    if kind is None or hashlib.sha256(content).hexdigest() != digest:
        return None
    return Picture(content, kind)
