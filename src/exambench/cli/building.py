"""What ``exambench build`` does and prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from exambench.benchmarks.formats import Format
from exambench.cli.exit_codes import ExitCode
from exambench.cli.turns import say, say_how_to_stop_at_once, tell
from exambench.construct.building import State, build, items_at_end, states
from exambench.construct.files import one_at_a_time
from exambench.construct.inquiries import UnfinishedError, nobody
from exambench.construct.project import FILE_NAME, Project, Step, read_project
from exambench.construct.records import StageRecord
from exambench.construct.stage import Context
from exambench.construct.stored_answers import StoredAnswers
from exambench.errors import ConfigError, DataError, Finding, show
from exambench.evaluation.model_files import find_model
from exambench.interop.exporting import write_export
from exambench.interop.release import Release
from exambench.interop.releasing import release_export
from exambench.models import BaselineEndpoint, ModelConfig
from exambench.probing.canary import new_guid
from exambench.report.building import StatusRendering
from exambench.store import Store, open_store


def build_project(folder: Path, until: str | None) -> ExitCode:
    """Build a project's stages, and print the funnel.

    Returns:
        Incomplete where a model has not answered everything yet.

    Raises:
        InputError: The project, or something that it names, cannot be used.
        KeyboardInterrupt: A person wants it to end at once; what was answered is stored.
        StoreError: The project's store cannot be used.
    """
    project = read_project(folder)
    models = {role: _model(project, role, name) for role, name in project.models.items()}
    code = ExitCode.COMPLETE
    begun: set[str] = set()
    with one_at_a_time(project.folder), _store(project) as store, _progress() as progress:
        contexts = {step.name: _context(project, step, models, store, progress) for step in project.steps}
        try:
            for each in build(project, contexts, until):
                if each.state is not State.CURRENT:
                    begun.add(each.step.name)
                elif each.record is not None:
                    known = "" if each.step.name in begun else ", as before"
                    tell(each.step.name, f"{each.record.n_in} items in, {each.record.n_out} out{known}.")
        except UnfinishedError as error:
            say(str(error))
            code = ExitCode.INCOMPLETE
    Console().print(StatusRendering(project.name).terminal(states(project)))
    return code


def release_project(
    folder: Path, version: str, out: Path, canary_seed: int | None, form: Format | None = None
) -> list[Path]:
    """Write a release of a project into a new folder below ``out``; return the paths.

    Args:
        folder: The project's folder.
        version: What the release is called.
        out: Where it goes.
        canary_seed: Seed of the canary; from the system when ``None``.
        form: The format of the data; that of the items when ``None``.

    Raises:
        ConfigError: The release is there already, or its name or the project cannot be used.
        DataError: A stage is not current, or an item has no place in the format.
        ImageError: A picture is missing.
    """
    project = read_project(folder)
    found = states(project)
    release = Release(project, version, found, items_at_end(project, found), new_guid(canary_seed), form)
    return write_export(release_export(release), out / f"{project.name}-{version}", project.pictures)


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


def _store(project: Project) -> AbstractContextManager[Store | None]:
    """Open the project's store of responses if one of its stages asks a model; none is made otherwise."""
    if any(step.kind.roles(step.settings) for step in project.steps):
        return open_store(str(project.store))
    return nullcontext()


def _context(
    project: Project, step: Step, models: Mapping[str, ModelConfig], store: Store | None, progress: Progress
) -> Context:
    shown = _shown(progress, step.name)
    return Context(
        folder=project.folder,
        pictures=project.pictures,
        seed=project.seed,
        models=models,
        on_progress=shown,
        project=project.name,
        ask=nobody if store is None else StoredAnswers(step.name, store, shown, say_how_to_stop_at_once),
    )


def _model(project: Project, role: str, name: str) -> ModelConfig:
    """Return a model of the project; a file is looked for in the project's folder first."""
    beside = project.folder / name
    model = find_model(str(beside) if beside.is_file() else name)
    if isinstance(model.endpoint, BaselineEndpoint):
        raise ConfigError(
            Finding(
                "a baseline answers no prompt, so no stage can ask it",
                file=str(project.folder / FILE_NAME),
                field=f"models.{role}",
                value=show(name),
                remedy="Name a model file, or name@base_url",
            )
        )
    return model


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
