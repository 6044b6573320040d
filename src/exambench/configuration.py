"""Files that people write: read, checked against a pydantic model, and refused with every problem named."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from exambench.errors import ConfigError, Finding, show

PRIVATE: Final = frozenset({"api_key_env", "extra_body", "headers"})
"""Fields in which a person may have put a key instead of the name of its variable."""

LARGEST_FILE: Final = 64 * 2**20
"""Bytes of a file that a person wrote."""

M = TypeVar("M", bound=BaseModel)


def read_ordinary(path: Path, most: int = LARGEST_FILE) -> bytes:
    """Return the content of an ordinary file: no pipe or device, which may never end, and of sensible size.

    Raises:
        OSError: It cannot be read, is something else, or is larger than ``most`` bytes.
        ValueError: The path has a NUL character.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    state = os.fstat(handle)
    problem = ""
    if not stat.S_ISREG(state.st_mode):
        problem = "this is no ordinary file"
    elif state.st_size > most:
        problem = f"the file is larger than {most:,} bytes"
    if problem:
        os.close(handle)
        raise OSError(errno.EINVAL, problem, str(path))
    with os.fdopen(handle, "rb") as file:
        return file.read()


def read_table(path: Path) -> dict[str, Any]:
    """Read a TOML file, or a YAML file by its suffix, whose top level is a table.

    Raises:
        ConfigError: It cannot be read, is not in its format, or holds something else.
    """
    try:
        text = read_ordinary(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        table = _yaml(text) if path.suffix.lower() in {".yaml", ".yml"} else tomllib.loads(text)
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        raise ConfigError(
            Finding(
                problem=f"cannot be read: {' '.join(str(error).split())}",
                file=str(path),
                allowed="TOML or YAML",
                remedy="Correct the file",
            )
        ) from error
    if not isinstance(table, dict):
        raise ConfigError(
            Finding(problem="is not a table", file=str(path), value=show(table), allowed="keys with values")
        )
    return table


def _yaml(text: str) -> object:
    """Read YAML without aliases: a few lines of them stand for more values than any memory holds.

    Raises:
        ValueError: There is an alias, or a number or date that is none.
        yaml.YAMLError: It is no YAML.
    """
    events = yaml.parse(text, Loader=yaml.SafeLoader)
    alias = next((event.anchor for event in events if isinstance(event, yaml.AliasEvent)), None)
    if alias is not None:
        raise ValueError(f"the alias *{alias} is not followed; write out what it stands for")
    return yaml.safe_load(text)


def validate(model: type[M], table: Mapping[str, object], file: str) -> M:
    """Return ``table`` as an instance of ``model``.

    Raises:
        ConfigError: It does not fit; every misfit is a finding with file, field and value.
    """
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise ConfigError(
            *(
                Finding(
                    problem=problem["msg"].removeprefix("Value error, "),
                    file=file,
                    field=_named(problem["loc"]) or None,
                    value=_shown(problem["type"], problem["loc"], problem["input"]),
                    remedy="Correct the file",
                )
                for problem in error.errors()
            )
        ) from error


def _named(place: tuple[int | str, ...]) -> str:
    """Return where a value stands, as in ``stages[1].use``: entries are counted from 1, as people do."""
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


def _shown(kind: str, place: tuple[int | str, ...], value: object) -> str | None:
    """Return a value for a message; none where it is missing or the whole file, or a person may have put a key."""
    is_private = kind == "extra_forbidden" or any(name in PRIVATE for name in place)
    return None if kind == "missing" or is_private or not place else show(value)
