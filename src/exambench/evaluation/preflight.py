"""Everything that can be known to be wrong with a benchmark's files before a model is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from exambench.engine.images import prepare, resolve
from exambench.errors import Finding, ImageError, Severity, show
from exambench.evaluation.opening import read_as_far_as_possible
from exambench.evaluation.pictures import pictures_of
from exambench.items import Benchmark
from exambench.models import Capabilities

SUFFIXES: Final = {
    "image/png": {".png"},
    "image/jpeg": {".jpg", ".jpeg", ".jfif"},
    "image/webp": {".webp"},
}


@dataclass(frozen=True)
class Preflight:
    """What was looked at, and what was found.

    Attributes:
        benchmark: The items that can be used.
        pictures: Number of pictures that the items name, each file once.
        findings: Everything that is wrong, in the order of the file, pictures last.
    """

    benchmark: Benchmark
    pictures: int
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Severity | None:
        """The most severe finding; ``None`` when nothing was found."""
        severities = {finding.severity for finding in self.findings}
        return Severity.ERROR if Severity.ERROR in severities else Severity.WARNING if severities else None


def check(name: str, data: Path | None, images: Path | None) -> Preflight:
    """Look at a benchmark's data and pictures.

    Args:
        name: Name of a shipped benchmark, or path of a definition.
        data: The data file; the one that comes with the benchmark when ``None``.
        images: The image folder; the one that comes with the benchmark when ``None``. Pictures are looked at only
            when there is one.

    Raises:
        ConfigError: There is no such benchmark, or no data file was named, and the benchmark carries none.
        DataError: The data file cannot be read at all.
    """
    opened = read_as_far_as_possible(name, data, images)
    benchmark, findings = opened.benchmark, opened.findings
    named = dict.fromkeys(image.path for _, image in pictures_of(benchmark))
    if opened.images is not None:
        findings = (*findings, *_picture_findings(benchmark, opened.images))
    elif named:
        findings = (*findings, _not_looked_at(len(named)))
    return Preflight(benchmark, len(named), findings)


def _not_looked_at(count: int) -> Finding:
    return Finding(
        problem=f"{count} pictures were not looked at",
        severity=Severity.WARNING,
        remedy="Name their folder: --images DIR",
    )


def _picture_findings(benchmark: Benchmark, root: Path) -> list[Finding]:
    findings: list[Finding] = []
    seen: set[str] = set()
    for item, image in pictures_of(benchmark):
        if image.path in seen:
            continue
        seen.add(image.path)
        try:
            path = resolve(root, image.path)
            prepared = prepare(path, Capabilities())
        except ImageError as error:
            findings.extend(replace(finding, item=item.id) for finding in error.findings)
            continue
        suffixes = SUFFIXES[prepared.mime]
        if not prepared.changes and path.suffix.lower() not in suffixes:
            findings.append(
                Finding(
                    problem=f"the file is {prepared.mime} by its content, and something else by its name",
                    severity=Severity.WARNING,
                    file=str(path),
                    item=item.id,
                    value=show(path.suffix),
                    allowed=", ".join(sorted(suffixes)),
                    remedy="Rename the file; it is sent as what it is",
                )
            )
    return findings
