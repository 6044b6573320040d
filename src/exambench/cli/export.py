"""``exambench export``: a benchmark in the form of another program."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from exambench.text import escaped

if TYPE_CHECKING:
    from exambench.interop.exporting import Export, Exporter
    from exambench.items import Benchmark


class Form(StrEnum):
    """Into which form a benchmark is put."""

    KMETBENCH = "kmetbench"
    KMMMU = "kmmmu"
    SCHOLARBENCH = "scholarbench"
    HUGGINGFACE = "huggingface"
    SFT = "sft"
    INSPECT = "inspect"
    LM_EVAL = "lm-eval"


def command(
    form: Annotated[Form, typer.Argument(help="Into which form.")],
    folder: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder.")],
    data: Annotated[Path | None, typer.Option(help="The data file, if the benchmark does not come with one.")] = None,
    benchmark: Annotated[
        str, typer.Option(help="A benchmark's name, or the path of its benchmark.toml.")
    ] = "kmetbench",
    images: Annotated[Path | None, typer.Option(help="The folder that image paths are relative to.")] = None,
    protocol: Annotated[
        str | None, typer.Option(help="How chats for fine-tuning put a question; the headline protocol by default.")
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="The folder of a build: what its last stage left, in place of a benchmark."),
    ] = None,
) -> None:
    """Write a benchmark as other programs read it. What the form has no place for is left out, and named."""
    from exambench.interop.exporting import write_export

    source = _of_benchmark(benchmark, data, images) if project is None else _of_project(project, data, images)
    export = _export(form, source, protocol)
    for path in write_export(export, folder, source.images):
        sys.stdout.write(f"{escaped(str(path))}\n")
    for item, reason in export.left_out.items():
        sys.stderr.write(f"{escaped(f'left out: item {item}: {reason}')}\n")


@dataclass(frozen=True)
class _Source:
    """What is exported.

    Attributes:
        benchmark: The items.
        definition: Name or path of the definition that has their protocols.
        images: What their image paths are relative to.
    """

    benchmark: Benchmark
    definition: str
    images: Path | None


def _of_benchmark(name: str, data: Path | None, images: Path | None) -> _Source:
    from exambench.evaluation.opening import open_benchmark

    opened = open_benchmark(name, data, images)
    return _Source(opened.benchmark, name, opened.images)


def _of_project(folder: Path, data: Path | None, images: Path | None) -> _Source:
    """Return what the last stage of a build left.

    Raises:
        ConfigError: Data or images are named as well.
        DataError: A stage is not current.
    """
    from exambench.construct.building import final_items
    from exambench.construct.project import read_project
    from exambench.errors import ConfigError, Finding
    from exambench.items import Benchmark

    if data is not None or images is not None:
        raise ConfigError(
            Finding("a build has its own data and pictures", field="--project", remedy="Leave out --data and --images")
        )
    project = read_project(folder)
    items = final_items(project)
    benchmark = Benchmark(project.name, project.title, items, (), licence=project.licence)
    return _Source(benchmark, project.extends, project.pictures)


def _export(form: Form, source: _Source, protocol: str | None) -> Export:
    from exambench.benchmarks import find_definition
    from exambench.interop import data_folders, exam_formats, harness_tasks
    from exambench.interop.scholarbench import scholarbench

    exporters: dict[Form, Exporter] = {
        Form.KMETBENCH: exam_formats.kmetbench,
        Form.KMMMU: exam_formats.kmmmu,
        Form.SCHOLARBENCH: scholarbench,
        Form.HUGGINGFACE: data_folders.hugging_face,
        Form.SFT: lambda benchmark: data_folders.chats(
            benchmark, find_definition(source.definition).protocol(protocol)
        ),
        Form.INSPECT: harness_tasks.inspect_task,
        Form.LM_EVAL: harness_tasks.lm_eval_task,
    }
    return exporters[form](source.benchmark)
