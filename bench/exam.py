"""A made-up examination in K-MetBench's format, and the same questions as plain prompts.

The toolkit reads the exam; the other contenders, which know no such format, read the prompts. The questions have
about the length of real ones and all differ.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final

WORDS: Final = (
    "기압 기온 습도 바람 전선 저기압 고기압 단열 감률 이슬점 와도 발산 수렴 대류 복사 구름 강수 안정도 온위 상당온위 "
    "지균풍 경도풍 제트류 해풍 육풍 태풍 장마 황사 안개 뇌우 우박 서리 관측 고층 지상 일기도 등압선 등온선 기단 편서풍"
)
INSTRUCTION: Final = '다음 문제를 읽고 알맞은 보기를 하나 골라 {"정답": 번호} 형식으로만 답하시오.'
CHOICES: Final = 4
PARTS: Final = 5
SEED: Final = 42


def write_exam(items: int, exam: Path, prompts: Path) -> None:
    """Write ``items`` questions as an exam (a JSON array) and as prompts (JSON lines with id, prompt, answer)."""
    rng = random.Random(SEED)  # noqa: S311 - the same exam every time
    entries = [_item(number, rng) for number in range(1, items + 1)]
    exam.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    lines = [
        json.dumps({"id": number, "prompt": f"{INSTRUCTION}\n\n{question}\n{options}", "answer": str(answer)})
        for number, question, options, answer in map(_plain, entries)
    ]
    prompts.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _item(number: int, rng: random.Random) -> dict[str, object]:
    words = WORDS.split()
    question = f"{number}번. {' '.join(rng.choices(words, k=25))}에 대한 설명으로 옳은 것은?"
    return {
        "id": number,
        "question": {"text": question, "image": ""},
        "choices": [{"text": " ".join(rng.sample(words, k=6)), "image": ""} for _ in range(CHOICES)],
        "answer": rng.randint(1, CHOICES),
        "part": (number - 1) % PARTS + 1,
        "multimodal": False,
        "korean": False,
        "rationale": "",
    }


def _plain(entry: dict[str, object]) -> tuple[object, str, str, object]:
    question, choices = entry["question"], entry["choices"]
    assert isinstance(question, dict)  # noqa: S101 - made above
    assert isinstance(choices, list)  # noqa: S101 - made above
    options = "\n".join(f"{place}. {choice['text']}" for place, choice in enumerate(choices, start=1))
    return entry["id"], question["text"], options, entry["answer"]
