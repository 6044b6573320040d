"""What every judge has in common: something is put to it, and its reply is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from exambench.exchange import Message, Response
from exambench.items import Item
from exambench.judging.subjects import Subject
from exambench.models import Decoding
from exambench.outcomes import Judgement, Unjudged
from exambench.parsing import visible_text
from exambench.parsing.visible import CUT_AT_LIMIT
from exambench.store import JudgingKind

CONTENT_FILTER: Final = "content_filter"


class Instrument(Protocol):
    """What is asked, and how the reply is read."""

    @property
    def kind(self) -> JudgingKind:
        """What the judge is asked about."""
        ...

    @property
    def name(self) -> str:
        """What to call the rubric."""
        ...

    @property
    def hash(self) -> str:
        """Digest of the prompt and of what the reply must hold."""
        ...

    @property
    def decoding(self) -> Decoding:
        """Settings, unless the judge's model file says otherwise."""
        ...

    @property
    def with_reference(self) -> bool:
        """Whether the judge sees the expert's rationale."""
        ...

    @property
    def optional(self) -> Mapping[str, object]:
        """Parameters of the request that the endpoint may decline."""
        ...

    def as_json(self) -> Mapping[str, object]:
        """Return the rubric as JSON values for the store."""
        ...

    def selects(self, item: Item) -> bool:
        """Tell whether answers to this item are judged."""
        ...

    def note(self, subject: Subject) -> str:
        """Return what is worth knowing about what is judged."""
        ...

    def is_asked(self, subject: Subject) -> bool:
        """Tell whether the judge is needed; otherwise the note says how the matter is settled."""
        ...

    def render(self, subject: Subject, *, images: bool) -> tuple[Message, ...]:
        """Return the chat.

        Args:
            subject: What is judged.
            images: Whether the judge takes pictures.
        """
        ...


def words_of(response: Response) -> str | Unjudged:
    """Return the visible words of a judge's reply, or why it has none."""
    if response.refusal:
        return Unjudged("the judge refused")
    if response.finish_reason == CONTENT_FILTER:
        return Unjudged("the judge's content filter stopped the reply")
    visible = visible_text(response.text or "")
    return visible if visible.strip() else Unjudged("the reply has no visible text")


def judgement_of(response: Response, read: Reader) -> Judgement:
    """Return what a reply says, by a reader of visible words; a cut reply counts when a whole verdict stands in it."""
    words = words_of(response)
    judgement = words if isinstance(words, Unjudged) else read(words)
    if isinstance(judgement, Unjudged) and response.finish_reason == CUT_AT_LIMIT:
        return Unjudged(f"the reply was cut at the token limit: {judgement.reason}")
    return judgement


class Reader(Protocol):
    """Reads the visible words of a reply. Pure, and made from a stored rubric alone."""

    def __call__(self, words: str, /) -> Judgement:
        """Return the judgement, or :class:`~exambench.outcomes.Unjudged` with the rule that was broken."""
        ...
