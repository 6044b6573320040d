"""The stage ``explicit``: wordings that leave the country unsaid get a proposal that names it, for people to accept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from exambench.construct.choice_wordings import texts_of
from exambench.construct.decisions import (
    ACCEPTED,
    CHOICES,
    PROPOSED_CHOICES,
    Decided,
    as_decided,
    details_of,
    facts_of_decisions,
    read_decisions,
)
from exambench.construct.explicit_rules import COUNTRY, Country, ExplicitRules, read_explicit_rules
from exambench.construct.inquiries import spending_of
from exambench.construct.opposites import SHIPPED as OPPOSITES
from exambench.construct.paraphrase_rules import SHIPPED as TERMS
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.reviewed import choices_from, numbered
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.texts import Text, TextPrompt, TextQuestion, ask_for_texts, read_text_prompt, wording_as_text
from exambench.exchange import Part, TextPart
from exambench.items import Item
from exambench.store import TaskKind

IMPLICIT: Final = "implicit"
"""Name of the wording that an item had before."""
PROMPT: Final = Path(__file__).with_name("explicit.toml")
CHOICES_PROMPT: Final = Path(__file__).with_name("explicit_choices.toml")


class ExplicitSettings(AskingSettings):
    """Settings of ``explicit``.

    Attributes:
        model: Role of the model that proposes.
        facet: The facet, true of the items that are about the country.
        country: Words in place of those that ship, which are about Korea.
        decisions: What people decided; see ``exambench build decide``.
        prompt: A prompt of one's own, for stems.
        choices_prompt: Likewise for choices.
    """

    model: str
    facet: str = "korean"
    country: Path | None = None
    decisions: Path | None = None
    prompt: Path | None = None
    choices_prompt: Path | None = None


@dataclass(frozen=True, slots=True)
class _Proposal:
    """What a model made of an item.

    Attributes:
        stem: The stem that it proposes; ``None`` where the item's names the country.
        choices: The choices, each in a line after its number; ``None`` where none leaves the country unsaid.
    """

    stem: Text | None
    choices: Text | None

    @property
    def reason(self) -> str:
        """What people are told."""
        if any(found is not None and found.problems for found in (self.stem, self.choices)):
            return "every proposal broke a rule"
        if self.choices is None:
            return "a stem that names the country is proposed"
        if self.stem is None:
            return "choices that name the country are proposed"
        return "a stem and choices that name the country are proposed"

    def details(self, item: Item) -> dict[str, Any]:
        """Return what the record says of it; a stem that need not change is proposed as it is."""
        stem = Text(item.wording().question.text, (), 0) if self.stem is None else self.stem
        details = details_of(item, stem)
        if self.choices is None:
            return details
        problems = [*stem.problems, *self.choices.problems]
        return {
            **details,
            CHOICES: list(texts_of(item.wording())),
            PROPOSED_CHOICES: list(choices_from(self.choices.text or "") or ()),
            "tries for choices": self.choices.tries,
            **({"problems": problems} if problems else {}),
        }


def make_explicit(items: tuple[Item, ...], settings: ExplicitSettings, context: Context) -> StageResult:
    """Propose stems and choices that name the country; only what people accepted is used.

    The wording before stays as ``implicit``.

    Raises:
        ConfigError: A prompt, the words or a decision cannot be used.
        DataError: The file of decisions cannot be read.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    rules = read_explicit_rules(COUNTRY if settings.country is None else context.folder / settings.country)
    questions = _questions(settings, context, rules)
    decisions = {} if settings.decisions is None else read_decisions(context.folder / settings.decisions)
    chosen = [item for item in items if item.facets.get(settings.facet) is True]
    asked = (
        [item for item in chosen if _has_implicit_stem(item, rules.country)],
        [item for item in chosen if _has_implicit_choices(item, rules.country)],
    )
    (stems, stem_answers), (choices, choice_answers) = (
        ask_for_texts(question, those, settings.model, settings, context)
        for question, those in zip(questions, asked, strict=True)
    )
    proposed = [item for item in chosen if item.id in stems or item.id in choices]
    settled = {
        item.id: _settled(item, _Proposal(stems.get(item.id), choices.get(item.id)), decisions.get(item.id))
        for item in proposed
    }
    changes = [change for _, found in settled.values() for change in found]
    return StageResult(
        items=tuple(settled[item.id][0] if item.id in settled else item for item in items),
        changes=tuple(changes),
        facts={
            "about_the_country": len(chosen),
            "explicit_already": len(chosen) - len(proposed),
            "with_implicit_choices": len(choices),
            **_counts(changes),
            **facts_of_decisions(decisions, proposed),
        },
        spending=spending_of(
            [stem_answers, choice_answers],
            {
                question.prompt.name: question.prompt.hash
                for question, those in zip(questions, asked, strict=True)
                if those
            },
        ),
    )


EXPLICIT_WORDING: Final = StageKind(
    ExplicitSettings,
    make_explicit,
    version=3,
    files=lambda settings: [
        path
        for path in (settings.country, settings.decisions, settings.prompt, settings.choices_prompt)
        if path is not None
    ],
    shipped=lambda settings, _: digests_of_shipped(
        [
            TERMS,
            OPPOSITES,
            *([PROMPT] if settings.prompt is None else []),
            *([CHOICES_PROMPT] if settings.choices_prompt is None else []),
            *([COUNTRY] if settings.country is None else []),
        ]
    ),
    roles=lambda settings: (settings.model,),
)


def _questions(settings: ExplicitSettings, context: Context, rules: ExplicitRules) -> tuple[TextQuestion, TextQuestion]:
    """Return how the model is asked for stems, and how for choices."""
    about = {"rules": rules.hash}
    return (
        TextQuestion(
            kind=TaskKind.WORDING,
            prompt=_prompt(settings.prompt, PROMPT, context),
            problems=rules.problems_of_stem,
            shown=lambda item: wording_as_text(item.wording()),
            about=about,
        ),
        TextQuestion(
            kind=TaskKind.WORDING,
            prompt=_prompt(settings.choices_prompt, CHOICES_PROMPT, context),
            problems=rules.problems_of_choices,
            shown=_with_numbered_choices,
            about=about,
        ),
    )


def _prompt(own: Path | None, shipped: Path, context: Context) -> TextPrompt:
    path = shipped if own is None else context.folder / own
    return read_text_prompt(path, once=frozenset(), shown=frozenset({"question", "choices"}))


def _with_numbered_choices(item: Item) -> Mapping[str, Sequence[Part]]:
    """Return stem and choices as text alone; the choices have numbers, whatever the item calls them."""
    wording = item.wording()
    return {**wording_as_text(wording), "choices": [TextPart(numbered(wording.choices))]}


def _has_implicit_stem(item: Item, country: Country) -> bool:
    stem = item.wording().question.text
    return bool(stem.strip()) and not country.is_named_in(stem)


def _has_implicit_choices(item: Item, country: Country) -> bool:
    return any(country.implicit_in(text) for text in texts_of(item.wording()))


def _settled(item: Item, proposal: _Proposal, decision: Decided | None) -> tuple[Item, list[Change]]:
    details = proposal.details(item)
    settled = as_decided(item, details, decision, IMPLICIT)
    if settled is None:
        return item, [Change(item.id, Action.REVIEW, proposal.reason, details)]
    new, change = settled
    if decision is None or decision.choices is not None or proposal.choices is None or change.action is Action.REVIEW:
        return new, [change]
    as_it_stands = {**details, ACCEPTED: new.wording().question.text}
    return new, [change, Change(item.id, Action.REVIEW, "people have not decided on its choices yet", as_it_stands)]


def _counts(changes: list[Change]) -> dict[str, int]:
    counts = Counter(change.action for change in changes)
    return {"accepted": counts[Action.CHANGED], "waiting": counts[Action.REVIEW], "rejected": counts[Action.NOTED]}
