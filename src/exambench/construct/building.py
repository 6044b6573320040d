"""From a project to the output of its stages; what has not changed is not done again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from exambench.construct.files import digest_of_files, read_stage_items, read_stage_record, write_stage
from exambench.construct.project import FILE_NAME, Project, Step
from exambench.construct.records import StageRecord, check_result, digest_of_items
from exambench.construct.stage import Context
from exambench.errors import DataError, Finding
from exambench.items import Item, digest

NO_ITEMS = digest_of_items(())


class State(StrEnum):
    """Whether the output of a stage is that of the project as it is."""

    CURRENT = "current"
    STALE = "stale"
    MISSING = "not built"


@dataclass(frozen=True, slots=True)
class StageState:
    """A stage and what is known of its last run.

    Attributes:
        step: The stage.
        state: Whether its output can be used.
        record: Of its last run; ``None`` if there was none.
    """

    step: Step
    state: State
    record: StageRecord | None


def states(project: Project) -> tuple[StageState, ...]:
    """Return the state of each stage: after one that is not current, none is.

    Raises:
        DataError: A file that a stage depends on, or the record of a stage, cannot be read.
    """
    found = []
    before: str | None = NO_ITEMS
    inputs: dict[str, str] = {}
    for step in project.steps:
        record = read_stage_record(project.output(step))
        current = (
            record is not None
            and before is not None
            and _is_of(step, record, fingerprint(project, step, before, inputs))
        )
        state = State.CURRENT if current else State.MISSING if record is None else State.STALE
        found.append(StageState(step, state, record))
        if before is not None:
            inputs[step.name] = before
        before = record.output if current and record is not None else None
    return tuple(found)


def build(project: Project, context: Mapping[str, Context], until: str | None = None) -> Iterator[StageState]:
    """Bring the stages up to date in their order, and yield the state of each before and after its work.

    Args:
        project: What to build.
        context: What each stage may use, by its name.
        until: The last stage to build; all when ``None``.

    Raises:
        ConfigError: There is no stage of that name.
        DataError: The output of a stage was changed by hand, or an input cannot be used.
        StageError: A stage did not account for an item.
        UnfinishedError: A model has not answered everything yet; the stages before are built.
    """
    last = None if until is None else project.step(until)
    items: tuple[Item, ...] = ()
    before = NO_ITEMS
    inputs: dict[str, str] = {}
    pools: dict[str, tuple[Item, ...]] = {}
    for step in project.steps:
        record = read_stage_record(project.output(step))
        print_ = fingerprint(project, step, before, inputs)
        inputs[step.name], pools[step.name] = before, items
        if record is not None and _is_of(step, record, print_):
            items = output_of(project, step, record)
            yield StageState(step, State.CURRENT, record)
        else:
            yield StageState(step, State.MISSING if record is None else State.STALE, record)
            earlier = {name: pools[name] for name in step.kind.earlier(step.settings)}
            items, record = _run(project, step, replace(context[step.name], pools=earlier), items, print_)
            yield StageState(step, State.CURRENT, record)
        before = record.output
        if step is last:
            return


def _is_of(step: Step, record: StageRecord, print_: str) -> bool:
    """Tell whether a record is that of a stage as it is: a folder may have been copied under another name."""
    return (record.name, record.fingerprint) == (step.name, print_)


def output_of(project: Project, step: Step, record: StageRecord) -> tuple[Item, ...]:
    """Return the items that came out of a stage.

    Raises:
        DataError: They are not those that the record vouches for.
    """
    items = read_stage_items(project.output(step))
    if not _vouches_for(record, items):
        raise DataError(
            Finding(
                problem="was changed after the stage wrote it",
                file=str(project.output(step)),
                remedy="Delete this folder to build it anew; changes of people come in through review sheets",
            )
        )
    return items


def _vouches_for(record: StageRecord, items: Sequence[Item]) -> bool:
    try:
        return digest_of_items(items) == record.output
    except (TypeError, ValueError, RecursionError):  # values that no stage writes
        return False


def fingerprint(project: Project, step: Step, before: str, inputs: Mapping[str, str]) -> str:
    """Return the digest of everything that a stage's result depends on.

    Args:
        project: The project.
        step: The stage.
        before: Digest of the items that go into it.
        inputs: Digests of the items that went into the stages before it, by their names.

    Raises:
        ConfigError: Its settings name something that does not come with the toolkit.
        DataError: A file that it depends on cannot be read.
    """
    depends = {
        "use": step.use,
        "version": step.kind.version,
        "settings": step.settings.model_dump(mode="json"),
        "files": digest_of_files(project.folder, step.kind.files(step.settings)),
        "seed": project.seed,
        "input": before,
    }
    shipped = list(step.kind.shipped(step.settings, project.folder))
    models = {role: _digest_of_model(project, role) for role in step.kind.roles(step.settings)}
    earlier = {name: inputs[name] for name in step.kind.earlier(step.settings)}
    besides = {"shipped": shipped, "models": models, "earlier": earlier}
    return digest(depends | {name: found for name, found in besides.items() if found})


def _digest_of_model(project: Project, role: str) -> str:
    """Return a digest of a model file, or of the name of a model that has none."""
    name = project.models[role]
    found = next((path for path in (project.folder / name, Path(name)) if path.is_file()), None)
    return digest(name) if found is None else digest_of_files(Path(), [found])[0][1]


def _run(
    project: Project, step: Step, context: Context, items: tuple[Item, ...], print_: str
) -> tuple[tuple[Item, ...], StageRecord]:
    result = step.kind.work(items, step.settings, context)
    check_result(step.name, items, result)
    record = StageRecord(
        name=step.name,
        use=step.use,
        fingerprint=print_,
        n_in=len(items),
        n_out=len(result.items),
        output=digest_of_items(result.items),
        changes=result.changes,
        facts=result.facts,
        spending=result.spending,
    )
    write_stage(project.output(step), result.items, record)
    return result.items, record


def final_items(project: Project) -> tuple[Item, ...]:
    """Return the items that came out of the last stage.

    Raises:
        DataError: A stage is not current.
    """
    return items_at_end(project, states(project))


def items_at_end(project: Project, found: Sequence[StageState]) -> tuple[Item, ...]:
    """Return the items that came out of the last stage, by the states that were found before.

    Raises:
        DataError: A stage is not current, or its output is another one by now.
    """
    for each in found:
        if each.state is not State.CURRENT:
            raise DataError(
                Finding(
                    problem=f"the stage {each.step.name} is {each.state}",
                    file=str(project.folder / FILE_NAME),
                    remedy="Run exambench build first",
                )
            )
    last = found[-1]
    return () if last.record is None else output_of(project, last.step, last.record)
