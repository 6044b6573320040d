"""What ``exambench build`` does and prints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from exambench.construct.building import State, build, states
from exambench.construct.files import one_at_a_time
from exambench.construct.project import FILE_NAME, Project, read_project
from exambench.construct.records import StageRecord
from exambench.construct.stage import Context
from exambench.errors import DataError, Finding
from exambench.evaluation.model_files import find_model
from exambench.models import ModelConfig
from exambench.report.building import StatusRendering
from exambench.text import escaped


def build_project(folder: Path, until: str | None) -> None:
    """Build a project's stages, and print the funnel.

    Raises:
        InputError: The project, or something that it names, cannot be used.
    """
    project = read_project(folder)
    models = {role: _model(project, name) for role, name in project.models.items()}
    with one_at_a_time(project.folder), _progress() as progress:
        contexts = {
            step.name: Context(
                folder=project.folder,
                pictures=project.pictures,
                seed=project.seed,
                models=models,
                on_progress=_shown(progress, step.name),
            )
            for step in project.steps
        }
        for each in build(project, contexts, until):
            if each.state is State.CURRENT and each.record is not None:
                _tell(f"{each.step.name}: {each.record.n_in} items in, {each.record.n_out} out.")
    Console().print(StatusRendering(project.name).terminal(states(project)))


def record_of(folder: Path, stage: str) -> StageRecord:
    """Return the record of a stage.

    Raises:
        ConfigError: There is no such stage.
        DataError: It has never run, or its record cannot be read.
    """
    project = read_project(folder)
    step = project.step(stage)
    found = next(each.record for each in states(project) if each.step is step)
    if found is None:
        raise DataError(
            Finding(
                f"the stage {stage} has not run yet", file=str(folder / FILE_NAME), remedy="Run exambench build first"
            )
        )
    return found


def _model(project: Project, name: str) -> ModelConfig:
    """Return a model of the project; a file is looked for in the project's folder first."""
    beside = project.folder / name
    return find_model(str(beside) if beside.is_file() else name)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("left"),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )


def _shown(progress: Progress, name: str) -> Callable[[int, int], None]:
    """Return what shows a stage's progress; its line appears with the first report."""

    def show(done: int, total: int) -> None:
        task = next((task.id for task in progress.tasks if task.description == name), None)
        progress.update(progress.add_task(name) if task is None else task, completed=done, total=total)

    return show


def _tell(line: str) -> None:
    sys.stderr.write(f"{escaped(line)}\n")
