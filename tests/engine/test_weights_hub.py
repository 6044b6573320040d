"""Weights come from a hub only when allowed, go on where they broke off, and are checked.

The hub is a real HTTP server on the loopback interface.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from exambench.engine.weights import hub as weight_hub
from exambench.engine.weights import locate
from exambench.errors import ConfigError
from exambench.models import HubWeights, LocalEndpoint

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
FILE = "/us/a%20model/resolve/refs%2Fpr%2F1/folder/model.gguf"
ENDPOINT = LocalEndpoint(
    weights=[HubWeights(repository="us/a model", file="folder/model.gguf", revision="refs/pr/1")], sha256=SHA256
)


@dataclass
class Hub:
    """A hub with one file.

    Attributes:
        content: The bytes of the file.
        ranges: Whether it answers partial requests.
        cuts: For each reply to come, after how many bytes the connection is cut.
        asked: Path and range of every request so far.
    """

    content: bytes = CONTENT
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    asked: list[tuple[str, str | None]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    """Serves the file of a hub, with the faults that it is told."""

    hub: Hub

    def do_GET(self) -> None:
        """Answer as a hub does: whole, in part, or not at all."""
        hub = self.hub
        asked = self.headers.get("Range")
        hub.asked.append((self.path, asked))
        if self.path != FILE:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and hub.ranges else 0
        if start >= len(hub.content):
            self.send_error(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            return
        body = hub.content[start:]
        self.send_response(HTTPStatus.PARTIAL_CONTENT if start else HTTPStatus.OK)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(hub.content) - 1}/{len(hub.content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: hub.cuts.pop(0)] if hub.cuts else body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """Keep quiet."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A running hub that the environment names and allows."""
    state = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"hub": state}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("EXAMBENCH_ALLOW_HUB", "1")
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_is_downloaded_from_its_revision(hub: Hub, tmp_path: Path) -> None:
    """Repository, revision and file make the address, each quoted."""
    assert locate(ENDPOINT, tmp_path).read_bytes() == CONTENT
    assert hub.asked == [(FILE, None)]


def test_nothing_is_asked_unless_the_user_allows_it(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the variable there is no request, and the error names the variable."""
    monkeypatch.delenv("EXAMBENCH_ALLOW_HUB")
    with pytest.raises(ConfigError, match="EXAMBENCH_ALLOW_HUB=1"):
        locate(ENDPOINT, tmp_path)
    assert hub.asked == []


def test_a_download_goes_on_where_the_connection_broke(hub: Hub, tmp_path: Path) -> None:
    """Each try asks for what is missing, and only for that."""
    hub.cuts = [100_000, 50_000]
    assert locate(ENDPOINT, tmp_path).read_bytes() == CONTENT
    assert [asked for _, asked in hub.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_a_later_run_goes_on_where_the_last_one_gave_up(hub: Hub, tmp_path: Path) -> None:
    """What has arrived is kept between runs."""
    hub.cuts = [10] * weight_hub.TRIES
    with pytest.raises(ConfigError, match="run the same command again"):
        locate(ENDPOINT, tmp_path)
    hub.asked.clear()
    assert locate(ENDPOINT, tmp_path).read_bytes() == CONTENT
    assert hub.asked == [(FILE, f"bytes={10 * weight_hub.TRIES}-")]


def test_a_hub_without_ranges_starts_again(hub: Hub, tmp_path: Path) -> None:
    """A whole file in reply to a range replaces what was there."""
    hub.ranges = False
    hub.cuts = [100_000]
    assert locate(ENDPOINT, tmp_path).read_bytes() == CONTENT


def test_a_download_that_only_lacked_its_check_is_not_repeated(hub: Hub, tmp_path: Path) -> None:
    """A process that was killed between the last byte and the rename left a whole file."""
    (tmp_path / f"{SHA256}.download").write_bytes(CONTENT)
    assert locate(ENDPOINT, tmp_path).read_bytes() == CONTENT
    assert len(hub.asked) == 1


def test_other_bytes_are_refused_and_removed(hub: Hub, tmp_path: Path) -> None:
    """A hub that serves another file is found out."""
    hub.content = b"another file"
    with pytest.raises(ConfigError) as caught:
        locate(ENDPOINT, tmp_path)
    (finding,) = caught.value.findings
    assert (finding.value, finding.allowed) == (hashlib.sha256(b"another file").hexdigest(), SHA256)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]


def test_a_status_is_reported(hub: Hub, tmp_path: Path) -> None:
    """A file that the hub doesn't have."""
    absent = ENDPOINT.model_copy(update={"weights": [HubWeights(repository="us/other", file="model.gguf")]})
    with pytest.raises(ConfigError, match="HTTP 404"):
        locate(absent, tmp_path)
    assert len(hub.asked) == 1


def test_a_hub_that_is_not_there_is_reported(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Port 9 on the loopback interface takes no connections."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ConfigError, match="cannot be downloaded"):
        locate(ENDPOINT, tmp_path)
    assert hub.asked == []


@pytest.mark.parametrize(
    "address",
    ["file:///", "user:secret@host", "https://user:secret@host", "https://host/?token=secret", "https://host/#secret"],
)
@pytest.mark.parametrize("allowed", ["0", "1"])
def test_an_address_that_is_none_or_carries_a_secret_is_refused_unseen(
    address: str, allowed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password would stand in errors and go to whoever answers, so nothing is asked, and the address is not shown."""
    monkeypatch.setenv("EXAMBENCH_ALLOW_HUB", allowed)
    monkeypatch.setenv("HF_ENDPOINT", address)
    with pytest.raises(ConfigError, match="Correct HF_ENDPOINT") as caught:
        locate(ENDPOINT, tmp_path)
    assert "secret" not in str(caught.value)
