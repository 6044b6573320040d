"""The stage ``read``: items that are in a data file already, with their pictures."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from exambench.benchmarks.formats import Format, read_items
from exambench.construct.files import write_whole
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.stage import Context, Settings, StageKind
from exambench.engine.images import check_picture, read_picture, resolve
from exambench.errors import ConfigError, DataError, Finding, ImageError, Severity
from exambench.items import Content, Image, Item, Wording

_SUFFIX: Final = re.compile(r"\.[a-z0-9]{1,5}")


class ReadSettings(Settings):
    """Settings of ``read``.

    Attributes:
        data: The data file, relative to the project's folder.
        images: The folder that its image paths are relative to.
        format: In which format it is.
    """

    data: Path
    images: Path | None = None
    format: Format = "kmetbench"


def read(items: tuple[Item, ...], settings: ReadSettings, context: Context) -> StageResult:
    """Add the items of a data file to those that there are; their pictures are copied, named by their content.

    Raises:
        DataError: The file cannot be used, or has an identifier that an earlier stage has; every fault is a finding.
        ImageError: A picture is missing or broken; every such picture is a finding.
    """
    path = context.folder / settings.data
    found, findings = read_items(path, settings.format)
    known = {item.id for item in items}
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    errors += [
        Finding("the identifier is that of an item of an earlier stage", file=str(path), item=item.id, field="id")
        for item in found
        if item.id in known
    ]
    if errors:
        raise DataError(*errors)
    brought = _with_pictures(found, settings, context)
    return StageResult(
        items=(*items, *brought),
        changes=tuple(Change(item.id, Action.ADDED, f"read from {settings.data.as_posix()}") for item in brought),
        facts={"warnings": [str(finding) for finding in findings]},
    )


READ: Final = StageKind(
    ReadSettings,
    read,
    files=lambda settings: (settings.data, *(() if settings.images is None else (settings.images,))),
)


def _with_pictures(items: tuple[Item, ...], settings: ReadSettings, context: Context) -> tuple[Item, ...]:
    moved: dict[Image, Image] = {}
    findings: list[Finding] = []
    for item in items:
        for image in dict.fromkeys(image for wording in item.wordings.values() for image in wording.images):
            if image in moved:
                continue
            try:
                moved[image] = bring_picture(_source(settings, context, image), context.pictures)
            except ImageError as error:
                findings += [replace(finding, item=item.id) for finding in error.findings]
    if findings:
        raise ImageError(*findings)
    return tuple(_moved(item, moved) for item in items)


def bring_picture(path: Path, pictures: Path) -> Image:
    """Copy a picture into a project's folder of pictures, named by its content.

    Raises:
        ConfigError: The folder cannot be written to.
        ImageError: It cannot be read, or is no picture.
    """
    content = read_picture(path)
    check_picture(path, content)
    sha256 = hashlib.sha256(content).hexdigest()
    suffix = path.suffix.lower()
    name = sha256[:32] + (suffix if _SUFFIX.fullmatch(suffix) else "")
    if not (pictures / name).is_file() or (pictures / name).read_bytes() != content:
        write_whole(pictures / name, content)
    return Image(name, sha256)


def _source(settings: ReadSettings, context: Context, image: Image) -> Path:
    if settings.images is None:
        raise ConfigError(
            Finding(
                problem="the items have pictures, and no folder of pictures is named",
                field="images",
                value=image.path,
                remedy="Name the folder in the stage's settings: images = …",
            )
        )
    return resolve(context.folder / settings.images, image.path)


def _moved(item: Item, images: dict[Image, Image]) -> Item:
    def content(old: Content) -> Content:
        return replace(old, images=tuple(images[image] for image in old.images))

    def wording(old: Wording) -> Wording:
        return replace(old, question=content(old.question), choices=tuple(map(content, old.choices)))

    return replace(item, wordings={name: wording(old) for name, old in item.wordings.items()})
