"""Strategies that need no model: what an examinee gets who guesses, marks the first or longest choice, or knows all.

On items without choices a guesser has little to choose from: a truth value is drawn (``random``) or ``True``
(``first``, ``longest``), a free answer is empty. The oracle knows the key.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping
from typing import Literal

from exambench.engine.ports import RequestFailed
from exambench.exchange import Failure, Request, Response
from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, Item, Key, TextKey, Wording
from exambench.outcomes import AnswerValue

Strategy = Literal["random", "first", "longest", "oracle"]


def pick(strategy: Strategy, item: Item, wording: Wording, seed: int, trial: int) -> AnswerValue:
    """Return the answer of a strategy, in the form that the item's kind of key has.

    A single choice is its index from 1, several are their indices as text, in order.

    Args:
        strategy: How to choose. ``random`` draws each choice alike, and of several right choices each
            non-empty set alike. ``longest`` counts characters of the composed form (NFC); pictures count
            nothing, and of equals the first is taken.
        item: Whose key says what form the answer has.
        wording: The choices as shown.
        seed: Makes ``random`` repeatable; its draw depends on seed, item and trial alone, not on any order.
        trial: Counts repeats from 0.
    """
    if strategy == "oracle":
        return _right_answer(item.key)
    rng = random.Random(f"{seed}\n{trial}\n{item.id}")  # noqa: S311 - a baseline, not a secret
    count = len(wording.choices)
    match item.key:
        case BooleanKey():
            return rng.random() < 0.5 if strategy == "random" else True  # noqa: PLR2004 - a fair coin
        case TextKey() if count == 0:
            return ""
        case ChoiceSetKey():
            return _several(rng, count) if strategy == "random" else (str(_one(strategy, wording, rng)),)
        case TextKey():
            return wording.choices[_one(strategy, wording, rng) - 1].text
        case ChoiceKey():
            return _one(strategy, wording, rng)


class CannedResponder:
    """Answers requests with texts that were made beforehand.

    Args:
        texts: The text for each request, by the request's key.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    async def respond(self, request: Request) -> Response:
        """Return the text for this request.

        Raises:
            RequestFailed: There is none.
        """
        text = self._texts.get(request.key())
        if text is None:
            raise RequestFailed(Failure("no answer was prepared for this request"))
        return Response(text=text, finish_reason="stop")


def _right_answer(key: Key) -> AnswerValue:
    match key:
        case ChoiceKey(index):
            return index
        case ChoiceSetKey(indices):
            return tuple(str(index) for index in sorted(indices))
        case BooleanKey(value):
            return value
        case TextKey(text):
            return text


def _one(strategy: Strategy, wording: Wording, rng: random.Random) -> int:
    if strategy == "random":
        return rng.randrange(len(wording.choices)) + 1
    if strategy == "first":
        return 1
    lengths = [len(unicodedata.normalize("NFC", choice.text.strip())) for choice in wording.choices]
    return lengths.index(max(lengths)) + 1


def _several(rng: random.Random, count: int) -> tuple[str, ...]:
    members = rng.randrange(1, 2**count)
    return tuple(str(index + 1) for index in range(count) if members >> index & 1)
