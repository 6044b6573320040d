"""Serve a GGUF model on this machine, in a process of its own, for as long as it is needed.

A process of its own, because the runtime is native code: if it crashes, an endpoint has failed and the run goes on
to say so.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

import aiohttp

from exambench.engine import llama_process
from exambench.engine.weights import default_cache, locate
from exambench.errors import ExambenchError, MissingExtraError, ServingError
from exambench.models import LocalEndpoint

START_TIMEOUT_SECONDS: Final = 600.0
"""Time for loading the weights; large ones come from slow disks."""

STOP_TIMEOUT_SECONDS: Final = 5.0
PATIENT_THREADS: Final = {"OMP_WAIT_POLICY": "passive"}
"""The runtime's threads sleep while they wait for one another. Spinning, they take the processor from the thread that
they wait for as soon as anything else runs on the machine: seen on two busy cores, eight times slower."""

LOG_TAIL_BYTES: Final = 2000


@dataclass(frozen=True, slots=True)
class _Running:
    process: asyncio.subprocess.Process
    base_url: str


class LocalServer:
    """An OpenAI-compatible server for one local model, started when its address is first asked for.

    A context manager: leaving it stops the server. A run that has nothing left to ask never asks for the address,
    and so neither joins weights nor loads them. When this process ends, however it ends, the server ends too.

    Args:
        endpoint: The weights and how to serve them.
        name: The model's name in replies.
        cache: Folder for weights; :func:`~exambench.engine.weights.default_cache` when ``None``.
    """

    def __init__(self, endpoint: LocalEndpoint, name: str, cache: Path | None = None) -> None:
        self._endpoint = endpoint
        self._name = name
        self._cache = cache
        self._starting = asyncio.Lock()
        self._log: IO[bytes] | None = None
        self._running: _Running | None = None
        self._failure: ExambenchError | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def pid(self) -> int | None:
        """Process id of the server; ``None`` while none was started."""
        return self._running.process.pid if self._running else None

    async def base_url(self) -> str:
        """Return the address up to and without ``/chat/completions``; start the server at the first call.

        A start that failed isn't tried again: later calls raise the same error.

        Raises:
            ConfigError: The weights are not to be had, or are not the named ones.
            MissingExtraError: The extra ``local`` is not installed.
            ServingError: The server did not start, or has ended since; with the end of its log.
        """
        async with self._starting:
            if self._failure is not None:
                raise self._failure
            try:
                if self._running is None:
                    self._running = await self._start()
                elif self._running.process.returncode is not None:
                    raise self._ended(self._running.process.returncode)
            except ExambenchError as error:
                self._failure = error
                raise
            return self._running.base_url

    async def stop(self) -> None:
        """Stop the server, if it runs. It can be started again."""
        async with self._starting:
            running, self._running, self._failure = self._running, None, None
            try:
                if running is not None:
                    await _end(running.process)
            finally:
                self._close_log()

    async def _start(self) -> _Running:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtraError("local", f"serving {self._name} on this machine")
        weights = await asyncio.to_thread(locate, self._endpoint, self._cache or default_cache())
        self._close_log()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the server
        process = await asyncio.create_subprocess_exec(
            # -P: the folder of the script is not searched for modules.
            *(sys.executable, "-P", llama_process.__file__, self._settings(weights)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=self._log,
            env=PATIENT_THREADS | os.environ,
            start_new_session=True,  # Ctrl-C is for us: we finish what is in flight, and then stop the server
        )
        try:
            async with asyncio.timeout(START_TIMEOUT_SECONDS):
                address = await self._address(process)
                await self._check_health(address)
        except TimeoutError as error:
            await _end(process)
            raise self._failed(f"was not ready within {START_TIMEOUT_SECONDS:.0f} s") from error
        except BaseException:
            await _end(process)
            raise
        return _Running(process, f"{address}/v1")

    def _settings(self, weights: Path) -> str:
        endpoint = self._endpoint
        return json.dumps(
            {
                "path": str(weights),
                "name": self._name,
                "slots": endpoint.slots,
                "threads": endpoint.threads or os.cpu_count() or 1,
                "context": endpoint.context,
                "prompt_cache": endpoint.prompt_cache,
            }
        )

    async def _address(self, process: asyncio.subprocess.Process) -> str:
        assert process.stdout is not None  # noqa: S101 - it was opened as a pipe
        line = await process.stdout.readline()
        if not line:
            raise self._ended(await process.wait())
        return str(json.loads(line)["address"])

    async def _check_health(self, address: str) -> None:
        try:
            async with aiohttp.ClientSession() as session, session.get(f"{address}/health") as reply:
                reply.raise_for_status()
        except aiohttp.ClientError as error:
            raise self._failed(f"started, but is not well: {error}") from error

    def _ended(self, code: int) -> ServingError:
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
        return self._failed(f"ended {how}")

    def _failed(self, what: str) -> ServingError:
        return ServingError(f"The local server of {self._name} {what}. The end of its log:\n{self._log_tail()}")

    def _log_tail(self) -> str:
        if self._log is None:
            return ""
        size = self._log.seek(0, 2)
        self._log.seek(max(0, size - LOG_TAIL_BYTES))
        return self._log.read().decode("utf-8", "replace").strip()

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a server: ask by closing its standard input, then insist."""
    try:
        assert process.stdin is not None  # noqa: S101 - it was opened as a pipe
        process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_TIMEOUT_SECONDS):
                await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
