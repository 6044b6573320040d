"""The prefix probe from the command line: models of known behaviour get the verdict that they must."""

from __future__ import annotations

import csv
import io
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError
from tests.support.chat_server import Call, Reply, Script, completion, in_turn, serve, status
from tests.support.stems import Examinee, exactness_judge, refuser, rests, write_long_exam

SIZE, CONTROLS = 12, 8


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "140", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


@pytest.fixture(name="exams", scope="module")
def _exams(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An exam that models may know, and one that none does."""
    folder = tmp_path_factory.mktemp("exams")
    return write_long_exam(folder / "known", "known", SIZE), write_long_exam(folder / "own", "own", CONTROLS, "우리")


def probe(exams: tuple[Path, Path], store: Path, script: Script, *more: str | Path, judge: Script | None = None) -> Any:
    """Probe one model and return the report as JSON."""
    with ExitStack() as stack:
        server = stack.enter_context(serve(script))
        arguments: list[str | Path] = ["--benchmark", exams[0], "--control", exams[1], "--tokenizer", "words"]
        if judge is not None:
            arguments += ["--judge", f"judge@{stack.enter_context(serve(judge)).base_url}"]
        model = f"tester@{server.base_url}"
        done = exambench(
            "contamination",
            "prefix",
            "--model",
            model,
            *arguments,
            "--store",
            store,
            "--json",
            "--resamples",
            "50",
            *more,
        )
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout)


def mean(report: Any, measure: str, arm: str = "no hint", source: str = "all", items_of: str = "known") -> Any:
    """Return one mean of the report."""
    (found,) = [
        each
        for each in report["models"][0]["means"]
        if (each["measure"], each["arm"], each["source"], each["items_of"]) == (measure, arm, source, items_of)
    ]
    return found


def difference(report: Any, name: str, measure: str, arm: str | None = None) -> Any:
    """Return one difference over all items."""
    (found,) = [
        each
        for each in report["models"][0]["differences"]
        if (each["difference"], each["measure"], each["arm"], each["source"]) == (name, measure, arm, "all")
    ]
    return found


def test_a_model_that_has_memorised_the_stems_is_told(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """It writes the rest word for word: every measure is 1, the judge gives 100, and the control shows nothing."""
    report = probe(exams, tmp_path / "r.db", Examinee(rests("known", SIZE)), judge=exactness_judge)
    # What is written equals the original, so each exact measure is 1 by its definition.
    for measure in ("ROUGE-L F", "LCS ratio", "8-gram overlap", "exactness"):
        assert (mean(report, measure)["estimate"], mean(report, measure)["n"]) == (1.0, SIZE)
    assert mean(report, "refusal")["estimate"] == 0.0
    assert mean(report, "8-gram overlap", items_of="own")["estimate"] == 0.0
    gap = difference(report, "benchmark − control", "exactness", "no hint")
    assert (gap["estimate"], gap["n"]) == (1.0, SIZE + CONTROLS)
    assert report["models"][0]["conclusions"] == {
        "no hint": "closer to the original than on the control: a sign of memory"
    }


def test_a_model_that_never_saw_them_is_not_accused(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """It invents everywhere: no closer to the exam than to the control, and the judge sees inventions."""
    report = probe(exams, tmp_path / "r.db", Examinee({}), judge=exactness_judge)
    assert mean(report, "8-gram overlap")["estimate"] == 0.0
    assert (mean(report, "exactness")["estimate"], mean(report, "hallucination")["estimate"]) == (0.0, 1.0)
    assert report["models"][0]["conclusions"] == {
        "no hint": "no closer to the original than on the control: no sign of memory"
    }


def test_a_model_that_refuses_leaves_the_question_open(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """A refusal is no evidence of innocence."""
    report = probe(exams, tmp_path / "r.db", refuser, judge=exactness_judge)
    assert (mean(report, "refusal")["estimate"], mean(report, "exactness")["estimate"]) == (1.0, 0.0)
    assert report["models"][0]["conclusions"] == {"no hint": "most continuations are refused: this cannot tell"}


def test_refusals_that_the_endpoint_marks_are_settled_without_a_judge(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """The judge is asked nothing."""
    asked: list[Call] = []

    def judge(call: Call) -> Reply:
        asked.append(call)
        return exactness_judge(call)

    report = probe(exams, tmp_path / "r.db", lambda _: completion(None, refusal="no"), judge=judge)
    assert asked == []
    assert mean(report, "refusal")["estimate"] == 1.0
    assert report["models"][0]["conclusions"] == {"no hint": "most continuations are refused: this cannot tell"}


def test_a_hint_that_wakes_the_memory_shows_as_a_difference(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """It remembers only beside the exam's name: hint − no hint on the same items, by source as well."""
    report = probe(exams, tmp_path / "r.db", Examinee(rests("known", SIZE), only_hinted=True), "--hint")
    # 8-grams by lot: 0 without, 1 with the hint; the difference is 1 on each of the 12 items.
    effect = difference(report, "hint − no hint", "8-gram overlap")
    assert (effect["estimate"], effect["low"], effect["n"]) == (1.0, 1.0, SIZE)
    assert report["models"][0]["conclusions"] == {
        "no hint": "no closer to the original than on the control: no sign of memory",
        "hint": "closer to the original than on the control: a sign of memory",
    }
    assert mean(report, "ROUGE-L F", "hint", "기상기사")["n"] == SIZE // 2
    assert mean(report, "ROUGE-L F", "hint", "예보사")["n"] == SIZE // 2


def test_the_hint_names_exam_and_year_and_shows_no_more_of_the_stem(exams: tuple[Path, Path]) -> None:
    """35 % of 160 words are 56; the two arms differ in the hint alone."""
    with serve(refuser) as server:
        shown = exambench(
            *("contamination", "prefix", "--benchmark", exams[0], "--control", "none", "--tokenizer", "words"),
            *("--model", f"tester@{server.base_url}", "--hint", "--dry-run"),
        )
        assert server.calls == []
    (task,) = json.loads(shown.stdout)["tasks"]
    assert task["requests"] == 2 * SIZE
    prompt = task["first"][1]["parts"][0]["text"]
    assert len(prompt.partition("]\n")[2].split()) == 56
    assert "2019" not in prompt


def test_the_same_command_again_asks_nothing(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """Replies of model and judge are in the store; the report is the same, byte for byte."""
    calls: list[Call] = []
    known = Examinee(rests("known", SIZE))

    def counted(script: Script) -> Script:
        def reply(call: Call) -> Reply:
            calls.append(call)
            return script(call)

        return reply

    with serve(counted(known)) as server, serve(counted(exactness_judge)) as judge:
        arguments: list[str | Path] = [
            *("contamination", "prefix", "--benchmark", exams[0], "--control", exams[1], "--tokenizer", "words"),
            *("--model", f"tester@{server.base_url}", "--judge", f"judge@{judge.base_url}", "--resamples", "20"),
            *("--store", tmp_path / "r.db", "--json"),
        ]
        first = exambench(*arguments).stdout
        assert len(calls) == 2 * (SIZE + CONTROLS)
        assert exambench(*arguments).stdout == first
        assert len(calls) == 2 * (SIZE + CONTROLS)


def test_an_unreadable_verdict_is_asked_again_and_then_unjudged(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """Three tries an item, each with a seed of its own; unjudged continuations are in no mean of a verdict."""
    seeds: list[int] = []

    def mumbling(call: Call) -> Reply:
        seeds.append(call.body["seed"])
        return completion('{"일치도": 101, "거절": 0, "지어냄": 0}')

    report = probe(exams, tmp_path / "r.db", Examinee({}), judge=mumbling)
    assert sorted(seeds) == sorted([42, 43, 44] * (SIZE + CONTROLS))
    assert report["models"][0]["unjudged"] == SIZE + CONTROLS
    assert mean(report, "exactness") == mean(report, "exactness") | {"estimate": None, "n": 0}


def test_a_second_try_that_can_be_read_counts(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """The first reply of the judge is no verdict, all others are."""
    replies = in_turn(completion("모르겠습니다"))
    tries: list[int] = []

    def judge(call: Call) -> Reply:
        tries.append(call.number)
        return replies(call) if call.number == 0 else exactness_judge(call)

    report = probe(exams, tmp_path / "r.db", Examinee({}), judge=judge)
    assert len(tries) == SIZE + CONTROLS + 1
    assert (report["models"][0]["unjudged"], mean(report, "exactness")["n"]) == (0, SIZE)


def test_without_a_control_nothing_is_concluded(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """kmet-mini has no stem of more than 150 words: that is said, and no rate stands alone as a verdict."""
    with serve(Examinee(rests("known", SIZE))) as server:
        done = exambench(
            *("contamination", "prefix", "--benchmark", exams[0], "--tokenizer", "words", "--resamples", "20"),
            *("--model", f"tester@{server.base_url}", "--store", tmp_path / "r.db"),
        )
    assert "kmet-mini: 0 of 60 stems have more than 150 tokens (words between spaces)" in " ".join(done.stdout.split())
    assert "name another one with --control" in " ".join(done.stdout.split())
    assert "no control to compare with: this cannot tell" in done.stdout


def test_a_control_of_shorter_stems_may_be_taken(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """A limit that no stem of the control passes leaves none; one of its own does, and both are named."""
    longer = ("--min-tokens", "150", "--control-min-tokens")
    none = probe(exams, tmp_path / "r.db", refuser, *longer, "100000")
    assert none["control"] is None
    assert any("--control-min-tokens" in note for note in none["notes"])
    some = probe(exams, tmp_path / "r.db", refuser, *longer, "5")
    assert some["control"] == "own"
    assert any(f"own: {CONTROLS} of {CONTROLS} stems have more than 5 tokens" in note for note in some["notes"])


def test_every_form_has_the_same_figures(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """Terminal, Markdown and CSV show what JSON has."""
    with serve(Examinee(rests("known", SIZE))) as server:
        common: list[str | Path] = [
            *("contamination", "prefix", "--benchmark", exams[0], "--control", exams[1], "--tokenizer", "words"),
            *("--model", f"tester@{server.base_url}", "--store", tmp_path / "r.db", "--resamples", "20"),
        ]
        pages = [exambench(*common).stdout, exambench(*common, "--markdown").stdout]
        rows = list(csv.DictReader(io.StringIO(exambench(*common, "--csv").stdout)))
    for page in pages:
        assert "a sign of memory" in page
        assert "100.0" in page
    (row,) = [
        row
        for row in rows
        if (row["statistic"], row["items_of"], row["source"], row["measure"]) == ("mean", "known", "all", "ROUGE-L F")
    ]
    assert (row["estimate"], row["n"]) == ("1.0", str(SIZE))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--min-tokens", "160"), "no stem is long enough"),
        (("--tokenizer", "bpe"), "there is no such tokenizer"),
        (("--judge", "baseline/oracle"), "a baseline cannot read a chat"),
    ],
)
def test_what_cannot_be_probed_is_said_before_anything_is_asked(
    exams: tuple[Path, Path], tmp_path: Path, more: tuple[str, ...], told: str
) -> None:
    """Stems, tokenizer, judge."""
    common: list[str | Path] = ["contamination", "prefix", "--benchmark", exams[0], "--control", "none"]
    common += ["--tokenizer", "words", "--model", "tester@http://127.0.0.1:9/v1", "--store", tmp_path / "r.db"]
    with pytest.raises(ConfigError, match=told):
        exambench(*common, *more)
    assert not (tmp_path / "r.db").exists()


def mini(*more: str | Path) -> list[str | Path]:
    """Return the arguments that probe kmet-mini by its stems of more than 35 words."""
    common = ("contamination", "prefix", "--benchmark", "kmet-mini", "--control", "none", "--tokenizer", "words")
    return [*common, "--min-tokens", "35", "--resamples", "20", *more]


def test_the_stems_pictures_go_along(tmp_path: Path) -> None:
    """After the beginning of the text; a model that takes text alone is not asked about such stems, which is told."""
    seen: list[Any] = []

    def look(call: Call) -> Reply:
        seen.append(call.body["messages"][-1]["content"])
        return completion("모릅니다")

    with serve(look) as server:
        model, store = f"tester@{server.base_url}", tmp_path / "r.db"
        exambench(*mini("--model", model, "--vision", "--store", store))
        pictured = [content for content in seen if isinstance(content, list)]
        blind = exambench(*mini("--model", model, "--store", tmp_path / "blind.db", "--json"))
    assert pictured
    assert all([part["type"] for part in content][:2] == ["text", "image_url"] for content in pictured)
    (model_report,) = json.loads(blind.stdout)["models"]
    assert model_report["not_asked"] == len(pictured)
    assert model_report["continuations"] + model_report["not_asked"] == model_report["asked"]


def test_what_failed_is_asked_by_the_next_command_alone(exams: tuple[Path, Path], tmp_path: Path) -> None:
    """A fault of the endpoint is no continuation: exit code 1, what was answered is kept, the rest is asked again."""
    model = tmp_path / "model.toml"
    known = Examinee(rests("known", SIZE))
    with serve(lambda call: status(400) if call.number % 3 == 0 else known(call)) as server:
        model.write_text(f'name = "m"\n[endpoint]\nbase_url = "{server.base_url}"\n', encoding="utf-8")
        common: list[str | Path] = ["contamination", "prefix", "--benchmark", exams[0], "--control", "none", "--json"]
        common += ["--tokenizer", "words", "--model", model, "--store", tmp_path / "r.db", "--concurrency", "1"]
        first = exambench(*common)
        assert (first.exit_code, len(server.calls)) == (1, SIZE)
        assert json.loads(first.stdout)["models"][0]["continuations"] == SIZE - 4
        server.script = known
        second = exambench(*common)
        assert (second.exit_code, len(server.calls)) == (0, SIZE + 4)
    assert json.loads(second.stdout)["models"][0]["continuations"] == SIZE
