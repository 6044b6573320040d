"""Digests of pictures as they are sent, known before the first request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from exambench.engine.images import prepare, resolve
from exambench.errors import Finding, ImageError
from exambench.items import Image
from exambench.models import Capabilities
from exambench.protocols.condition import Images


def digests_as_sent(
    pictures: Iterable[tuple[str, Image]],
    root: Path | None,
    capabilities: Capabilities,
    shown: Images = Images.SHOWN,
) -> dict[Image, str]:
    """Prepare every picture once, so that a broken one stops the work before its first request.

    Args:
        pictures: Each picture with the identifier of its item, for messages.
        root: The image folder; ``None`` when none was named.
        capabilities: What the model takes.
        shown: What is shown of the pictures.

    Raises:
        ImageError: A picture is missing or broken, or there is no folder; every such picture is a finding.
    """
    digests: dict[Image, str] = {}
    findings: list[Finding] = []
    for item_id, image in pictures:
        if image in digests:
            continue
        if root is None:
            findings.append(_no_folder(item_id, image))
            continue
        try:
            prepared = prepare(resolve(root, image.path), capabilities, shown)
        except ImageError as error:
            findings.extend(replace(finding, item=item_id) for finding in error.findings)
        else:
            digests[image] = prepared.sha256
    if findings:
        raise ImageError(*findings)
    return digests


def _no_folder(item_id: str, image: Image) -> Finding:
    return Finding(
        problem="the item has a picture, and no image folder was named",
        item=item_id,
        field="image",
        value=image.path,
        remedy="Name the folder: --images DIR; or say in the model file that the model takes text only",
    )
