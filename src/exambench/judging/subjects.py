"""What is judged: the answers of a stored run, without a trace of who gave them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from exambench.exchange import Part
from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, Item, Key, TextKey, Wording
from exambench.outcomes import Answered, AnswerValue
from exambench.parsing.rationales import Rationale, read_rationale
from exambench.parsing.unicode import normal_form
from exambench.protocols import Shown, condition_from, show_in_order, stem_of
from exambench.store import RunRecord, Store

SHORTEST_NAME: Final = 3
HIDDEN_NAME: Final = "[…]"


@dataclass(frozen=True, slots=True)
class Subject:
    """One answer of a run.

    Attributes:
        item: The item that was asked, its choices numbered as the examinee saw them.
        wording: What the examinee saw of stem and choices.
        trial: Trial of the run.
        answer: The parsed answer; ``None`` when none could be read.
        rationale: The reasons that were given.
        names: What the model is called; :meth:`hidden` keeps it from the judge.
        passage: What the examinee saw of the text that the item is asked about; empty for nothing.
    """

    item: Item
    wording: Wording
    trial: int
    answer: AnswerValue | None
    rationale: Rationale
    names: tuple[str, ...] = ()
    passage: str = ""

    @property
    def stem(self) -> list[Part]:
        """The passage and the stem with its pictures, as the examinee saw them."""
        return stem_of(self.wording.question, self.passage)

    @property
    def gold_text(self) -> str:
        """What is right, as text; a choice by its label."""
        key = self.item.key
        return self._called(key.index) if isinstance(key, ChoiceKey) else key_text(key)

    @property
    def answer_text(self) -> str | None:
        """The parsed answer as text, likewise; ``None`` when none could be read."""
        if self.answer is None:
            return None
        chosen = self.answer if isinstance(self.item.key, ChoiceKey) else None
        return self._called(chosen) if isinstance(chosen, int) else answer_text(self.answer)

    def _called(self, index: int) -> str:
        return Shown(self.item, self.wording).called(index)

    def hidden(self, text: str) -> str:
        """Return what the model wrote with the model's names hidden."""
        return without_names(text, self.names)


def subjects_of(store: Store, run: RunRecord, items: Mapping[str, Item]) -> Iterator[Subject]:
    """Yield the answers of a run, in item order, then by trial, in the numbering of choices that the examinee saw.

    A rationale names choices by the places at which they stood; key and answer are given to match. A failed request is
    no answer, and neither is an item that the model cannot take.

    Args:
        store: Where the run is.
        run: The run, its outcomes read.
        items: The run's items, by identifier; answers to other items are left out.

    Raises:
        StoreError: The store cannot be read.
    """
    outcomes = {
        (row.item_id, row.trial): row.outcome for row in store.outcomes(run.run_id, str(run.protocol["strict"]))
    }
    condition = condition_from(run.condition)
    orders = {row.item_id: row.order for row in store.planned(run.run_id)}
    for stored in store.responses(run.run_id):
        item = items.get(stored.item_id)
        if item is None:
            continue
        outcome = outcomes.get((stored.item_id, stored.trial))
        shown = show_in_order(item, condition, orders[stored.item_id])
        yield Subject(
            item=replace(item, key=shown.key) if shown.order else item,
            wording=shown.wording,
            trial=stored.trial,
            answer=shown.as_shown(outcome.value) if isinstance(outcome, Answered) else None,
            rationale=read_rationale(stored.response.text),
            names=(*_names_of(run), stored.response.served_model or ""),
            passage=shown.passage,
        )


def without_names(text: str, names: Iterable[str]) -> str:
    """Return the text with a model's names hidden, whatever their case and whatever particle follows.

    Names and text may be composed or not. A name is also hidden without the organisation before its last slash. Names
    of one or two characters, and names without a letter, are left alone: they are words and numbers as well.
    """
    text = normal_form("NFC", text)
    known = {part for name in map(partial(normal_form, "NFC"), names) for part in (name, name.rpartition("/")[2])}
    long = sorted((name for name in known if len(name) >= SHORTEST_NAME and re.search(r"[^\W\d_]", name)), key=len)
    if not long:
        return text
    either = "|".join(re.escape(name) for name in reversed(long))
    return re.sub(rf"(?<![A-Za-z0-9])(?:{either})(?![A-Za-z0-9])", HIDDEN_NAME, text, flags=re.IGNORECASE)


def answer_text(answer: AnswerValue) -> str:
    """Return a parsed answer as text: a choice by its number."""
    return ", ".join(answer) if isinstance(answer, tuple) else str(answer)


def key_text(key: Key) -> str:
    """Return a key as text, in the form that :func:`answer_text` gives an answer."""
    match key:
        case ChoiceKey(index):
            return str(index)
        case ChoiceSetKey(indices):
            return ", ".join(map(str, sorted(indices)))
        case BooleanKey(value):
            return str(value)
        case TextKey(text):
            return text


def _names_of(run: RunRecord) -> tuple[str, ...]:
    endpoint = run.model.get("endpoint")
    served = endpoint.get("model") if isinstance(endpoint, Mapping) else None
    return (run.model_name, served) if isinstance(served, str) else (run.model_name,)
