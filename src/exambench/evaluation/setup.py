"""From what a person typed to plans that can be run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from exambench.benchmarks.definition import Definition, read_protocol_file
from exambench.errors import ConfigError, Finding, show
from exambench.evaluation.cells import Cell
from exambench.evaluation.model_files import named_model
from exambench.evaluation.opening import open_benchmark
from exambench.evaluation.planning import RunPlan, plan_run
from exambench.items import ENGLISH, Benchmark, Item
from exambench.protocols import Protocol


@dataclass(frozen=True)
class RunOptions:
    """What to run.

    Attributes:
        benchmark: Name of a shipped benchmark, or path of a definition.
        models: What stands after each ``--model``.
        data: The data file; the benchmark's own when ``None``.
        images: The image folder; the benchmark's own when ``None``.
        cells: Protocols and conditions, in the order in which they are asked.
        trials: How often each item is asked.
        sample: Ask a simple random sample of this many items; all when ``None``.
        sample_seed: Seed of the sample.
        vision: Whether models named as ``name@base_url`` take pictures.
        api_key_env: Environment variable that holds the key of models named as ``name@base_url``.
    """

    benchmark: str
    models: tuple[str, ...]
    data: Path | None = None
    images: Path | None = None
    cells: tuple[Cell, ...] = (Cell(),)
    trials: int = 1
    sample: int | None = None
    sample_seed: int = 42
    vision: bool = False
    api_key_env: str | None = None


def plan_runs(options: RunOptions) -> tuple[tuple[RunPlan, ...], tuple[Finding, ...]]:
    """Return the plan of each model's run in each cell, models one after the other, and warnings about the data.

    Raises:
        ConfigError: A benchmark, a model, a protocol or a wording does not exist or cannot be used.
        DataError: The data has errors.
        ImageError: A picture is missing or broken.
    """
    models = [named_model(name, vision=options.vision, api_key_env=options.api_key_env) for name in options.models]
    opened = open_benchmark(options.benchmark, options.data, options.images)
    benchmark = opened.benchmark
    cells = [(cell, named_protocol(opened.definition, cell.protocol)) for cell in options.cells]
    for cell, _ in cells:
        _check_wording(benchmark, cell.condition.wording)
    items = _sample(benchmark, [protocol for _, protocol in cells], options)
    plans = tuple(
        plan_run(benchmark, model, protocol, cell.condition, trials=options.trials, items=items, title=cell.title)
        for model in models
        for cell, protocol in cells
    )
    return plans, opened.findings


def named_protocol(definition: Definition, name: str | None) -> Protocol:
    """Return a protocol of a benchmark, or of a file, by what a person called it; the headline protocol by default.

    Raises:
        ConfigError: There is none of that name, or the file holds none.
    """
    if name is not None and name not in definition.protocols and Path(name).is_file():
        return read_protocol_file(Path(name))
    return definition.protocol(name)


def _check_wording(benchmark: Benchmark, wording: str) -> None:
    known = {name for item in benchmark.items for name in item.wordings}
    if wording not in known:
        raise ConfigError(
            Finding(
                problem=f"no item of {benchmark.name} has this wording",
                field="wording",
                value=show(wording),
                allowed=", ".join(sorted(known)),
                remedy="Translate items first: exambench build translate"
                if wording == ENGLISH
                else "Name one of these",
            )
        )


def _sample(benchmark: Benchmark, protocols: Sequence[Protocol], options: RunOptions) -> tuple[Item, ...] | None:
    """Draw a simple random sample, the same for every model and cell; in the order of the file."""
    if options.sample is None:
        return None
    candidates = [item for item in benchmark.items if all(protocol.selects(item) for protocol in protocols)]
    size = min(options.sample, len(candidates))
    drawn = random.Random(options.sample_seed).sample(range(len(candidates)), size)  # noqa: S311 - a sample of items
    return tuple(candidates[index] for index in sorted(drawn))
