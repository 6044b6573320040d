"""From a data file to a benchmark, through the loader of its format."""

from __future__ import annotations

from pathlib import Path

from exambench.benchmarks.definition import Definition
from exambench.benchmarks.formats import read_items
from exambench.errors import ConfigError, Finding, Severity
from exambench.items import Benchmark, Item


def read_benchmark(definition: Definition, data: Path | None = None) -> tuple[Benchmark, tuple[Finding, ...]]:
    """Read a benchmark as far as its data can be read, with everything that is wrong about it.

    The sizes of the published release are compared too: a mismatch is a warning with both numbers.

    Raises:
        ConfigError: No data file was named, and the benchmark carries none.
    """
    path = data if data is not None else data_path(definition)
    items, findings = read_items(path, definition.format)
    benchmark = Benchmark(
        name=definition.name,
        title=definition.title,
        items=items,
        axes=tuple(table.axis() for table in definition.axes),
        licence=definition.licence,
        pass_mark=definition.pass_mark,
        minutes=definition.minutes,
        exam_items=definition.exam_items,
    )
    return benchmark, (*findings, *_size_findings(definition, items, path))


def image_path(definition: Definition) -> Path | None:
    """Return the image folder that comes with a definition, if one does."""
    return None if definition.images is None else definition.folder / definition.images


def rubric_path(definition: Definition) -> Path:
    """Return the rubric that comes with a definition, or with what it extends.

    Raises:
        ConfigError: None does.
    """
    if definition.rubric is None:
        raise ConfigError(
            Finding(
                problem=f"{definition.name} does not come with a rubric",
                field="rubric",
                remedy="Name one: --rubric FILE",
            )
        )
    return definition.folder / definition.rubric


def data_path(definition: Definition) -> Path:
    """Return the data file that comes with a definition.

    Raises:
        ConfigError: None does.
    """
    if definition.data is None:
        raise ConfigError(
            Finding(
                problem=f"{definition.name} does not come with its data",
                field="data",
                remedy="Get the data from its publisher and name the file",
            )
        )
    return definition.folder / definition.data


def _size_findings(definition: Definition, items: tuple[Item, ...], path: Path) -> list[Finding]:
    findings = []
    for expected in definition.expected:
        axis = expected.axis
        found = sum(axis.selects(item) for item in items)
        if found != expected.items:
            findings.append(
                Finding(
                    problem=f"the number of items with {expected.label} is not that of release {definition.version}",
                    severity=Severity.WARNING,
                    file=str(path),
                    value=str(found),
                    allowed=str(expected.items),
                    remedy="Results on other content are not comparable with the published ones",
                )
            )
    return findings
