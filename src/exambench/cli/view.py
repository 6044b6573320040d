"""``exambench view``: a store in the browser, while others write to it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from exambench.cli.options import StoreOption


def command(
    store: StoreOption = "exambench.db",
    host: Annotated[
        str, typer.Option(help="Address to listen on. Any but a loopback address needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")] = 0,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="EXAMBENCH_VIEW_TOKEN",
            help="What readers must know. Where one is needed and none is given, one is made up and printed once.",
        ),
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="The folder that image paths are relative to, if it does not come with us.")
    ] = None,
) -> None:
    """Show rankings, runs and every single answer in the browser, live while a run is going on. Nothing is written."""
    import sys

    from exambench.report.view.serving import ServerOptions, serve

    def announce(address: str) -> None:
        sys.stdout.write(f"{address}\nCtrl-C ends it.\n")
        sys.stdout.flush()

    serve(ServerOptions(store, host, port, token, images), announce)
