"""Which models are kin to which judges: as somebody declared it, never guessed from names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from exambench.errors import ConfigError, Finding, show


class Source(StrEnum):
    """How a family is known."""

    OPTION = "--family"
    """By the command line, which counts before a model file."""
    MODEL_FILE = "model file"
    NOTHING = "not declared"


@dataclass(frozen=True, slots=True)
class Family:
    """The family of a model or judge.

    Attributes:
        name: What the model or judge is called.
        family: Its family; ``None`` where nobody declared one.
        source: How that is known.
    """

    name: str
    family: str | None
    source: Source


def read_families(pairs: Iterable[str]) -> dict[str, str]:
    """Read families as a person types them, ``NAME=FAMILY``.

    Args:
        pairs: What stands after each ``--family``; a name may hold the sign ``=``, a family may not.

    Raises:
        ConfigError: One is not of that form, or two contradict each other.
    """
    declared: dict[str, str] = {}
    for pair in pairs:
        name, sign, family = (part.strip() for part in pair.rpartition("="))
        if not (name and sign and family) or declared.get(name, family) != family:
            raise ConfigError(
                Finding(
                    problem="two families for one name" if name in declared else "this declares no family",
                    field="--family",
                    value=show(pair),
                    allowed="NAME=FAMILY, each name once",
                    remedy="Name each model and judge once, with its family",
                )
            )
        declared[name] = family
    return declared


def family_of(name: str, configuration: Mapping[str, object], declared: Mapping[str, str]) -> Family:
    """Return the family of a model or judge.

    Args:
        name: What it is called.
        configuration: Its model file as it is stored.
        declared: What the command line says, by name.
    """
    if name in declared:
        return Family(name, declared[name], Source.OPTION)
    family = configuration.get("family")
    if isinstance(family, str):
        return Family(name, family, Source.MODEL_FILE)
    return Family(name, None, Source.NOTHING)


def check_names(declared: Mapping[str, str], known: Sequence[str]) -> None:
    """Check that every declared family is somebody's.

    Raises:
        ConfigError: A name is neither a model's nor a judge's.
    """
    strange = [name for name in declared if name not in known]
    if strange:
        raise ConfigError(
            Finding(
                problem="no model and no judge here has this name",
                field="--family",
                value=show(strange[0]),
                allowed=", ".join(dict.fromkeys(known)),
                remedy="Write the name as exambench verdicts shows it",
            )
        )
