"""The stage ``paraphrase``: stems in other words by a model, under constraints that are checked by rule."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from exambench.construct.decisions import (
    Decided,
    as_decided,
    details_of,
    facts_of_decisions,
    read_decisions,
    with_stem,
)
from exambench.construct.inquiries import spending_of
from exambench.construct.opposites import SHIPPED as OPPOSITES
from exambench.construct.opposites import read_opposites
from exambench.construct.paraphrase_rules import SHIPPED as TERMS
from exambench.construct.paraphrase_rules import edit_share, read_terms, violations
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.texts import Text, TextQuestion, ask_for_texts, read_text_prompt, wording_as_text
from exambench.items import Item, digest
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
        decisions: What people decided; see ``exambench build decide``.
    """

    model: str
    prompt: Path | None = None
    glossary: Path | None = None
    opposites: Path | None = None
    decisions: Path | None = None


def paraphrase(items: tuple[Item, ...], settings: ParaphraseSettings, context: Context) -> StageResult:
    """Put stems into other words; what a person wrote stays as the wording ``original``.

    A rewriting that breaks a rule is asked for again; after the last try the item stays as it is and goes to people.
    What people decided comes before what the rules say.

    Raises:
        ConfigError: The prompt, the glossary, the lexicon or a decision cannot be used.
        DataError: The file of decisions cannot be read.
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
    decisions = {} if settings.decisions is None else read_decisions(context.folder / settings.decisions)
    question = TextQuestion(
        kind=TaskKind.PARAPHRASE,
        prompt=prompt,
        problems=lambda item, text: violations(item.wording(), text, terms, opposites),
        shown=lambda item: wording_as_text(item.wording()),
        about={"rules": digest([terms.as_json(), opposites.as_json()])},
    )
    asked = [item for item in items if item.wording().question.text.strip()]
    texts, answers = ask_for_texts(question, asked, settings.model, settings, context)
    settled = {item.id: _settled(item, texts[item.id], decisions) for item in asked}
    changes = [change for _, change in settled.values() if change is not None]
    stems = [(item.wording().question.text, settled[item.id][0].wording().question.text) for item in asked]
    edits = [edit_share(before, after) for before, after in stems if before != after]
    return StageResult(
        items=tuple(settled[item.id][0] if item.id in settled else item for item in items),
        changes=tuple(changes),
        facts={
            "asked": len(asked),
            "edited": len(edits),
            "left_to_people": sum(change.action is Action.REVIEW for change in changes),
            "edited_share": len(edits) / len(items) if items else None,
            "mean_edit_of_edited": sum(edits) / len(edits) if edits else None,
            **facts_of_decisions(decisions, asked),
        },
        spending=spending_of([answers], {prompt.name: prompt.hash}),
    )


PARAPHRASE: Final = StageKind(
    ParaphraseSettings,
    paraphrase,
    version=2,
    files=lambda settings: [
        path
        for path in (settings.prompt, settings.glossary, settings.opposites, settings.decisions)
        if path is not None
    ],
    shipped=lambda settings, _: digests_of_shipped(
        [
            TERMS,
            *([PROMPT] if settings.prompt is None else []),
            *([OPPOSITES] if settings.opposites is None else []),
        ]
    ),
    roles=lambda settings: (settings.model,),
)


def _settled(item: Item, found: Text, decisions: Mapping[str, Decided]) -> tuple[Item, Change | None]:
    details = details_of(item, found)
    decided = as_decided(item, details, decisions.get(item.id), ORIGINAL)
    if decided is not None:
        return decided
    if found.problems or found.text is None:
        return item, Change(item.id, Action.REVIEW, "every rewriting broke a rule; its stem is as it was", details)
    changed = with_stem(item, found.text, ORIGINAL)
    if changed == item:
        return item, None
    return changed, Change(item.id, Action.CHANGED, "its stem was put into other words", details)
