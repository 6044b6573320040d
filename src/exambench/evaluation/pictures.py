"""A benchmark and the folder that holds its pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from exambench.engine.images import read_picture, resolve
from exambench.errors import Finding, ImageError
from exambench.items import Benchmark, Content, Image, Item, Wording


def with_pictures(benchmark: Benchmark, root: Path) -> Benchmark:
    """Return the benchmark with the digest of every picture's file, so that its content hash covers them.

    Raises:
        ImageError: The folder or a file is missing or cannot be read; every such picture is a finding.
    """
    digests: dict[str, str] = {}
    findings: list[Finding] = []
    for item, image in pictures_of(benchmark):
        if image.path in digests:
            continue
        try:
            digests[image.path] = hashlib.sha256(read_picture(resolve(root, image.path))).hexdigest()
        except ImageError as error:
            findings.extend(replace(finding, item=item.id) for finding in error.findings)
        except OSError as error:
            findings.append(Finding(f"cannot be read: {error.strerror}", file=str(root / image.path), item=item.id))
    if findings:
        raise ImageError(*findings)
    return replace(benchmark, image_root=root, items=tuple(_digested(item, digests) for item in benchmark.items))


def pictures_of(benchmark: Benchmark) -> Iterator[tuple[Item, Image]]:
    """Yield every picture of every wording with its item; a picture that several items show comes several times."""
    for item in benchmark.items:
        for image in dict.fromkeys(image for wording in item.wordings.values() for image in wording.images):
            yield item, image


def _digested(item: Item, digests: dict[str, str]) -> Item:
    def content(old: Content) -> Content:
        return replace(old, images=tuple(replace(image, sha256=digests[image.path]) for image in old.images))

    def wording(old: Wording) -> Wording:
        return Wording(content(old.question), tuple(content(choice) for choice in old.choices))

    return replace(item, wordings={name: wording(old) for name, old in item.wordings.items()})
