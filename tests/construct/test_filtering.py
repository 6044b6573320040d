"""The adversarial cascade: who is asked what, what leaves the pool, and what a failure or a budget does to it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from exambench.asking.tasks import TaskPlan
from exambench.cli.exit_codes import ExitCode
from exambench.construct import filtering
from exambench.construct.building import State, states
from exambench.construct.filtering import FilterSettings
from exambench.construct.inquiries import Answers, Budget
from exambench.construct.project import read_project
from exambench.construct.records import Action
from exambench.construct.stage import Context
from exambench.errors import ConfigError
from exambench.exchange import Response
from exambench.items import EXPLICIT, Content, Item, TextKey, Wording
from exambench.models import ModelConfig
from exambench.report.building import RecordRendering
from tests.construct.projects import build, details, outcome, record, write_project
from tests.support.chat_server import Call, ChatServer, Reply, completion, html, reasoning_only, serve, status
from tests.support.exams import entry, write_exam

SIZE = 6
FILTER = '[[stages]]\nuse = "filter"\nmodels = {roles}\n{more}\n'


def number_of(call: Call) -> int:
    """Return the number of the item that a call is about."""
    match = re.search(r"(\d+)번 관측소", call.prompt)
    assert match is not None
    return int(match[1])


def answer(choice: int) -> Reply:
    """Answer in the form that the headline protocol asks for."""
    return completion(json.dumps({"정답": choice}, ensure_ascii=False))


def knows(*numbers: int, odd: Mapping[int, Reply] | None = None) -> Callable[[Call], Reply]:
    """Answer some items correctly, some in a way of their own, and the others wrongly."""

    def script(call: Call) -> Reply:
        number = number_of(call)
        right = number % 4 + 1
        return (odd or {}).get(number) or answer(right if number in numbers else right % 4 + 1)

    return script


def asked(server: ChatServer) -> list[int]:
    """Return the numbers of the items that were asked, in order."""
    return sorted(number_of(call) for call in server.calls)


@pytest.fixture(name="servers")
def _servers() -> Iterator[tuple[ChatServer, ChatServer]]:
    """A weak model that knows items 1 and 2, and a strong one that knows 1, 2, 3."""
    with serve(knows(1, 2)) as weak, serve(knows(1, 2, 3)) as strong:
        yield weak, strong


def write(folder: Path, servers: tuple[ChatServer, ChatServer], roles: str, more: str = "") -> None:
    """Write a project of six items with a cascade."""
    entries = [entry(number) for number in range(1, SIZE + 1)]
    weak, strong = servers
    write_project(folder, entries, FILTER.format(roles=roles, more=more), {"weak": weak, "strong": strong})


BOTH = '["weak", "strong"]'


def state_of(folder: Path, stage: str) -> State:
    """Return whether a stage is current."""
    return next(each.state for each in states(read_project(folder)) if each.step.name == stage)


def test_what_a_model_answers_correctly_leaves_the_pool(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """6 → 4 after the weak one, → 3 after the strong one, which is asked about the four alone."""
    write(tmp_path, servers, BOTH)
    assert build(tmp_path) is ExitCode.COMPLETE
    found, items = outcome(tmp_path, "filter")
    assert list(items) == ["4", "5", "6"]
    numbers = [[row[name] for name in ("stage", "in", "solved", "out")] for row in found.facts["retention"]]
    assert numbers == [[1, 6, 2, 4], [2, 4, 1, 3]]
    assert [asked(server) for server in servers] == [[1, 2, 3, 4, 5, 6], [3, 4, 5, 6]]
    assert details(found, Action.DROPPED)["3"] == {"stage": 2, "model": "strong-model", "right": 1, "trials": 1}


def test_the_record_shows_the_retention_table(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """A fact that is a table is shown as one."""
    write(tmp_path, servers, '["weak"]')
    build(tmp_path)
    page = RecordRendering().markdown(outcome(tmp_path, "filter")[0])
    assert re.search(r"\| 1 +\| weak-model +\| +6 \| +0 \| +2 \| +0 \| +0 \| +4 \|", page)


def test_a_detail_takes_no_column_of_the_record(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """The place of a model in the cascade is called stage too, and stands beside the stage's name."""
    write(tmp_path, servers, BOTH)
    build(tmp_path)
    rows = list(csv.DictReader(io.StringIO(RecordRendering().as_csv(outcome(tmp_path, "filter")[0]))))
    assert {(row["stage"], row["item"], row["detail stage"]) for row in rows} == {
        ("filter", "1", "1"),
        ("filter", "2", "1"),
        ("filter", "3", "2"),
    }


def test_a_baseline_is_no_model_of_a_project(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """It picks choices and reads no prompt; the error names file and role."""
    write(tmp_path, servers, BOTH)
    path = tmp_path / "build.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("weak.yaml", "baseline/random"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"build\.toml, field models\.weak: a baseline answers no prompt"):
        build(tmp_path)


def test_spending_is_that_of_the_responses(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """10 responses of 11 + 7 tokens, 25 millionths each; the prompt by its digest."""
    write(tmp_path, servers, BOTH)
    build(tmp_path)
    spending = outcome(tmp_path, "filter")[0].spending
    assert (spending.requests, spending.input_tokens, spending.output_tokens) == (10, 110, 70)
    assert spending.cost == pytest.approx(10 * 25e-6)
    assert spending.models == ("weak-model", "strong-model")
    assert all(len(value) == 64 for value in spending.prompts.values())


def test_a_further_model_asks_nobody_again(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """The cascade of one becomes a cascade of two: the first one's responses are in the store."""
    write(tmp_path, servers, '["weak"]')
    build(tmp_path)
    write(tmp_path, servers, BOTH)
    build(tmp_path)
    assert [len(server.calls) for server in servers] == [6, 4]
    assert list(outcome(tmp_path, "filter")[1]) == ["4", "5", "6"]


def test_a_build_tells_which_stages_were_done_before(
    tmp_path: Path, servers: tuple[ChatServer, ChatServer], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing has changed for the stage that reads; the filter has one model more."""
    write(tmp_path, servers, '["weak"]')
    build(tmp_path)
    assert "as before" not in capsys.readouterr().err
    write(tmp_path, servers, BOTH)
    build(tmp_path)
    told = capsys.readouterr().err
    assert "read: 0 items in, 6 out, as before." in told
    assert "filter: 6 items in, 3 out." in told


def test_another_order_asks_only_what_is_new(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """The strong one first has to be asked about 1 and 2; the weak one has answered everything."""
    write(tmp_path, servers, BOTH)
    build(tmp_path)
    write(tmp_path, servers, '["strong", "weak"]')
    build(tmp_path)
    assert [len(server.calls) for server in servers] == [6, 6]
    assert [row["out"] for row in outcome(tmp_path, "filter")[0].facts["retention"]] == [3, 3]


def test_a_failed_request_is_no_wrong_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is recorded; the next build asks what failed, and only that."""
    with serve(knows(1, 2, odd={3: status(500), 4: html()})) as weak, serve(knows()) as strong:
        write(tmp_path, (weak, strong), BOTH)
        assert build(tmp_path) is ExitCode.INCOMPLETE
        assert record(tmp_path, "filter") is None
        assert "2 requests have no response, 2 of them failed" in capsys.readouterr().err
        assert not strong.calls
        weak.script = knows(1, 2, 3)
        before = len(weak.calls)
        assert build(tmp_path) is ExitCode.COMPLETE
        assert sorted(number_of(call) for call in weak.calls[before:]) == [3, 4]
    assert list(outcome(tmp_path, "filter")[1]) == ["4", "5", "6"]


def test_garbage_and_refusals_do_not_solve(tmp_path: Path) -> None:
    """They are responses: the item stays, and the table counts them."""
    odd = {1: completion("음…"), 2: completion(None, refusal="I can't"), 3: reasoning_only('{"정답": 4}')}
    with serve(knows(1, 2, 3, 4, odd=odd)) as weak:
        write(tmp_path, (weak, weak), '["weak"]')
        assert build(tmp_path) is ExitCode.COMPLETE
    found, items = outcome(tmp_path, "filter")
    assert list(items) == ["1", "2", "3", "5", "6"]
    (row,) = found.facts["retention"]
    assert (row["solved"], row["no answer read"], row["out"]) == (1, 3, 5)


def alternating(call: Call) -> Reply:
    """Know 1 always, 2 in every second trial (by the seed), nothing else."""
    number, right = number_of(call), number_of(call) % 4 + 1
    known = number == 1 or (number == 2 and call.body["seed"] % 2 == 1)
    return answer(right if known else right % 4 + 1)


@pytest.mark.parametrize(
    ("rule", "solved", "calls"),
    [
        # any: trial 1 of 6 items solves 1; trial 2 of the other 5 solves 2 (its seed is odd); trial 3 of 4.
        ("any", {"1": (1, 1), "2": (1, 2)}, 6 + 5 + 4),
        # all: only what was right so far is asked again.
        ("all", {"1": (3, 3)}, 6 + 1 + 1),
    ],
)
def test_trials_stop_where_they_can_decide_nothing(
    tmp_path: Path, rule: str, solved: dict[str, tuple[int, int]], calls: int
) -> None:
    """In at least one trial, or in all of them; the record counts the trials in which an item was asked about."""
    with serve(alternating) as weak:
        write(tmp_path, (weak, weak), '["weak"]', f'trials = 3\nsolved_in = "{rule}"')
        build(tmp_path)
        assert len(weak.calls) == calls
    found, items = outcome(tmp_path, "filter")
    assert list(items) == [str(number) for number in range(1, SIZE + 1) if str(number) not in solved]
    dropped = details(found, Action.DROPPED)
    assert {name: (each["right"], each["trials"]) for name, each in dropped.items()} == solved


def test_a_budget_of_requests_ends_the_asking(
    tmp_path: Path, servers: tuple[ChatServer, ChatServer], capsys: pytest.CaptureFixture[str]
) -> None:
    """Not one request more, in this build and the next; with a higher budget only the rest is asked."""
    weak, _ = servers
    write(tmp_path, servers, '["weak"]', "max_requests = 4")
    assert [build(tmp_path), build(tmp_path)] == [ExitCode.INCOMPLETE] * 2
    assert "the budget of the stage is used up, and 2 requests or more are due" in capsys.readouterr().err
    assert (len(weak.calls), record(tmp_path, "filter")) == (4, None)
    write(tmp_path, servers, '["weak"]', "max_requests = 6\nmax_cost = 1.0")
    assert build(tmp_path) is ExitCode.COMPLETE
    assert len(weak.calls) == 6


def test_a_budget_of_money_ends_the_asking(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """Two responses cost 50 millionths; what is in flight by then is still answered, at most two more here."""
    write(tmp_path, servers, '["weak"]', "max_cost = 0.00005")
    assert build(tmp_path) is ExitCode.INCOMPLETE
    assert 2 <= len(servers[0].calls) <= 4
    asked_before = len(servers[0].calls)
    build(tmp_path)
    assert len(servers[0].calls) == asked_before


def test_a_changed_model_file_is_asked_anew(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """Another address is another model."""
    weak, strong = servers
    write(tmp_path, servers, '["weak"]')
    build(tmp_path)
    write(tmp_path, (strong, strong), '["weak"]')
    build(tmp_path)
    assert (len(weak.calls), len(strong.calls)) == (6, 6)
    assert list(outcome(tmp_path, "filter")[1]) == ["4", "5", "6"]


def test_another_parser_reads_the_stored_responses_again(
    tmp_path: Path, servers: tuple[ChatServer, ChatServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an answer is depends on it; nobody is asked."""
    write(tmp_path, servers, '["weak"]')
    build(tmp_path)
    assert state_of(tmp_path, "filter") is State.CURRENT
    monkeypatch.setattr(filtering, "PARSER_VERSION", "another")
    assert state_of(tmp_path, "filter") is State.STALE
    build(tmp_path)
    assert (state_of(tmp_path, "filter"), len(servers[0].calls)) == (State.CURRENT, SIZE)


def test_a_benchmark_beside_the_project_is_found(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """Its path is relative to the project's folder; another text of its protocol is another question."""
    definition = 'extends = "kmetbench"\nname = "ours"\ntitle = "Ours"\nversion = "1"\nlicence = "x"\n'
    (tmp_path / "ours.toml").write_text(definition, encoding="utf-8")
    write(tmp_path, servers, '["weak"]', 'benchmark = "ours.toml"')
    assert build(tmp_path) is ExitCode.COMPLETE
    (tmp_path / "ours.toml").write_text(definition + 'headline = "standard"\n', encoding="utf-8")
    assert state_of(tmp_path, "filter") is State.STALE


def test_a_role_that_the_project_does_not_have_is_said(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """Before anything is read or asked."""
    write(tmp_path, servers, '["weak", "clever"]')
    with pytest.raises(
        ConfigError, match=r"asks a model that the project does not have.*clever.*allowed: weak, strong"
    ):
        build(tmp_path)


def test_a_limit_of_cost_needs_a_price(tmp_path: Path, servers: tuple[ChatServer, ChatServer]) -> None:
    """A limit that cannot be kept is refused before the first request."""
    write(tmp_path, servers, '["weak"]', "max_cost = 1.0")
    config = json.loads((tmp_path / "weak.yaml").read_text(encoding="utf-8"))
    del config["price"]
    (tmp_path / "weak.yaml").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ConfigError, match="the model file names no price"):
        build(tmp_path)
    assert not servers[0].calls


def test_items_with_pictures_stay_where_models_take_text_only(tmp_path: Path) -> None:
    """They are not asked, the table and the record say so, and nobody calls them unsolved."""
    write_exam(tmp_path, SIZE, pictures=1)
    entries = json.loads((tmp_path / "exam.json").read_text(encoding="utf-8"))
    with serve(knows(*range(1, SIZE + 1))) as weak:
        write_project(tmp_path, entries, FILTER.format(roles='["weak"]', more=""), {"weak": weak})
        build(tmp_path)
        assert asked(weak) == [1, 2, 3, 4, 5]
    found, items = outcome(tmp_path, "filter")
    assert list(items) == ["6"]
    assert found.facts["retention"][0]["not asked"] == 1
    assert "text only" in details(found, Action.NOTED)["6"]["not_asked"]["weak-model"]


FREE = """
user = "{{question}}"
choice = ""
answer = "{{answer}}"
strict = "boxed-free"
lenient = "boxed-free"
"""


def test_free_answers_are_solved_where_a_rule_can_tell(tmp_path: Path) -> None:
    """1 in another notation is right; 2 is another number; of 3, a phrase, only a judge could tell."""
    said = {1: "1,012.0 hPa", 2: "900 hPa", 3: "대기가 안정하다"}
    keys = {1: "1012 hPa", 2: "1012 hPa", 3: "안정"}
    (tmp_path / "free.toml").write_text(FREE, encoding="utf-8")
    items = tuple(Item(str(n), {EXPLICIT: Wording(Content(f"{n}번 관측소"))}, TextKey(key)) for n, key in keys.items())

    def ask(plan: TaskPlan, _: Budget) -> Answers:
        replies = {each.place: (Response(rf"\boxed{{{said[int(each.item_id)]}}}", "stop"),) for each in plan.asks}
        return Answers(plan, replies)

    model = ModelConfig.model_validate({"name": "m", "endpoint": {"base_url": "http://127.0.0.1:9/v1"}})
    context = Context(tmp_path, tmp_path, 7, {"m": model}, ask=ask)
    found = filtering.filter_items(items, FilterSettings(models=("m",), protocol="free.toml"), context)
    assert [each.id for each in found.items] == ["2", "3"]
    (row,) = found.facts["retention"]
    assert (row["not asked"], row["solved"], row["undecided"]) == (0, 1, 1)
    assert [change.item for change in found.changes if change.action is Action.NOTED] == ["3"]


def test_an_interrupt_keeps_what_was_answered(
    tmp_path: Path, servers: tuple[ChatServer, ChatServer], capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C at the third request: it is finished, the rest waits for the next build."""
    weak, _ = servers
    usual = weak.script

    def interrupting(call: Call) -> Reply:
        if call.number == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return usual(call)

    weak.script = interrupting
    write(tmp_path, servers, '["weak"]')
    assert build(tmp_path) is ExitCode.INCOMPLETE
    before = len(weak.calls)
    assert 3 <= before <= 4
    assert f"stopped, and {SIZE - before} requests have no response" in capsys.readouterr().err
    assert build(tmp_path) is ExitCode.COMPLETE
    assert len(weak.calls) == SIZE
