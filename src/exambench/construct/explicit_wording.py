"""The stage ``explicit``: stems that leave the country unsaid get a proposal that names it, for people to accept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.construct.decisions import Decided, as_decided, details_of, facts_of_decisions, read_decisions
from exambench.construct.inquiries import spending_of
from exambench.construct.opposites import SHIPPED as OPPOSITES
from exambench.construct.opposites import Opposites, read_opposites
from exambench.construct.paraphrase_rules import SHIPPED as TERMS
from exambench.construct.paraphrase_rules import Terms, read_terms, violations
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.texts import Text, TextQuestion, ask_for_texts, read_text_prompt, wording_as_text
from exambench.errors import listed
from exambench.items import Item, digest
from exambench.store import TaskKind

IMPLICIT: Final = "implicit"
"""Name of the wording that an item had before."""
PROMPT: Final = Path(__file__).with_name("explicit.toml")
COUNTRY: Final = Path(__file__).with_name("country.toml")

Word = Annotated[str, Field(min_length=1)]


class Country(BaseModel):
    """How items speak of the country that they are about.

    Attributes:
        implicit: Words of people who are there.
        names: Its names.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    implicit: list[Word] = Field(default_factory=list)
    names: Annotated[list[Word], Field(min_length=1)]

    def implicit_in(self, text: str) -> tuple[str, ...]:
        """Return the implicit words of a text."""
        return tuple(word for word in self.implicit if word in text)

    def is_named_in(self, text: str) -> bool:
        """Tell whether a text names it and has no implicit word."""
        return any(name in text for name in self.names) and not self.implicit_in(text)


class ExplicitSettings(AskingSettings):
    """Settings of ``explicit``.

    Attributes:
        model: Role of the model that proposes.
        facet: The facet, true of the items that are about the country.
        country: Words in place of those that ship, which are about Korea.
        decisions: What people decided; see ``exambench build decide``.
        prompt: A prompt of one's own.
    """

    model: str
    facet: str = "korean"
    country: Path | None = None
    decisions: Path | None = None
    prompt: Path | None = None


@dataclass(frozen=True)
class _Rules:
    country: Country
    terms: Terms
    opposites: Opposites

    def problems(self, item: Item, stem: str) -> tuple[str, ...]:
        found = violations(item.wording(), stem, self.terms, self.opposites)
        left = self.country.implicit_in(stem)
        if left:
            return (*found, f"Words that leave the country unsaid are left: {listed(left)}.")
        if not self.country.is_named_in(stem):
            return (*found, f"The country is not named: {listed(self.country.names)}.")
        return found


def make_explicit(items: tuple[Item, ...], settings: ExplicitSettings, context: Context) -> StageResult:
    """Propose stems that name the country; only what people accepted is used, the old wording stays as ``implicit``.

    Raises:
        ConfigError: The prompt, the words or a decision cannot be used.
        DataError: The file of decisions cannot be read.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    prompt = read_text_prompt(
        PROMPT if settings.prompt is None else context.folder / settings.prompt,
        once=frozenset(),
        shown=frozenset({"question", "choices"}),
    )
    rules = _rules(COUNTRY if settings.country is None else context.folder / settings.country)
    decisions = {} if settings.decisions is None else read_decisions(context.folder / settings.decisions)
    question = TextQuestion(
        kind=TaskKind.WORDING,
        prompt=prompt,
        problems=rules.problems,
        shown=lambda item: wording_as_text(item.wording()),
        about={"rules": digest([rules.country.model_dump(), rules.terms.as_json(), rules.opposites.as_json()])},
    )
    chosen = [item for item in items if item.facets.get(settings.facet) is True]
    asked = [item for item in chosen if _is_to_be_asked(item, rules.country)]
    texts, answers = ask_for_texts(question, asked, settings.model, settings, context)
    settled = {item.id: _settled(item, texts[item.id], decisions) for item in asked}
    changes = [change for _, change in settled.values()]
    changes += _about_choices(chosen, rules.country)
    return StageResult(
        items=tuple(settled[item.id][0] if item.id in settled else item for item in items),
        changes=tuple(changes),
        facts={
            "about_the_country": len(chosen),
            "explicit_already": len(chosen) - len(asked),
            **_counts([change for _, change in settled.values()]),
            **facts_of_decisions(decisions, asked),
        },
        spending=spending_of([answers], {prompt.name: prompt.hash}),
    )


EXPLICIT_WORDING: Final = StageKind(
    ExplicitSettings,
    make_explicit,
    version=2,
    files=lambda settings: [
        path for path in (settings.country, settings.decisions, settings.prompt) if path is not None
    ],
    shipped=lambda settings, _: digests_of_shipped(
        [
            TERMS,
            OPPOSITES,
            *([PROMPT] if settings.prompt is None else []),
            *([COUNTRY] if settings.country is None else []),
        ]
    ),
    roles=lambda settings: (settings.model,),
)


def read_country(path: Path = COUNTRY) -> Country:
    """Read how items speak of their country.

    Raises:
        ConfigError: The file says something else.
    """
    return validate(Country, read_table(path), str(path))


def _rules(path: Path) -> _Rules:
    country = read_country(path)
    words = Terms(ordinary=(*country.implicit, *country.names))  # to be replaced, and no terms that have to stay
    return _Rules(country, words.over(read_terms()), read_opposites())


def _is_to_be_asked(item: Item, country: Country) -> bool:
    stem = item.wording().question.text
    return bool(stem.strip()) and not country.is_named_in(stem)


def _settled(item: Item, found: Text, decisions: Mapping[str, Decided]) -> tuple[Item, Change]:
    details = details_of(item, found)
    decided = as_decided(item, details, decisions.get(item.id), IMPLICIT)
    if decided is not None:
        return decided
    reason = "every proposal broke a rule" if found.problems else "a stem that names the country is proposed"
    return item, Change(item.id, Action.REVIEW, reason, details)


def _about_choices(items: list[Item], country: Country) -> list[Change]:
    found = {item.id: [country.implicit_in(choice.text) for choice in item.wording().choices] for item in items}
    return [
        Change(name, Action.REVIEW, "its choices leave the country unsaid", {"choices": places})
        for name, words in found.items()
        if (places := [place for place, each in enumerate(words, start=1) if each])
    ]


def _counts(changes: list[Change]) -> dict[str, int]:
    counts = Counter(change.action for change in changes)
    return {"accepted": counts[Action.CHANGED], "waiting": counts[Action.REVIEW], "rejected": counts[Action.NOTED]}
