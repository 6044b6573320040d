"""Prompts of the prefix probe as data: how a model is asked to continue, and how a judge is asked to compare."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exambench.configuration import read_table, validate
from exambench.items import digest
from exambench.judging.rubric import check_placeholders
from exambench.models import Decoding

SHIPPED_PREFIX: Final = Path(__file__).with_name("prefix.toml")
SHIPPED_EXACTNESS: Final = Path(__file__).with_name("exactness.toml")

Name = Annotated[str, Field(min_length=1, max_length=100)]


class _Prompt(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    language: str
    system: str
    user: str
    decoding: Decoding = Decoding()

    @cached_property
    def hash(self) -> str:
        """Digest of the prompt, name and decoding apart."""
        return digest(self.model_dump(mode="json", exclude={"decoding", "name"}))


class PrefixPrompt(_Prompt):
    """How a model is asked to continue the beginning of a question.

    Attributes:
        user: Template with ``{{prefix}}``.
        hinted: Template with ``{{prefix}}``, ``{{exam}}`` and ``{{year}}``.
        unknown_year: What stands for a year that is not known.
    """

    hinted: str
    unknown_year: str

    @model_validator(mode="after")
    def _is_sound(self) -> PrefixPrompt:
        check_placeholders("user", self.user, frozenset({"prefix"}), needed=frozenset({"prefix"}))
        known = frozenset({"prefix", "exam", "year"})
        check_placeholders("hinted", self.hinted, known, needed=frozenset({"prefix", "exam"}))
        return self


class ExactnessPrompt(_Prompt):
    """How a judge is asked to rate a continuation.

    Attributes:
        exactness_key: The key under which it gives an integer from 0 to 100.
        refusal_key: The key under which it says, as 1 or 0, whether the model refused.
        hallucination_key: Likewise whether the model made something up.
        reason_key: The key under which it says why.
        system: Template of the system message with these four keys.
        user: Template with ``{{prefix}}``, ``{{reference}}`` and ``{{continuation}}``.
    """

    exactness_key: Name
    refusal_key: Name
    hallucination_key: Name
    reason_key: Name

    @model_validator(mode="after")
    def _is_sound(self) -> ExactnessPrompt:
        check_placeholders("system", self.system, frozenset(self.keys))
        needed = frozenset({"reference", "continuation"})
        check_placeholders("user", self.user, needed | {"prefix"}, needed=needed)
        return self

    @property
    def keys(self) -> Mapping[str, str]:
        """The keys of a verdict by the placeholders that stand for them."""
        names = ("exactness_key", "refusal_key", "hallucination_key", "reason_key")
        return {name: str(getattr(self, name)) for name in names}

    def response_format(self) -> dict[str, object]:
        """Return the form of a verdict as a JSON schema in a chat-completions body."""
        flag: dict[str, object] = {"type": "integer", "enum": [0, 1]}
        properties: dict[str, object] = {
            self.reason_key: {"type": "string"},
            self.exactness_key: {"type": "integer", "minimum": 0, "maximum": 100},
            self.refusal_key: flag,
            self.hallucination_key: flag,
        }
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}


def read_prefix_prompt(path: Path = SHIPPED_PREFIX) -> PrefixPrompt:
    """Read how a model is asked to continue; blank lines around templates are not part of them.

    Raises:
        ConfigError: The file cannot be read, or is something else.
    """
    return validate(PrefixPrompt, _stripped(path), str(path))


def read_exactness_prompt(path: Path = SHIPPED_EXACTNESS) -> ExactnessPrompt:
    """Read how a judge is asked to rate; blank lines around templates are not part of them.

    Raises:
        ConfigError: The file cannot be read, or is something else.
    """
    return validate(ExactnessPrompt, _stripped(path), str(path))


def _stripped(path: Path) -> dict[str, object]:
    templates = ("system", "user", "hinted")
    return {
        name: value.strip("\n") if name in templates and isinstance(value, str) else value
        for name, value in read_table(path).items()
    }
