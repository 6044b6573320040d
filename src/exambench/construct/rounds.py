"""A round of generation: a model writes items about paragraphs, language by language, until they keep the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from exambench.benchmarks.scholarbench_format import CATEGORY
from exambench.construct.draft_rules import Rules
from exambench.construct.draws import Circle
from exambench.construct.generated_items import LANGUAGE, PAPER
from exambench.construct.inquiries import Answers
from exambench.construct.mentions import Wordbook
from exambench.construct.stage import AskingSettings, Context
from exambench.construct.texts import TextPrompt, TextQuestion, ask_for_texts, read_text_prompt
from exambench.construct.topics import NOTHING, Topics
from exambench.construct.written_drafts import Drafted, Task, read_drafts, read_reply
from exambench.exchange import Part, TextPart
from exambench.items import Item, digest
from exambench.store import TaskKind
from exambench.text import strange_in

LANGUAGES: Final = ("en", "ko")
EXAMPLES: Final = 2
MISSING: Final = "It is missing, or its object is not closed."


class Round(StrEnum):
    """Which round."""

    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one paragraph in one round.

    Attributes:
        kept: Of each task the first draft that keeps the rules.
        broken: Of each other task the last draft, if there is one, and what is wrong with it.
        tries: How often the model was asked.
        kept_in: In which try each draft that keeps the rules was written, from 1.
    """

    kept: Mapping[Task, Drafted]
    broken: Mapping[Task, tuple[Drafted | None, tuple[str, ...]]]
    tries: int
    kept_in: Mapping[Task, int]

    @property
    def is_whole(self) -> bool:
        """Whether every task has a draft that keeps the rules."""
        return not self.broken

    def as_example(self) -> str:
        """Return the questions as a model reads them; a summary says nothing without its paragraph."""
        return "\n".join(draft.as_shown() for task, draft in self.kept.items() if task is not Task.SUMMARIZATION)


@dataclass(frozen=True)
class Asked:
    """How a round is asked.

    Attributes:
        which: Which round.
        prompts: The prompt by language.
        topics: Topics by category.
        words: How texts speak of themselves.
        examples: What is shown of other paragraphs, by paragraph; ``None`` in a round without examples.
    """

    which: Round
    prompts: Mapping[str, TextPrompt]
    topics: Topics
    words: Wordbook
    examples: Mapping[str, str] | None = None

    def rules(self, paragraph: Item) -> Rules:
        """Return what drafts about a paragraph are held against."""
        return Rules(
            passage=paragraph.passage,
            category=str(paragraph.facets[CATEGORY]),
            language=str(paragraph.facets[LANGUAGE]),
            topics=self.topics,
            words=self.words,
            with_reasoning=self.which is Round.SECOND,
        )

    def shown(self, paragraph: Item) -> Mapping[str, Sequence[Part]]:
        """Return what takes the place of the placeholders of the user's turn."""
        category, language = str(paragraph.facets[CATEGORY]), str(paragraph.facets[LANGUAGE])
        about = self.topics.about.get(category)
        texts = {
            "category": f"{category}: {about}" if about else category,
            "topics": self.topics.listing(category, language),
            "passage": paragraph.passage,
            **({} if self.examples is None else {"examples": self.examples.get(paragraph.id) or NOTHING}),
        }
        return {name: [TextPart(text)] for name, text in texts.items()}


@dataclass
class RoundResult:
    """What a round wrote.

    Attributes:
        written: By paragraph.
        answers: All that the model said, language by language.
    """

    written: dict[str, Written] = field(default_factory=dict)
    answers: list[Answers] = field(default_factory=list)


def shipped_prompts(which: Round, own: Mapping[str, Path]) -> Mapping[str, Path]:
    """Return the prompts of a round that ship, by language, those apart that people replaced."""
    return {
        language: Path(__file__).with_name(f"generate_{which}_{language}.toml")
        for language in LANGUAGES
        if language not in own
    }


def read_prompts(
    which: Round, own: Mapping[str, Path] = MappingProxyType({}), folder: Path = Path()
) -> Mapping[str, TextPrompt]:
    """Read the prompts of a round by language: those that ship, and people's own in their place or besides.

    Raises:
        ConfigError: A file cannot be read, or has other placeholders.
    """
    paths = {**shipped_prompts(which, own), **{language: folder / path for language, path in own.items()}}
    shown = frozenset({"category", "topics", "passage"}) | ({"examples"} if which is Round.SECOND else frozenset())
    return {language: read_text_prompt(path, once=frozenset(), shown=shown) for language, path in paths.items()}


def write_round(
    paragraphs: Sequence[Item], asked: Asked, role: str, settings: AskingSettings, context: Context
) -> RoundResult:
    """Ask a model for the items about each paragraph, one language after the other.

    Args:
        paragraphs: About which paragraphs; each is in a language that has a prompt.
        asked: How.
        role: The model's role.
        settings: The stage's, for its budget.
        context: The stage's.

    Raises:
        UnfinishedError: A request has no response, or the budget is used up.
    """
    result = RoundResult()
    for language in sorted({str(paragraph.facets[LANGUAGE]) for paragraph in paragraphs}):
        mine = [paragraph for paragraph in paragraphs if paragraph.facets[LANGUAGE] == language]
        question = _question(mine, asked, language)
        _, answers = ask_for_texts(question, mine, role, settings, context)
        result.answers.append(answers)
        for paragraph in mine:
            replies = answers.replies[paragraph.id, ""]
            texts = [read_reply(reply, question.prompt.key) for reply in replies]
            result.written[paragraph.id] = gathered(texts, asked.rules(paragraph))
    return result


def gathered(texts: Sequence[str | None], rules: Rules) -> Written:
    """Return of each task the first draft that keeps the rules, over all tries, and else the last draft.

    Args:
        texts: What the model said in each try; ``None`` where nothing could be read.
        rules: What drafts are held against.
    """
    kept: dict[Task, Drafted] = {}
    kept_in: dict[Task, int] = {}
    broken: dict[Task, tuple[Drafted | None, tuple[str, ...]]] = dict.fromkeys(Task, (None, (MISSING,)))
    for number, text in enumerate(texts, start=1):
        usable = "" if text is None or strange_in(text) else text
        for task, draft in read_drafts(usable).items():
            problems = rules.problems(draft)
            if task not in kept and not problems:
                kept[task], kept_in[task] = draft, number
            broken[task] = (draft, problems)
    return Written(
        {task: kept[task] for task in Task if task in kept},
        {task: broken[task] for task in Task if task not in kept},
        len(texts),
        kept_in,
    )


def drawn_examples(
    paragraphs: Sequence[Item], first: Mapping[str, Written], seed: int
) -> Mapping[str, tuple[str, ...]]:
    """Draw for each paragraph the two whose first round it is shown: in its language, and whole.

    They are of other papers, whose text it does not share, as far as there are such; else other paragraphs of its own.
    A paragraph that is added changes the examples of few others, see :class:`exambench.construct.draws.Circle`.

    Args:
        paragraphs: All paragraphs.
        first: What the first round wrote about each.
        seed: Of the draw.
    """
    by_id = {paragraph.id: paragraph for paragraph in paragraphs}
    drawn: dict[str, tuple[str, ...]] = {}
    for language in {paragraph.facets[LANGUAGE] for paragraph in paragraphs}:
        mine = [name for name, paragraph in by_id.items() if paragraph.facets[LANGUAGE] == language]
        circle = Circle((name for name in mine if first[name].is_whole), seed, f"examples {language}")
        for name in mine:
            own = by_id[name].facets[PAPER]
            found: list[str] = []
            near: list[str] = []
            for other in circle.after(name):
                (near if by_id[other].facets[PAPER] == own else found).append(other)
                if len(found) == EXAMPLES:
                    break
            drawn[name] = tuple([*found, *near][:EXAMPLES])
    return drawn


def _question(paragraphs: Sequence[Item], asked: Asked, language: str) -> TextQuestion:
    rules = {paragraph.id: asked.rules(paragraph) for paragraph in paragraphs}

    @cache
    def problems(name: str, text: str) -> tuple[str, ...]:
        return _complaints(text, rules[name])

    return TextQuestion(
        kind=TaskKind.GENERATION,
        prompt=asked.prompts[language],
        problems=lambda paragraph, text: problems(paragraph.id, text),  # every step of the asking looks at a reply anew
        shown=asked.shown,
        about={"round": str(asked.which), "rules": digest([asked.topics.as_json(), asked.words.as_json()])},
        read=read_reply,
    )


def _complaints(text: str, rules: Rules) -> tuple[str, ...]:
    """Return what is wrong with a reply, each problem with its task."""
    drafts = read_drafts(text)
    return tuple(
        f"{task}: {problem}"
        for task in Task
        for problem in ((MISSING,) if task not in drafts else rules.problems(drafts[task]))
    )
