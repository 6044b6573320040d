"""Every stage that asks a model about texts, built with a real model that is far too small for its task.

Most of what it says breaks rules, runs into the limit of tokens or is in the wrong language. None of that may end a
build, be taken for an answer, or be asked about without end.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Final

import pytest

from bench.stages_work import Sizes, write_project
from exambench.cli.building import build_project
from exambench.cli.exit_codes import ExitCode
from exambench.construct.building import State, states
from exambench.construct.project import read_project
from exambench.construct.records import Action, StageRecord
from exambench.construct.registry import STAGES
from exambench.construct.stage import AskingSettings
from tests.support.exams import entry
from tests.support.local_model import SMALL_MODEL, small_model

SIZES: Final = Sizes(items=1, max_tokens=12, context=2048, paper=60)
ASK_OTHERWISE: Final = {"formula", "distort"}
"""Stages that ask a model that sees, or an encoder."""

ASKED: Final = """key = "text"
system = "Answer with JSON: {{\\"{{{{key}}}}\\": \\"…\\"}}. {system}"
user = "{user}{{{{question}}}} {{{{choices}}}}"
again = "{{{{problems}}}}"
"""
ITEM: Final = entry(
    1,
    question={"text": "우리나라의 수도는?", "image": ""},
    choices=[{"text": name, "image": ""} for name in ("부산", "서울", "대구", "광주")],
    korean=True,
)
PASSAGE: Final = ("{{question}} {{choices}}", "{{passage}}")
PROMPTS: Final = {
    "label.toml": ASKED.format(system="Label by {{about}} as one of {{labels}}", user=""),
    "explicit.toml": ASKED.format(system="Name Korea.", user=""),
    "paraphrase.toml": ASKED.format(system="Paraphrase.", user=""),
    "critic.toml": ASKED.format(system="Remark.", user="{{instructions}} "),
    "enhancer.toml": ASKED.format(system="Rewrite.", user="{{instructions}} {{remarks}} "),
    "first.toml": ASKED.format(system="Write items.", user="{{category}} {{topics}} ").replace(*PASSAGE),
    "second.toml": ASKED.format(system="Write items.", user="{{category}} {{topics}} {{examples}} ").replace(*PASSAGE),
    "rationale.toml": """rationale_key = "why"
answer_key = "answer"
instructions = "Be short."
system = "{{instructions}} {\\"{{rationale_key}}\\": \\"…\\", \\"{{answer_key}}\\": \\"…\\"}"
user = "{{question}} {{choices}}"
""",
    "protocol.toml": """user = "{{question}} {{choices}}"
choice = "{{number}}. {{content}}"
answer = "{{answer}}"
strict = "dict-strict"
lenient = "dict-lenient"
""",
}
"""Short ones, as the item is: the model reads some hundred tokens a second, and takes three for a Korean syllable."""
SETTINGS: Final = {
    "label": 'prompt = "label.toml"',
    "explicit": 'prompt = "explicit.toml"',
    "paraphrase": 'prompt = "paraphrase.toml"',
    "rationale": 'prompt = "rationale.toml"\ncritic_prompt = "critic.toml"\nenhancer_prompt = "enhancer.toml"',
    "filter": 'protocol = "protocol.toml"',
    "generate": 'first_prompts = { ko = "first.toml" }\nsecond_prompts = { ko = "second.toml" }\nshortest = 20',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder that is built with the small model."""
    small_model()
    folder = tmp_path_factory.mktemp("project")
    write_project(folder, SMALL_MODEL, SIZES, SETTINGS)
    (folder / "items.json").write_text(json.dumps([ITEM], ensure_ascii=False), encoding="utf-8")
    for name, prompt in PROMPTS.items():
        head = "" if name == "protocol.toml" else f'name = "{name}"\n'
        (folder / name).write_text(head + prompt, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        assert build_project(folder, None) is ExitCode.COMPLETE
    return folder


def records(folder: Path) -> list[StageRecord]:
    """Return the records of the stages, all of which are done."""
    found = states(read_project(folder))
    assert {each.state for each in found} == {State.CURRENT}
    return [each.record for each in found if each.record is not None]


def responses(folder: Path) -> int:
    """Return how many responses the store holds."""
    with sqlite3.connect(folder / "build.db") as store:
        return int(store.execute("SELECT count(*) FROM responses").fetchone()[0])


def test_every_stage_that_asks_about_texts_is_built(folder: Path) -> None:
    """A new kind of stage that asks a model has to be added to the project of ``python -m bench stages``."""
    asking = {use for use, kind in STAGES.items() if issubclass(kind.settings, AskingSettings)} - ASK_OTHERWISE
    assert {record.use for record in records(folder)} == asking | {"read", "collect"}


def test_what_a_model_cannot_do_is_left_to_people_with_reasons(folder: Path) -> None:
    """Each item of each stage is as it was, changed, dropped or waiting; each that waits says why."""
    for record in records(folder):
        assert record.n_out == record.n_in + record.count(Action.ADDED) - record.count(Action.DROPPED)
        assert all(change.reason for change in record.changes)
    waiting = {record.use for record in records(folder) if record.count(Action.REVIEW)}
    assert {"label", "explicit", "paraphrase", "rationale", "generate"} <= waiting


def test_every_response_is_stored_and_counted(folder: Path) -> None:
    """At most three tries for a text, and what the records rest on is what the store holds."""
    asked = {record.use: record.spending.requests for record in records(folder)}
    assert sum(asked.values()) == responses(folder)
    assert {use for use, requests in asked.items() if requests == 0} == {"read", "collect"}
    assert asked["paraphrase"] <= 3 * SIZES.items


def test_nothing_is_asked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the output of every stage gone, the same build comes from the store: the weights are not even looked for."""
    before, asked = records(folder), responses(folder)
    shutil.rmtree(folder / "stages")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/no-cache")
    assert build_project(folder, None) is ExitCode.COMPLETE
    assert records(folder) == before
    assert responses(folder) == asked
