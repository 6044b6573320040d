"""Models whose behaviour is known, for exams of :mod:`tests.support.exams`: what each probe must find is known too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from tests.support.chat_server import Call, Reply, completion
from tests.support.exams import write_exam

CUE = "정도"
_NUMBER = re.compile(r"(\d+)번 관측소")
_CHOICE = re.compile(r"^(\S+)\. (\d+) hPa(.*)$", re.MULTILINE)
SIZE, PICTURES = 24, 12


def write_cued_exam(folder: Path) -> Path:
    """Write an exam of 24 items, the last 12 with a picture, whose right choices have a word that the others lack."""
    path = write_exam(folder, SIZE, pictures=PICTURES)
    entries = json.loads(path.read_text(encoding="utf-8"))
    for entry in entries:
        entry["choices"][entry["answer"] - 1]["text"] += f" {CUE}"
        entry["question_implicit"] = f"우리나라 {entry['question']['text']}"
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return path


def number_in(call: Call) -> int | None:
    """Return the number of the item that a call asks about; ``None`` where the question is hidden."""
    match = _NUMBER.search(call.prompt)
    return int(match[1]) if match else None


def has_picture(call: Call) -> bool:
    """Tell whether the last message shows a picture."""
    return isinstance(call.body["messages"][-1]["content"], list)


def _solve(call: Call) -> str:
    """Find the right pressure among the choices, in whatever order and under whatever labels; else mark the first."""
    number = number_in(call)
    right = "" if number is None else str(1000 + number + number % 4)
    return next((label for label, value, _ in _CHOICE.findall(call.prompt) if value == right), "1")


def _remember(call: Call) -> str:
    """Know the place of the right choice in the exam as it was written, and look at no choice."""
    number = number_in(call)
    return "1" if number is None else str(number % 4 + 1)


def _see(call: Call) -> str:
    """Solve, but items with a picture only if the picture is there."""
    number = number_in(call)
    needs_picture = number is not None and number > SIZE - PICTURES
    return "1" if needs_picture and not has_picture(call) else _solve(call)


def _follow_cue(call: Call) -> str:
    """Mark the choice that is worded unlike the others, and read no question."""
    return next((label for label, _, rest in _CHOICE.findall(call.prompt) if CUE in rest), "1")


def _like_first(_: Call) -> str:
    return "1"


def _need_a_reason(call: Call) -> str:
    """Answer only where the choices differ."""
    values = {value for _, value, _ in _CHOICE.findall(call.prompt)}
    return _solve(call) if len(values) > 1 else "모두 같다"


def _need_a_country(call: Call) -> str:
    """Solve, but "our country" only if the prompt says which that is."""
    said = "대한민국의 기상 전문가" in call.body["messages"][0]["content"]
    return "1" if "우리나라" in call.prompt and not said else _solve(call)


EXAMINEES: Mapping[str, Callable[[Call], str]] = MappingProxyType(
    {
        "solver": _solve,
        "memory": _remember,
        "seer": _see,
        "cue": _follow_cue,
        "first": _like_first,
        "reasoner": _need_a_reason,
        "foreigner": _need_a_country,
    }
)


def examinees(call: Call) -> Reply:
    """Answer as the model that is asked does, in the form of the protocol."""
    label = EXAMINEES[call.body["model"]](call)
    answer: int | str = int(label) if label.isdecimal() else label
    return completion(json.dumps({"정답": answer}, ensure_ascii=False))
