"""Stems in other words: what is accepted, what is asked again, what goes to people."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from exambench.cli.exit_codes import ExitCode
from exambench.construct.decisions import read_decisions
from exambench.construct.records import Action
from exambench.construct.texts import LONGEST_REPLY
from exambench.errors import ConfigError
from tests.construct.projects import build, details, outcome, record, write_project
from tests.support.chat_server import Call, ChatServer, Reply, completion, serve, status
from tests.support.exams import entry

STAGE = '[[stages]]\nuse = "paraphrase"\nmodel = "writer"\n{more}\n'
NEW = "{number}번 관측소에서 관측된 기압은 얼마인가?"


def number_of(call: Call) -> int:
    """Return the number of the item that a chat is about."""
    match = re.search(r"(\d+)번 관측소의 기압은", str(call.body["messages"][1]["content"]))
    assert match is not None
    return int(match[1])


def said(text: str) -> Reply:
    """Reply in the form that the prompt asks for."""
    return completion(json.dumps({"question": text}, ensure_ascii=False))


def writer(call: Call) -> Reply:
    """Rewrite 1; lose the number of 2 once; negate 3 always; say nothing useful of 4; refuse 5; leave 6."""
    number, again = number_of(call), len(call.body["messages"]) > 2
    match number:
        case 2 if not again:
            return said("관측소에서 관측된 기압은?")
        case 3:
            return said("3번 관측소의 기압이 아닌 것은?")
        case 4:
            return completion("네, 알겠습니다.")
        case 5:
            return completion(None, refusal="no")
        case 6:
            return said("6번 관측소의 기압은?")
    return said(NEW.format(number=number))


def write(folder: Path, server: ChatServer, more: str = "", size: int = 6) -> None:
    """Write a project that rewrites."""
    entries = [entry(number) for number in range(1, size + 1)]
    write_project(folder, entries, STAGE.format(more=more), {"writer": server})


def test_a_rewriting_is_checked_asked_again_and_left_to_people(tmp_path: Path) -> None:
    """Items 1 and 2 are rewritten, 3 to 5 go to people as they were, 6 is left as it is; tries 1, 2, 3, 3, 3, 1."""
    with serve(writer) as server:
        write(tmp_path, server)
        assert build(tmp_path) is ExitCode.COMPLETE
        tries = [number_of(call) for call in server.calls]
        complaint = next(call.prompt for call in server.calls if len(call.body["messages"]) == 4)
    found, items = outcome(tmp_path, "paraphrase")
    assert [tries.count(number) for number in range(1, 7)] == [1, 2, 3, 3, 3, 1]
    assert "Numbers are missing: 2." in complaint
    assert items["2"].wording().question.text == NEW.format(number=2)
    assert items["2"].wording("original").question.text == "2번 관측소의 기압은?"
    assert items["3"].wording().question.text == "3번 관측소의 기압은?"
    assert set(items["6"].wordings) == {"explicit"}
    waiting = details(found, Action.REVIEW)
    assert waiting.keys() == {"3", "4", "5"}
    assert waiting["3"]["proposed"] == "3번 관측소의 기압이 아닌 것은?"
    assert waiting["3"]["problems"] == ["Negation or direction was changed: 아닌."]
    assert waiting["4"]["proposed"] is None


def test_the_edit_share_is_reported(tmp_path: Path) -> None:
    """2 of 6 stems were edited; how much by difflib, which is asked here as well."""
    with serve(writer) as server:
        write(tmp_path, server)
        build(tmp_path)
    facts = outcome(tmp_path, "paraphrase")[0].facts
    edits = [
        1 - SequenceMatcher(None, f"{number}번 관측소의 기압은?", NEW.format(number=number)).ratio()
        for number in (1, 2)
    ]
    assert (facts["asked"], facts["edited"], facts["left_to_people"]) == (6, 2, 3)
    assert facts["edited_share"] == pytest.approx(2 / 6)
    assert facts["mean_edit_of_edited"] == pytest.approx(sum(edits) / 2)


def test_a_failed_request_leaves_the_stage_undone(tmp_path: Path) -> None:
    """The next build asks that one again, and no other."""
    failing: Callable[[Call], Reply] = lambda call: status(500) if number_of(call) == 2 else writer(call)  # noqa: E731 - a script
    with serve(failing) as server:
        write(tmp_path, server, size=2)
        assert build(tmp_path) is ExitCode.INCOMPLETE
        assert record(tmp_path, "paraphrase") is None
        asked = len(server.calls)
        server.script = writer
        assert build(tmp_path) is ExitCode.COMPLETE
        assert {number_of(call) for call in server.calls[asked:]} == {2}


def test_a_glossary_of_the_project_counts(tmp_path: Path) -> None:
    """A term that it lists may not be replaced; a change of the file is a change of the stage."""
    with serve(lambda call: said(f"{number_of(call)}번 측소의 기압은?")) as server:
        write(tmp_path, server, 'glossary = "glossary.toml"', size=1)
        (tmp_path / "glossary.toml").write_text('terms = ["기압"]\n', encoding="utf-8")
        build(tmp_path)
        assert not details(outcome(tmp_path, "paraphrase")[0], Action.REVIEW)
        (tmp_path / "glossary.toml").write_text('terms = ["관측소"]\n', encoding="utf-8")
        build(tmp_path)
    waiting = details(outcome(tmp_path, "paraphrase")[0], Action.REVIEW)
    assert waiting["1"]["problems"] == ["Terms are missing: 관측소."]


def test_a_prompt_of_the_project_is_checked(tmp_path: Path) -> None:
    """A template without the stem asks nothing; it is refused before the first request."""
    (tmp_path / "prompt.toml").write_text(
        'name = "p"\nkey = "q"\nsystem = "{{key}}"\nuser = "{{choices}}"\nagain = "{{problems}}"\n', encoding="utf-8"
    )
    with serve(writer) as server:
        write(tmp_path, server, 'prompt = "prompt.toml"')
        with pytest.raises(ConfigError, match=r"field user.*allowed: each of choices, question"):
            build(tmp_path)
        assert not server.calls


def test_a_text_with_controls_is_asked_for_again_and_never_used(tmp_path: Path) -> None:
    """Nothing that a terminal obeys or that reorders a line comes into an exam from a model."""

    def hostile(call: Call) -> Reply:
        return said(NEW.format(number=number_of(call)) + "\x1b[31m\u202e")

    with serve(hostile) as server:
        write(tmp_path, server, size=1)
        build(tmp_path)
        assert len(server.calls) == 3
    found, items = outcome(tmp_path, "paraphrase")
    assert items["1"].wording().question.text == "1번 관측소의 기압은?"
    assert details(found, Action.REVIEW)["1"]["problems"] == [
        "The text has characters that no text has: '\\x1b\\u202e'."
    ]


def test_decomposed_hangul_is_composed(tmp_path: Path) -> None:
    """A model may write syllables in their parts; the rules and the exam know whole ones."""

    def decomposed(call: Call) -> Reply:
        return said(unicodedata.normalize("NFD", NEW.format(number=number_of(call))))

    with serve(decomposed) as server:
        write(tmp_path, server, size=1)
        build(tmp_path)
        assert len(server.calls) == 1
    assert outcome(tmp_path, "paraphrase")[1]["1"].wording().question.text == NEW.format(number=1)


def test_an_endless_reply_is_no_text(tmp_path: Path) -> None:
    """Every reply is read whenever it is asked what is due, so that none may take long."""

    def endless(call: Call) -> Reply:
        return completion("{" * LONGEST_REPLY + json.dumps({"question": NEW.format(number=number_of(call))}))

    with serve(endless) as server:
        write(tmp_path, server, size=1)
        build(tmp_path)
    assert details(outcome(tmp_path, "paraphrase")[0], Action.REVIEW)["1"]["proposed"] is None


@pytest.mark.parametrize("sign", ["\\u001b", "\\ud800"])
def test_a_decision_brings_no_controls_into_an_exam(tmp_path: Path, sign: str) -> None:
    """Nor what no store holds: the file of decisions may have been written by hand."""
    path = tmp_path / "decisions.json"
    path.write_text(f'{{"1": {{"decision": "accepted", "stem": "x", "question": "a{sign}"}}}}', encoding="utf-8")
    with pytest.raises(ConfigError, match="characters that no text has"):
        read_decisions(path)
