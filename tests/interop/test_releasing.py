"""A release is whole, says what it is, and reads back as the items of the build."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

import pytest

from exambench.benchmarks import find_definition, read_benchmark
from exambench.benchmarks.loading import image_path
from exambench.cli.building import build_project, release_project
from exambench.construct.building import final_items
from exambench.construct.project import read_project
from exambench.errors import ConfigError, DataError, ImageError, InputError
from exambench.evaluation.pictures import with_pictures
from exambench.evaluation.preflight import check
from exambench.items import Benchmark
from exambench.probing.canary import canary_of, new_guid
from tests.support.exams import entry

MINI = find_definition("kmet-mini")

BUILD = """
name = "small-exam"
title = "A small | exam"
{licence}
[[stages]]
use = "read"
data = "kmet-mini.json"
images = "images"

[[stages]]
use = "shuffle"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder that is built from kmet-mini."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "build.toml").write_text(BUILD.format(licence='licence = "CC-BY-4.0"'), encoding="utf-8")
    (folder / "kmet-mini.json").write_bytes((MINI.folder / "kmet-mini.json").read_bytes())
    images = image_path(MINI)
    assert images is not None
    (folder / "images").symlink_to(images)
    build_project(folder, None)
    return folder


@pytest.fixture(scope="module")
def released(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of its release 1.0."""
    out = tmp_path_factory.mktemp("releases")
    release_project(project, "1.0", out, 7)
    return out / "small-exam-1.0"


def test_a_release_is_a_benchmark_without_findings(released: Path) -> None:
    """The preflight has nothing to say of its definition, data and pictures, its size included."""
    found = check(str(released), None, None)
    assert found.findings == ()
    assert len(found.benchmark.items) == 60


def test_the_items_are_those_of_the_last_stage(project: Path, released: Path) -> None:
    """The content hash, which the datasheet names, is theirs."""
    definition = find_definition(str(released))
    images = image_path(definition)
    assert images is not None
    again = with_pictures(read_benchmark(definition)[0], images)
    built = Benchmark("small-exam", "", final_items(read_project(project)), ())
    assert again.content_hash == built.content_hash
    assert built.content_hash in (released / "DATASHEET.md").read_text(encoding="utf-8")


def test_every_item_carries_the_canary_of_the_datasheet(released: Path) -> None:
    """One string, in every record and where people read it."""
    records = json.loads((released / "small-exam.json").read_text(encoding="utf-8"))
    (canary,) = {record["canary"] for record in records}
    assert canary in (released / "DATASHEET.md").read_text(encoding="utf-8")


def test_digests_are_those_of_all_files(released: Path) -> None:
    """As ``sha256sum --check`` reads them; only the list itself is not in it."""
    lines = (released / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = {path: digest for digest, path in (line.split("  ", 1) for line in lines)}
    there = {
        path.relative_to(released).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in released.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert listed == there


def values_of(record: dict[str, Any], field: dict[str, Any]) -> object:
    """Return what a Croissant field has in a record: by its path, and from each element where it is repeated."""
    value: Any = record
    for name in field["source"]["extract"]["jsonPath"].removeprefix("$[*].").split("."):
        value = value[name]
    return [each[field["source"]["transform"]["jsonPath"]] for each in value] if field.get("repeated") else value


def test_croissant_names_the_data_file_and_its_fields(released: Path) -> None:
    """The digest is that of the file, and each field has a value of its type in every record."""
    # >>> import mlcroissant     (1.1.1: reads a release of kmet-mini that is described so)
    # >>> records = list(mlcroissant.Dataset(jsonld="small-exam-1.0/croissant.json").records("items"))
    # There are 60 of them; of the second the first choice is "B와 C", and the answer the first.
    metadata = json.loads((released / "croissant.json").read_text(encoding="utf-8"))
    file, pictures = metadata["distribution"]
    data = (released / file["contentUrl"]).read_bytes()
    assert file["sha256"] == hashlib.sha256(data).hexdigest()
    assert (pictures["includes"], pictures["encodingFormat"]) == ("images/*", ["image/png"])
    types: dict[str, tuple[type, ...]] = {"sc:Text": (str, int), "sc:Integer": (int,), "sc:Boolean": (bool,)}
    for field in metadata["recordSet"][0]["field"]:
        for record in json.loads(data):
            found = values_of(record, field)
            values = found if isinstance(found, list) else [found]
            assert all(isinstance(value, types[field["dataType"]]) for value in values)
    assert (metadata["conformsTo"], metadata["license"]) == ("http://mlcommons.org/croissant/1.0", "CC-BY-4.0")


def test_the_datasheet_tells_how_the_items_were_made(released: Path) -> None:
    """Each stage with its counts and reasons; a bar in a title does not break a table."""
    text = (released / "DATASHEET.md").read_text(encoding="utf-8")
    assert "| read | read | 0 | 60 | 0 | 0 | 60 | 0 | – |" in text
    assert "| shuffle | changed | choices in another order |" in text
    assert text.startswith("# A small \\| exam 1.0")


def test_the_definition_says_what_the_project_says(released: Path) -> None:
    """Axes and protocols are those that it extends."""
    definition = tomllib.loads((released / "benchmark.toml").read_text(encoding="utf-8"))
    assert (definition["version"], definition["title"], definition["extends"]) == (
        "1.0",
        "A small | exam",
        "kmetbench",
    )


def test_the_same_seed_gives_the_same_bytes(project: Path, released: Path, tmp_path: Path) -> None:
    """Nothing in a release depends on the day or the machine."""
    release_project(project, "1.0", tmp_path, 7)
    again = tmp_path / "small-exam-1.0"
    assert {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()} == {
        path.relative_to(released): path.read_bytes() for path in released.rglob("*") if path.is_file()
    }


def test_a_release_is_frozen(project: Path, released: Path) -> None:
    """The same version is not written again."""
    before = (released / "SHA256SUMS").read_bytes()
    with pytest.raises(ConfigError, match="is there already"):
        release_project(project, "1.0", released.parent, None)
    assert (released / "SHA256SUMS").read_bytes() == before


@pytest.mark.parametrize("version", ["", "../1", "a b", ".1", "1" * 41])
def test_a_version_names_one_folder(project: Path, tmp_path: Path, version: str) -> None:
    """What could lead elsewhere is refused, and nothing is written."""
    with pytest.raises(ConfigError, match="cannot be the name of a release"):
        release_project(project, version, tmp_path, None)
    assert list(tmp_path.iterdir()) == []


def test_a_project_without_a_licence_is_not_released(project: Path, tmp_path: Path) -> None:
    """Who gets the data has to know what may be done with it."""
    other = tmp_path / "project"
    other.mkdir()
    for name in ("kmet-mini.json", "images"):
        (other / name).symlink_to(project / name)
    (other / "build.toml").write_text(BUILD.format(licence=""), encoding="utf-8")
    build_project(other, None)
    with pytest.raises(ConfigError, match="under which licence"):
        release_project(other, "1.0", tmp_path / "out", None)


def test_a_stage_that_is_not_current_stops_a_release(tmp_path: Path) -> None:
    """What was never built cannot be frozen."""
    (tmp_path / "build.toml").write_text(BUILD.format(licence='licence = "x"'), encoding="utf-8")
    (tmp_path / "kmet-mini.json").write_text("[]", encoding="utf-8")
    (tmp_path / "images").mkdir()
    with pytest.raises(InputError, match="not built") as caught:
        release_project(tmp_path, "1.0", tmp_path / "out", None)
    assert isinstance(caught.value, DataError)


def small(folder: Path, head: str = "", **changes: object) -> Path:
    """Build a project of one item, and return its folder."""
    entries = [entry(1, **changes)]
    (folder / "items.json").write_text(json.dumps(entries), encoding="utf-8")
    toml = f'name = "x"\nlicence = "CC0-1.0"\n{head}\n[[stages]]\nuse = "read"\ndata = "items.json"\n'
    (folder / "build.toml").write_text(toml, encoding="utf-8")
    build_project(folder, None)
    return folder


def test_a_hostile_title_stays_a_title(tmp_path: Path) -> None:
    """It ends no line of the datasheet and of the definition, brings no markup, and reads back as it was."""
    title = 'A \\u0085 \\u2028 \\u007f \\"\\n# <script>x</script> | `y` [z](http://z)'
    release_project(small(tmp_path, f'title = "{title}"'), "1.0", tmp_path / "out", 7)
    sheet = (tmp_path / "out" / "x-1.0" / "DATASHEET.md").read_text(encoding="utf-8")
    assert sheet.splitlines()[0] == '# A \ufffd " \\# \\<script\\>x\\</script\\> \\| \\`y\\` \\[z](http://z) 1.0'
    definition = tomllib.loads((tmp_path / "out" / "x-1.0" / "benchmark.toml").read_text(encoding="utf-8"))
    assert definition["title"] == tomllib.loads(f'title = "{title}"')["title"]
    assert check(str(tmp_path / "out" / "x-1.0"), None, None).findings == ()


def test_croissant_describes_passages_where_every_item_has_one(tmp_path: Path) -> None:
    """A reader takes a field from every record, or from none."""
    release_project(small(tmp_path, "", passage="문단이다."), "1.0", tmp_path / "out", 7)
    metadata = json.loads((tmp_path / "out" / "x-1.0" / "croissant.json").read_text(encoding="utf-8"))
    (field,) = [field for field in metadata["recordSet"][0]["field"] if field["name"] == "passage"]
    (record,) = json.loads((tmp_path / "out" / "x-1.0" / "x.json").read_text(encoding="utf-8"))
    assert values_of(record, field) == "문단이다."


def test_an_english_side_is_released(tmp_path: Path) -> None:
    """The format has a place for it, and for how far it has come."""
    project = small(tmp_path, question_english="What?", choices_english=list("abcd"), translation="checked")
    release_project(project, "1.0", tmp_path / "out", 7)
    (item,) = check(str(tmp_path / "out" / "x-1.0"), None, None).benchmark.items
    (built,) = final_items(read_project(project))
    assert (item.content_hash, item.facets) == (built.content_hash, built.facets)


def test_a_text_with_a_canary_of_its_own_stops_a_release(tmp_path: Path) -> None:
    """Two canaries would tell nothing; the item is named."""
    stem = {"text": f"{canary_of(new_guid(1))}?", "image": ""}
    with pytest.raises(DataError, match="item 1: the data cannot carry a canary"):
        release_project(small(tmp_path, question=stem), "1.0", tmp_path / "out", 7)


def test_a_release_extends_what_there_is(tmp_path: Path) -> None:
    """Otherwise nobody could read it."""
    with pytest.raises(ConfigError, match=r"field extends: .*'kmetbemch'.*allowed: .*kmetbench"):
        release_project(small(tmp_path, 'extends = "kmetbemch"'), "1.0", tmp_path / "out", 7)


def test_a_picture_that_was_changed_since_stops_a_release(project: Path, tmp_path: Path) -> None:
    """The digests of the release would not be those of its files."""
    other = copytree(project, tmp_path / "project", symlinks=True)
    picture = next((other / "pictures").iterdir())
    picture.write_bytes(picture.read_bytes() + b"x")
    with pytest.raises(ImageError, match="another one than the items have"):
        release_project(other, "1.0", tmp_path / "out", None)
    assert list((tmp_path / "out").iterdir()) == []
    rmtree(other / "stages")
    build_project(other, None)
    release_project(other, "1.0", tmp_path / "out", None)
