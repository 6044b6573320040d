"""``benchmark.toml``: axes, protocols, expected sizes, pass mark, time limit and licence of a benchmark, as data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from exambench.benchmarks.formats import Format
from exambench.configuration import read_table, validate
from exambench.errors import ConfigError, Finding, show
from exambench.items import Axis, facet_text
from exambench.models import Decoding
from exambench.protocols import Protocol

SHIPPED: Final = Path(__file__).parent
FILE_NAME: Final = "benchmark.toml"
OWN: Final = frozenset({"version", "reference", "licence", "expected", "data", "images"})

Facet = StrictBool | StrictInt | StrictStr
Where = dict[str, list[Facet]]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AxisTable(_Table):
    """One ``[[axes]]`` entry."""

    name: Annotated[str, Field(min_length=1)]
    titles: Annotated[dict[str, str], Field(min_length=1)]
    where: Where = Field(default_factory=dict)

    def axis(self) -> Axis:
        """Return the axis that this entry describes."""
        return Axis(name=self.name, titles=self.titles, where=_frozen_where(self.where))


class ProtocolTable(_Table):
    """One ``[protocols.NAME]`` table; see :class:`exambench.protocols.Protocol`."""

    user: str
    choice: str
    answer: str
    strict: str
    lenient: str
    system: str = ""
    decoding: Decoding = Decoding()
    thinking: Decoding = Decoding()
    where: Where = Field(default_factory=dict)
    suffixes: dict[Literal["labels", "cot"], str] = Field(default_factory=dict)
    labelled: str = ""

    def protocol(self, name: str) -> Protocol:
        """Return the protocol that this table describes; blank lines around its templates are not part of them."""
        return Protocol(
            name=name,
            system=self.system.strip("\n"),
            user=self.user.strip("\n"),
            choice=self.choice,
            answer=self.answer,
            strict=self.strict,
            lenient=self.lenient,
            decoding=self.decoding,
            thinking=self.thinking,
            where=_frozen_where(self.where),
            suffixes={name: text.strip("\n") for name, text in self.suffixes.items()},
            labelled=self.labelled,
        )


class ExpectedCount(_Table):
    """How many items of a release have certain facets."""

    where: Where
    items: Annotated[int, Field(ge=0)]

    @property
    def label(self) -> str:
        """The set in words, as in ``korean=true, part=1``."""
        conditions = (f"{facet}={'|'.join(map(facet_text, values))}" for facet, values in self.where.items())
        return ", ".join(conditions) or "any facets"

    @property
    def axis(self) -> Axis:
        """The set as an axis."""
        return Axis(name=self.label, titles={}, where=_frozen_where(self.where))


class Definition(_Table):
    """A whole ``benchmark.toml``.

    Attributes:
        format: Which loader reads the data file.
        data: The data file beside the definition, for benchmarks that carry their data.
        images: The image folder beside the definition, likewise.
        rubric: The rubric for rationales beside the definition, if its items have any.
        headline: Name of the protocol whose scores are the benchmark's.
        folder: Where the definition was read from.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    title: str
    format: Format
    headline: str
    axes: Annotated[list[AxisTable], Field(min_length=1)]
    protocols: Annotated[dict[str, ProtocolTable], Field(min_length=1)]
    version: str = ""
    reference: str = ""
    licence: str = ""
    data: str | None = None
    images: str | None = None
    rubric: str | None = None
    pass_mark: Annotated[float, Field(ge=0, le=1)] | None = None
    minutes: Annotated[float, Field(gt=0)] | None = None
    exam_items: Annotated[int, Field(gt=0)] | None = None
    expected: list[ExpectedCount] = Field(default_factory=list)
    folder: Path = Path()

    @model_validator(mode="after")
    def _headline_exists(self) -> Definition:
        if self.headline not in self.protocols:
            raise ValueError(f"headline: there is no protocol {self.headline!r}; allowed: {', '.join(self.protocols)}")
        return self

    def protocol(self, name: str | None = None) -> Protocol:
        """Return a protocol by name; the headline protocol when none is named.

        Raises:
            ConfigError: There is no protocol of that name.
        """
        wanted = name or self.headline
        if wanted not in self.protocols:
            raise ConfigError(
                Finding(
                    problem=f"{self.name} has no such protocol",
                    file=str(self.folder / FILE_NAME),
                    field="protocol",
                    value=show(wanted),
                    allowed=", ".join(self.protocols),
                    remedy="Name one of these, or a TOML file with one protocol in it",
                )
            )
        return self.protocols[wanted].protocol(wanted)


def shipped_definitions() -> Mapping[str, Path]:
    """Return the folders of the benchmarks that come with the toolkit, by name."""
    return {path.parent.name.replace("_", "-"): path.parent for path in sorted(SHIPPED.glob(f"*/{FILE_NAME}"))}


def find_definition(name: str) -> Definition:
    """Read a benchmark's definition.

    Args:
        name: A shipped benchmark's name, a folder with a ``benchmark.toml``, or such a file.

    Raises:
        ConfigError: There is no such benchmark, or its file cannot be used.
    """
    shipped = shipped_definitions()
    if name in shipped:
        return _read_definition(shipped[name] / FILE_NAME)
    path = Path(name)
    if path.is_dir():
        path /= FILE_NAME
    if path.is_file():
        return _read_definition(path)
    raise ConfigError(
        Finding(
            problem="there is no such benchmark",
            field="benchmark",
            value=show(name),
            allowed=f"{', '.join(shipped)}, or the path of a {FILE_NAME}",
            remedy="Name one of these",
        )
    )


def read_protocol_file(path: Path) -> Protocol:
    """Read a protocol from a TOML or YAML file of its own; it is called after the file.

    Raises:
        ConfigError: The file is not a protocol.
    """
    return validate(ProtocolTable, read_table(path), str(path)).protocol(path.stem)


def _read_definition(path: Path) -> Definition:
    table = _with_base(path, read_table(path), seen=(path.resolve(),))
    return validate(Definition, table | {"folder": path.parent}, str(path))


def _with_base(path: Path, table: dict[str, Any], seen: tuple[Path, ...]) -> dict[str, Any]:
    """Follow ``extends``: what a definition leaves open comes from its base, protocols one by one.

    What is true of the base's own data (its version, sizes, files, where it was published) is not taken over.
    """
    base_name = table.pop("extends", None)
    if base_name is None:
        return table
    shipped = shipped_definitions()
    base = shipped[base_name] if base_name in shipped else path.parent / str(base_name)
    base_path = base / FILE_NAME if base.is_dir() else base
    if base_path.resolve() in seen:
        raise ConfigError(
            Finding(problem="extends itself", file=str(path), field="extends", value=show(base_name), remedy="Break it")
        )
    inherited = _with_base(base_path, read_table(base_path), (*seen, base_path.resolve()))
    if "rubric" in inherited:  # it lies beside the base, not beside what extends it
        inherited["rubric"] = str((base_path.parent / str(inherited["rubric"])).resolve())
    protocols = inherited.get("protocols", {}) | table.get("protocols", {})
    general = {name: value for name, value in inherited.items() if name not in OWN}
    return general | table | {"protocols": protocols}


def _frozen_where(where: Where) -> dict[str, tuple[Facet, ...]]:
    return {facet: tuple(values) for facet, values in where.items()}
