"""The loop that refines instructions: a critic remarks on them, an enhancer rewrites them, within some rounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from exambench.construct.inquiries import Answers
from exambench.construct.stage import AskingSettings, Context
from exambench.construct.texts import Text, TextPrompt, TextQuestion, ask_for_texts, item_as_shown, read_text_prompt
from exambench.exchange import TextPart
from exambench.items import Item
from exambench.store import TaskKind

CRITIC: Final = Path(__file__).with_name("rationale_critic.toml")
ENHANCER: Final = Path(__file__).with_name("rationale_enhancer.toml")
LONGEST: Final = 8_000
"""Characters of instructions."""
COPIED: Final = 20
"""Characters in a row of an example's stem that do not stand in instructions by chance."""
SHOWN: Final = frozenset({"instructions", "question", "choices"})


@dataclass(frozen=True, slots=True)
class Refiners:
    """Who refines, and how they are asked.

    Attributes:
        critic: Role of the model that remarks.
        enhancer: Role of the model that rewrites.
        critic_prompt: How the critic is asked.
        enhancer_prompt: How the enhancer is asked.
        rounds: How often at most.
    """

    critic: str
    enhancer: str
    critic_prompt: TextPrompt
    enhancer_prompt: TextPrompt
    rounds: int


@dataclass(frozen=True, slots=True)
class Version:
    """Instructions, and what the critic said of them.

    Attributes:
        instructions: The text.
        remarks: What the critic would have otherwise; empty where nothing, ``None`` where it was not heard.
    """

    instructions: str
    remarks: str | None = None


@dataclass(frozen=True, slots=True)
class Refined:
    """What the loop came to.

    Attributes:
        versions: The instructions as they went on; the last ones are used.
        ended: Why there are no more.
        answers: All that the models said.
    """

    versions: tuple[Version, ...]
    ended: str
    answers: tuple[Answers, ...] = ()

    @property
    def table(self) -> list[dict[str, Any]]:
        """The versions as JSON values, counted from 1."""
        return [
            {"version": number, "instructions": each.instructions, "remarks": each.remarks}
            for number, each in enumerate(self.versions, start=1)
        ]


@dataclass
class _Hearing:
    """What is asked about an example, and all that was said."""

    example: Item
    settings: AskingSettings
    context: Context
    said: list[Answers] = field(default_factory=list)

    def ask(self, question: TextQuestion, role: str) -> Text:
        texts, answers = ask_for_texts(question, [self.example], role, self.settings, self.context)
        self.said.append(answers)
        return texts[self.example.id]


def read_critic_prompt(path: Path = CRITIC) -> TextPrompt:
    """Read how the critic is asked.

    Raises:
        ConfigError: The file cannot be read, or has other placeholders.
    """
    return read_text_prompt(path, once=frozenset(), shown=SHOWN)


def read_enhancer_prompt(path: Path = ENHANCER) -> TextPrompt:
    """Read how the enhancer is asked.

    Raises:
        ConfigError: The file cannot be read, or has other placeholders.
    """
    return read_text_prompt(path, once=frozenset(), shown=SHOWN | {"remarks"})


def refine(instructions: str, example: Item, refiners: Refiners, settings: AskingSettings, context: Context) -> Refined:
    """Let a critic and an enhancer refine instructions.

    It ends when the critic has nothing to remark, the enhancer changes nothing, one of them says nothing that can be
    used in three tries, or the rounds are over. Each version that there was is kept.

    Args:
        instructions: What to begin with.
        example: An item, so that both know what the exam is like.
        refiners: Who refines.
        settings: The stage's, for its budget.
        context: The stage's.

    Raises:
        ImageError: A picture of the example is missing or broken.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    versions: list[Version] = []
    hearing = _Hearing(example, settings, context)
    current, ended = instructions, "the rounds are over"
    for _ in range(refiners.rounds):
        question = _question(TaskKind.CRITIQUE, refiners.critic_prompt, {"instructions": current})
        remarks = hearing.ask(question, refiners.critic)
        usable = remarks.text is not None and not remarks.problems
        versions.append(Version(current, remarks.text if usable else None))
        if not usable or not remarks.text:
            ended = "the critic has no more remarks" if usable else "the critic said nothing that can be used"
            return Refined(tuple(versions), ended, tuple(hearing.said))
        shown = {"instructions": current, "remarks": remarks.text}
        question = _question(TaskKind.INSTRUCTIONS, refiners.enhancer_prompt, shown)
        better = hearing.ask(question, refiners.enhancer)
        if better.text is None or better.problems or better.text == current:
            ended = "the enhancer changed nothing" if better.text == current else "the enhancer gave no usable text"
            return Refined(tuple(versions), ended, tuple(hearing.said))
        current = better.text
    return Refined((*versions, Version(current)), ended, tuple(hearing.said))


def _question(kind: TaskKind, prompt: TextPrompt, texts: dict[str, str]) -> TextQuestion:
    return TextQuestion(
        kind=kind,
        prompt=prompt,
        problems=_problems if kind is TaskKind.INSTRUCTIONS else lambda _item, text: _too_long(text),
        shown=lambda item: {
            **item_as_shown(item),
            **{name: [TextPart(text)] for name, text in texts.items()},
        },
        about=dict(texts),
    )


def _problems(example: Item, text: str) -> tuple[str, ...]:
    if not text:
        return ("The instructions are empty.",)
    if _repeats(example, text):
        return ("The instructions repeat the example; they have to hold for every item.", *_too_long(text))
    return _too_long(text)


def _repeats(example: Item, text: str) -> bool:
    """Tell whether a text has a stretch of the example's stem, blanks apart."""
    stem, told = ("".join(each.split()) for each in (example.wording().question.text, text))
    return any(stem[at : at + COPIED] in told for at in range(len(stem) - COPIED + 1))


def _too_long(text: str) -> tuple[str, ...]:
    return (f"The text has more than {LONGEST} characters.",) if len(text) > LONGEST else ()
