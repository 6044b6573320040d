"""From a name and two paths to a benchmark with its pictures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from exambench.benchmarks import Definition, find_definition, read_benchmark
from exambench.benchmarks.loading import image_path
from exambench.errors import DataError, Finding, Severity
from exambench.evaluation.pictures import pictures_of, with_pictures
from exambench.items import Benchmark


@dataclass(frozen=True)
class Opened:
    """A benchmark that was found and read.

    Attributes:
        definition: What the benchmark is.
        benchmark: The items that can be used.
        images: The folder of the pictures that a person named, or the benchmark's own; ``None`` if there is neither.
        findings: What is wrong with the data file.
    """

    definition: Definition
    benchmark: Benchmark
    images: Path | None
    findings: tuple[Finding, ...]


def read_as_far_as_possible(name: str, data: Path | None, images: Path | None) -> Opened:
    """Read what can be read; pictures are not looked at.

    Args:
        name: Name of a shipped benchmark, or path of a definition.
        data: The data file; the benchmark's own when ``None``.
        images: The image folder; the benchmark's own when ``None``.

    Raises:
        ConfigError: There is no such benchmark, or no data file was named and it carries none.
        DataError: The data file cannot be read at all.
    """
    definition = find_definition(name)
    benchmark, findings = read_benchmark(definition, data)
    return Opened(definition, benchmark, images or image_path(definition), findings)


def open_benchmark(name: str, data: Path | None, images: Path | None) -> Opened:
    """Read a benchmark that must be usable, with the digests of its pictures where their folder is known.

    Args:
        name: As for :func:`read_as_far_as_possible`, like the other two.
        data: The data file.
        images: The image folder.

    Returns:
        The benchmark, and findings that are warnings alone.

    Raises:
        ConfigError: There is no such benchmark, or no data file was named and it carries none.
        DataError: The data has errors; every one is a finding.
        ImageError: A picture is missing or cannot be read; every such picture is a finding.
    """
    opened = read_as_far_as_possible(name, data, images)
    errors = [finding for finding in opened.findings if finding.severity is Severity.ERROR]
    if errors:
        raise DataError(*errors)
    if opened.images is None or not any(pictures_of(opened.benchmark)):
        return opened
    return replace(opened, benchmark=with_pictures(opened.benchmark, opened.images))
