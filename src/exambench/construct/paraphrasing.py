"""The stage ``paraphrase``: stems in other words by a model, under constraints that are checked by rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from exambench.construct.inquiries import spending_of
from exambench.construct.opposites import read_opposites
from exambench.construct.paraphrase_rules import Terms, edit_share, read_terms, violations
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.texts import Text, TextQuestion, ask_for_texts, item_as_shown, read_text_prompt
from exambench.exchange import ImagePart, Part
from exambench.items import EXPLICIT, Content, Item, digest
from exambench.store import TaskKind

ORIGINAL: Final = "original"
"""Name of the wording that an item had before."""
PROMPT: Final = Path(__file__).with_name("paraphrase.toml")


class ParaphraseSettings(AskingSettings):
    """Settings of ``paraphrase``.

    Attributes:
        model: Role of the model that rewrites.
        prompt: A prompt of one's own.
        glossary: Technical terms, ordinary words and conditions besides those that ship.
        opposites: A lexicon of negations and antonyms in place of the one that ships.
    """

    model: str
    prompt: Path | None = None
    glossary: Path | None = None
    opposites: Path | None = None


def paraphrase(items: tuple[Item, ...], settings: ParaphraseSettings, context: Context) -> StageResult:
    """Put stems into other words; what a person wrote stays as the wording ``original``.

    A rewriting that breaks a rule is asked for again; after the last try the item stays as it is and goes to people.

    Raises:
        ConfigError: The prompt, the glossary or the lexicon cannot be used.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    prompt = read_text_prompt(
        PROMPT if settings.prompt is None else context.folder / settings.prompt,
        once=frozenset(),
        shown=frozenset({"question", "choices"}),
    )
    terms = read_terms()
    if settings.glossary is not None:
        terms = read_terms(context.folder / settings.glossary).over(terms)
    opposites = read_opposites() if settings.opposites is None else read_opposites(context.folder / settings.opposites)
    question = TextQuestion(
        kind=TaskKind.PARAPHRASE,
        prompt=prompt,
        problems=lambda item, text: violations(item.wording(), text, terms, opposites),
        shown=_without_pictures,
        about={"rules": _digest_of_rules(terms, opposites.negations, opposites.antonyms)},
    )
    asked = [item for item in items if item.wording().question.text.strip()]
    texts, answers = ask_for_texts(question, asked, settings.model, settings, context)
    rewritten = {item.id: _rewritten(item, texts[item.id]) for item in asked}
    changes = [change for item in asked if (change := _change(item, texts[item.id])) is not None]
    edits = [float(change.details["edited"]) for change in changes if change.action is Action.CHANGED]
    return StageResult(
        items=tuple(rewritten.get(item.id, item) for item in items),
        changes=tuple(changes),
        facts={
            "asked": len(asked),
            "edited": len(edits),
            "left_to_people": sum(change.action is Action.REVIEW for change in changes),
            "edited_share": len(edits) / len(items) if items else None,
            "mean_edit_of_edited": sum(edits) / len(edits) if edits else None,
        },
        spending=spending_of([answers], {prompt.name: prompt.hash}),
    )


PARAPHRASE: Final = StageKind(
    ParaphraseSettings,
    paraphrase,
    files=lambda settings: [
        path for path in (settings.prompt, settings.glossary, settings.opposites) if path is not None
    ],
    roles=lambda settings: (settings.model,),
)


def _without_pictures(item: Item) -> Mapping[str, Sequence[Part]]:
    return {
        name: [part for part in parts if not isinstance(part, ImagePart)]
        for name, parts in item_as_shown(item.wording()).items()
    }


def _digest_of_rules(terms: Terms, negations: Sequence[str], antonyms: Sequence[object]) -> str:
    return digest([terms.terms, terms.ordinary, terms.conditions, negations, antonyms])


def _rewritten(item: Item, found: Text) -> Item:
    if found.problems or found.text is None:
        return item
    return with_stem(item, found.text, ORIGINAL)


def with_stem(item: Item, stem: str, before: str) -> Item:
    """Return an item with another stem, and the wording that it had under a name; one of that name stays."""
    wording = item.wording()
    if stem == wording.question.text:
        return item
    new = replace(wording, question=Content(stem, wording.question.images))
    return replace(item, wordings={before: wording, **item.wordings, EXPLICIT: new})


def _change(item: Item, found: Text) -> Change | None:
    stem = item.wording().question.text
    if found.problems:
        details = {"tries": found.tries, "problems": list(found.problems), "proposed": found.text}
        return Change(item.id, Action.REVIEW, "every rewriting broke a rule; its stem is as it was", details)
    if found.text is None or found.text == stem:
        return None
    details = {"edited": edit_share(stem, found.text), "tries": found.tries}
    return Change(item.id, Action.CHANGED, "its stem was put into other words", details)
