"""What a kind of stage is: its settings, the files it depends on, and what it makes of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Generic, Protocol, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from exambench.construct.inquiries import AskModel, Budget, nobody
from exambench.construct.records import StageResult
from exambench.items import Benchmark, Item
from exambench.models import ModelConfig


class Settings(BaseModel):
    """Settings of a stage, as ``build.toml`` gives them beside ``use`` and ``name``; each kind has its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _counts_no_truth_values(cls, value: object, info: ValidationInfo) -> object:
        """Refuse ``true`` where a number is wanted; pydantic takes it for 1."""
        if isinstance(value, bool) and not _takes_truth(cls.model_fields[str(info.field_name)].annotation):
            raise ValueError("is a truth value, and takes none")
        return value


def _takes_truth(annotation: object) -> bool:
    return annotation in {bool, Any} or any(map(_takes_truth, get_args(annotation)))


class AskingSettings(Settings):
    """Settings that every stage has that asks models.

    Attributes:
        max_requests: Most responses that the stage may rest on; no limit when ``None``.
        max_cost: Most money that they may cost; no limit when ``None``.
    """

    max_requests: Annotated[int, Field(ge=1)] | None = None
    max_cost: Annotated[float, Field(gt=0)] | None = None

    @property
    def budget(self) -> Budget:
        """How much the stage may ask."""
        return Budget(self.max_requests, self.max_cost)


@dataclass(frozen=True, slots=True)
class Context:
    """What a stage may use besides its items and settings.

    Attributes:
        folder: The project's folder; paths in settings are relative to it.
        pictures: The folder that image paths of items are relative to; a stage that brings pictures puts them there,
            named by their content.
        seed: The project's seed.
        models: The project's models by role.
        on_progress: Told how much of how much is done.
        project: The project's name.
        ask: Asks a model; the stage's own, since it keeps to the stage's budget.
        pools: Items that went into the earlier stages that it looks back at, by their names.
    """

    folder: Path
    pictures: Path
    seed: int
    models: Mapping[str, ModelConfig]
    on_progress: Callable[[int, int], None] = lambda _done, _all: None
    project: str = "build"
    ask: AskModel = nobody
    pools: Mapping[str, tuple[Item, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def benchmark_of(self, items: tuple[Item, ...]) -> Benchmark:
        """Return items as what a task is about, with the folder of their pictures."""
        return Benchmark(self.project, self.project, items, (), image_root=self.pictures)


S = TypeVar("S", bound=Settings)
S_contra = TypeVar("S_contra", bound=Settings, contravariant=True)


class Files(Protocol[S_contra]):
    """Names the files and folders that a stage's result depends on, relative to the project's folder."""

    def __call__(self, settings: S_contra, /) -> Sequence[Path]:
        """Return their paths."""
        ...


class Shipped(Protocol[S_contra]):
    """Names what of the toolkit itself a stage's result depends on: prompts, word lists, protocols."""

    def __call__(self, settings: S_contra, folder: Path, /) -> Sequence[str]:
        """Return a digest of each; ``folder`` is the project's.

        Raises:
            InputError: The settings name something that there is not.
        """
        ...


class Roles(Protocol[S_contra]):
    """Names the roles of the models that a stage asks."""

    def __call__(self, settings: S_contra, /) -> Sequence[str]:
        """Return the roles, as ``build.toml`` has them under ``models``."""
        ...


class Earlier(Protocol[S_contra]):
    """Names the earlier stages whose input a stage looks back at."""

    def __call__(self, settings: S_contra, /) -> Sequence[str]:
        """Return their names, as ``build.toml`` has them."""
        ...


class Work(Protocol[S_contra]):
    """Does what a stage is for."""

    def __call__(self, items: tuple[Item, ...], settings: S_contra, context: Context, /) -> StageResult:
        """Return what becomes of the items.

        Raises:
            InputError: A file, a setting or the data cannot be used.
            UnfinishedError: A model has not answered everything yet; nothing is recorded.
        """
        ...


@dataclass(frozen=True)
class StageKind(Generic[S]):
    """A kind of stage.

    Attributes:
        settings: Its settings.
        work: What it does.
        version: Counted up whenever it makes something else of the same items and settings.
        files: What its result depends on besides.
        shipped: What of the toolkit itself it depends on; a newer one has other prompts and words.
        roles: The models that it asks.
        earlier: The stages before it whose input it looks back at.
    """

    settings: type[S]
    work: Work[S]
    version: int = 1
    files: Files[S] = lambda _settings: ()
    shipped: Shipped[S] = lambda _settings, _folder: ()
    roles: Roles[S] = lambda _settings: ()
    earlier: Earlier[S] = lambda _settings: ()
