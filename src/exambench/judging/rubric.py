"""``rubric.toml``: axes, scale, anchors and prompt of a judge of rationales, as data."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, model_validator

from exambench.configuration import read_table, validate
from exambench.items import digest
from exambench.models import Decoding
from exambench.protocols import placeholders

SYSTEM_PLACEHOLDERS: Final = frozenset({"axes", "form", "low", "high", "errors_key", "reason_key"})
USER_PLACEHOLDERS: Final = frozenset({"question", "choices", "gold", "reference", "answer", "rationale"})
NEEDED: Final = frozenset({"question", "gold", "rationale"})
MOST_POINTS: Final = 100


def _name(text: str) -> str:
    """Return a name in NFC, the form in which replies and sheets are read.

    Raises:
        ValueError: It is blank, has blanks around it, or signs that cannot be printed.
    """
    if not text.strip() or text != text.strip() or not text.isprintable():
        raise ValueError("a name has printable characters and no blanks around them")
    return unicodedata.normalize("NFC", text)


Key = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_name)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RubricAxis(_Table):
    """One ``[[axes]]`` entry.

    Attributes:
        key: The key under which the judge gives the score.
        titles: What to call the axis, by language code.
        description: What is scored, in the language of the rubric.
        anchors: What some of the scores mean; the highest, a middle one and the lowest at least.
    """

    key: Key
    titles: Annotated[dict[str, Key], Field(min_length=1)]
    description: Annotated[str, Field(min_length=1)]
    anchors: dict[int, str]


class Rubric(_Table):
    """A whole ``rubric.toml``.

    Attributes:
        low: Lowest score of an axis.
        high: Highest score of an axis.
        errors_key: The key under which the judge lists factual errors.
        reason_key: The key under which the judge says why.
        choice: Template of one choice, as in a protocol.
        no_reference: What stands for the expert's rationale when the judge does not see it.
        no_rationale: What stands for a rationale that is not there.
        no_answer: What stands for an answer that could not be read.
        no_picture: What stands for a picture that the judge does not take.
        decoding: Settings, unless the judge's model file says otherwise.
        system: Template of the system message; see :data:`SYSTEM_PLACEHOLDERS`.
        user: Template of the user's message; see :data:`USER_PLACEHOLDERS`.
    """

    name: Key
    language: str
    axes: Annotated[list[RubricAxis], Field(min_length=1)]
    low: Annotated[StrictInt, Field(ge=0)]
    high: Annotated[StrictInt, Field(le=MOST_POINTS)]
    errors_key: Key
    reason_key: Key
    choice: str
    no_reference: str
    no_rationale: str
    no_answer: str
    no_picture: str
    system: str
    user: str
    decoding: Decoding = Decoding()

    @model_validator(mode="after")
    def _is_sound(self) -> Rubric:
        keys = [*(axis.key for axis in self.axes), self.errors_key, self.reason_key]
        if len(set(keys)) < len(keys):
            raise ValueError("keys: two axes, or an axis and another key, have one name")
        if self.low >= self.high:
            raise ValueError(f"scale: low is {self.low} and high is {self.high}; low must be below high")
        for language in {language for axis in self.axes for language in axis.titles}:
            titles = [axis.titles.get(language, axis.key) for axis in self.axes]
            if len(set(titles)) < len(titles):
                raise ValueError(f"axes.titles.{language}: two axes have one title; a scoring sheet needs two")
        for axis in self.axes:
            _check_anchors(axis, self.low, self.high)
        check_placeholders("system", self.system, SYSTEM_PLACEHOLDERS)
        check_placeholders("choice", self.choice, frozenset({"number", "content"}))
        check_placeholders("user", self.user, USER_PLACEHOLDERS, needed=NEEDED)
        return self

    @cached_property
    def hash(self) -> str:
        """Digest of all that shapes the judge's request and its reading, the decoding apart."""
        return digest(self.model_dump(mode="json", exclude={"decoding", "name"}))

    def as_json(self) -> Mapping[str, object]:
        """Return the rubric as JSON values for the store; :func:`rubric_from_json` reads them."""
        return self.model_dump(mode="json")

    @property
    def axes_text(self) -> str:
        """The axes with their anchors, highest first, for the prompt."""
        lines = []
        for axis in self.axes:
            lines.append(f"- {axis.key}: {axis.description}")
            lines += [f"  {score}: {axis.anchors[score]}" for score in sorted(axis.anchors, reverse=True)]
        return "\n".join(lines)

    @property
    def form_text(self) -> str:
        """The form of a verdict, for the prompt."""
        form = {self.errors_key: ["…"], self.reason_key: "…"} | {axis.key: self.high for axis in self.axes}
        return json.dumps(form, ensure_ascii=False, indent=2)

    def response_format(self) -> dict[str, object]:
        """Return the form of a verdict as a JSON schema in a chat-completions body: the reason before the scores."""
        score = {"type": "integer", "enum": list(range(self.low, self.high + 1))}
        properties: dict[str, object] = {
            self.errors_key: {"type": "array", "items": {"type": "string"}},
            self.reason_key: {"type": "string"},
            **{axis.key: score for axis in self.axes},
        }
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": schema}}


def read_rubric(path: Path) -> Rubric:
    """Read a rubric from a TOML or YAML file; blank lines around its templates are not part of them.

    Raises:
        ConfigError: It cannot be read or is no rubric; every misfit is a finding with file, field and value.
    """
    table = read_table(path)
    stripped = {name: table[name].strip("\n") for name in ("system", "user") if isinstance(table.get(name), str)}
    return validate(Rubric, table | stripped, str(path))


def rubric_from_json(body: Mapping[str, object]) -> Rubric:
    """Return the rubric that :meth:`Rubric.as_json` wrote.

    Raises:
        ConfigError: It is not of that form.
    """
    return validate(Rubric, body, "the stored rubric")


def check_placeholders(field: str, template: str, known: frozenset[str], needed: frozenset[str] = frozenset()) -> None:
    """Check which placeholders a template has.

    Raises:
        ValueError: It has an unknown one, or lacks one that is needed.
    """
    found = placeholders(template)
    if found - known:
        raise ValueError(f"{field}: unknown placeholders {_named(found - known)}; allowed: {_named(known)}")
    if needed - found:
        raise ValueError(f"{field}: the placeholders {_named(needed - found)} are missing")


def _check_anchors(axis: RubricAxis, low: int, high: int) -> None:
    stray = [score for score in axis.anchors if not low <= score <= high]
    if stray:
        raise ValueError(f"axes.{axis.key}.anchors: {stray} lies outside the scale from {low} to {high}")
    between = high - low < 2 or any(low < score < high for score in axis.anchors)  # noqa: PLR2004 - none lies between
    if not {low, high} <= axis.anchors.keys() or not between:
        raise ValueError(f"axes.{axis.key}.anchors: say what {high}, {low} and a score between them mean")


def _named(names: frozenset[str]) -> str:
    return ", ".join(f"{{{{{name}}}}}" for name in sorted(names))
