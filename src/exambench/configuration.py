"""Files that people write: read, checked against a pydantic model, and refused with every problem named."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from exambench.errors import ConfigError, Finding, show

PRIVATE: Final = frozenset({"api_key_env", "extra_body", "headers"})
"""Fields in which a person may have put a key instead of the name of its variable."""

M = TypeVar("M", bound=BaseModel)


def read_table(path: Path) -> dict[str, Any]:
    """Read a TOML file, or a YAML file by its suffix, whose top level is a table.

    Raises:
        ConfigError: It cannot be read, is not in its format, or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        table = yaml.safe_load(text) if path.suffix.lower() in {".yaml", ".yml"} else tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, yaml.YAMLError, RecursionError) as error:
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
                    field=".".join(map(str, problem["loc"])) or None,
                    value=_shown(problem["type"], problem["loc"], problem["input"]),
                    remedy="Correct the file",
                )
                for problem in error.errors()
            )
        ) from error


def _shown(kind: str, place: tuple[int | str, ...], value: object) -> str | None:
    """Return a value for a message; none where it is missing or the whole file, or a person may have put a key."""
    is_private = kind == "extra_forbidden" or any(name in PRIVATE for name in place)
    return None if kind == "missing" or is_private or not place else show(value)
