"""Listening: on this machine alone unless told, and behind a token wherever others can ask."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exambench.errors import ConfigError, Finding, MissingExtraError
from exambench.report.view.safety import PARAMETER, is_loopback

SHORTEST_TOKEN: Final = 16
GRACE_SECONDS: Final = 1
BACKLOG: Final = 128


@dataclass(frozen=True)
class ServerOptions:
    """Where to listen, and for whom.

    Attributes:
        store: The store.
        host: Address to listen on.
        port: Port; 0 for any free one.
        token: What readers must know; made up where it is needed and not given.
        images: Image root of benchmarks that do not come with the toolkit.
    """

    store: str
    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    images: Path | None = None


def serve(options: ServerOptions, announce: Callable[[str], None]) -> None:
    """Serve the store until a person interrupts.

    Args:
        options: Where and what.
        announce: Told the address to open, once, when the server listens.

    Raises:
        ConfigError: The address cannot be listened on, the token is too short, or the folder of pictures is none.
        MissingExtraError: The extra ``view`` is not installed.
        StoreError: There is no store, or it cannot be used.
    """
    try:
        import uvicorn  # noqa: PLC0415 - an optional extra

        from exambench.report.view.app import create_app  # noqa: PLC0415 - likewise
        from exambench.report.view.live import Looking  # noqa: PLC0415 - likewise
        from exambench.report.view.pictures import Gallery  # noqa: PLC0415 - likewise
    except ImportError:
        raise MissingExtraError("view", "the run explorer") from None
    token = token_for(options)
    _check_images(options.images)
    looking = Looking(options.store)
    try:
        with looking.moment() as moment:
            moment.runs()
        with listening(options.host, options.port) as listener:
            port = int(listener.getsockname()[1])
            app = create_app(looking, Gallery(options.images), token=token, port=port)
            config = uvicorn.Config(
                app,
                access_log=False,
                log_level="warning",
                lifespan="off",
                ws="none",
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
            announce(address_of(options.host, port, token))
            uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:  # how a person ends it, once what was being sent is sent
        return
    finally:
        looking.close()


def token_for(options: ServerOptions) -> str | None:
    """Return the token that readers must know; ``None`` where only this machine can ask, and none was given.

    Raises:
        ConfigError: The token that was given is too short.
    """
    if options.token is None:
        return None if is_loopback(options.host) else secrets.token_urlsafe(24)
    if len(options.token) < SHORTEST_TOKEN or not options.token.isascii() or not options.token.isprintable():
        raise ConfigError(
            Finding(
                problem="is no good token",  # what it is stays unsaid
                field="--token",
                allowed=f"{SHORTEST_TOKEN} printable ASCII characters or more",
                remedy="Leave the option out, and one is made up",
            )
        )
    return options.token


def _check_images(folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise ConfigError(
            Finding(
                problem="is no folder",
                field="--images",
                value=str(folder),
                allowed="the folder that image paths are relative to",
                remedy="Leave the option out for benchmarks that come with the toolkit",
            )
        )


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        ConfigError: The address is not one of this machine, or the port is in use.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError:
            listener.close()
            raise
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            Finding(
                problem=f"cannot be listened on: {getattr(error, 'strerror', None) or error}",
                field="--host and --port",
                value=f"{host} port {port}",
                allowed="an address of this machine and a free port",
                remedy="Name another port, or 0 for any free one",
            )
        ) from error
    return listener


def address_of(host: str, port: int, token: str | None) -> str:
    """Return the address that a person opens."""
    shown = "127.0.0.1" if host in {"", "0.0.0.0", "::"} else host  # noqa: S104 - compared, not listened on
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" if token is None else f"http://{shown}:{port}/?{PARAMETER}={token}"
