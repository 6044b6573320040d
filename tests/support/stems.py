"""Exams with long stems, and models that remember them, do not know them, or will not say."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from pathlib import Path

from tests.support.chat_server import Call, Reply, completion

_KINDS = (
    "기압 바람 구름 강수 기온 습도 전선 고기압 저기압 해수면 등압선 대류 복사 응결 증발 상층 지표 관측소 위성 레이더"
)
WORDS = tuple(_KINDS.split())
REFUSAL = "죄송하지만 이어서 쓸 수 없습니다."


def stem(seed: str, words: int = 160) -> str:
    """Return a stem of so many words, drawn by lot: whoever has not seen it cannot continue it."""
    rng = random.Random(seed)
    return " ".join(f"{rng.choice(WORDS)}{rng.randrange(100)}" for _ in range(words))


def write_long_exam(folder: Path, name: str, size: int, source: str = "기상기사 2019년 1회") -> Path:
    """Write an exam whose stems are long, as a benchmark of its own, and return its ``benchmark.toml``."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = [
        {
            "id": number,
            "question": {"text": stem(f"{name} {number}"), "image": ""},
            "choices": [{"text": f"{number + step} hPa", "image": ""} for step in range(4)],
            "answer": number % 4 + 1,
            "part": number % 5 + 1,
            "multimodal": False,
            "korean": False,
            "rationale": "",
            "source": source if number % 2 else "예보사 2020년",
            "source_id": f"{number}번",
        }
        for number in range(1, size + 1)
    ]
    (folder / "exam.json").write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    path = folder / "benchmark.toml"
    path.write_text(f'extends = "kmetbench"\nname = "{name}"\ntitle = "{name}"\ndata = "exam.json"\n', encoding="utf-8")
    return path


def rests(name: str, size: int) -> Mapping[str, str]:
    """Return the rest of each stem by its first ten words."""
    stems = [stem(f"{name} {number}") for number in range(1, size + 1)]
    return {" ".join(text.split()[:10]): text for text in stems}


class Examinee:
    """A model that has read some stems: it continues these word for word, and others by lot.

    Args:
        known: What it has read, see :func:`rests`.
        only_hinted: Whether it remembers only when it is told the exam.
    """

    def __init__(self, known: Mapping[str, str], *, only_hinted: bool = False) -> None:
        self._known = known
        self._only_hinted = only_hinted

    def __call__(self, call: Call) -> Reply:
        """Continue the stem."""
        shown = call.prompt.partition("[문제의 첫머리]\n")[2].strip()
        text = self._known.get(" ".join(shown.split()[:10]), "")
        if text.startswith(shown) and (not self._only_hinted or "[출처]" in call.prompt):
            return completion(text[len(shown) :])
        return completion(stem(f"invented {shown}", 104))


def refuser(_call: Call) -> Reply:
    """Decline in words."""
    return completion(REFUSAL)


def exactness_judge(call: Call) -> Reply:
    """Give 100 to what is the original, 0 to all else; know a refusal when it sees one."""
    match = re.search(
        r"\[원문의 나머지\]\n(.*?)\n\n\[모델이 이어 쓴 글\]\n\[구획 \w+ 시작\]\n(.*)\n\[구획", call.prompt, re.DOTALL
    )
    assert match is not None
    original, written = match[1].strip(), match[2].strip()
    refused = written == REFUSAL
    verdict = {
        "근거": "견주어 보았다.",
        "일치도": 100 if original == written else 0,
        "거절": int(refused),
        "지어냄": int(original != written and not refused),
    }
    return completion(json.dumps(verdict, ensure_ascii=False))
