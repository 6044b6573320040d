"""Questions as a model writes them: one object for each task, read from whatever stands around them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exambench.benchmarks import scholarbench_format
from exambench.benchmarks.scholarbench_format import TASK
from exambench.exchange import Response
from exambench.parsing import visible_text
from exambench.parsing.literals import Group, Literal, Number, Other, dicts_with_key
from exambench.parsing.unicode import normal_form
from exambench.text import is_left_open, storable

LONGEST_REPLY: Final = 60_000
LONGEST_TEXT: Final = 8_000
MOST_CHOICES: Final = 20
LETTERS: Final = "abcd"
_TRUTH: Final = re.compile(r"""["']answer["']\s*:\s*(true|false)\b""", re.IGNORECASE)
_LABEL: Final = re.compile(r"\s*\(?([a-dA-D])[).:]\s*")
_CIRCLES: Final = "①②③④"


class Task(StrEnum):
    """What an item asks for, by ScholarBench's names."""

    SUMMARIZATION = scholarbench_format.SUMMARIZATION
    SHORT_ANSWER = scholarbench_format.SHORT_ANSWER
    MULTIPLE_CHOICE = scholarbench_format.MULTIPLE_CHOICE
    MULTIPLE_SELECT = scholarbench_format.MULTIPLE_SELECT
    TRUE_FALSE = scholarbench_format.TRUE_FALSE

    @property
    def offers_choices(self) -> bool:
        """Whether it has choices."""
        return self in {Task.MULTIPLE_CHOICE, Task.MULTIPLE_SELECT}

    @property
    def asks(self) -> bool:
        """Whether it has a question, a topic and reasoning; a summary has none."""
        return self is not Task.SUMMARIZATION


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft of one task; what a model left out is empty.

    Attributes:
        task: Which task.
        question: What is asked, or the statement that is true or false.
        choices: The choices without their letters.
        answer: The right letters, ``true`` or ``false``, the answer itself, or the summary.
        topic: What it is about.
        reasoning: How the answer is reached.
    """

    task: Task
    question: str = ""
    choices: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    topic: str = ""
    reasoning: str = ""

    @property
    def text(self) -> str:
        """The answer as one text."""
        return " ".join(self.answer)

    def as_shown(self) -> str:
        """Return the draft as a model or a person reads it, one field a line."""
        marked = [f"{letter}) {choice}" for letter, choice in zip(LETTERS, self.choices, strict=False)]
        fields = {
            "question": self.question,
            "choices": "  ".join(marked),
            "answer": ", ".join(self.answer),
            "topic": self.topic,
            "reasoning": self.reasoning,
        }
        return "\n".join([f"[{self.task}]", *(f"{name}: {value}" for name, value in fields.items() if value)])


def read_reply(reply: Response, key: str) -> str | None:
    """Return what a model said where it holds at least one object with the key, and is not endless."""
    text = visible_text(reply.text or "")
    return text if len(text) <= LONGEST_REPLY and dicts_with_key(text, key) else None


def read_drafts(text: str) -> Mapping[Task, Drafted]:
    """Return the last closed object of each task, wherever it stands; an object that is not closed is none.

    What a task has no place for, such as the choices of a short answer, is left out.
    """
    fields = {
        name: {entry.start: entry.values[-1] for entry in dicts_with_key(text, name)}
        for name in ("question", "choices", "answer", "topic", "reasoning")
    }
    found: dict[Task, Drafted] = {}
    for entry in dicts_with_key(text, TASK):
        task = _task(entry.values[-1])
        if task is None:
            continue
        answer = fields["answer"].get(entry.start)
        if answer is Other.CONSTANT:
            truths = _TRUTH.findall(text, entry.start, entry.end)
            answer = truths[-1].lower() if truths else None
        asked = {name: _text(fields[name].get(entry.start)) for name in ("question", "topic", "reasoning") if task.asks}
        choices = _choices(fields["choices"].get(entry.start)) if task.offers_choices else ()
        found[task] = Drafted(task, choices=choices, answer=tuple(_texts(answer)), **asked)
    return found


def letter_of(text: str) -> tuple[int, str] | None:
    """Return the choice, counted from 1, whose letter a text begins with, and the words after it.

    As in ``c``, ``C)`` or ``c) the choice``; ``None`` where it begins with no such letter.
    """
    bare = text.strip()
    if len(bare) == 1 and bare.lower() in LETTERS:
        return LETTERS.index(bare.lower()) + 1, ""
    match = _LABEL.match(bare)
    return None if match is None else (LETTERS.index(match[1].lower()) + 1, bare[match.end() :])


def _task(value: Literal) -> Task | None:
    name = value.strip() if isinstance(value, str) else ""
    return Task(name) if name in set(Task) else None


def _text(value: Literal | None) -> str:
    return next(iter(_texts(value)), "") if not isinstance(value, Group) else ""


def _texts(value: Literal | None) -> Iterator[str]:
    """Yield a text, or those of a list; what is too long is cut, and so shown to be wrong by its rules."""
    match value:
        case str(text) | Number(text):
            yield _cleaned(text)
        case Group(items):
            for item in items[: MOST_CHOICES + 1]:
                if isinstance(item, str | Number):
                    yield _cleaned(item if isinstance(item, str) else item.text)


def _choices(value: Literal | None) -> tuple[str, ...]:
    """Return choices without the letters before them, where each has its own."""
    found = tuple(_texts(value)) if isinstance(value, Group) else ()
    for marks in (_letters, _circles):
        if found and all(marks(choice, place) for place, choice in enumerate(found)):
            return tuple(marks(choice, place) for place, choice in enumerate(found))
    return found


def _letters(choice: str, place: int) -> str:
    match = _LABEL.match(choice)
    fits = match is not None and place < len(LETTERS) and match[1].lower() == LETTERS[place]
    return choice[match.end() :].strip() if match is not None and fits else ""


def _circles(choice: str, place: int) -> str:
    return choice[1:].strip() if choice[:1] == _CIRCLES[place : place + 1] != "" else ""


def _cleaned(text: str) -> str:
    return "" if is_left_open(text) else normal_form("NFC", storable(text[: LONGEST_TEXT + 1])).strip()
