"""``build.toml``: a project's stages with their settings, its models by role, its seed and its licence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.construct.files import FOLDER_OF_PICTURES, FOLDER_OF_STAGES
from exambench.construct.registry import STAGES
from exambench.construct.stage import Settings, StageKind
from exambench.errors import ConfigError, Finding, show

FILE_NAME: Final = "build.toml"
FILE_OF_STORE: Final = "build.db"
LARGEST_SEED: Final = 2**32 - 1
"""What every generator of random numbers takes."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=64)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _StageTable(BaseModel):
    """What every ``[[stages]]`` entry has; the rest are the settings of its kind."""

    model_config = ConfigDict(frozen=True, extra="allow")

    use: str
    name: Name | None = None


class _ProjectTable(_Table):
    """A whole ``build.toml``; see :class:`Project`."""

    name: Name
    stages: Annotated[list[_StageTable], Field(min_length=1)]
    title: str = ""
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")] = "ko"
    licence: str = ""
    extends: str = "kmetbench"
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED, strict=True)] = 42
    models: dict[Name, str] = Field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One stage of a project.

    Attributes:
        name: What the project calls it; each name stands once.
        use: The kind of stage.
        kind: What that kind is.
        settings: Its settings.
    """

    name: str
    use: str
    kind: StageKind[Any]
    settings: Settings


@dataclass(frozen=True)
class Project:
    """A project folder.

    Attributes:
        folder: Where ``build.toml`` is.
        name: What the benchmark will be called.
        title: The same for people.
        language: ISO 639 code of the items' language.
        licence: SPDX expression, or a phrase.
        extends: The benchmark whose axes and protocols a release has.
        seed: Of every draw.
        models: Model files by role, relative to the folder, or ``name@base_url``.
        steps: The stages in their order.
    """

    folder: Path
    name: str
    title: str
    language: str
    licence: str
    extends: str
    seed: int
    models: Mapping[str, str]
    steps: tuple[Step, ...]

    @property
    def pictures(self) -> Path:
        """The folder of pictures, named by their content."""
        return self.folder / FOLDER_OF_PICTURES

    @property
    def store(self) -> Path:
        """Where responses of models are kept."""
        return self.folder / FILE_OF_STORE

    def output(self, step: Step) -> Path:
        """Return the folder of a stage's output."""
        return self.folder / FOLDER_OF_STAGES / step.name

    def step(self, name: str) -> Step:
        """Return a stage by name.

        Raises:
            ConfigError: There is none of that name.
        """
        for step in self.steps:
            if step.name == name:
                return step
        raise ConfigError(
            Finding(
                problem="there is no such stage",
                file=str(self.folder / FILE_NAME),
                field="stages",
                value=show(name),
                allowed=", ".join(step.name for step in self.steps),
                remedy="Name one of these",
            )
        )


def read_project(folder: Path) -> Project:
    """Read a project's ``build.toml``.

    Raises:
        ConfigError: It is missing or cannot be used; every misfit is a finding.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise ConfigError(
            Finding(
                problem=f"there is no {FILE_NAME}",
                file=str(path),
                remedy="Go to a project folder, or name one with --project",
            )
        )
    table = validate(_ProjectTable, read_table(path), str(path))
    steps = tuple(_step(entry, number, str(path)) for number, entry in enumerate(table.stages, start=1))
    _check_roles(steps, table.models, str(path))
    _check_earlier(steps, str(path))
    repeated = [name for name, count in Counter(step.name for step in steps).items() if count > 1]
    if repeated:
        raise ConfigError(
            Finding(
                problem="two stages have the same name",
                file=str(path),
                field="stages.name",
                value=show(repeated[0]),
                remedy="Give one of them a name of its own",
            )
        )
    return Project(
        folder=folder,
        name=table.name,
        title=table.title or table.name,
        language=table.language,
        licence=table.licence,
        extends=table.extends,
        seed=table.seed,
        models=table.models,
        steps=steps,
    )


def _check_roles(steps: Sequence[Step], models: Mapping[str, str], file: str) -> None:
    missing = [(step, role) for step in steps for role in step.kind.roles(step.settings) if role not in models]
    if missing:
        raise ConfigError(
            *(
                Finding(
                    problem=f"the stage {step.name} asks a model that the project does not have",
                    file=file,
                    field="models",
                    value=show(role),
                    allowed=", ".join(models) or "none",
                    remedy="Name a model file, or name@base_url, under [models]",
                )
                for step, role in missing
            )
        )


def _check_earlier(steps: Sequence[Step], file: str) -> None:
    names = [step.name for step in steps]
    missing = [
        (step, name, names[:place])
        for place, step in enumerate(steps)
        for name in step.kind.earlier(step.settings)
        if name not in names[:place]
    ]
    if missing:
        raise ConfigError(
            *(
                Finding(
                    problem=f"the stage {step.name} looks back at a stage that does not stand before it",
                    file=file,
                    field="stages",
                    value=show(name),
                    allowed=", ".join(before) or "none",
                    remedy="Name one of the stages before it",
                )
                for step, name, before in missing
            )
        )


def _step(entry: _StageTable, number: int, file: str) -> Step:
    kind = STAGES.get(entry.use)
    if kind is None:
        raise ConfigError(
            Finding(
                problem="there is no such kind of stage",
                file=file,
                field=f"stages[{number}].use",
                value=show(entry.use),
                allowed=", ".join(STAGES),
                remedy="Name one of these",
            )
        )
    settings = validate(kind.settings, entry.model_extra or {}, f"{file}, stages[{number}] ({entry.use})")
    return Step(entry.name or entry.use, entry.use, kind, settings)
