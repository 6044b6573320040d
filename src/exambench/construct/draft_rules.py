"""What a drafted question must be, by rule: one right answer, found in its paragraph, told without it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from exambench.construct.mentions import Wordbook, compact, folded
from exambench.construct.paper_texts import is_in_language
from exambench.construct.topics import Topics
from exambench.construct.written_drafts import LETTERS, Drafted, Task, letter_of
from exambench.protocols.references import freedom_of

CHOICES: Final = 4
LONGEST_QUESTION: Final = 1_000
LONGEST_CHOICE: Final = 300
LONGEST_ANSWER: Final = 80
SHORTEST_NAMED: Final = 2
"""Characters of an answer that a question may not hold; of shorter ones that says nothing."""
FEWEST_RIGHT: Final = 2
SUMMARY_SHARE: Final = 0.5
"""Length of a summary as a share of its paragraph's, at most."""
COPIED_RUN: Final = 10
"""Words in a row that a summary may not have from its paragraph."""
TRUTHS: Final = {"true": True, "false": False, "참": True, "거짓": False}


@dataclass(frozen=True)
class Rules:
    """What a draft is held against.

    Attributes:
        passage: The paragraph.
        category: Its category.
        language: ISO 639 code of its language.
        topics: Of which it may be.
        words: How texts speak of themselves.
        with_reasoning: Whether a question has to say how its answer is reached.
    """

    passage: str
    category: str
    language: str
    topics: Topics
    words: Wordbook
    with_reasoning: bool

    def problems(self, draft: Drafted) -> tuple[str, ...]:
        """Return in sentences what is wrong with a draft."""
        found = self._summary(draft) if draft.task is Task.SUMMARIZATION else self._question(draft)
        return tuple(f"{problem}." for problem in found)

    def _summary(self, draft: Drafted) -> Iterator[str]:
        summary = draft.text
        if not summary:
            yield "There is no summary under the key answer"
            return
        if len(folded(summary)) > SUMMARY_SHARE * len(folded(self.passage)):
            yield f"The summary is longer than {SUMMARY_SHARE:.0%} of the paragraph"
        if is_copied(summary, self.passage):
            yield f"The summary has {COPIED_RUN} words or more in a row from the paragraph, or nothing else"
        yield from self._in_language("summary", summary)

    def _question(self, draft: Drafted) -> Iterator[str]:
        if not draft.question or len(draft.question) > LONGEST_QUESTION:
            yield f"The question is empty, or longer than {LONGEST_QUESTION} characters"
            return
        if self.topics.find(self.category, draft.topic) is None:
            yield "The topic is none of the list" if self.topics.covers.get(self.category) else "The topic is missing"
        for name, text in (("question", draft.question), *(("choice", choice) for choice in draft.choices)):
            reference = self.words.reference_in(text)
            if reference is not None:
                yield f"The {name} refers to the text that it was written from: {reference}"
        if self.with_reasoning and not draft.reasoning:
            yield "The reasoning is missing"
        yield from self._in_language("question", draft.question)
        match draft.task:
            case Task.SHORT_ANSWER:
                yield from self._short_answer(draft)
            case Task.TRUE_FALSE:
                yield from _truth(draft)
            case _:
                yield from self._choosing(draft)

    def _in_language(self, name: str, text: str) -> Iterator[str]:
        if is_in_language(text, self.language) is False:
            yield f"The {name} is not in the language of the paragraph, {self.language}"

    def _short_answer(self, draft: Drafted) -> Iterator[str]:
        answer = draft.text
        if len(draft.answer) != 1 or not answer or len(answer) > LONGEST_ANSWER:
            yield f"The answer is no single text of at most {LONGEST_ANSWER} characters"
            return
        if not self.words.holds(self.passage, answer):
            inside = ", but as part of other words" if compact(answer) in compact(self.passage) else ""
            yield f"The answer does not stand in the paragraph{inside}: {answer}"
        if self._names(draft.question, answer):
            yield f"The question names its answer: {answer}"

    def _choosing(self, draft: Drafted) -> Iterator[str]:
        choices = draft.choices
        if len(choices) != CHOICES or not all(choices):
            yield f"There are not {CHOICES} choices that each have a text"
            return
        if any(len(choice) > LONGEST_CHOICE for choice in choices):
            yield f"A choice is longer than {LONGEST_CHOICE} characters"
        counts = Counter(map(compact, choices))
        twice = [choice for choice in choices if counts[compact(choice)] > 1]
        if twice:
            yield f"Two choices are the same: {twice[0]}"
        speaking = freedom_of(draft.question, choices).speaking
        if speaking:
            yield f"A choice speaks of other choices: {choices[speaking[0]]}"
        yield from self._right(draft)

    def _right(self, draft: Drafted) -> Iterator[str]:
        right = right_choices(draft)
        if right is None:
            yield f"The answer names no choices by the letters {', '.join(LETTERS)}"
            return
        if draft.task is Task.MULTIPLE_CHOICE and len(right) != 1:
            yield "The answer is not exactly one letter"
        if draft.task is Task.MULTIPLE_SELECT and not FEWEST_RIGHT <= len(set(right)) < CHOICES:
            yield f"The answer is not from {FEWEST_RIGHT} to {CHOICES - 1} of the letters"
        if len(set(right)) < len(right):
            yield "The answer names a letter twice"
        held = [self._names(draft.question, choice) for choice in draft.choices]
        given = [place for place in right if held[place - 1]]
        if given and sum(held) == len(given):  # a question that offers wrong choices as well may name them all
            yield f"The question names its answer: {draft.choices[given[0] - 1]}"

    def _names(self, question: str, answer: str) -> bool:
        return len(compact(answer)) >= SHORTEST_NAMED and self.words.holds(question, answer)


def right_choices(draft: Drafted) -> tuple[int, ...] | None:
    """Return the choices, counted from 1, whose letters a draft names; ``None`` where it names anything else.

    What stands after a letter has to be the choice that it stands for: of ``b) Oxygen``, where b is Nitrogen, nobody
    can tell which is meant.
    """
    whole = [_choice_named(word, draft.choices) for word in draft.answer]
    if whole == [None] and "," in draft.answer[0]:
        whole = [_choice_named(word, draft.choices) for word in draft.answer[0].split(",")]
    known = [place for place in whole if place is not None]
    return tuple(known) if known and len(known) == len(whole) else None


def _choice_named(text: str, choices: Sequence[str]) -> int | None:
    """Return the choice, counted from 1, that a text names by its letter alone or with its words after it."""
    named = letter_of(text)
    if named is None:
        return None
    place, words = named
    choice = compact(choices[place - 1]) if place <= len(choices) else None
    is_it = choice in {compact(words), compact(text)}  # a choice of a list where not all have theirs keeps its letter
    return place if is_it or not compact(words) else None


def truth_of(draft: Drafted) -> bool | None:
    """Return whether a draft calls its statement true; ``None`` where it says neither."""
    return TRUTHS.get(folded(draft.text))


def is_copied(summary: str, passage: str) -> bool:
    """Tell whether a summary has a long run of words from its paragraph, or is a part of it."""
    words, source = folded(summary).split(), folded(passage).split()
    runs = {tuple(source[place : place + COPIED_RUN]) for place in range(len(source) - COPIED_RUN + 1)}
    if any(tuple(words[place : place + COPIED_RUN]) in runs for place in range(len(words) - COPIED_RUN + 1)):
        return True
    return compact(summary) in compact(passage)


def _truth(draft: Drafted) -> Iterator[str]:
    if truth_of(draft) is None:
        yield 'The answer is neither "true" nor "false"'
    if draft.question.rstrip("\"'”’) ").endswith(("?", "？")):
        yield "It asks, instead of stating what is true or false"
