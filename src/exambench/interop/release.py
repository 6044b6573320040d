"""What a release is made of, and how its data says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from exambench.benchmarks.formats import Format
from exambench.construct.building import StageState
from exambench.construct.project import Project
from exambench.construct.records import StageRecord
from exambench.interop.release_forms import form_of
from exambench.items import Benchmark, Item


@dataclass(frozen=True, slots=True)
class Said:
    """How the data says the items.

    Attributes:
        lost: What it does not say, and of how many items.
        beside: What it says where other programs do not look, likewise.
    """

    lost: Mapping[str, int]
    beside: Mapping[str, int]


@dataclass(frozen=True)
class Release:
    """What a release is made of.

    Attributes:
        project: The project.
        version: What the release is called.
        states: The project's stages, all of them current.
        items: What the last stage left.
        guid: Of the canary that every record carries.
        wanted: The format of the data; that of the items when ``None``.
    """

    project: Project
    version: str
    states: tuple[StageState, ...]
    items: tuple[Item, ...]
    guid: str
    wanted: Format | None = None

    @property
    def form(self) -> Format:
        """The format of the data."""
        return self.wanted or form_of(self.items)

    @property
    def benchmark(self) -> Benchmark:
        """The items as a benchmark."""
        project = self.project
        return Benchmark(project.name, project.title, self.items, (), licence=project.licence)

    @property
    def records(self) -> tuple[StageRecord, ...]:
        """The records of the stages."""
        return tuple(each.record for each in self.states if each.record is not None)
