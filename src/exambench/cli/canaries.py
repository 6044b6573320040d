"""What ``exambench contamination canary`` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from exambench.analysis.scores import find_runs
from exambench.cli.writing import write_texts
from exambench.errors import ConfigError, DataError, Finding, show
from exambench.probing.canary import FORMATS, NotMarkableError, canary_of, check_format, guid_in, marked_bytes, new_guid
from exambench.probing.canary_search import CanarySearch, search_outputs
from exambench.store import open_existing_store


def write_canary(files: Sequence[Path], out: Path | None, seed: int | None, canary: str | None) -> list[str]:
    """Put one canary into every file, or into none; return it and the paths that were written.

    Raises:
        ConfigError: The canary is none, two files would have one name, or a file cannot be written.
        DataError: A file cannot be read or marked; every one is a finding.
    """
    guid = new_guid(seed) if canary is None else _guid(canary, "--canary")
    text = canary_of(guid)
    findings: list[Finding] = []
    written: dict[Path, str] = {}
    for path in files:
        target = path.resolve() if out is None else out / path.name
        if target in written:
            findings.append(Finding(f"{target} would be written twice", file=str(path), allowed="each name once"))
            continue
        try:
            check_format(path.suffix.lower())
            written[target] = marked_bytes(path.read_bytes(), path.suffix.lower(), text)
        except (OSError, NotMarkableError) as error:
            findings.append(Finding(f"cannot be marked: {error}", file=str(path), allowed=", ".join(FORMATS)))
    if findings:
        raise DataError(*findings)
    write_texts(written)
    how = "random" if seed is None else f"from the seed {seed}"
    return [f"{text} ({'given' if canary is not None else how})", *map(str, written)]


def search_canary(runs: list[str], canary: str | None, file: Path | None, location: str) -> CanarySearch:
    """Look for a canary in stored outputs.

    Raises:
        ConfigError: There is no canary to look for, or a run is not there.
        StoreError: The store cannot be read.
    """
    if (canary is None) == (file is None):
        raise ConfigError(Finding("name a canary, or a file that has one", field="--canary", allowed="one of the two"))
    guid = _guid(canary, "--canary") if canary is not None else _guid_in_file(file) if file is not None else ""
    with open_existing_store(location) as store:
        return search_outputs(store, guid, find_runs(store, runs), [] if runs else store.tasks.all())


def _guid(text: str, field: str) -> str:
    guid = guid_in(text)
    if guid is None:
        raise ConfigError(
            Finding(
                "there is no canary in it", field=field, value=show(text), allowed="EXAMBENCH-CANARY GUID, or a GUID"
            )
        )
    return guid


def _guid_in_file(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(Finding(f"cannot be read: {error}", file=str(path))) from error
    return _guid(text, str(path))
