"""A small project whose stages ask one model about texts: every kind of stage that does."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from exambench.benchmarks import find_definition

SEED: Final = 42
STAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "read": """
data = "items.json"
images = "images"
""",
        "label": """
facet = "field"
kind = "fixed"
about = "문제가 주로 다루는 분야"
labels = { dynamics = "대기의 운동", thermodynamics = "열과 수증기", observation = "관측", climate = "기후" }
models = ["local"]
""",
        "explicit": """
model = "local"
""",
        "paraphrase": """
model = "local"
""",
        "rationale": """
writer = "local"
critic = "local"
enhancer = "local"
rounds = 1
size = 2
draws = 2
""",
        "filter": """
models = ["local"]
""",
        "collect": """
papers = "papers.csv"
shortest = 50
""",
        "generate": """
writer = "local"
window = 1.0
""",
    }
)
"""The settings of each stage. What is written about a paper comes last, so that no stage asks about it again."""
COLUMNS: Final = "file,title,journal,year,citations,licence,category,language"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is asked.

    Attributes:
        items: How many items of text, the shortest ones; half of them, rounded up, are about the country, which their
            stems leave unsaid.
        max_tokens: Most tokens of a reply.
        context: Tokens of prompt and reply together.
        paper: Characters of the text that items are written about.
    """

    items: int
    max_tokens: int
    context: int
    paper: int = 500


def write_project(folder: Path, model: Path, sizes: Sizes, more: Mapping[str, str] = MappingProxyType({})) -> None:
    """Write a project folder with a build.toml, items of kmet-mini without rationales, and a model file.

    Args:
        folder: An empty folder.
        model: The model file, of a model that is served on this machine.
        sizes: How much is asked.
        more: Further settings of stages, as lines of the build.toml.
    """
    (folder / "images").mkdir()
    items = json.dumps(_items(sizes.items), ensure_ascii=False)
    (folder / "items.json").write_text(items, encoding="utf-8")
    (folder / "papers").mkdir()
    (folder / "papers" / "paper.txt").write_text(_paper()[: sizes.paper], encoding="utf-8")
    entry = "paper.txt,대기과학 문답,exambench,2025,0,CC-BY-4.0,대기과학,ko"
    (folder / "papers.csv").write_text(f"{COLUMNS}\n{entry}\n", encoding="utf-8")
    config: dict[str, Any] = tomllib.loads(model.read_text(encoding="utf-8"))
    config["decoding"] = config.get("decoding", {}) | {"max_tokens": sizes.max_tokens}
    config["endpoint"]["context"] = sizes.context
    (folder / "model.yaml").write_text(json.dumps(config), encoding="utf-8")
    head = f'name = "stages"\nseed = {SEED}\n\n[models]\nlocal = "model.yaml"\n'
    stages = (f'\n[[stages]]\nuse = "{use}"{lines}{more.get(use, "")}\n' for use, lines in STAGES.items())
    (folder / "build.toml").write_text(head + "".join(stages), encoding="utf-8")


def _entries() -> list[dict[str, Any]]:
    folder = find_definition("kmet-mini").folder
    entries: list[dict[str, Any]] = json.loads((folder / "kmet-mini.json").read_text(encoding="utf-8"))
    return entries


def _paper() -> str:
    """Return a text of our own about the subject: what experts said of items."""
    return "\n\n".join(entry["rationale"] for entry in _entries() if entry["rationale"] and not entry["multimodal"])


def _items(size: int) -> list[dict[str, Any]]:
    """Return the shortest items in K-MetBench's format; those about the country in their implicit wording."""
    entries = _entries()
    text = [entry | {"rationale": ""} for entry in entries if not entry["multimodal"]]
    about = [_implicit(entry) for entry in text if entry["korean"]]
    rest = [entry for entry in text if not entry["korean"]]
    half = size // 2
    return [*_shortest(about, size - half), *_shortest(rest, half)]


def _shortest(entries: Sequence[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    def length(entry: dict[str, Any]) -> int:
        return sum(len(part["text"]) for part in (entry["question"], *entry["choices"]))

    return sorted(entries, key=length)[:size]


def _implicit(entry: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in entry.items() if name != "question_implicit"}
    return kept | {"question": {"text": entry["question_implicit"], "image": ""}}
