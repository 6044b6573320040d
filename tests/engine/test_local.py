"""A local model is served by a real runtime in a process of its own, which lives no longer than we do."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from exambench.engine import local
from exambench.engine.client import ChatClient
from exambench.engine.local import LocalServer
from exambench.errors import ConfigError, MissingExtraError, ServingError
from exambench.exchange import Message, Request, Role, TextPart
from exambench.models import LocalEndpoint, ModelConfig, PathWeights
from tests.support.local_model import require_runtime, small_model

ROOT = Path(__file__).parents[2]
NO_WEIGHTS = LocalEndpoint(weights=[PathWeights(path="/absent.gguf")], sha256="0" * 64)


@pytest.fixture
def runtime() -> None:
    """The runtime for local models."""
    require_runtime()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for weights that the tests of this file share."""
    return tmp_path_factory.mktemp("weights")


@pytest.fixture
def small() -> ModelConfig:
    """The smallest real model that packages carry."""
    return small_model()


def endpoint_of(config: ModelConfig) -> LocalEndpoint:
    """The endpoint of a model that is served here."""
    assert isinstance(config.endpoint, LocalEndpoint)
    return config.endpoint


def junk(folder: Path) -> LocalEndpoint:
    """An endpoint whose weights are the named ones, but no model."""
    file = folder / "junk.gguf"
    file.write_bytes(b"this is no model")
    return LocalEndpoint(weights=[PathWeights(path=str(file))], sha256=hashlib.sha256(b"this is no model").hexdigest())


def listens(base_url: str) -> bool:
    """Whether anyone takes connections there."""
    place = urlsplit(base_url)
    with socket.socket() as probe:
        return probe.connect_ex((place.hostname or "", place.port or 0)) == 0


async def until_failed(server: LocalServer) -> None:
    """Ask for the address until that fails, for 20 seconds at most."""
    async with asyncio.timeout(20):
        while await server.base_url():  # noqa: ASYNC110 - what we wait for happens in another process
            await asyncio.sleep(0.02)


def until_gone(base_url: str) -> None:
    """Wait until nobody takes connections there, for 20 seconds at most."""
    deadline = time.monotonic() + 20
    while listens(base_url):
        assert time.monotonic() < deadline, "the server still runs"
        time.sleep(0.02)


async def test_a_real_model_answers_through_http(small: ModelConfig, cache: Path) -> None:
    """Weights from a package, served, asked by our client: text, tokens and the reason to stop come back."""
    question = Message(Role.USER, (TextPart("What is the capital of France? Answer with one word."),))
    request = Request(small.identity, (question,), {"temperature": 0, "max_tokens": 12})
    async with LocalServer(endpoint_of(small), small.name, cache) as server:
        base_url = await server.base_url()
        async with ChatClient(small, base_url=base_url) as client:
            response = await client.respond(request)
        assert await server.base_url() == base_url
    assert response.text
    assert response.served_model == small.name
    assert response.finish_reason in {"stop", "length"}
    assert response.usage.input_tokens is not None
    assert response.usage.output_tokens is not None
    assert 0 < response.usage.output_tokens <= 12
    assert not listens(base_url)


async def test_many_first_requests_start_one_server(small: ModelConfig, cache: Path) -> None:
    """Whoever asks for the address while the server starts gets the same one."""
    async with LocalServer(endpoint_of(small), small.name, cache) as server:
        addresses = await asyncio.gather(*(server.base_url() for _ in range(8)))
    assert len(set(addresses)) == 1


async def test_a_server_that_is_not_asked_is_not_started(tmp_path: Path) -> None:
    """Entering and leaving costs nothing: weights that do not exist are not even looked for."""
    async with LocalServer(NO_WEIGHTS, "absent", tmp_path / "cache") as server:
        assert server.pid is None
    assert not (tmp_path / "cache").exists()


@pytest.mark.usefixtures("runtime")
async def test_weights_that_cannot_be_had_are_the_users_matter(tmp_path: Path) -> None:
    """Absent weights are an input error, not a failure of an endpoint."""
    async with LocalServer(NO_WEIGHTS, "absent", tmp_path) as server:
        with pytest.raises(ConfigError, match=r"/absent\.gguf"):
            await server.base_url()


@pytest.mark.usefixtures("runtime")
async def test_a_start_that_fails_says_why_and_is_not_repeated(tmp_path: Path) -> None:
    """The end of the runtime's log is in the error, and the second call raises the same error at once."""
    async with LocalServer(junk(tmp_path), "junk", tmp_path) as server:
        with pytest.raises(ServingError, match="invalid magic") as first:
            await server.base_url()
        with pytest.raises(ServingError) as second:
            await server.base_url()
    assert first.value is second.value


async def test_without_the_runtime_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None in ``sys.modules`` is how Python marks a module that cannot be imported."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    async with LocalServer(NO_WEIGHTS, "absent", tmp_path) as server:
        with pytest.raises(MissingExtraError, match=r"\.\[local\]"):
            await server.base_url()


async def test_a_server_that_crashes_is_a_failed_endpoint(small: ModelConfig, cache: Path) -> None:
    """A crash of native code ends the server, not us, and is told with its signal."""
    async with LocalServer(endpoint_of(small), small.name, cache) as server:
        await server.base_url()
        assert server.pid is not None
        os.kill(server.pid, signal.SIGSEGV)
        with pytest.raises(ServingError, match="SIGSEGV"):
            await until_failed(server)


def test_the_server_ends_when_we_are_killed(small: ModelConfig, cache: Path) -> None:
    """SIGKILL leaves no time to clean up; the closed pipe ends the server all the same."""
    program = (
        "import asyncio, pathlib, sys\n"
        "from exambench.engine.local import LocalServer\n"
        "from exambench.models import LocalEndpoint\n"
        "async def main():\n"
        "    endpoint = LocalEndpoint.model_validate_json(sys.argv[1])\n"
        "    async with LocalServer(endpoint, 'small', pathlib.Path(sys.argv[2])) as server:\n"
        "        print(await server.base_url(), flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, endpoint_of(small).model_dump_json(), str(cache)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(local.__file__).parents[2])},
    )
    with process:
        assert process.stdout is not None
        base_url = process.stdout.readline()
        assert listens(base_url)
        process.kill()
    until_gone(base_url)


@pytest.mark.parametrize("path", sorted((ROOT / "models").glob("*.toml")), ids=lambda path: path.stem)
def test_every_model_file_that_we_ship_can_be_used(path: Path) -> None:
    """Model files are examples to copy, so each must be valid."""
    config = ModelConfig.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    assert config.identity


def test_the_demo_weights_are_the_packages_of_the_model_file() -> None:
    """What the dependency group installs is what the model file looks for."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    config = ModelConfig.model_validate(tomllib.loads((ROOT / "models" / "qwen2.5-coder-1.5b.toml").read_text("utf-8")))
    source = endpoint_of(config).weights[1]
    assert source.source == "packages"
    assert groups["demo-weights"] == [f"{name}=={source.version}" for name in source.packages]
