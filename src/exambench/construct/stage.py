"""What a kind of stage is: its settings, the files it depends on, and what it makes of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from exambench.construct.records import StageResult
from exambench.items import Item
from exambench.models import ModelConfig


class Settings(BaseModel):
    """Settings of a stage, as ``build.toml`` gives them beside ``use`` and ``name``; each kind has its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
    """

    folder: Path
    pictures: Path
    seed: int
    models: Mapping[str, ModelConfig]
    on_progress: Callable[[int, int], None] = lambda _done, _all: None


S = TypeVar("S", bound=Settings)
S_contra = TypeVar("S_contra", bound=Settings, contravariant=True)


class Files(Protocol[S_contra]):
    """Names the files and folders that a stage's result depends on, relative to the project's folder."""

    def __call__(self, settings: S_contra, /) -> Sequence[Path]:
        """Return their paths."""
        ...


class Work(Protocol[S_contra]):
    """Does what a stage is for."""

    def __call__(self, items: tuple[Item, ...], settings: S_contra, context: Context, /) -> StageResult:
        """Return what becomes of the items.

        Raises:
            InputError: A file, a setting or the data cannot be used.
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
    """

    settings: type[S]
    work: Work[S]
    version: int = 1
    files: Files[S] = lambda _settings: ()
