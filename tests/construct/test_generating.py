"""Items about papers: two rounds, rules, what is asked again, what is left for people, what a further paper asks."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from exambench.cli.exit_codes import ExitCode
from exambench.cli.proposals import decide, write_proposals
from exambench.construct.building import output_of, states
from exambench.construct.decisions import Decision, decisions_as_text
from exambench.construct.draft_rules import Rules
from exambench.construct.generation_facts import RIGHT
from exambench.construct.mended import Mended
from exambench.construct.mentions import read_wordbook
from exambench.construct.project import read_project
from exambench.construct.records import Action
from exambench.construct.rounds import Round, Written, drawn_examples, gathered, read_prompts
from exambench.construct.topics import Topics
from exambench.construct.written_drafts import Drafted, Task
from exambench.errors import ConfigError, DataError
from exambench.items import EXPLICIT, BooleanKey, ChoiceKey, ChoiceSetKey, Content, Item, TextKey, Wording
from exambench.report.building import RecordRendering
from tests.construct.generation import (
    TASKS,
    examples_of,
    language_of,
    objects,
    paragraph_of,
    said,
    tries_of,
    write_papers,
    writer,
)
from tests.construct.projects import build, details, outcome, record
from tests.support.chat_server import Call, ChatServer, Reply, completion, hang_up, invalid_json, serve, status


@pytest.fixture(name="built", scope="module")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, ChatServer]]:
    """A project of all sample papers that is built once, for tests that change nothing in it."""
    folder = tmp_path_factory.mktemp("papers")
    with serve(writer) as server:
        write_papers(folder, server)
        assert build(folder) is ExitCode.COMPLETE
        yield folder, server


def of_round(server: ChatServer, *, second: bool) -> list[Call]:
    """Return the requests of a round."""
    return [call for call in server.calls if (examples_of(call) is not None) is second]


def test_each_paragraph_gets_an_item_of_each_task(built: tuple[Path, ChatServer]) -> None:
    """4 papers of 4 paragraphs, 5 tasks: 80 items, which take the papers' places; two requests for each paragraph."""
    folder, server = built
    found, items = outcome(folder, "generate")
    assert len(items) == 80
    assert len(server.calls) == found.spending.requests == 32
    assert found.count(Action.ADDED) == 80
    assert found.count(Action.DROPPED) == 4
    assert list(items)[:6] == [*(f"sea-breeze-1-{task}" for task in TASKS), "sea-breeze-2-summarization"]
    assert set(found.spending.prompts) == {
        f"generate-{which}-{language}" for which in Round for language in ("en", "ko")
    }


def test_an_item_has_passage_key_facets_reasoning_and_source(built: tuple[Path, ChatServer]) -> None:
    """Of each kind of key one; a summary has no stem, and says that it needs its passage."""
    _, items = outcome(built[0], "generate")
    choice = items["paddy-2-multiple_choice"]
    assert choice.key == ChoiceKey(1)
    assert choice.wording().choices[0].text == "첫째 결과가 커진다"
    assert items["paddy-2-multiple_select"].key == ChoiceSetKey(frozenset({1, 4}))
    assert isinstance(items["paddy-2-true_false"].key, BooleanKey)
    assert choice.facets == {
        "task": "multiple_choice",
        "category": "Earth & Life Sciences",
        "topic": "change",
        "paragraph": "paddy-2",
        "paper": "paddy",
        "language": "ko",
    }
    assert choice.rationale == "A, so B."
    assert "CC-BY-4.0" in choice.source
    answer = items["paddy-2-short_answer"].key
    assert isinstance(answer, TextKey)
    assert answer.text in choice.passage
    summary = items["paddy-2-summarization"]
    assert not summary.wording().question.text
    assert summary.needs_passage
    assert summary.passage == choice.passage


def test_each_language_has_its_own_prompts(built: tuple[Path, ChatServer]) -> None:
    """Korean paragraphs are asked about in Korean."""
    for call in built[1].calls:
        system = str(call.body["messages"][0]["content"])
        assert bool(re.search("[가-힣]{2}", system)) is (language_of(call) == "ko")


def test_the_second_round_shows_two_outputs_of_the_first(built: tuple[Path, ChatServer]) -> None:
    """In the same language and of another paper; the record names them, and what the first round had asked."""
    folder, server = built
    found, items = outcome(folder, "generate")
    added = details(found, Action.ADDED)
    for name, item in items.items():
        examples = added[name]["examples"]
        assert len(set(examples)) == 2
        papers = {str(example).rpartition("-")[0] for example in examples}
        assert item.facets["paper"] not in papers
        languages = {items[f"{example}-short_answer"].facets["language"] for example in examples}
        assert languages == {item.facets["language"]}
    before = str(added["marsh-1-multiple_choice"]["first round"])
    assert "question: What follows from both changes taken together?\nchoices: a) The first one grows  b)" in before
    shown = [examples_of(call) or "" for call in of_round(server, second=True)]
    assert all(text.count("[short_answer]") == 2 for text in shown)
    assert not any("[summarization]" in text for text in shown)


def test_right_answers_are_counted_for_their_balance(built: tuple[Path, ChatServer]) -> None:
    """All 16 right choices are a; chance is a quarter. Wilson's interval of 16 of 16: (.8064, 1) (R: prop.test)."""
    facts = outcome(built[0], "generate")[0].facts
    rows = {(row["task"], row["answer"]): row for row in facts["right_answers"]}
    assert len(rows) == sum(map(len, RIGHT.values()))
    first = rows["multiple_choice", "a"]
    assert (first["items"], first["of"], first["share"], first["balanced"]) == (16, 16, 1.0, 0.25)
    assert first["low"] == pytest.approx(0.8064, abs=5e-5)
    assert rows["multiple_select", "d"]["balanced"] == 0.5
    truths = [rows["true_false", name]["items"] for name in ("true", "false")]
    assert sum(truths) == 16
    assert [facts[name] for name in ("papers", "paragraphs", "first_round_whole", "left_to_people")] == [4, 16, 16, 0]


def test_building_again_asks_nothing(built: tuple[Path, ChatServer]) -> None:
    """Nor does a build from nothing but the store of responses."""
    folder, server = built
    before = len(server.calls)
    assert build(folder) is ExitCode.COMPLETE
    (folder / "stages" / "generate" / "record.json").unlink()
    assert build(folder) is ExitCode.COMPLETE
    assert len(server.calls) == before


BROKEN: dict[str, dict[str, object]] = {
    "short_answer": {"answer": "존재하지 않는 낱말"},
    "multiple_choice": {"answer": "e"},
    "true_false": {"question": "본 연구는 옳다."},
}


def stubborn(call: Call) -> Reply:
    """Break three rules in the first try of each paragraph and one in the second; of the last one always."""
    if "언제 말렸는가" in paragraph_of(call):
        return said(objects(call, short_answer=BROKEN["short_answer"]))
    if tries_of(call) == 1:
        return said(objects(call, **BROKEN))
    return said(objects(call, true_false=BROKEN["true_false"]) if tries_of(call) == 2 else objects(call))


def test_a_draft_that_breaks_a_rule_is_asked_for_again_and_then_left_for_people(tmp_path: Path) -> None:
    """Three tries in all; each task keeps its first sound draft, and the complaint names task, rule and words."""
    with serve(stubborn) as server:
        write_papers(tmp_path, server, papers=["paddy"])
        assert build(tmp_path) is ExitCode.COMPLETE
        complaint = next(call.prompt for call in server.calls if tries_of(call) == 2)
    tries = Counter(paragraph_of(call) for call in server.calls)
    assert set(tries.values()) == {6}
    assert "- short_answer: The answer does not stand in the paragraph: 존재하지 않는 낱말." in complaint
    assert "- true_false: The question refers to the text that it was written from: 본 연구." in complaint
    found, items = outcome(tmp_path, "generate")
    waiting = details(found, Action.REVIEW)
    assert waiting.keys() == {"paddy-4-short_answer"}
    assert waiting["paddy-4-short_answer"]["answer"] == ["존재하지 않는 낱말"]
    assert len(items) == 19
    assert "paddy-4-multiple_choice" in items
    rows = {row["task"]: row for row in found.facts["tasks"]}
    assert rows["short_answer"] == {
        "task": "short_answer",
        "first_round": 3,
        "items": 3,
        "in_one_try": 0,
        "broken": 1,
        "mended": 0,
    }
    assert {name: row["in_one_try"] for name, row in rows.items()} == {
        "summarization": 4,
        "short_answer": 0,
        "multiple_choice": 1,
        "multiple_select": 4,
        "true_false": 1,
    }
    added = details(found, Action.ADDED)
    assert [added[f"paddy-1-{task}"]["tries"] for task in TASKS] == [1, 2, 2, 1, 3]


def test_a_record_shows_that_a_draft_lacks_something(tmp_path: Path) -> None:
    """A dash stands where the model wrote nothing, and headers are words."""
    with serve(lambda _: completion("no")) as server:
        write_papers(tmp_path, server, papers=["queue"], generate="window = 1.0")
        build(tmp_path)
    shown = RecordRendering().markdown(outcome(tmp_path, "generate")[0])
    assert "question –, choices –, answer –, topic –, reasoning –, passage" in shown
    assert "in one try" in shown


def fruitless(call: Call) -> Reply:
    """Break a rule of every task but the summary, in every try."""
    drafts = objects(
        call,
        short_answer={"answer": "a volcano"},
        multiple_choice={"answer": "e"},
        multiple_select={"answer": ["a"]},
        true_false={"question": "Does this study matter?"},
    )
    return said(drafts)


MENDED: dict[str, dict[str, str]] = {
    "short_answer": {"answer": "noon", "decision": "Accepted"},
    "multiple_choice": {"answer": "3", "decision": "accepted"},
    "multiple_select": {"answer": "1, 4", "question": "What follows?", "decision": "accepted"},
    "true_false": {"decision": "rejected"},
}


def sheet_of(folder: Path, name: str) -> list[dict[str, str]]:
    """Take a sheet of drafts out."""
    write_proposals(folder, "generate", folder / name)
    return list(csv.DictReader(io.StringIO((folder / name).read_text(encoding="utf-8-sig"))))


def bring_back(folder: Path, rows: list[dict[str, str]]) -> str:
    """Bring a filled-in sheet back."""
    with (folder / "filled.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return "\n".join(decide(folder, "generate", folder / "filled.csv", folder / "mended.json"))


def test_people_mend_drafts_that_broke_a_rule(tmp_path: Path) -> None:
    """Three of four become items as they stand on the sheet, one is rejected; nothing is asked again."""
    with serve(fruitless) as server:
        write_papers(tmp_path, server, papers=["queue"], generate="window = 1.0")
        build(tmp_path)
        rows = sheet_of(tmp_path, "first.csv")
        asked = len(server.calls)
        for row in rows:
            row.update(MENDED[row["task"]])
        told = bring_back(tmp_path, rows)
        write_papers(tmp_path, server, papers=["queue"], generate='window = 1.0\ndecisions = "mended.json"')
        build(tmp_path)
        assert len(server.calls) == asked
    assert told.endswith("3 accepted, 1 rejected, 0 open.")
    assert rows[0]["problems"] == "The answer does not stand in the paragraph: a volcano."
    assert rows[0]["passage"].startswith("A reading room")
    found, items = outcome(tmp_path, "generate")
    assert items["queue-1-short_answer"].key == TextKey("noon")
    assert items["queue-1-multiple_choice"].key == ChoiceKey(3)
    assert items["queue-1-multiple_select"].key == ChoiceSetKey(frozenset({1, 4}))
    assert items["queue-1-multiple_select"].wording().question.text == "What follows?"
    assert "queue-1-true_false" not in items
    facts = found.facts
    assert [facts[f"{name}_people"] for name in ("left_to", "mended_by", "rejected_by")] == [0, 3, 1]
    again = {row["task"]: (row["answer"], row["decision"]) for row in sheet_of(tmp_path, "second.csv")}
    assert again["multiple_choice"] == ("3", "accepted")
    assert again["true_false"][1] == "rejected"


@pytest.mark.parametrize(
    ("task", "changes", "problem"),
    [
        ("multiple_choice", {}, "does not name one choice"),
        ("multiple_select", {"answer": "1, 2, 3, 4"}, "does not name 2 to 3 choices"),
        ("multiple_choice", {"answer": "1", "choices": "1. a\n2. a\n3. b\n4. c"}, "not 4 that differ"),
        ("multiple_choice", {"answer": "1", "choices": "a\nb\nc\nd"}, "not 4 that differ"),
        ("short_answer", {"choices": "1. a\n2. b"}, "no place for any"),
        ("short_answer", {"answer": ""}, "is missing"),
        ("short_answer", {"topic": ""}, "is missing"),
        ("true_false", {"answer": "perhaps"}, "neither true nor false"),
        ("true_false", {"draft version": "v0"}, "take a new one"),
    ],
)
def test_a_mended_draft_has_to_be_an_item(
    fruitless_project: Path, task: str, changes: dict[str, str], problem: str
) -> None:
    """What people accept needs its parts; whether it keeps the rules of form is theirs to judge."""
    folder = fruitless_project
    rows = list(csv.DictReader(io.StringIO((folder / "sheet.csv").read_text(encoding="utf-8-sig"))))
    for row in rows:
        if row["task"] == task:
            row.update({"decision": "accepted", **changes})
    with pytest.raises(DataError, match=problem):
        bring_back(folder, rows)
    assert not (folder / "mended.json").exists()


@pytest.fixture(name="fruitless_project", scope="module")
def _fruitless_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a sheet of four drafts that broke a rule."""
    folder = tmp_path_factory.mktemp("fruitless")
    with serve(fruitless) as server:
        write_papers(folder, server, papers=["queue"], generate="window = 1.0")
        build(folder)
    sheet_of(folder, "sheet.csv")
    return folder


def test_a_decision_does_not_hold_for_another_draft(tmp_path: Path, fruitless_project: Path) -> None:
    """The draft waits again; a decision about another task is none about this one."""
    folder = copytree(fruitless_project, tmp_path / "copy")
    path = folder / "mended.json"
    mended = Mended(decision=Decision.REJECTED, seen="0", task=Task.TRUE_FALSE)
    path.write_text(decisions_as_text({"queue-1-true_false": mended}), encoding="utf-8")
    text = (folder / "build.toml").read_text(encoding="utf-8")
    own = 'window = 1.0\ndecisions = "mended.json"'
    (folder / "build.toml").write_text(text.replace("window = 1.0", own), encoding="utf-8")
    assert build(folder) is ExitCode.COMPLETE
    assert outcome(folder, "generate")[0].facts["left_to_people"] == 4


@pytest.mark.parametrize(
    "reply",
    [
        completion("네, 알겠습니다."),
        completion(None, refusal="no"),
        completion('{"task": "short_answer", "question": "무엇', finish_reason="length"),
        completion("[" * 5000),
        completion('{"task": "essay", "question": "?"}'),
        completion("가" * 70_000),
        completion('{"task": "true_false", "question": "It is full\u202e.", "answer": true, "topic": "x"}'),
    ],
    ids=["prose", "refusal", "cut short", "nested", "other tasks", "endless", "controls"],
)
def test_what_says_nothing_usable_is_left_for_people_after_three_tries(tmp_path: Path, reply: Reply) -> None:
    """Nothing is an error; the second round is asked without examples, since there are none."""
    with serve(lambda _: reply) as server:
        write_papers(tmp_path, server, papers=["queue"], generate="window = 1.0")
        assert build(tmp_path) is ExitCode.COMPLETE
        assert len(server.calls) == 6
        assert [examples_of(call) for call in server.calls] == [None] * 3 + ["–"] * 3
    found, items = outcome(tmp_path, "generate")
    assert not items
    assert found.count(Action.REVIEW) == 5
    assert found.facts["without_two_examples"] == 1


@pytest.mark.parametrize("failure", [status(500), invalid_json(), hang_up()], ids=["500", "json", "cut"])
def test_what_fails_ends_the_build_and_the_next_asks_only_the_rest(tmp_path: Path, failure: Reply) -> None:
    """A failed request is never an answer: of three paragraphs one has none, and is asked for again alone."""
    broken = [True]

    def script(call: Call) -> Reply:
        return failure if broken[0] and "A weir was closed" in paragraph_of(call) else writer(call)

    with serve(script) as server:
        write_papers(tmp_path, server, papers=["marsh"], generate="window = 0.4\noverlap = 0.0")
        assert build(tmp_path) is ExitCode.INCOMPLETE
        assert record(tmp_path, "generate") is None
        asked = len(server.calls)
        broken[0] = False
        assert build(tmp_path) is ExitCode.COMPLETE
        again = [paragraph_of(call) for call in server.calls[asked:] if examples_of(call) is None]
    assert asked == 3
    assert ["A weir was closed" in paragraph for paragraph in again] == [True]


def test_a_budget_stops_the_stage_and_raising_it_asks_nothing_twice(tmp_path: Path) -> None:
    """Of 4 requests 1, then 3, then all; every one of them is new."""
    with serve(writer) as server:
        for budget, code in ((1, ExitCode.INCOMPLETE), (3, ExitCode.INCOMPLETE), (4, ExitCode.COMPLETE)):
            settings = f"window = 0.5\noverlap = 0.0\nmax_requests = {budget}"
            write_papers(tmp_path, server, papers=["paddy"], generate=settings)
            assert build(tmp_path) is code
            assert len(server.calls) == budget
    assert len({call.raw for call in server.calls}) == 4


def test_a_paper_that_is_added_asks_about_itself_and_where_it_becomes_an_example(tmp_path: Path) -> None:
    """Two new paragraphs twice; of the old ones only the English paper's, whose examples had been its own."""
    with serve(writer) as server:
        halves = "window = 0.5\noverlap = 0.0"
        write_papers(tmp_path, server, papers=["paddy", "marsh"], generate=halves)
        build(tmp_path)
        old = {paragraph_of(call) for call in server.calls}
        before = len(server.calls)
        write_papers(tmp_path, server, papers=["paddy", "marsh", "queue"], generate=halves)
        assert build(tmp_path) is ExitCode.COMPLETE
        new = server.calls[before:]
    again = [call for call in new if paragraph_of(call) in old]
    assert len(new) - len(again) == 4
    assert len(again) == 2
    assert all(examples_of(call) is not None and language_of(call) == "en" for call in again)


def paragraphs(count: int, papers: int = 10) -> list[Item]:
    """Return paragraphs without text, so many of so many papers."""
    return [
        Item(
            f"p{number % papers}-{number // papers}",
            {EXPLICIT: Wording(Content())},
            TextKey(""),
            {"language": "ko", "paper": f"p{number % papers}", "category": "c"},
        )
        for number in range(count)
    ]


WHOLE = Written({task: Drafted(task) for task in Task}, {}, 1, dict.fromkeys(Task, 1))
BROKEN_ROUND = Written({}, {Task.TRUE_FALSE: (None, ("It is missing.",))}, 3, {})


def test_examples_hardly_change_when_a_paper_is_added() -> None:
    """Of 400 paragraphs, four more of one paper become an example of 2 each in the mean, at most of a few."""
    old, new = paragraphs(400, 100), paragraphs(404, 101)
    before = drawn_examples(old, dict.fromkeys((item.id for item in old), WHOLE), 7)
    after = drawn_examples(
        [*old, *(item for item in new if item.facets["paper"] == "p100")],
        dict.fromkeys((item.id for item in (*old, *new)), WHOLE),
        7,
    )
    changed = [name for name, examples in before.items() if after[name] != examples]
    assert 0 < len(changed) <= 12
    assert all(any(example.startswith("p100-") for example in after[name]) for name in changed)


def test_examples_depend_on_the_seed() -> None:
    """Another seed draws others."""
    found = paragraphs(40)
    whole = dict.fromkeys((item.id for item in found), WHOLE)
    assert drawn_examples(found, whole, 1) != drawn_examples(found, whole, 2)


def test_only_whole_outputs_are_examples_and_never_ones_own() -> None:
    """One paper alone has its own other paragraphs; one paragraph alone has none."""
    found = paragraphs(4, 1)
    first = {item.id: WHOLE if item.id != "p0-1" else BROKEN_ROUND for item in found}
    drawn = drawn_examples(found, first, 1)
    assert all(name not in examples for name, examples in drawn.items())
    assert not any("p0-1" in examples for examples in drawn.values())
    assert drawn_examples(found[:1], first, 1) == {"p0-0": ()}


def test_a_topic_list_is_shown_and_held_to(tmp_path: Path) -> None:
    """With what a category and its topics are about; a topic that is none of the list is asked for again."""
    (tmp_path / "topics.toml").write_text(
        '[categories."Business Studies"]\nabout = "how services run"\n[categories."Business Studies".topics]\n'
        'Change = "what became different"\nQueues = ""\n',
        encoding="utf-8",
    )

    def script(call: Call) -> Reply:
        return said(objects(call, true_false={"topic": "Weather"} if tries_of(call) == 1 else {}))

    with serve(script) as server:
        settings = 'topics = "topics.toml"\nwindow = 1.0'
        write_papers(tmp_path, server, papers=["queue"], generate=settings)
        assert build(tmp_path) is ExitCode.COMPLETE
        asked = str(server.calls[0].body["messages"][1]["content"])
        assert "[Category]\nBusiness Studies: how services run\n" in asked
        assert "- Change: what became different\n- Queues\n" in asked
        assert "- true_false: The topic is none of the list." in server.calls[1].prompt
        items = outcome(tmp_path, "generate")[1]
        assert {item.facets.get("topic", "Change") for item in items.values()} == {"Change"}
        write_papers(tmp_path, server, papers=["queue"], generate=f"{settings}\nother_topics = true")
        build(tmp_path)
    found, items = outcome(tmp_path, "generate")
    assert items["queue-1-true_false"].facets["topic"] == "Weather"
    assert found.facts["other_topics"] == 1


def test_a_paper_that_is_too_short_or_in_another_language_is_left_for_people(tmp_path: Path) -> None:
    """It leaves the build with its reason, and nothing is asked about it; a prompt of one's own adds a language."""
    with serve(writer) as server:
        write_papers(tmp_path, server, papers=["queue", "marsh"], generate="window = 1.0")
        listed = (tmp_path / "papers.csv").read_text(encoding="utf-8")
        (tmp_path / "papers.csv").write_text(listed.replace("Sciences,en", "Sciences,de"), encoding="utf-8")
        (tmp_path / "papers" / "queue.txt").write_text("It is full at noon. " * 30, encoding="utf-8")
        text = (tmp_path / "build.toml").read_text(encoding="utf-8").replace("shortest = 150", "shortest = 900")
        (tmp_path / "build.toml").write_text(text, encoding="utf-8")
        assert build(tmp_path) is ExitCode.COMPLETE
        assert not server.calls
        found, items = outcome(tmp_path, "generate")
        assert {change.item: change.reason for change in found.changes if change.action is Action.REVIEW} == {
            "marsh": "there is no prompt in its language",
            "queue": "its text is shorter than the shortest paragraph",
        }
        assert not items
        for which in Round:
            prompt = Path(read_prompts.__code__.co_filename).with_name(f"generate_{which}_en.toml")
            (tmp_path / f"{which}.toml").write_bytes(prompt.read_bytes())
        own = 'first_prompts = { de = "first.toml" }\nsecond_prompts = { de = "second.toml" }\nwindow = 1.0\n'
        (tmp_path / "build.toml").write_text(text.replace("window = 1.0\n", own), encoding="utf-8")
        assert build(tmp_path) is ExitCode.COMPLETE
    assert len(outcome(tmp_path, "generate")[1]) == 5


def test_a_prompt_with_other_placeholders_is_refused() -> None:
    """The first round shows no examples."""
    second = Path(read_prompts.__code__.co_filename).with_name("generate_second_en.toml")
    with pytest.raises(ConfigError, match="placeholders"):
        read_prompts(Round.FIRST, {"en": second})


def test_items_of_other_stages_go_through_and_keep_their_names(tmp_path: Path, built: tuple[Path, ChatServer]) -> None:
    """Generating a second time from what came out finds no papers; a name that is taken is refused."""
    folder, _ = built
    path = copytree(folder, tmp_path / "copy") / "build.toml"
    path.write_text(
        path.read_text(encoding="utf-8") + '\n[[stages]]\nuse = "generate"\nname = "again"\n', encoding="utf-8"
    )
    assert build(tmp_path / "copy") is ExitCode.COMPLETE
    assert outcome(tmp_path / "copy", "again")[1] == outcome(folder, "generate")[1]
    twice = (
        path.read_text(encoding="utf-8")
        + '\n[[stages]]\nuse = "collect"\nname = "more"\npapers = "papers.csv"\nshortest = 300\n'
    )
    path.write_text(twice + '\n[[stages]]\nuse = "generate"\nname = "third"\nshortest = 150\n', encoding="utf-8")
    with pytest.raises(DataError, match="earlier stage"):
        build(tmp_path / "copy")


def test_the_first_sound_draft_of_each_task_is_kept_over_all_tries(built: tuple[Path, ChatServer]) -> None:
    """A task that a later try breaks keeps its earlier draft; one that is never sound has the last one."""
    step = next(each for each in states(read_project(built[0])) if each.step.name == "collect")
    assert step.record is not None
    paper = output_of(read_project(built[0]), step.step, step.record)[3]
    rules = Rules(paper.passage, "c", "en", Topics({}, {}), read_wordbook(), with_reasoning=False)
    sound = '{"task": "true_false", "question": "Rooms are full at noon.", "answer": true, "topic": "rooms"}'
    other = sound.replace("full", "empty")
    wrong = '{"task": "short_answer", "question": "What is it?", "answer": "a volcano", "topic": "rooms"}'
    found = gathered([None, f"{sound}\n{wrong}", f"{other}\n{wrong.replace('volcano', 'comet')}"], rules)
    assert found.kept[Task.TRUE_FALSE].question == "Rooms are full at noon."
    draft, problems = found.broken[Task.SHORT_ANSWER]
    assert draft is not None
    assert draft.text == "a comet"
    assert problems == ("The answer does not stand in the paragraph: a comet.",)
    assert found.broken[Task.SUMMARIZATION] == (None, ("It is missing, or its object is not closed.",))
    assert found.tries == 3
