"""Small exams in K-MetBench's format, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image


def entry(number: int, **changes: object) -> dict[str, Any]:
    """Return a sound text item whose stem tells its number and whose key is its number modulo four."""
    item: dict[str, Any] = {
        "id": number,
        "question": {"text": f"{number}번 관측소의 기압은?", "image": ""},
        "choices": [{"text": f"{1000 + number + step} hPa", "image": ""} for step in range(4)],
        "answer": number % 4 + 1,
        "part": number % 5 + 1,
        "multimodal": False,
        "korean": number % 7 == 0,
        "rationale": "",
    }
    return item | changes


def write_exam(folder: Path, size: int, *, pictures: int = 0) -> Path:
    """Write an exam of ``size`` items, the last ``pictures`` of which show a picture, and return its data file.

    The pictures lie in ``folder / "images"``.
    """
    entries = [entry(number) for number in range(1, size + 1)]
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for item in entries[size - pictures :]:
        name = f"chart-{item['id']}.png"
        Image.new("RGB", (40, 30), (item["id"] % 256, 80, 160)).save(folder / "images" / name)
        item["question"] = {"text": item["question"]["text"], "image": name}
        item["multimodal"] = True
    path = folder / "exam.json"
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return path
