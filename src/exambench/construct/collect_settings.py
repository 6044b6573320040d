"""Settings of the stage ``collect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from exambench.construct.paper_lists import YEARS
from exambench.construct.stage import Settings

OPEN_LICENCES: Final = ("CC0-1.0", "CC-BY-4.0", "CC-BY-3.0", "CC-BY-2.0", "CC-BY-2.0-KR", "KOGL-1")
END_HEADINGS: Final = (
    "References",
    "Bibliography",
    "Literature cited",
    "참고문헌",
    "참고 문헌",
    "인용문헌",
    "인용 문헌",
)


class CollectSettings(Settings):
    """Settings of ``collect``.

    Attributes:
        papers: The list, relative to the project's folder.
        folder: The folder that the paths in the list are relative to.
        since: Least year.
        newest: How many years back a paper may lie instead, that of ``reference_year`` included.
        reference_year: The year from which ``newest`` counts; no paper lies after it.
        least_citations: How often a paper is cited at least.
        licences: Which licences are allowed.
        known_licences: A file of licences in place of the one that ships.
        quota: How many papers of each category; all when ``None``.
        quotas: How many of one category instead.
        order: What fills a quota first: the most cited, or a draw from the project's seed.
        shortest: Least length of a text in characters.
        end_headings: Where the text of a paper ends.
    """

    papers: Path
    folder: Path = Path("papers")
    since: Annotated[int, Field(ge=YEARS.start, lt=YEARS.stop)] | None = None
    newest: Annotated[int, Field(ge=1, le=400)] | None = None
    reference_year: Annotated[int, Field(ge=YEARS.start, lt=YEARS.stop)] | None = None
    least_citations: Annotated[int, Field(ge=0)] = 0
    licences: Annotated[tuple[str, ...], Field(min_length=1)] = OPEN_LICENCES
    known_licences: Path | None = None
    quota: Annotated[int, Field(ge=1)] | None = None
    quotas: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    order: Literal["cited", "drawn"] = "cited"
    shortest: Annotated[int, Field(ge=1)] = 1_000
    end_headings: tuple[Annotated[str, Field(min_length=1)], ...] = END_HEADINGS

    @model_validator(mode="after")
    def _fits(self) -> CollectSettings:
        if self.newest is not None and self.reference_year is None:
            raise ValueError("newest: counts back from a year; name it: reference_year = …")
        if self.newest is not None and self.since is not None:
            raise ValueError("newest: either since or newest says how old a paper may be")
        return self

    @property
    def least_year(self) -> int | None:
        """The least year."""
        if self.newest is not None and self.reference_year is not None:
            return self.reference_year - self.newest + 1
        return self.since

    def quota_of(self, category: str) -> int | None:
        """Return how many papers of a category are wanted; ``None`` for all."""
        return self.quotas.get(category, self.quota)
