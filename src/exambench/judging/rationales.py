"""The judge of rationales, by a rubric: what it is asked, and how its verdict is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from exambench.exchange import Message, Part, Role, TextPart
from exambench.items import Item
from exambench.judging.blocks import block, without_pictures
from exambench.judging.rubric import Rubric
from exambench.judging.subjects import Subject
from exambench.models import Decoding
from exambench.outcomes import Judgement, Unjudged, Verdict
from exambench.parsing.literals import Entry, Group, Literal, Number, dicts_with_key
from exambench.protocols import choices_of, fill, merged
from exambench.store import JudgingKind
from exambench.text import storable

LONGEST_SCORE: Final = 4
LONGEST_REPLY: Final = 200_000
"""Visible characters: far more than a verdict has, and few enough to be read in a moment however they nest."""


@dataclass(frozen=True)
class RationaleJudge:
    """Asks for a verdict by a rubric.

    Attributes:
        rubric: Axes, scale and prompt.
        with_reference: Whether the judge sees the expert's rationale.
    """

    rubric: Rubric
    with_reference: bool = True

    @property
    def kind(self) -> JudgingKind:
        """What the judge is asked about."""
        return JudgingKind.RUBRIC

    @property
    def name(self) -> str:
        """What to call the rubric."""
        return self.rubric.name

    @property
    def hash(self) -> str:
        """Digest of the rubric."""
        return self.rubric.hash

    @property
    def decoding(self) -> Decoding:
        """Settings of the rubric."""
        return self.rubric.decoding

    @property
    def optional(self) -> Mapping[str, object]:
        """The form of the verdict as a schema, for endpoints that hold a model to one."""
        return {"response_format": self.rubric.response_format()}

    def as_json(self) -> Mapping[str, object]:
        """Return the rubric as JSON values for the store."""
        return self.rubric.as_json()

    def selects(self, item: Item) -> bool:
        """Tell whether an expert's rationale belongs to the item, seen or not: conditions are about the same items."""
        return bool(item.rationale.strip())

    def note(self, subject: Subject) -> str:
        """Return where the rationale was found."""
        return str(subject.rationale.form)

    def is_asked(self, subject: Subject) -> bool:  # noqa: ARG002 - every rationale, a missing one too
        """Tell that the judge is always needed."""
        return True

    def render(self, subject: Subject, *, images: bool) -> tuple[Message, ...]:
        """Return the chat: the rubric as the system's message; item, key, reference and what is judged as the user's.

        What the model wrote stands in blocks that it cannot end, and placeholders in it are just text.
        """
        rubric = self.rubric
        reference = subject.item.rationale if self.with_reference else rubric.no_reference
        question, choices = subject.stem, choices_of(subject.wording, rubric.choice)
        if not images:
            question = without_pictures(question, rubric.no_picture)
            choices = without_pictures(choices, rubric.no_picture)
        values: dict[str, list[Part]] = {
            "question": question,
            "choices": choices,
            "gold": [TextPart(subject.gold_text)],
            "reference": [TextPart(reference)],
            "answer": block(rubric.no_answer if subject.answer_text is None else subject.hidden(subject.answer_text)),
            "rationale": block(subject.hidden(subject.rationale.text) or rubric.no_rationale),
        }
        return (
            Message(Role.SYSTEM, merged(fill(rubric.system, self._system_values()))),
            Message(Role.USER, merged(fill(rubric.user, values))),
        )

    def _system_values(self) -> dict[str, list[Part]]:
        rubric = self.rubric
        texts = {
            "axes": rubric.axes_text,
            "form": rubric.form_text,
            "low": str(rubric.low),
            "high": str(rubric.high),
            "errors_key": rubric.errors_key,
            "reason_key": rubric.reason_key,
        }
        return {name: [TextPart(text)] for name, text in texts.items()}


def read_verdict(words: str, rubric: Rubric) -> Judgement:
    """Read the verdict in a judge's reply: the last closed dict literal that has every axis.

    JSON and Python quoting, raw line breaks and LaTeX's backslashes are all read. A score must be an integer within
    the scale, written as one: not a float, a truth value, or a string. Escapes of characters that cannot be stored or
    printed, lone surrogates among them, stand as U+FFFD.

    Args:
        words: The visible words of the reply.
        rubric: Axes, keys and scale.

    Returns:
        The verdict, or :class:`~exambench.outcomes.Unjudged` with the rule that was broken.
    """
    if len(words) > LONGEST_REPLY:
        return Unjudged(f"the reply has more than {LONGEST_REPLY:,} characters")
    axes = [_by_end(words, axis.key) for axis in rubric.axes]
    any_axis = {end for found in axes for end in found}
    complete = any_axis.intersection(*axes)
    if not any_axis:
        return Unjudged("no closed dict with the axes of the rubric")
    end = max(any_axis)
    if end not in complete:
        missing = next(axis.key for axis, found in zip(rubric.axes, axes, strict=True) if end not in found)
        return Unjudged(f"the axis {missing} is missing")
    scores: dict[str, int] = {}
    for axis, found in zip(rubric.axes, axes, strict=True):
        score = _score(found[end], rubric)
        if score is None:
            return Unjudged(f"the score on {axis.key} is no integer from {rubric.low} to {rubric.high}")
        scores[axis.key] = score
    errors = _strings(_by_end(words, rubric.errors_key).get(end))
    if errors is None:
        return Unjudged(f"{rubric.errors_key} is no list of strings")
    reason = _by_end(words, rubric.reason_key).get(end)
    words_of_reason = reason.values[-1] if reason is not None else ""
    return Verdict(scores, errors, storable(words_of_reason) if isinstance(words_of_reason, str) else "")


def _by_end(words: str, key: str) -> dict[int, Entry]:
    """Return the dicts that have a key by where they close, which tells them apart."""
    return {entry.end: entry for entry in dicts_with_key(words, key)}


def _score(entry: Entry, rubric: Rubric) -> int | None:
    """Return the score under a key; ``None`` when it is none, or the key is given twice with different values."""
    scores = {_integer(value) for value in entry.values}
    score = scores.pop() if len(scores) == 1 else None
    return score if score is not None and rubric.low <= score <= rubric.high else None


def _integer(value: Literal) -> int | None:
    match value:
        case Number(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_SCORE:
            return int(text)
    return None


def _strings(entry: Entry | None) -> tuple[str, ...] | None:
    """Return the strings of a list; ``None`` when there is no list, or something else in it."""
    found = None if entry is None else entry.values[-1]
    if not isinstance(found, Group):
        return None
    strings = tuple(storable(item) for item in found.items if isinstance(item, str))
    return strings if len(strings) == len(found.items) else None
