"""Whoever answers for a model of a model file: a client of its endpoint, or of a server that is started for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from exambench.engine.client import ChatClient
from exambench.engine.credentials import read_credentials
from exambench.engine.images import ImageFolder
from exambench.engine.local import LocalServer
from exambench.engine.ports import Responder
from exambench.engine.wire import CHAT, Wire
from exambench.errors import ConfigError, Finding
from exambench.models import BaselineEndpoint, LocalEndpoint, ModelConfig, OpenAIEndpoint
from exambench.protocols.condition import Images

DOTENV: Final = Path(".env")


def check_keys(models: Iterable[ModelConfig]) -> None:
    """See that the key of every model is there, before the first model is asked.

    Raises:
        ConfigError: A key is missing or cannot be one; a finding for each.
    """
    findings: list[Finding] = []
    for model in models:
        if isinstance(model.endpoint, OpenAIEndpoint):
            try:
                read_credentials(model.endpoint, os.environ, DOTENV)
            except ConfigError as error:
                findings += (replace(finding, file=finding.file or model.name) for finding in error.findings)
    if findings:
        raise ConfigError(*findings)


@asynccontextmanager
async def open_client(
    model: ModelConfig,
    image_root: Path | None,
    concurrency: int,
    stop: asyncio.Event,
    shown: Images = Images.SHOWN,
    *,
    wire: Wire = CHAT,
) -> AsyncIterator[Responder]:
    """Provide a client for a model; a local one is served for as long as the block runs.

    Args:
        model: Who answers.
        image_root: Folder of the pictures; ``None`` when no request has any.
        concurrency: Requests in flight at once.
        stop: Once it is set, nobody waits any longer for a turn or for a further try.
        shown: What is shown of the pictures.
        wire: The protocol of the endpoint.

    Raises:
        ConfigError: A key or a weight file is missing, or the model is a baseline, which reads no chat.
    """
    images = None if image_root is None else ImageFolder(image_root, model.capabilities, shown)
    match model.endpoint:
        case OpenAIEndpoint() as endpoint:
            credentials = read_credentials(endpoint, os.environ, DOTENV)
            async with ChatClient(
                model, credentials=credentials, image_source=images, concurrency=concurrency, stop=stop, wire=wire
            ) as client:
                yield client
        case LocalEndpoint() as endpoint:
            async with LocalServer(endpoint, model.name) as server:
                address = await server.base_url()
                async with ChatClient(
                    model, base_url=address, image_source=images, concurrency=concurrency, stop=stop, wire=wire
                ) as client:
                    yield client
        case BaselineEndpoint():
            raise ConfigError(
                Finding("a baseline cannot read a chat", field="model", value=model.name, remedy="Name a model")
            )
