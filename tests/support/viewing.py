"""The explorer on a real port, in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from exambench.report.view.app import create_app
from exambench.report.view.live import Looking
from exambench.report.view.pictures import Gallery
from exambench.report.view.serving import listening


@contextmanager
def serving(store: str | Path, *, token: str | None = None, images: Path | None = None) -> Iterator[str]:
    """Serve on a free port of the loopback interface, and give the address."""
    looking = Looking(str(store))
    with listening("127.0.0.1", 0) as listener:
        port = int(listener.getsockname()[1])
        app = create_app(looking, Gallery(images), token=token, port=port)
        server = uvicorn.Server(
            uvicorn.Config(app, access_log=False, log_level="warning", lifespan="off", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.should_exit = True
            thread.join()
            looking.close()


@contextmanager
def client(store: str | Path, *, token: str | None = None, images: Path | None = None) -> Iterator[httpx.Client]:
    """Serve, and give somebody who asks; cookies are kept, and nobody is led on by himself."""
    with (
        serving(store, token=token, images=images) as address,
        httpx.Client(base_url=address, trust_env=False, timeout=60) as asking,
    ):
        yield asking
