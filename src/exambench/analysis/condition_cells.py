"""The runs of one model under several protocols and conditions, and what sets each apart."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from exambench.analysis.scores import RunScores
from exambench.items import Item, digest, short
from exambench.protocols.condition import USUAL, setting_text
from exambench.stats.matrix import FloatArray

PROMPT: Final = "prompt"
"""The factor whose values are protocols."""


@dataclass(frozen=True, eq=False)
class CellRun:
    """One run of a model among its others.

    Attributes:
        run: The run.
        values: For each factor its value: the protocol, and each dimension of the condition.
        unusual: The factors whose value is not that of the reference.
    """

    run: RunScores
    values: Mapping[str, str]
    unusual: Mapping[str, str]

    @property
    def title(self) -> str:
        """What sets it apart from the usual one, in words."""
        return ", ".join(setting_text(name, value) for name, value in self.unusual.items()) or "as usual"


@dataclass(frozen=True, eq=False)
class ModelCells:
    """The runs of one model that differ in protocol and condition alone.

    Attributes:
        cells: The runs, the reference first.
        usual: The value of each factor in the reference.
    """

    cells: tuple[CellRun, ...]
    usual: Mapping[str, str]

    @property
    def reference(self) -> CellRun:
        """The run that the others are compared with: the one with the fewest unusual settings."""
        return self.cells[0]

    @cached_property
    def by_values(self) -> Mapping[tuple[tuple[str, str], ...], CellRun]:
        """The cells by what is unusual in them."""
        return {tuple(sorted(cell.unusual.items())): cell for cell in self.cells}

    def at(self, unusual: Mapping[str, str]) -> CellRun | None:
        """Return the cell in which just this is unusual, if it was run."""
        kept = {name: value for name, value in unusual.items() if value != self.usual[name]}
        return self.by_values.get(tuple(sorted(kept.items())))

    def levels(self) -> Mapping[str, tuple[str, ...]]:
        """Return the unusual values of each factor that varies, in order of appearance."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for cell in self.cells:
            for name, value in cell.unusual.items():
                found[name][value] = None
        return {name: tuple(values) for name, values in found.items()}

    def steps(self) -> Iterator[tuple[str, CellRun, CellRun]]:
        """Yield pairs of cells that differ in one factor, the usual value of it first, with the factor."""
        for cell in self.cells:
            for name in cell.unusual:
                other = self.at({key: value for key, value in cell.unusual.items() if key != name})
                if other is not None:
                    yield name, other, cell


def cells_of_models(runs: Sequence[RunScores]) -> tuple[ModelCells, ...]:
    """Return the runs of each model that was asked in more than one way.

    Runs belong together when benchmark, dataset, model, decoding and version of the parsers are the same.
    """
    groups: defaultdict[tuple[str, ...], list[RunScores]] = defaultdict(list)
    for run in {run.run_id: run for run in runs}.values():
        record = run.record
        decoding = json.dumps(dict(record.decoding), sort_keys=True)
        key = (record.benchmark, record.dataset_hash, record.identity, decoding, run.parser_version)
        groups[key].append(run)
    return tuple(_model_cells(group) for group in groups.values() if len(group) > 1)


def _model_cells(runs: Sequence[RunScores]) -> ModelCells:
    prompts = _prompts(runs)
    values = [
        {PROMPT: prompt, **{name: run.condition.value(name) for name in USUAL}}
        for run, prompt in zip(runs, prompts, strict=True)
    ]
    first = min(range(len(runs)), key=lambda place: (len(runs[place].condition.unusual), place))
    usual = {
        name: known if any(each[name] == known for each in values) else values[first][name]
        for name, known in {PROMPT: values[first][PROMPT], **USUAL}.items()
    }
    cells = [
        CellRun(run, each, {name: value for name, value in each.items() if value != usual[name]})
        for run, each in zip(runs, values, strict=True)
    ]
    return ModelCells((cells[first], *(cell for place, cell in enumerate(cells) if place != first)), usual)


def _prompts(runs: Sequence[RunScores]) -> list[str]:
    """Return the name of each run's protocol, with its digest where two protocols have one name."""
    bare = [_bare_hash(run) for run in runs]
    hashes: defaultdict[str, set[str]] = defaultdict(set)
    for run, known in zip(runs, bare, strict=True):
        hashes[run.record.protocol_name].add(known)
    return [
        run.record.protocol_name + (f" {short(known)}" if len(hashes[run.record.protocol_name]) > 1 else "")
        for run, known in zip(runs, bare, strict=True)
    ]


def _bare_hash(run: RunScores) -> str:
    """Return the digest of the protocol without what a condition makes it say."""
    return digest({name: run.record.protocol.get(name) for name in ("system", "user", "choice", "strict", "lenient")})


def asked_items(*cells: CellRun) -> tuple[Item, ...]:
    """Return the items that all these runs have a score for, in the order of the benchmark."""
    first = cells[0].run
    return tuple(item for item in first.benchmark.items if all(item.id in cell.run.scores for cell in cells))


def scores_of(cell: CellRun, items: Sequence[Item]) -> FloatArray:
    """Return the scores of a run on items that it has scores for."""
    return np.array([cell.run.scores[item.id] for item in items], dtype=np.float64)
