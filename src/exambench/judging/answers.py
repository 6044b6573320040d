"""The judge of free answers: whether an answer is the gold answer, where strings and numbers do not tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exambench.configuration import read_table, validate
from exambench.exchange import Message, Part, Role, TextPart
from exambench.items import Item, TextKey, digest
from exambench.judging.blocks import block, without_pictures
from exambench.judging.rubric import check_placeholders
from exambench.judging.subjects import Subject, answer_text
from exambench.models import Decoding
from exambench.outcomes import AnswerVerdict, Judgement, Settlement, Unjudged
from exambench.protocols import fill, merged
from exambench.scoring.matching import Match, match
from exambench.store import JudgingKind

SHIPPED: Final = Path(__file__).with_name("answers.toml")
USER_PLACEHOLDERS: Final = frozenset({"question", "gold", "answer"})
NEEDED: Final = frozenset({"gold", "answer"})

_DECORATION: Final = "*_`\"'.!() \t"
_WORDS: Final = {"TRUE": True, "FALSE": False}


class AnswerRubric(BaseModel):
    """The prompt of a judge of answers, as data.

    Attributes:
        no_picture: What stands for a picture that the judge does not take.
        decoding: Settings, unless the judge's model file says otherwise.
        system: The system message.
        user: Template of the user's message; see :data:`USER_PLACEHOLDERS`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=100)]
    language: str
    no_picture: str
    system: str
    user: str
    decoding: Decoding = Decoding()

    @model_validator(mode="after")
    def _is_sound(self) -> AnswerRubric:
        check_placeholders("user", self.user, USER_PLACEHOLDERS, needed=NEEDED)
        return self


def read_answer_rubric(path: Path = SHIPPED) -> AnswerRubric:
    """Read the prompt of a judge of answers from a TOML or YAML file.

    Raises:
        ConfigError: It cannot be read, or is something else.
    """
    table = read_table(path)
    stripped = {name: table[name].strip("\n") for name in ("system", "user") if isinstance(table.get(name), str)}
    return validate(AnswerRubric, table | stripped, str(path))


@dataclass(frozen=True)
class AnswerJudge:
    """Asks whether a parsed answer is the gold answer, unless that can be told without asking.

    Attributes:
        rubric: The prompt.
    """

    rubric: AnswerRubric

    @property
    def kind(self) -> JudgingKind:
        """What the judge is asked about."""
        return JudgingKind.ANSWER

    @property
    def name(self) -> str:
        """What to call the prompt."""
        return self.rubric.name

    @cached_property
    def hash(self) -> str:
        """Digest of the prompt, the decoding apart."""
        return digest(self.rubric.model_dump(mode="json", exclude={"decoding", "name"}))

    @property
    def decoding(self) -> Decoding:
        """Settings of the prompt's file."""
        return self.rubric.decoding

    @property
    def with_reference(self) -> bool:
        """No: the gold answer is all that the judge compares with."""
        return False

    @property
    def optional(self) -> Mapping[str, object]:
        """Nothing: a reply ends in one of two words."""
        return {}

    def as_json(self) -> Mapping[str, object]:
        """Return the prompt as JSON values for the store."""
        return self.rubric.model_dump(mode="json")

    def selects(self, item: Item) -> bool:
        """Tell whether the item has a free answer."""
        return isinstance(item.key, TextKey)

    def note(self, subject: Subject) -> str:
        """Return how it is found out whether the answer is right."""
        return str(settlement(subject))

    def is_asked(self, subject: Subject) -> bool:
        """Tell whether neither the strings nor the numbers settle it."""
        return settlement(subject) is Settlement.JUDGE

    def render(self, subject: Subject, *, images: bool) -> tuple[Message, ...]:
        """Return the chat: question, gold answer and parsed answer, never the whole response."""
        question = subject.stem
        if not images:
            question = without_pictures(question, self.rubric.no_picture)
        values: dict[str, list[Part]] = {
            "question": question,
            "gold": [TextPart(_gold(subject))],
            "answer": block(subject.hidden(_said(subject))),
        }
        return (
            Message(Role.SYSTEM, (TextPart(self.rubric.system),)),
            Message(Role.USER, merged(fill(self.rubric.user, values))),
        )


def settlement(subject: Subject) -> Settlement:
    """Return how it can be found out whether an answer is right: by a judge, or without one."""
    said = _said(subject)
    if not said.strip():
        return Settlement.NO_ANSWER
    match match(said, _gold(subject)):
        case Match.MATCH:
            return Settlement.MATCH
        case Match.MISMATCH:
            return Settlement.MISMATCH
        case Match.UNDECIDED:
            return Settlement.JUDGE


def read_answer_verdict(words: str) -> Judgement:
    """Read the last line of a reply that is not empty: TRUE or FALSE, and nothing else but typesetting.

    Args:
        words: The visible words of the reply.
    """
    last = words.strip().rpartition("\n")[2].strip(_DECORATION)
    correct = _WORDS.get(last.upper())
    return Unjudged("the last line is neither TRUE nor FALSE") if correct is None else AnswerVerdict(correct)


def _said(subject: Subject) -> str:
    return "" if subject.answer is None else answer_text(subject.answer)


def _gold(subject: Subject) -> str:
    key = subject.item.key
    if not isinstance(key, TextKey):
        raise TypeError(f"item {subject.item.id} has no free answer")
    return key.text
