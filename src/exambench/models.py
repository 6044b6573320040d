"""Which model is asked, where, with what decoding, and at what price."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from exambench.exchange import Usage

PER_TOKENS: Final = 1_000_000

VariableName = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]{0,99}$")]
_KEY_NAME: Final = re.compile(r"(?i)(?:api[-_]?key|authorization|secret|password|(?:access|auth|bearer)[-_]?token)$")
NonNegative = Annotated[float, Field(ge=0)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Config(BaseModel):
    """Configuration is read once, never changed, and refuses what it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Decoding(_Config):
    """How the model draws its tokens. A field that is ``None`` is left to the protocol, then to the endpoint.

    Attributes:
        reasoning_effort: Passed through under this name.
        chat_template_kwargs: Passed through under this name (``enable_thinking`` and the like).
        extra_body: Further fields of the request's body, passed through as they are.
    """

    temperature: NonNegative | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: int | None = None
    max_tokens: Annotated[int, Field(gt=0)] | None = None
    seed: int | None = None
    reasoning_effort: str | None = None
    chat_template_kwargs: dict[str, JsonValue] | None = None
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)

    @field_validator("extra_body")
    @classmethod
    def _holds_no_key(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if any(_KEY_NAME.search(name) for name in value):
            raise ValueError(
                "a key is no decoding setting; name its variable in endpoint.api_key_env or endpoint.headers"
            )
        return value

    def over(self, defaults: Decoding) -> Decoding:
        """Return these settings, with what they leave open taken from ``defaults``."""
        mine = self.model_dump(exclude_none=True, exclude={"extra_body"})
        merged = defaults.model_dump(exclude_none=True, exclude={"extra_body"}) | mine
        return Decoding(**merged, extra_body=defaults.extra_body | self.extra_body)

    def parameters(self, *, seed_offset: int = 0) -> dict[str, JsonValue]:
        """Return the fields of a chat-completions body; trial ``t`` passes ``t`` as the offset of its seed."""
        body: dict[str, JsonValue] = self.model_dump(exclude_none=True, exclude={"extra_body"})
        if self.seed is not None:
            body["seed"] = self.seed + seed_offset
        return body | self.extra_body


class Capabilities(_Config):
    """What the model takes.

    Attributes:
        images: Whether it sees pictures; a text-only model is not shown image items.
        thinking: Whether it reasons before it answers; protocols decode such models at another temperature.
        max_image_side: Longest side in pixels that is sent; larger pictures are scaled down, and that is recorded.
        max_image_bytes: Most bytes of one encoded picture; larger ones are scaled down, and that is recorded.
    """

    images: bool = False
    thinking: bool = False
    max_image_side: Annotated[int, Field(ge=16)] = 2048
    max_image_bytes: Annotated[int, Field(ge=1024)] = 8_000_000


class Price(_Config):
    """Money per million tokens.

    Attributes:
        cached_input: Price of prompt tokens from the endpoint's cache; the input price when ``None``.
    """

    input: NonNegative
    output: NonNegative
    cached_input: NonNegative | None = None
    currency: str = "USD"

    def of(self, usage: Usage) -> float | None:
        """Return what the tokens cost; ``None`` when the endpoint did not count them."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        money = (usage.input_tokens - cached) * self.input + cached * cached_price + usage.output_tokens * self.output
        return money / PER_TOKENS


class Serving(_Config):
    """On what the model runs, for the cost in GPU-hours."""

    gpu: str = ""
    gpus: Annotated[int, Field(ge=1)] = 1


class OpenAIEndpoint(_Config):
    """Any server of the OpenAI chat-completions protocol.

    Attributes:
        base_url: Up to and without ``/chat/completions``.
        model: Name of the model at the endpoint; the model file's name when ``None``.
        api_key_env: Environment variable that holds the key. The key itself is never in a file of ours.
        headers: Further headers, by the environment variable that holds each value.
    """

    kind: Literal["openai"] = "openai"
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s?#@]+$")]
    model: str | None = None
    api_key_env: VariableName | None = None
    headers: dict[str, VariableName] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        """Refuse a host or a port that no request could go to; a trailing slash is not part of the address."""
        parts = urlsplit(value)
        host = parts.hostname or ""
        if not host or parts.port == 0:
            raise ValueError("the address has no host, or no usable port")
        try:
            host.encode("idna")
        except UnicodeError:
            raise ValueError("the host of the address is not a name that a network knows") from None
        return value.rstrip("/")


class HubWeights(_Config):
    """A file in a model repository of a hub; used when the hub is reachable and the user allows it."""

    source: Literal["hub"] = "hub"
    repository: str
    file: str
    revision: str = "main"


class PackageWeights(_Config):
    """Weights that installed Python packages carry in parts, joined in order. The packages are never imported.

    Attributes:
        packages: Distribution names in order of their parts.
        file: Name (or shell pattern) of the part inside each distribution.
        install: Command that installs them, for the message when they are missing.
    """

    source: Literal["packages"] = "packages"
    packages: Annotated[list[str], Field(min_length=1)]
    version: str
    file: str
    install: str | None = None


class PathWeights(_Config):
    """A file on this machine.

    Attributes:
        path: Absolute, from the home folder (``~``), or from the working directory.
    """

    source: Literal["path"] = "path"
    path: str


WeightSource = Annotated[HubWeights | PackageWeights | PathWeights, Field(discriminator="source")]


class LocalEndpoint(_Config):
    """A GGUF model that this toolkit serves itself, on this machine, in a process of its own.

    Attributes:
        weights: Where to look for the file, in order; all sources must give the same bytes.
        sha256: Digest of the file; anything else is refused.
        context: Tokens of context for each slot.
        slots: Requests that are worked on at once.
        threads: Threads of computation; every core when ``None``. On a machine that does other work besides,
            fewer are faster: the threads wait for each other at every layer.
        prompt_cache: Whether common prompt prefixes are computed once. Faster; with more than one slot,
            outputs at temperature 0 then depend on what runs beside them.
    """

    kind: Literal["local"] = "local"
    weights: Annotated[list[WeightSource], Field(min_length=1)]
    sha256: Sha256
    context: Annotated[int, Field(ge=256)] = 8192
    slots: Annotated[int, Field(ge=1)] = 1
    threads: Annotated[int, Field(ge=1)] | None = None
    prompt_cache: bool = True


class BaselineEndpoint(_Config):
    """A strategy that needs no model; see :mod:`exambench.engine.baselines`."""

    kind: Literal["baseline"] = "baseline"
    strategy: Literal["random", "first", "longest", "oracle"]


Endpoint = Annotated[OpenAIEndpoint | LocalEndpoint | BaselineEndpoint, Field(discriminator="kind")]


class Limits(_Config):
    """What the endpoint can bear.

    Attributes:
        concurrency: Requests in flight at once; the command line may lower or raise it.
        requests_per_minute: ``None`` is no limit.
        tokens_per_minute: Prompt and completion tokens; ``None`` is no limit.
        total_timeout: Seconds for one attempt from start to end.
        read_timeout: Seconds without a byte.
        max_attempts: Tries for one request in one run, the first one included.
    """

    concurrency: Annotated[int, Field(ge=1, le=4096)] = 16
    requests_per_minute: Annotated[float, Field(gt=0)] | None = None
    tokens_per_minute: Annotated[float, Field(gt=0)] | None = None
    total_timeout: Annotated[float, Field(gt=0)] = 600.0
    read_timeout: Annotated[float, Field(gt=0)] = 300.0
    max_attempts: Annotated[int, Field(ge=1, le=100)] = 6


class ModelConfig(_Config):
    """A model file.

    Attributes:
        name: What to call the model in every table.
        endpoint: Who answers; without a ``kind`` it is an OpenAI-compatible server.
        size_b: Parameters in thousand millions.
        korean: Whether it was made for Korean first.
        proprietary: Whether its weights are closed.
        family: Which models it is kin to, by a word of one's own: a judge may favour its own family.
        released: Date of release, as text.
    """

    name: Annotated[str, Field(min_length=1, max_length=200)]
    endpoint: Endpoint
    decoding: Decoding = Decoding()
    capabilities: Capabilities = Capabilities()
    limits: Limits = Limits()
    price: Price | None = None
    serving: Serving | None = None
    size_b: NonNegative | None = None
    korean: bool = False
    proprietary: bool = False
    family: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    released: str | None = None

    @field_validator("endpoint", mode="before")
    @classmethod
    def _chat_completions_by_default(cls, value: object) -> object:
        return {"kind": "openai", **value} if isinstance(value, dict) else value

    @property
    def served_name(self) -> str:
        """The name under which the endpoint knows the model."""
        endpoint = self.endpoint
        return endpoint.model if isinstance(endpoint, OpenAIEndpoint) and endpoint.model else self.name

    @property
    def concurrency(self) -> int:
        """Requests in flight at once: what the limits say, or the slots of a model that we serve ourselves."""
        endpoint = self.endpoint
        return endpoint.slots if isinstance(endpoint, LocalEndpoint) else self.limits.concurrency

    @property
    def identity(self) -> str:
        """Who answers, as far as we can know it: two models of one identity are one model.

        The address of a server counts, since two servers may call different weights by one name; the port on
        which we serve weights ourselves does not, their digest does.
        """
        match self.endpoint:
            case OpenAIEndpoint(base_url=url):
                return f"{self.served_name}@{url}"
            case LocalEndpoint(sha256=sha256):
                return f"gguf:{sha256}"
            case BaselineEndpoint(strategy=strategy):
                return f"baseline/{strategy}"

    def public(self) -> Mapping[str, Any]:
        """Return the configuration as JSON values for the store; it names variables, never their contents."""
        return self.model_dump(mode="json", exclude_none=True)
