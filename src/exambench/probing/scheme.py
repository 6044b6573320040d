"""A coding scheme as data: the categories into which readers put what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exambench.configuration import read_table, validate

SHIPPED: Final = Path(__file__).with_name("reversals.toml")

Text = Annotated[str, Field(min_length=1, max_length=200)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Code(_Table):
    """One category.

    Attributes:
        key: What readers write; commas would part the list that a spreadsheet offers.
        titles: What to call it, by language code.
        description: When it applies.
    """

    key: Annotated[str, Field(pattern=r"^[^\s,\"]{1,40}$")]
    titles: Annotated[dict[str, str], Field(min_length=1)]
    description: Text


class CodingScheme(_Table):
    """All categories.

    Attributes:
        language: Of the sheets.
        code_header: Name of the column for the code.
        note_header: Name of the column for a note.
    """

    name: Text
    language: Text
    code_header: Text
    note_header: Text
    codes: Annotated[list[Code], Field(min_length=2)]

    @model_validator(mode="after")
    def _is_sound(self) -> CodingScheme:
        names = [code.key.casefold() for code in self.codes]
        titles = [self.title(code).casefold() for code in self.codes]
        if len(set(names)) < len(names) or len(set(titles)) < len(titles):
            raise ValueError("codes: two have one key or one title")
        if self.code_header == self.note_header:
            raise ValueError("code_header and note_header are the same")
        return self

    def title(self, code: Code) -> str:
        """Return what a category is called in the scheme's language."""
        return code.titles.get(self.language, code.key)

    @property
    def explained(self) -> tuple[str, ...]:
        """The categories for readers, a line each."""
        return tuple(f"{code.key}: {self.title(code)}. {code.description}" for code in self.codes)

    def find(self, text: str) -> Code | None:
        """Return the category that a reader wrote, by its key or its title, in any case."""
        wanted = text.strip().casefold()
        return next((code for code in self.codes if wanted in {code.key.casefold(), self.title(code).casefold()}), None)


def read_scheme(path: Path = SHIPPED) -> CodingScheme:
    """Read a scheme from a TOML or YAML file.

    Raises:
        ConfigError: It cannot be read, or is none; every misfit is a finding.
    """
    return validate(CodingScheme, read_table(path), str(path))


def scheme_from_json(body: Mapping[str, object]) -> CodingScheme:
    """Return the scheme that the store keeps.

    Raises:
        ConfigError: It is not of that form.
    """
    return validate(CodingScheme, body, "the stored scheme")
