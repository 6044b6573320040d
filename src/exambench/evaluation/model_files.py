"""From what a person types after ``--model`` to a model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, get_args

from exambench.configuration import read_table, validate
from exambench.errors import ConfigError, Finding, show
from exambench.models import BaselineEndpoint, ModelConfig, OpenAIEndpoint

_AD_HOC: Final = re.compile(r"(?P<name>[^@\s]+(?:@[^@\s:/]+)*)@(?P<url>https?://\S+)")
_BASELINE_PREFIX: Final = "baseline/"
_STRATEGIES: Final[tuple[str, ...]] = get_args(BaselineEndpoint.model_fields["strategy"].annotation)


def find_model(name: str) -> ModelConfig:
    """Return the model that a person named.

    Args:
        name: The path of a model file (TOML or YAML); ``name@base_url`` for any server of the OpenAI
            chat-completions protocol; or ``baseline/random``, ``baseline/first``, ``baseline/longest``,
            ``baseline/oracle``.

    Raises:
        ConfigError: There is no such model, or its file cannot be used.
    """
    if name.startswith(_BASELINE_PREFIX):
        return _baseline(name)
    if match := _AD_HOC.fullmatch(name):
        table = {"name": match["name"], "endpoint": {"kind": "openai", "base_url": match["url"]}}
        return validate(ModelConfig, table, file=f"--model {match['name']}@…")
    path = Path(name)
    if path.is_file():
        return validate(ModelConfig, read_table(path), file=name)
    raise ConfigError(
        Finding(
            problem="there is no such model",
            field="model",
            value=show(name),
            allowed=f"a model file (TOML or YAML), name@base_url, or {_allowed_baselines()}",
            remedy="Name one of these",
        )
    )


def named_model(name: str, *, vision: bool, api_key_env: str | None) -> ModelConfig:
    """Return the model that a person named, with the options for models named as ``name@base_url``.

    Args:
        name: As for :func:`find_model`; what a model file says is not changed.
        vision: Whether it takes pictures.
        api_key_env: Environment variable that holds its key.

    Raises:
        ConfigError: There is no such model, or its file cannot be used.
    """
    model = find_model(name)
    if Path(name).is_file() or not isinstance(model.endpoint, OpenAIEndpoint):
        return model
    capabilities = model.capabilities.model_copy(update={"images": vision})
    table = model.endpoint.model_dump() | {"api_key_env": api_key_env}
    endpoint = validate(OpenAIEndpoint, table, file="--api-key-env")
    return model.model_copy(update={"capabilities": capabilities, "endpoint": endpoint})


def _baseline(name: str) -> ModelConfig:
    strategy = name.removeprefix(_BASELINE_PREFIX)
    if strategy not in _STRATEGIES:
        raise ConfigError(
            Finding(
                problem="there is no such baseline",
                field="model",
                value=show(name),
                allowed=_allowed_baselines(),
                remedy="Name one of these",
            )
        )
    table = {
        "name": name,
        "endpoint": {"kind": "baseline", "strategy": strategy},
        "capabilities": {"images": True},
    }
    return validate(ModelConfig, table, file=name)


def _allowed_baselines() -> str:
    return ", ".join(f"{_BASELINE_PREFIX}{strategy}" for strategy in _STRATEGIES)
