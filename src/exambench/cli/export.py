"""``exambench export``: a benchmark in the form of another program."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from exambench.benchmarks import Definition
    from exambench.interop.exporting import Export
    from exambench.items import Benchmark


class Form(StrEnum):
    """Into which form a benchmark is put."""

    KMETBENCH = "kmetbench"
    KMMMU = "kmmmu"
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
) -> None:
    """Write a benchmark as other programs read it. What the form has no place for is left out, and named."""
    from exambench.evaluation.opening import open_benchmark
    from exambench.interop.exporting import write_export

    opened = open_benchmark(benchmark, data, images)
    export = _export(form, opened.benchmark, opened.definition, protocol)
    for path in write_export(export, folder, opened.images):
        sys.stdout.write(f"{path}\n")
    for item, reason in export.left_out.items():
        sys.stderr.write(f"left out: item {item}: {reason}\n")


def _export(form: Form, benchmark: Benchmark, definition: Definition, protocol: str | None) -> Export:
    from exambench.interop import data_folders, exam_formats, harness_tasks

    match form:
        case Form.KMETBENCH:
            return exam_formats.kmetbench(benchmark)
        case Form.KMMMU:
            return exam_formats.kmmmu(benchmark)
        case Form.HUGGINGFACE:
            return data_folders.hugging_face(benchmark)
        case Form.SFT:
            return data_folders.chats(benchmark, definition.protocol(protocol))
        case Form.INSPECT:
            return harness_tasks.inspect_task(benchmark)
        case Form.LM_EVAL:
            return harness_tasks.lm_eval_task(benchmark)
