"""Files written whole or not at all: under another name first, then put in place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from exambench.errors import ConfigError, Finding


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write texts as UTF-8; folders are made. With any fault no file is put in place.

    Half of a surrogate pair, which UTF-8 cannot hold, becomes the escape that it is in JSON.

    Raises:
        ConfigError: A file cannot be written.
    """
    nameless = [path for path in texts if not path.name]
    if nameless:
        raise ConfigError(Finding("is a folder", file=str(nameless[0]), allowed="a file", remedy="Name another place"))
    unfinished = {path.with_name(f".{path.name}.part"): path for path in texts}
    try:
        for part, path in unfinished.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(texts[path].encode("utf-8", "backslashreplace"))
        for part, path in unfinished.items():
            part.replace(path)
    except OSError as error:
        for part in unfinished:
            part.unlink(missing_ok=True)
        raise ConfigError(Finding(f"cannot be written: {error}", remedy="Name another place")) from error
