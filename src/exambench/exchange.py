"""What goes to a model and what comes back, in terms that no transport knows of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from exambench.items import Image, digest


class Role(StrEnum):
    """Who speaks in a chat."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of text in a message."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture in a message, by reference: its bytes are read when the request is sent."""

    image: Image


Part = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat: text and pictures in the order in which the model sees them."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def images(self) -> tuple[Image, ...]:
        """The pictures of this message in order."""
        return tuple(part.image for part in self.parts if isinstance(part, ImagePart))


@dataclass(frozen=True)
class Request:
    """One question to one model, ready to be sent.

    Attributes:
        identity: Who is asked: the model's identity, see :attr:`exambench.models.ModelConfig.identity`.
        messages: The chat.
        parameters: Everything else of the request's body (temperature, seed, extra fields), JSON values only.
        trial: Counts repeats of the same question from 0.
        image_digests: For each picture of the messages, in order, the SHA-256 of the bytes that are sent.
        attempt: Counts tries at the same trial from 0, where a reply that cannot be used is asked for again.
        optional: Names of parameters that an endpoint may decline: the request is then sent without them.
    """

    identity: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    trial: int = 0
    image_digests: tuple[str, ...] = ()
    attempt: int = 0
    optional: frozenset[str] = frozenset()

    @property
    def images(self) -> tuple[Image, ...]:
        """The pictures of all messages in order."""
        return tuple(image for message in self.messages for image in message.images)

    def key(self) -> str:
        """Return the digest of everything that reaches the model, of trial and attempt: one key, one response."""
        return digest(
            {
                "identity": self.identity,
                "messages": messages_as_json(self.messages),
                "images": list(self.image_digests),
                "parameters": dict(self.parameters),
                "trial": self.trial,
            }
            | ({"attempt": self.attempt} if self.attempt else {})
        )


def messages_as_json(messages: tuple[Message, ...]) -> list[dict[str, object]]:
    """Return the chat as JSON values for storing and showing; pictures appear by path and digest."""
    return [
        {
            "role": str(message.role),
            "parts": [
                {"text": part.text}
                if isinstance(part, TextPart)
                else {"image": part.image.path, "sha256": part.image.sha256}
                for part in message.parts
            ],
        }
        for message in messages
    ]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them; ``None`` where it did not say.

    Attributes:
        input_tokens: Prompt tokens, cached ones included.
        output_tokens: Completion tokens, reasoning ones included.
        cached_tokens: Prompt tokens that came from the endpoint's cache.
        reasoning_tokens: Completion tokens spent on reasoning.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a request.

    Attributes:
        started_at: UTC, ISO 8601 with microseconds and ``Z``.
        seconds: Time until the reply was complete, or the error occurred.
        error: What went wrong, with no credentials in it; ``None`` for the try that succeeded.
        status: HTTP status, when there was one.
    """

    started_at: str
    seconds: float
    error: str | None = None
    status: int | None = None


@dataclass(frozen=True)
class Response:
    """What a model said.

    Attributes:
        text: The visible content; ``None`` when the endpoint sent ``content: null``.
        reasoning: Reasoning that the endpoint returned apart.
        finish_reason: Why the model stopped, in the endpoint's words.
        refusal: The endpoint's refusal message, if it marked one.
        usage: Tokens.
        seconds: Latency of the successful attempt.
        attempts: Every try, the successful one last.
        served_model: The model name that the endpoint reported.
        adjustments: How the sent body differed from the request because the endpoint did not take a parameter,
            such as ``"dropped:seed"`` or ``"renamed:max_tokens:max_completion_tokens"``.
    """

    text: str | None
    reasoning: str | None = None
    finish_reason: str | None = None
    refusal: str | None = None
    usage: Usage = Usage()
    seconds: float = 0.0
    attempts: tuple[Attempt, ...] = ()
    served_model: str | None = None
    adjustments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failure:
    """Why a request has no response yet.

    Attributes:
        reason: One line for people, with no credentials in it.
        attempts: Every try.
    """

    reason: str
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """What became of an attempt to claim requests.

    Attributes:
        held: Keys that are now ours to ask, and nobody else's until they are recorded or released.
        answered: Keys that have a response already. A key in neither set is being asked by someone else.
    """

    held: frozenset[str]
    answered: frozenset[str]
