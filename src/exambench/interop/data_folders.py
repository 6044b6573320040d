"""A folder for the Hugging Face hub, and chats for supervised fine-tuning."""

from __future__ import annotations

from typing import Any, Final

from exambench.exchange import TextPart
from exambench.interop.exporting import PICTURES, Export, as_jsonl, nothing_left, pictures_in, quoted
from exambench.items import Benchmark, Item, key_as_pair
from exambench.protocols import Protocol, render
from exambench.protocols.showing import Shown
from exambench.text import markdown_escape

SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
LARGEST: Final = "100K<n<1M"


def hugging_face(benchmark: Benchmark) -> Export:
    """Return a folder for the Hugging Face hub: a card, ``data/test.jsonl``, and the pictures.

    Raises:
        DataError: The benchmark has no items.
    """
    if not benchmark.items:
        raise nothing_left("huggingface", {})
    has_passages = any(item.passage for item in benchmark.items)
    records = [
        {
            "id": item.id,
            **({"passage": item.passage} if has_passages else {}),
            "question": item.wording().question.text,
            "choices": [choice.text for choice in item.wording().choices],
            "question_images": [f"{PICTURES}/{image.path}" for image in item.wording().question.images],
            "choice_images": [
                [f"{PICTURES}/{image.path}" for image in choice.images] for choice in item.wording().choices
            ],
            "key": dict([key_as_pair(item.key)]),
            "rationale": item.rationale,
            "source": item.source,
            "facets": dict(item.facets),
        }
        for item in benchmark.items
    ]
    files = {"README.md": _card(benchmark).encode("utf-8"), "data/test.jsonl": as_jsonl(records)}
    return Export(files, pictures_in(benchmark.items))


def chats(benchmark: Benchmark, protocol: Protocol) -> Export:
    """Return chats for fine-tuning, one for each item with a verified rationale: question, reasoning, answer.

    The question is put as the protocol puts it; the assistant gives the expert's reasoning, then the answer in the
    protocol's form. Items with pictures are left out.

    Raises:
        DataError: No item has a rationale and no picture.
    """
    reasons = {item.id: _against_chat(item, protocol) for item in benchmark.items}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    kept = [item for item in benchmark.items if item.id not in left_out]
    if not kept:
        raise nothing_left("sft", left_out)
    return Export({"chats.jsonl": as_jsonl(_chat(item, protocol) for item in kept)}, (), left_out)


def _against_chat(item: Item, protocol: Protocol) -> str:
    if not item.rationale.strip():
        return "it has no rationale"
    if item.wording().images:
        return "it has pictures"
    return "" if protocol.selects(item) else f"it is not asked under {protocol.name}"


def _chat(item: Item, protocol: Protocol) -> dict[str, Any]:
    messages = [
        {
            "role": str(message.role),
            "content": "".join(part.text for part in message.parts if isinstance(part, TextPart)),
        }
        for message in render(Shown(item, item.wording(), passage=item.passage), protocol)
    ]
    answer = protocol.write_answer(_value(item))
    messages.append({"role": "assistant", "content": f"{item.rationale.strip()}\n\n{answer}"})
    return {"id": item.id, "messages": messages}


def _value(item: Item) -> int | str | bool | tuple[str, ...]:
    value = key_as_pair(item.key)[1]
    return tuple(map(str, value)) if isinstance(value, list) else value


def _card(benchmark: Benchmark) -> str:
    """Return the card; its head is YAML, in which every JSON string is a string."""
    size = next((name for most, name in SIZES if len(benchmark.items) < most), LARGEST)
    head = {
        "pretty_name": benchmark.title,
        "license": "other",
        "license_name": benchmark.licence or "not stated",
        "size_categories": [size],
        "task_categories": ["question-answering"],
    }
    lines = [f"{name}: {quoted(value)}" for name, value in head.items()]
    data = ["configs:", "- config_name: default", "  data_files:", "  - split: test", "    path: data/test.jsonl"]
    body = [
        f"# {markdown_escape(benchmark.title)}",
        "",
        f"{len(benchmark.items):,} items. Content hash `{benchmark.content_hash}`.",
        "",
        "`key` names the right choice, counted from 1 (`choice`), all right choices (`choices`), the truth of a",
        "statement (`boolean`) or a free answer (`text`). Pictures are paths in this folder.",
    ]
    return "\n".join(("---", *lines, *data, "---", "", *body)) + "\n"
