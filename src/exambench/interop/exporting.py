"""An export: the files that another program reads, and the pictures that lie beside them."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from exambench.engine.images import read_picture, resolve
from exambench.errors import ConfigError, DataError, Finding, ImageError
from exambench.exchange import TextPart
from exambench.items import Benchmark, Content, Image, Item
from exambench.protocols import stem_of
from exambench.text import storable

PICTURES: Final = "images"
_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON takes as it is, and TOML or YAML does not."""


@dataclass(frozen=True)
class Export:
    """What is written.

    Attributes:
        files: Content by path below the folder.
        pictures: Pictures, which are copied to ``images/`` under the path that the items name.
        left_out: Why an item is not in it, by identifier: the form has no place for it.
    """

    files: Mapping[str, bytes]
    pictures: tuple[Image, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


Exporter = Callable[[Benchmark], Export]
"""Puts a benchmark into a form."""


def write_export(export: Export, folder: Path, image_root: Path | None) -> list[Path]:
    """Write an export into a folder of its own: all of it, or nothing.

    Args:
        export: What to write.
        folder: A folder that is not there yet.
        image_root: What image paths of the items are relative to.

    Returns:
        The paths that were written, sorted.

    Raises:
        ConfigError: The folder is there already, cannot be made, or there are pictures and no image root.
        ImageError: A picture is missing, cannot be read, or is another one than the item has.
    """
    if folder.exists():
        raise ConfigError(Finding("is there already", file=str(folder), remedy="Name a new folder"))
    if export.pictures and image_root is None:
        raise ConfigError(
            Finding("the items have pictures, and their folder is not known", remedy="Name it with --images")
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise _not_writable(folder, error) from error
    try:
        _fill(draft, export, image_root)
        draft.chmod(0o755)
        draft.rename(folder)
    except OSError as error:
        raise _not_writable(folder, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def pictures_in(items: Iterable[Item]) -> tuple[Image, ...]:
    """Return every picture of every wording, once, sorted by path."""
    images = {image for item in items for wording in item.wordings.values() for image in wording.images}
    return tuple(sorted(images, key=lambda image: image.path))


def stem_text(item: Item) -> str:
    """Return the passage, if there is one, and below it the stem's text, for forms without a place for passages."""
    parts = stem_of(Content(item.wording().question.text), item.passage)
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def as_json(value: object) -> bytes:
    """Return a JSON document in UTF-8; half of a surrogate pair, which UTF-8 cannot hold, stays an escape."""
    return _encoded(value, indent=1) + b"\n"


def as_jsonl(records: Iterable[object]) -> bytes:
    """Return records, one a line."""
    return b"".join(_encoded(record, indent=None) + b"\n" for record in records)


def quoted(value: object) -> str:
    """Return a value of texts, numbers and lists in a form that JSON, TOML and YAML share."""
    text = storable(json.dumps(value, ensure_ascii=False))
    return _ESCAPED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def nothing_left(form: str, left_out: Mapping[str, str]) -> DataError:
    """Return the error of an export that would be empty."""
    reasons = ", ".join(sorted(set(left_out.values()))) or "there is none"
    return DataError(
        Finding(
            f"no item can be put into the form {form}: {reasons}",
            remedy="Give items what is missing, or choose another form",
        )
    )


def _fill(draft: Path, export: Export, image_root: Path | None) -> None:
    for name, content in export.files.items():
        path = draft / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for image in export.pictures:
        assert image_root is not None  # noqa: S101 - checked by write_export
        source = resolve(image_root, image.path)  # refuses what leads out of the folder, before any is made
        content = read_picture(source)
        if image.sha256 is not None and hashlib.sha256(content).hexdigest() != image.sha256:
            raise ImageError(
                Finding(
                    "the picture is another one than the items have",
                    file=str(source),
                    remedy="Put the old one back; in a project, delete the folder of the stage that brought it",
                )
            )
        path = draft / PICTURES / image.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _encoded(value: object, indent: int | None) -> bytes:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, indent=indent).encode("ascii")


def _not_writable(folder: Path, error: OSError) -> ConfigError:
    return ConfigError(Finding(f"cannot be written: {error.strerror}", file=str(folder), remedy="Name another folder"))
