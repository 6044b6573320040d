"""Weights are found, joined and verified, and wrong bytes are never used.

Packages are made in a temporary folder on the import path as an installer would leave them: a folder with the part
and a ``dist-info`` with METADATA and RECORD.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from exambench.engine import weights
from exambench.engine.weights import default_cache, locate
from exambench.engine.weights import files as weight_files
from exambench.errors import ConfigError
from exambench.models import HubWeights, LocalEndpoint, PackageWeights, PathWeights

PARTS = (b"GGUF first ", b"second ", b"third")
WHOLE = b"".join(PARTS)
SHA256 = hashlib.sha256(WHOLE).hexdigest()
NAMES = [f"weights-of-a-test-part{number}" for number in range(1, len(PARTS) + 1)]
SOURCE = PackageWeights(packages=NAMES, version="1.2.0", file="part*.bin")


def install(site: Path, name: str, content: bytes, *, version: str = "1.2.0") -> Path:
    """Lay out a distribution with one part as an installer would; its module cannot be imported."""
    module = name.replace("-", "_")
    part = site / module / "data" / f"part{name[-1]}.bin"
    part.parent.mkdir(parents=True)
    part.write_bytes(content)
    (site / module / "__init__.py").write_text("raise AssertionError('a package of weights was imported')\n")
    info = site / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text(
        f"{module}/__init__.py,,\n{part.relative_to(site)},,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n"
    )
    return part


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for packages on the import path."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def installed(site: Path) -> Path:
    """All parts, installed."""
    for name, content in zip(NAMES, PARTS, strict=True):
        install(site, name, content)
    return site


def endpoint(*sources: HubWeights | PackageWeights | PathWeights, sha256: str = SHA256) -> LocalEndpoint:
    """An endpoint with these sources in this order."""
    return LocalEndpoint(weights=list(sources), sha256=sha256)


def left_in(cache: Path) -> set[str]:
    """The kinds of files that are in the cache."""
    return {path.name.partition(".")[2].rpartition(".")[2] for path in cache.iterdir()}


@pytest.mark.usefixtures("installed")
def test_parts_are_joined_in_order_into_the_cache(tmp_path: Path) -> None:
    """Parts of installed packages become one file that is named by its digest."""
    path = locate(endpoint(SOURCE), tmp_path / "cache")
    assert path == tmp_path / "cache" / f"{SHA256}.gguf"
    assert path.read_bytes() == WHOLE


def test_a_cached_file_is_used_without_its_source(installed: Path, tmp_path: Path) -> None:
    """Once joined, the packages can go."""
    cache = tmp_path / "cache"
    path = locate(endpoint(SOURCE), cache)
    for entry in installed.glob("*.dist-info/METADATA"):
        entry.unlink()
    assert locate(endpoint(SOURCE), cache) == path


@pytest.mark.usefixtures("installed")
def test_a_cached_file_is_not_hashed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Size and time of change vouch for a file that was verified."""
    cache = tmp_path / "cache"
    path = locate(endpoint(SOURCE), cache)

    def refuse(path: Path) -> str:
        raise AssertionError(f"{path} was hashed")

    monkeypatch.setattr(weight_files, "sha256_of", refuse)
    assert locate(endpoint(SOURCE), cache) == path


@pytest.mark.usefixtures("installed")
def test_a_cached_file_that_changed_is_made_anew(tmp_path: Path) -> None:
    """A damaged file in the cache is noticed and replaced from the source."""
    cache = tmp_path / "cache"
    path = locate(endpoint(SOURCE), cache)
    path.write_bytes(b"damaged")
    assert locate(endpoint(SOURCE), cache).read_bytes() == WHOLE


@pytest.mark.usefixtures("site")
def test_a_cached_file_that_was_only_touched_is_kept(tmp_path: Path) -> None:
    """Another time of change costs a hash, not a join: the packages are not needed."""
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / f"{SHA256}.gguf").write_bytes(WHOLE)
    assert locate(endpoint(SOURCE), cache).read_bytes() == WHOLE


def test_wrong_bytes_are_refused_and_removed(site: Path, tmp_path: Path) -> None:
    """A part with other bytes is an error with both digests, and nothing stays behind."""
    for name, content in zip(NAMES, (b"GGUF first ", b"SECOND ", b"third"), strict=True):
        install(site, name, content)
    cache = tmp_path / "cache"
    with pytest.raises(ConfigError) as caught:
        locate(endpoint(SOURCE), cache)
    (finding,) = caught.value.findings
    assert finding.allowed == SHA256
    assert finding.value == hashlib.sha256(b"GGUF first SECOND third").hexdigest()
    assert left_in(cache) == {"lock"}


def test_missing_packages_are_named_with_the_command_that_installs_them(site: Path, tmp_path: Path) -> None:
    """What is absent, how many of how many, and what to do, in one finding."""
    install(site, NAMES[0], PARTS[0])
    with pytest.raises(ConfigError) as caught:
        locate(endpoint(SOURCE.model_copy(update={"install": "make demo"})), tmp_path / "cache")
    (finding,) = caught.value.findings
    assert f"{NAMES[1]} … {NAMES[2]} (2 of 3)" in finding.problem
    assert finding.remedy == "Run: make demo"


@pytest.mark.usefixtures("site")
def test_without_a_command_the_pinned_packages_are_named(tmp_path: Path) -> None:
    """A model file need not say how to install: the pins follow from the source."""
    with pytest.raises(ConfigError, match=r"pip install .*part1==1\.2\.0 .*part3==1\.2\.0"):
        locate(endpoint(SOURCE), tmp_path / "cache")


def test_another_version_is_refused(site: Path, tmp_path: Path) -> None:
    """A part of another release is not joined, even if its bytes would do."""
    for name, content in zip(NAMES, PARTS, strict=True):
        install(site, name, content, version="1.3.0" if name == NAMES[1] else "1.2.0")
    with pytest.raises(ConfigError) as caught:
        locate(endpoint(SOURCE), tmp_path / "cache")
    (finding,) = caught.value.findings
    assert (finding.value, finding.allowed) == ("1.3.0", "1.2.0")


def test_a_part_that_was_deleted_is_named(installed: Path, tmp_path: Path) -> None:
    """A package whose record lists the part, but whose part is gone."""
    gone = installed / "weights_of_a_test_part2" / "data" / "part2.bin"
    gone.unlink()
    with pytest.raises(ConfigError) as caught:
        locate(endpoint(SOURCE), tmp_path / "cache")
    assert [finding.file for finding in caught.value.findings] == [str(gone)]


@pytest.mark.usefixtures("installed")
def test_a_package_without_the_named_part_is_refused(tmp_path: Path) -> None:
    """The pattern must fit exactly one file of each package."""
    with pytest.raises(ConfigError, match=r"lists 0 files named \*\.gguf"):
        locate(endpoint(SOURCE.model_copy(update={"file": "*.gguf"})), tmp_path / "cache")


@pytest.mark.usefixtures("installed")
def test_a_disk_without_room_is_noticed_before_joining(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A join that could not end is not begun."""
    monkeypatch.setattr(weight_files, "SPARE_BYTES", 1 << 60)
    cache = tmp_path / "cache"
    with pytest.raises(ConfigError, match="XDG_CACHE_HOME"):
        locate(endpoint(SOURCE), cache)
    assert left_in(cache) == {"lock"}


@pytest.mark.usefixtures("installed")
def test_a_cache_that_cannot_be_made_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    """A file where the cache folder should be."""
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ConfigError, match="XDG_CACHE_HOME"):
        locate(endpoint(SOURCE), tmp_path / "cache")


def test_a_path_is_used_where_it_is(tmp_path: Path) -> None:
    """Weights that the user names are neither copied nor moved."""
    file = tmp_path / "model.gguf"
    file.write_bytes(WHOLE)
    assert locate(endpoint(PathWeights(path=str(file))), tmp_path / "cache") == file


def test_a_path_with_other_bytes_is_refused_and_kept(tmp_path: Path) -> None:
    """The user's file is not ours to remove."""
    file = tmp_path / "model.gguf"
    file.write_bytes(b"other")
    with pytest.raises(ConfigError, match="not the one whose SHA-256"):
        locate(endpoint(PathWeights(path=str(file))), tmp_path / "cache")
    assert file.read_bytes() == b"other"


def test_a_path_that_changes_after_it_was_verified_is_refused(tmp_path: Path) -> None:
    """The note about a verified file is about that file alone."""
    file = tmp_path / "model.gguf"
    file.write_bytes(WHOLE)
    locate(endpoint(PathWeights(path=str(file))), tmp_path / "cache")
    file.write_bytes(WHOLE + b"!")
    with pytest.raises(ConfigError):
        locate(endpoint(PathWeights(path=str(file))), tmp_path / "cache")


@pytest.mark.usefixtures("installed")
def test_sources_are_tried_in_order(tmp_path: Path) -> None:
    """A source that cannot be used gives way to the next one."""
    absent = PathWeights(path=str(tmp_path / "absent.gguf"))
    assert locate(endpoint(absent, SOURCE), tmp_path / "cache").read_bytes() == WHOLE


@pytest.mark.usefixtures("site")
def test_when_nothing_works_every_source_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One error, one finding for each source, each with a remedy."""
    monkeypatch.delenv("EXAMBENCH_ALLOW_HUB", raising=False)
    sources = (HubWeights(repository="us/model", file="model.gguf"), SOURCE, PathWeights(path="/absent.gguf"))
    with pytest.raises(ConfigError) as caught:
        locate(endpoint(*sources), tmp_path / "cache")
    hub, packages, path = caught.value.findings
    assert "EXAMBENCH_ALLOW_HUB=1" in str(hub)
    assert "3 of 3" in str(packages)
    assert path.file == "/absent.gguf"
    assert all(finding.remedy for finding in caught.value.findings)


def test_processes_that_need_one_file_at_once_all_get_it(installed: Path, tmp_path: Path) -> None:
    """Four processes join at the same time; each sees the whole file."""
    program = (
        "import sys, pathlib\n"
        "from exambench.engine.weights import locate\n"
        "from exambench.models import LocalEndpoint\n"
        "endpoint = LocalEndpoint.model_validate_json(sys.argv[1])\n"
        "sys.stdin.readline()\n"
        "sys.stdout.buffer.write(locate(endpoint, pathlib.Path(sys.argv[2])).read_bytes())\n"
    )
    source_root = Path(weights.__file__).parents[3]
    command = [sys.executable, "-c", program, endpoint(SOURCE).model_dump_json(), str(tmp_path / "cache")]
    processes = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": f"{source_root}:{installed}"},
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    assert [process.communicate(timeout=60)[0] for process in processes] == [WHOLE] * 4
    assert left_in(tmp_path / "cache") == {"lock", "gguf", "json"}


def test_the_cache_follows_the_base_directory_specification(monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG_CACHE_HOME counts when it is absolute; otherwise it is ~/.cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/cache/me")
    assert default_cache() == Path("/var/cache/me/exambench/weights")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/me")
    assert default_cache() == Path("/home/me/.cache/exambench/weights")
