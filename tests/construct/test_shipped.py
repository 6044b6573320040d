"""What comes with the toolkit and shapes a stage's result is in the stage's fingerprint, and nothing else is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from exambench.construct import filtering, paraphrasing
from exambench.construct.building import State, states
from exambench.construct.project import read_project
from exambench.construct.registry import STAGES
from tests.construct.projects import build, write_project
from tests.support.chat_server import always, completion, serve
from tests.support.exams import entry

FOLDER: Final = Path(filtering.__file__).parent
NAMES: Final = {hashlib.sha256(path.read_bytes()).hexdigest(): path.name for path in FOLDER.glob("*.toml")}
MODEL: Final = {"model": "m"}
LABEL: Final = {"facet": "topic", "about": "what it is about", "models": ["m"]}
LEXICONS: Final = {"opposites.toml", "terms.toml"}
WRITING: Final = {
    "generate_first_en.toml",
    "generate_first_ko.toml",
    "generate_second_en.toml",
    "generate_second_ko.toml",
    "self_references.toml",
}
USED: Final[list[tuple[str, Mapping[str, object], set[str]]]] = [
    ("collect", {"papers": "papers.csv"}, {"licences.toml"}),
    ("collect", {"papers": "papers.csv", "known_licences": "mine.toml"}, set()),
    ("generate", {}, WRITING),
    ("generate", {"first_prompts": {"ko": "mine.toml"}}, WRITING - {"generate_first_ko.toml"}),
    ("generate", {"references": "mine.toml"}, WRITING - {"self_references.toml"}),
    ("ingest", {"paper": "exam.pdf"}, set()),
    ("read", {"data": "items.json"}, set()),
    ("shuffle", {}, set()),
    ("dedup", {}, {"opposites.toml"}),
    ("dedup", {"opposites": "mine.toml"}, set()),
    ("formula", MODEL, {"formula.toml", "latex.toml"}),
    ("formula", MODEL | {"latex": "mine.toml"}, {"formula.toml"}),
    ("paraphrase", MODEL, {"paraphrase.toml", *LEXICONS}),
    ("paraphrase", MODEL | {"prompt": "mine.toml", "opposites": "mine.toml"}, {"terms.toml"}),
    ("label", LABEL | {"kind": "yes-no"}, {"label.toml"}),
    ("label", LABEL | {"kind": "open"}, {"label_open.toml"}),
    ("label", LABEL | {"kind": "open", "prompt": "mine.toml"}, set()),
    ("explicit", MODEL, {"explicit.toml", "explicit_choices.toml", "country.toml", *LEXICONS}),
    ("explicit", MODEL | {"prompt": "mine.toml", "country": "mine.toml"}, {"explicit_choices.toml", *LEXICONS}),
    ("explicit", MODEL | {"choices_prompt": "mine.toml"}, {"explicit.toml", "country.toml", *LEXICONS}),
    ("filter", {"models": ["m"]}, {"another", "another "}),
    ("filter", {"models": ["m"], "protocol": "mine.toml"}, {"another"}),
    ("rationale", {"size": 1}, {"rationale.toml"}),
    (
        "rationale",
        {"size": 1, "critic": "m", "enhancer": "m"},
        {"rationale.toml", "rationale_critic.toml", "rationale_enhancer.toml"},
    ),
    (
        "rationale",
        {"size": 1, "critic": "m", "enhancer": "m", "enhancer_prompt": "mine.toml"},
        {"rationale.toml", "rationale_critic.toml"},
    ),
    ("distort", {"before": "read"}, set()),
]
NO_STAGE: Final = {"translation.toml"}
"""Of ``exambench build translate``."""

STAGES_THAT_ASK: Final = """
[[stages]]
use = "label"
facet = "hard"
kind = "yes-no"
about = "what it is about"
models = ["m"]

[[stages]]
use = "paraphrase"
model = "m"
"""


def shipped(use: str, settings: Mapping[str, object]) -> list[str]:
    """Return the names of the files of the toolkit that a stage of a kind depends on, and how much else."""
    kind = STAGES[use]
    digests = kind.shipped(kind.settings.model_validate(settings), Path())
    return [NAMES.get(digest, "another") for digest in digests]


@pytest.mark.parametrize(("use", "settings", "names"), USED)
def test_a_stage_depends_on_what_it_uses(use: str, settings: Mapping[str, object], names: set[str]) -> None:
    """A file of one's own takes the place of the one that ships; a filter uses parsers, and perhaps a protocol."""
    assert sorted(shipped(use, settings)) == sorted(name.strip() for name in names)


def test_each_file_that_ships_is_of_a_stage() -> None:
    """A new prompt or lexicon has to be named by the kind of stage that uses it: its field ``shipped``."""
    assert set(NAMES.values()) - NO_STAGE == {name for _, _, names in USED for name in names if "." in name}


def test_another_prompt_makes_its_stage_stale_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an upgrade of the toolkit; the stage before it stays, and the next build brings it up to date."""
    with serve(always(completion('{"label": "yes", "question": ""}'))) as server:
        write_project(tmp_path, [entry(1)], STAGES_THAT_ASK, {"m": server})
        build(tmp_path)
        assert state_of_stages(tmp_path) == [State.CURRENT] * 3
        copy = tmp_path / "paraphrase.toml"
        copy.write_text("# another one\n" + paraphrasing.PROMPT.read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.setattr(paraphrasing, "PROMPT", copy)
        assert state_of_stages(tmp_path) == [State.CURRENT, State.CURRENT, State.STALE]
        build(tmp_path)
        assert state_of_stages(tmp_path) == [State.CURRENT] * 3


def state_of_stages(folder: Path) -> list[State]:
    """Return the states of a project's stages."""
    return [each.state for each in states(read_project(folder))]
