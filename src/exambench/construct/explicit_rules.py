"""What a wording that names the country must keep and must say, by rule. Pure, reading of the words apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from exambench.configuration import read_table, validate
from exambench.construct.choice_wordings import fault_of_choices, folded, texts_of
from exambench.construct.opposites import Opposites, read_opposites
from exambench.construct.paraphrase_rules import LENGTH_FACTOR, LENGTH_SLACK, Terms, read_terms, violations
from exambench.construct.reviewed import choices_from
from exambench.errors import listed
from exambench.items import Content, Item, Wording, digest

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

    def problems(self, text: str) -> tuple[str, ...]:
        """Return in a sentence what keeps a text from naming it."""
        if left := self.implicit_in(text):
            return (f"Words that leave the country unsaid are left: {listed(left)}.",)
        return () if self.is_named_in(text) else (f"The country is not named: {listed(self.names)}.",)


@dataclass(frozen=True)
class ExplicitRules:
    """The rules for stems and for choices.

    Attributes:
        country: How items speak of it.
        terms: What has to stay; the words for the country are none of it.
        opposites: Negations and antonyms.
    """

    country: Country
    terms: Terms
    opposites: Opposites

    def problems_of_stem(self, item: Item, stem: str) -> tuple[str, ...]:
        """Return in sentences what is wrong with a stem that is proposed."""
        return (*violations(item.wording(), stem, self.terms, self.opposites), *self.country.problems(stem))

    def problems_of_choices(self, item: Item, text: str) -> tuple[str, ...]:
        """Return in sentences what is wrong with choices that are proposed, each in a line after its number.

        A choice that leaves the country unsaid has to name it, and keeps what a stem keeps; any other stays as it is.
        """
        before, after = texts_of(item.wording()), choices_from(text) or ()
        if len(after) != len(before):
            return (f"{fault_of_choices(before, after).capitalize()}.",)
        found = tuple(
            f"Choice {place + 1}: {problem}"
            for place, new in enumerate(after)
            for problem in self._problems_of_choice(item.wording(), place, new)
        )
        fault = "" if found else fault_of_choices(before, after)
        return (f"{fault.capitalize()}.",) if fault else found

    def _problems_of_choice(self, wording: Wording, place: int, new: str) -> Iterator[str]:
        old = wording.choices[place].text
        if not self.country.implicit_in(old):
            if folded(new) != folded(old):
                yield "It is to stay as it is."
        elif not new:
            yield "It is empty."
        elif len(new) > LENGTH_FACTOR * len(old) + LENGTH_SLACK:
            yield "It is much longer than before."
        else:
            others = [text for at, text in enumerate(texts_of(wording)) if at != place]
            beside = Content("\n".join([wording.question.text, *others]))  # words that it shares with these are terms
            yield from violations(Wording(Content(old), (beside,)), new, self.terms, self.opposites)
            yield from self.country.problems(new)

    @property
    def hash(self) -> str:
        """Digest of the rules' words."""
        return digest([self.country.model_dump(), self.terms.as_json(), self.opposites.as_json()])


def read_country(path: Path = COUNTRY) -> Country:
    """Read how items speak of their country.

    Raises:
        ConfigError: The file says something else.
    """
    return validate(Country, read_table(path), str(path))


def read_explicit_rules(path: Path = COUNTRY) -> ExplicitRules:
    """Read the rules; terms and opposites are those that ship.

    Args:
        path: How items speak of their country.

    Raises:
        ConfigError: The file says something else.
    """
    country = read_country(path)
    words = Terms(ordinary=(*country.implicit, *country.names))  # to be replaced, and no terms that have to stay
    return ExplicitRules(country, words.over(read_terms()), read_opposites())
