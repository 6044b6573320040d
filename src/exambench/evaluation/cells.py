"""The cells of a run: which protocols and conditions are asked, from what a person typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Final

from exambench.errors import ConfigError, Finding, show
from exambench.items import EXPLICIT
from exambench.protocols.condition import DIMENSIONS, Condition, setting_text
from exambench.protocols.probes import settings_of

PROMPT: Final = "prompt"
MOST_CELLS: Final = 200
SETTINGS: Final = {PROMPT: "a protocol of the benchmark", **DIMENSIONS}
"""What may be named, with the values that each may have, in words."""


@dataclass(frozen=True)
class Cell:
    """One protocol and one condition.

    Attributes:
        protocol: Name of the protocol, or a file; the headline protocol when ``None``.
        condition: How the items are shown.
        named: What sets the cell apart from the others of its grid: dimension → value.
    """

    protocol: str | None = None
    condition: Condition = field(default_factory=Condition)
    named: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def title(self) -> str:
        """What sets it apart, in words; empty where it is the only one."""
        return ", ".join(setting_text(name, value) for name, value in self.named.items())


def cells_of(
    *,
    protocol: str | None = None,
    wording: str = EXPLICIT,
    settings: Sequence[str] = (),
    grid: Sequence[str] = (),
    probes: Sequence[str] = (),
) -> tuple[Cell, ...]:
    """Return the cells that a person named, each once; one where none is named.

    Args:
        protocol: Name of the protocol, or a file.
        wording: Name of the wording.
        settings: What holds for every cell, each ``NAME=VALUE``.
        grid: What varies, each ``NAME=VALUE,VALUE``: every combination is a cell.
        probes: Names of probes, some with a number, as in ``reshuffle=10``, each asked beside the usual condition.

    Raises:
        ConfigError: A name or a value does not exist, stands twice, or there are too many cells.
    """
    fixed = _pairs(settings, "--condition")
    varied = {name: _values(name, text) for name, text in _pairs(grid, "--grid").items()}
    _refuse_both(fixed, varied, protocol=protocol, wording=wording)
    base = Condition(wording=wording)
    for name, value in fixed.items():
        if name != PROMPT:
            base = base.having(name, value)
    chosen = fixed.get(PROMPT, protocol)
    cells = [
        _cell(chosen, base, dict(zip(varied, values, strict=True)))
        for values in product(*varied.values())  # one empty combination where nothing varies
    ]
    for name in probes:
        cells += [
            Cell(chosen, base.having(dimension, value), MappingProxyType({dimension: value}))
            for dimension, value in settings_of(name)
        ]
    once: dict[tuple[str | None, Condition], Cell] = {}
    for cell in cells:
        once.setdefault((cell.protocol, cell.condition), cell)
    found = tuple(once.values())
    if len(found) > MOST_CELLS:
        raise ConfigError(
            Finding(
                "the grid has too many cells",
                field="--grid",
                value=str(len(found)),
                allowed=f"at most {MOST_CELLS}",
                remedy="Vary less at once",
            )
        )
    return found


def _cell(protocol: str | None, condition: Condition, varied: Mapping[str, str]) -> Cell:
    for name, value in varied.items():
        if name != PROMPT:
            condition = condition.having(name, value)
    return Cell(varied.get(PROMPT, protocol), condition, MappingProxyType(dict(varied)))


def _pairs(words: Iterable[str], option: str) -> dict[str, str]:
    """Read words of the form ``NAME=VALUE``; a name that stands twice is an error."""
    pairs: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        problem = ""
        if not sign or not value:
            problem = "is not of the form NAME=VALUE"
        elif name not in SETTINGS:
            problem = "names nothing that a condition consists of"
        elif name in pairs:
            problem = "names what was named before"
        if problem:
            raise ConfigError(
                Finding(
                    problem,
                    field=option,
                    value=show(word),
                    allowed="; ".join(
                        [
                            f"{PROMPT}=a protocol of the benchmark",
                            *(f"{name}={DIMENSIONS[name]}" for name in DIMENSIONS),
                        ]
                    ),
                    remedy="Name each of these once at most",
                )
            )
        pairs[name] = value
    return pairs


def _values(name: str, text: str) -> tuple[str, ...]:
    values = tuple(text.split(","))
    if not all(values) or len(set(values)) < len(values):
        raise ConfigError(
            Finding(
                "the values of a grid are not each given once",
                field=f"--grid {name}",
                value=show(text),
                allowed="values, with a comma between them and no space",
                remedy="Give each value once",
            )
        )
    return values


def _refuse_both(
    fixed: Mapping[str, str], varied: Mapping[str, Sequence[str]], *, protocol: str | None, wording: str
) -> None:
    """See that nothing is fixed in two ways, or fixed and varied."""
    options = {PROMPT: protocol is not None, "wording": wording != EXPLICIT}
    twice = [name for name in fixed if name in varied]
    twice += [name for name, given in options.items() if given and (name in fixed or name in varied)]
    if twice:
        raise ConfigError(
            Finding(
                "is both fixed and varied, or fixed twice",
                field=twice[0],
                allowed="one of --protocol or --wording, --condition, --grid for each dimension",
                remedy="Name it in one place",
            )
        )
