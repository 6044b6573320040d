"""A release of a build: data, pictures, definition, datasheet, metadata and digests, frozen under a version."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final

from exambench.benchmarks.definition import shipped_definitions
from exambench.construct.building import State
from exambench.construct.records import record_to_json
from exambench.errors import ConfigError, DataError, Finding, listed, show
from exambench.interop.croissant import Described, croissant
from exambench.interop.datasheets import datasheet
from exambench.interop.exporting import PICTURES, Export, as_json, quoted
from exambench.interop.release import Release, Said
from exambench.interop.release_forms import beside, data_of, lost, tasks_of
from exambench.probing.canary import NotMarkableError, canary_of, guid_in, marked
from exambench.store.codec import item_to_json

SUMS: Final = "SHA256SUMS"
METADATA: Final = "croissant.json"
RECORD: Final = "records/_release.json"
"""What was done to the items when they were released; no stage can be called so."""
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,39}")


def release_export(release: Release) -> Export:
    """Return all files of a release.

    Raises:
        ConfigError: The version cannot stand in a folder's name, or the project names no licence.
        DataError: A stage is not current, there are no items, or an item has no place in the format or would be read
            as another one.
    """
    _check(release)
    export = data_of(release.benchmark, release.form)
    data = {
        name: _marked(content.decode("utf-8"), Path(name).suffix, release).encode("utf-8")
        for name, content in export.files.items()
    }
    first = data[f"{release.project.name}.json"]
    said = Said(
        lost=lost(first, release.form, release.items),
        beside=beside(first) if release.form == "scholarbench" else {},
    )
    files = {
        **data,
        "benchmark.toml": _definition(release).encode("utf-8"),
        "DATASHEET.md": datasheet(release, said).encode("utf-8"),
        **{f"records/{record.name}.json": as_json(record_to_json(record)) for record in release.records},
        RECORD: as_json(_record(release, said)),
    }
    what = Described(release.project, release.version, release.items, data, export.pictures)
    files[METADATA] = as_json(croissant(what))
    sums = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    sums |= {f"{PICTURES}/{image.path}": image.sha256 or "" for image in export.pictures}
    files[SUMS] = "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items())).encode("utf-8")
    return Export(files, export.pictures)


def _marked(text: str, suffix: str, release: Release) -> str:
    try:
        return marked(text, suffix, canary_of(release.guid))
    except NotMarkableError as error:
        with_one = [item.id for item in release.items if guid_in(json.dumps(item_to_json(item)))]
        raise DataError(
            Finding(
                problem=f"the data cannot carry a canary: {error}",
                item=listed(with_one) or None,
                allowed="texts in which no canary stands",
                remedy="Drop the items in a stage before the release, or take the canary out of their source",
            )
        ) from error


def _check(release: Release) -> None:
    if not _VERSION.fullmatch(release.version):
        raise ConfigError(
            Finding(
                problem="cannot be the name of a release",
                field="VERSION",
                value=show(release.version),
                allowed="up to 40 letters, digits, dots, plus and minus signs",
                remedy="Name it as in 1.0",
            )
        )
    if f"{release.project.name}.json" == METADATA:
        raise ConfigError(
            Finding(
                problem="the data would have the name of the metadata",
                field="name",
                value=show(release.project.name),
                remedy="Call the project otherwise in build.toml",
            )
        )
    if not release.project.licence:
        raise ConfigError(
            Finding(
                problem="a release has to say under which licence it stands",
                field="licence",
                remedy="Name it in build.toml, as an SPDX expression or a phrase",
            )
        )
    if release.project.extends not in shipped_definitions():
        raise ConfigError(
            Finding(
                problem="there is no such benchmark to take axes and protocols from",
                field="extends",
                value=show(release.project.extends),
                allowed=", ".join(shipped_definitions()),
                remedy="Name one of these in build.toml",
            )
        )
    for each in release.states:
        if each.state is not State.CURRENT:
            raise DataError(
                Finding(f"the stage {each.step.name} is {each.state}", remedy="Run exambench build before the release")
            )


def _definition(release: Release) -> str:
    """Return the definition of the benchmark; a JSON string is a TOML string."""
    project = release.project
    is_exam = release.form == "kmetbench"
    values: dict[str, object] = {
        **({"extends": project.extends} if is_exam else {}),
        "name": project.name,
        "title": project.title,
        "version": release.version,
        "licence": project.licence,
        "data": f"{project.name}.json",
    }
    if any(wording.images for item in release.items for wording in item.wordings.values()):
        values["images"] = PICTURES
    lines = [f"{name} = {quoted(value)}" for name, value in values.items()]
    expected = f"expected = [{{ where = {{}}, items = {len(release.items)} }}]\n"
    return "\n".join((*lines, expected)) + ("" if is_exam else tasks_of(release.items, project.language))


def _record(release: Release, said: Said) -> dict[str, Any]:
    return {
        "version": release.version,
        "format": release.form,
        "items": len(release.items),
        "content_hash": release.benchmark.content_hash,
        "in_own_field": dict(said.beside),
        "lost": dict(said.lost),
    }
