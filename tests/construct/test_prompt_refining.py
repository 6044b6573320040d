"""The loop of critic and enhancer: its versions, its bounds, and what a model's failure does to it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from exambench.cli.exit_codes import ExitCode
from exambench.construct.drafting import read_draft_prompt
from tests.construct.projects import build, outcome, record, write_project
from tests.support.chat_server import Call, Reply, Script, completion, serve, status
from tests.support.exams import entry

STAGE = '[[stages]]\nuse = "rationale"\nsize = 2\nrounds = 2\ncritic = "critic"\nenhancer = "enhancer"\n'
FIRST = read_draft_prompt().instructions


def user_of(call: Call) -> str:
    """Return what a chat is about."""
    return str(call.body["messages"][1]["content"])


def says(key: str, text: str) -> Reply:
    """Reply with one text."""
    return completion(json.dumps({key: text}, ensure_ascii=False))


def writer(call: Call) -> Reply:
    """Be right at once."""
    match = re.search(r"(\d+)번 관측소", user_of(call))
    assert match is not None
    return completion(json.dumps({"rationale": "풀이", "answer": str(int(match[1]) % 4 + 1)}, ensure_ascii=False))


def critic(call: Call) -> Reply:
    """Remark on the instructions that ship, and on no others."""
    return says("remarks", "단위를 밝힌다" if FIRST in user_of(call) else "")


def refined(folder: Path, critic_says: Script, enhancer_says: Script) -> tuple[ExitCode, list[int], list[str]]:
    """Build; return the exit code, how often critic and enhancer were asked, and what the writer was told."""
    with serve(writer) as first, serve(critic_says) as second, serve(enhancer_says) as third:
        models = {"writer": first, "critic": second, "enhancer": third}
        write_project(folder, [entry(1), entry(2)], STAGE, models)
        code = build(folder)
        told = [str(call.body["messages"][0]["content"]) for call in first.calls]
        return code, [len(second.calls), len(third.calls)], told


def versions(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """Return the versions of the prompt, and why there are no more."""
    facts = outcome(folder, "rationale")[0].facts
    return facts["prompt_versions"], facts["prompt_ended"]


def test_the_critic_is_heard_and_every_version_is_kept(tmp_path: Path) -> None:
    """One rewriting, then nothing to remark; the writer gets the second version."""
    _, calls, told = refined(tmp_path, critic, lambda _: says("instructions", "둘째 지침"))
    found, ended = versions(tmp_path)
    assert [each["instructions"] for each in found] == [FIRST, "둘째 지침"]
    assert [each["remarks"] for each in found] == ["단위를 밝힌다", ""]
    assert (calls, ended) == ([2, 1], "the critic has no more remarks")
    assert len(told) == 2
    assert all("둘째 지침" in each and FIRST not in each for each in told)


def test_rounds_are_bounded(tmp_path: Path) -> None:
    """A critic that is never content is asked twice; of the third version it says nothing."""
    never = iter(range(9))
    _, calls, _ = refined(
        tmp_path, lambda _: says("remarks", "더"), lambda _: says("instructions", f"다른 지침 {next(never)}")
    )
    found, ended = versions(tmp_path)
    assert (calls, ended) == ([2, 2], "the rounds are over")
    assert [each["instructions"] for each in found] == [FIRST, "다른 지침 0", "다른 지침 1"]
    assert [each["remarks"] for each in found] == ["더", "더", None]


def test_an_enhancer_that_changes_nothing_ends_it(tmp_path: Path) -> None:
    """There is one version, with the remarks."""
    _, calls, _ = refined(tmp_path, critic, lambda _: says("instructions", FIRST))
    found, ended = versions(tmp_path)
    assert (calls, ended, len(found)) == ([1, 1], "the enhancer changed nothing", 1)


def test_a_critic_that_cannot_be_read_is_not_content(tmp_path: Path) -> None:
    """It is asked three times; the instructions stay, and the record says why."""
    _, calls, told = refined(tmp_path, lambda _: completion("음…"), lambda _: says("instructions", "둘째 지침"))
    found, ended = versions(tmp_path)
    assert (calls, ended) == ([3, 0], "the critic said nothing that can be used")
    assert (found[0]["remarks"], all(FIRST in each for each in told)) == (None, True)


def test_empty_instructions_are_asked_for_again_and_never_used(tmp_path: Path) -> None:
    """Three tries, then the last version that there was."""
    _, calls, told = refined(tmp_path, critic, lambda _: says("instructions", " "))
    _, ended = versions(tmp_path)
    assert (calls, ended) == ([1, 3], "the enhancer gave no usable text")
    assert all(FIRST in each for each in told)


def test_instructions_that_repeat_the_example_are_never_used(tmp_path: Path) -> None:
    """A small model gives back the item that it was shown; a stretch of 20 characters of it tells."""
    stem = "1번 관측소에서 기온이 20 도인 공기덩이를 1 km 들어 올리면 몇 도가 되는가?"
    said = [f"1. {stem}", "기온이 20도인 공기덩이를 1 km 들어 올리면 몇 도인지 푸십시오.", "계산 과정을 쓰십시오."]
    with (
        serve(writer) as first,
        serve(critic) as second,
        serve(lambda call: says("instructions", said[min(call.number, 2)])) as third,
    ):
        entries = [entry(1, question={"text": stem, "image": ""})]
        write_project(tmp_path, entries, STAGE, {"writer": first, "critic": second, "enhancer": third})
        assert build(tmp_path) is ExitCode.COMPLETE
        complaint = third.calls[1].prompt
    assert "The instructions repeat the example" in complaint
    assert [each["instructions"] for each in versions(tmp_path)[0]] == [FIRST, said[2]]


def test_a_failed_request_is_no_remark(tmp_path: Path) -> None:
    """The stage is not done, and the writer is not asked with instructions that are still open."""
    code, calls, told = refined(tmp_path, critic, lambda _: status(500))
    assert (code, calls, told) == (ExitCode.INCOMPLETE, [1, 1], [])
    assert record(tmp_path, "rationale") is None
