"""Projects that write items about sample papers, and a model of known habits that writes them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.construct.projects import write_models
from tests.support.chat_server import Call, ChatServer, Reply, completion

SAMPLE = Path(__file__).parents[1] / "data" / "papers"
COLLECT = '[[stages]]\nuse = "collect"\npapers = "papers.csv"\nshortest = 300\n{collect}\n'
GENERATE = '\n[[stages]]\nuse = "generate"\nshortest = 150\n{generate}\n'
TASKS = ("summarization", "short_answer", "multiple_choice", "multiple_select", "true_false")
WORDS = {
    "ko": (
        "이 단락은 관측과 시험의 결과를 차례로 견주어 보인다.",
        "서로 이어지는 두 변화에서 알 수 있는 것은 무엇인가?",
    ),
    "en": ("Several findings are compared, one after the other.", "What follows from both changes taken together?"),
}
"""A summary and a question in each language."""
CHOICES = {
    "ko": ["a) 첫째 결과가 커진다", "b) 둘째 결과가 작아진다", "c) 아무 변화가 생기지 않는다", "d) 둘의 차례가 바뀐다"],
    "en": [
        "a) The first one grows",
        "b) The second one shrinks",
        "c) Nothing changes at all",
        "d) Their order is reversed",
    ],
}


def write_papers(
    folder: Path,
    server: ChatServer,
    *,
    papers: Iterable[str] = ("sea-breeze", "paddy", "marsh", "queue"),
    collect: str = "",
    generate: str = "",
    more: str = "",
) -> None:
    """Write a project of some of the sample papers, which asks a server."""
    chosen = set(papers)
    (folder / "papers").mkdir(exist_ok=True)
    header, *rows = (SAMPLE / "papers.csv").read_text(encoding="utf-8").splitlines()
    listed = [row for row in rows if row.split(",")[0] in chosen]
    (folder / "papers.csv").write_text("\n".join([header, *listed]) + "\n", encoding="utf-8")
    for row in listed:
        shutil.copy(SAMPLE / row.split(",")[1], folder / "papers")
    roles = write_models(folder, {"writer": server})
    stages = COLLECT.format(collect=collect) + GENERATE.format(generate=generate)
    (folder / "build.toml").write_text(f'name = "papers"\nseed = 7\n\n{roles}\n{stages}\n{more}', encoding="utf-8")


def paragraph_of(call: Call) -> str:
    """Return the paragraph that a chat is about."""
    return re.split(r"\[(?:Paragraph|문단)\]\n", str(call.body["messages"][1]["content"]))[-1].strip()


def examples_of(call: Call) -> str | None:
    """Return the examples that a chat shows; ``None`` in the first round."""
    found = re.search(
        r"\[(?:Examples|예시 문항)\]\n(.*?)\n\n\[(?:Paragraph|문단)\]",
        str(call.body["messages"][1]["content"]),
        re.DOTALL,
    )
    return None if found is None else found[1]


def tries_of(call: Call) -> int:
    """Return which try a chat is, from 1."""
    return int(call.body["seed"]) - 41


def language_of(call: Call) -> str:
    """Return the language that a chat is about."""
    return "ko" if re.search("[가-힣]", paragraph_of(call)) else "en"


def objects(call: Call, **changes: Mapping[str, object]) -> list[dict[str, Any]]:
    """Return five drafts that keep every rule, but for changes of some tasks.

    The short answer is the longest word of the paragraph, and the statement is true where its length is even.
    """
    language = language_of(call)
    summary, question = WORDS[language]
    asked = {"question": question, "topic": "change"} | ({} if examples_of(call) is None else {"reasoning": "A, so B."})
    text = paragraph_of(call)
    longest = max(
        re.findall(r"[가-힣]{3,}" if language == "ko" else r"[A-Za-z]{5,}", text), key=lambda word: (len(word), word)
    )
    found: dict[str, dict[str, Any]] = {
        "summarization": {"answer": summary},
        "short_answer": asked | {"answer": longest},
        "multiple_choice": asked | {"choices": CHOICES[language], "answer": "a"},
        "multiple_select": asked | {"choices": CHOICES[language], "answer": ["a", "d"]},
        "true_false": asked | {"question": question.rstrip("?"), "answer": "true" if len(text) % 2 == 0 else "false"},
    }
    return [{"task": task} | found[task] | dict(changes.get(task, {})) for task in TASKS]


def said(drafts: Iterable[Mapping[str, object]]) -> Reply:
    """Reply with drafts in the form that the prompt asks for."""
    return completion("\n".join(json.dumps(draft, ensure_ascii=False) for draft in drafts))


def writer(call: Call) -> Reply:
    """Keep every rule at once."""
    return said(objects(call))
