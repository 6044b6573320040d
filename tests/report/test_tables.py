"""What a ranking says in its four forms, by tables counted by hand."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from exambench.analysis.leaderboard import Ranking, ranking_on_common_items, rankings
from exambench.analysis.scores import RunScores
from exambench.report import tables
from exambench.stats.resampling import Bootstrap
from tests.support.runs import exam, item, run

DRAW = Bootstrap(resamples=100, seed=7, level=0.9)
FOUR = exam(item(1), item(2), item(3), item(4, picture=True), pass_mark=0.5)
HOSTILE = "[red]m[/red] :boom: \x1b[31m|*<b>\u202e"


def ranked(*runs: RunScores) -> tuple[Ranking, ...]:
    """Return rankings of runs on the same items."""
    return rankings(runs, DRAW)


def printed(found: tuple[Ranking, ...], width: int) -> str:
    """Return what a terminal without colours would show."""
    stream = io.StringIO()
    Console(file=stream, width=width, no_color=True).print(tables.terminal(found))
    return stream.getvalue()


def on_one_line(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def document(found: tuple[Ranking, ...]) -> dict[str, Any]:
    """Return the only ranking of the JSON document."""
    (only,) = json.loads(tables.as_json(found))
    assert isinstance(only, dict)
    return only


def records(found: tuple[Ranking, ...]) -> list[dict[str, str]]:
    """Return the records of the CSV form."""
    return list(csv.DictReader(io.StringIO(tables.as_csv(found))))


def test_a_ranking_on_a_terminal() -> None:
    """Both are right or wrong on all items, so every resample says the same: accuracy, interval, n, place."""
    lines = printed(ranked(run(FOUR, "++++", model="나"), run(FOUR, "----", model="b")), 100).splitlines()
    assert lines[0].startswith("시험 · advanced · wording explicit · all 4 items ─")
    start = lines.index("Accuracy in percent")
    assert [line.rstrip() for line in lines[start + 1 : start + 10]] == [
        "Model        rank  accuracy   korean  lenient",
        "─────────────────────────────────────────────",
        "나              1     100.0    100.0    100.0",
        "              1–1   100–100  100–100",
        "                        n=4      n=2",
        "b               2       0.0      0.0      0.0",
        "              2–2       0–0      0–0",
        "                        n=4      n=2",
        "blind guess            50.0     50.0",
    ]
    assert "Intervals: 90%, percentiles of 100 bootstrap resamples of the items, seed 7." in lines[start + 10]
    assert lines[-2] == "Pass mark 50 on these items: reached by 나."


def test_a_ranking_in_markdown() -> None:
    """The same cells, on one line each."""
    text = tables.markdown(ranked(run(FOUR, "++++", model="나")))
    assert text.startswith("## 시험 · advanced · wording explicit · all 4 items\n\n**Accuracy in percent**\n\n")
    assert "| Model | rank | accuracy | korean | lenient |\n| --- | ---: | ---: | ---: | ---: |\n" in text
    assert "\n| 나 | 1 | 100.0 100–100 n=4 | 100.0 100–100 n=2 | 100.0 |\n" in text
    assert "\n| blind guess |  | 50.0 | 50.0 |  |\n" in text


def test_only_what_happened_has_a_column() -> None:
    """Two of eight outcomes break the format, one request failed; nothing was truncated or refused."""
    text = tables.markdown(ranked(run(FOUR, "+~-x", "+?-+")))
    assert "| Model | rank | accuracy | korean | lenient | format | failed | SD |" in text
    assert "| 2/8 | 1/8 |" in text
    assert "format: responses without an answer in the required format, which score 0." in text
    assert "truncated" not in text


def test_each_kind_of_outcome_has_its_own_column() -> None:
    """Format violations are the unparsed ones alone; truncated and refused responses and failures stand beside them."""
    text = tables.markdown(ranked(run(FOUR, "?/!x", model="a"), run(FOUR, "++++", model="b")))
    assert "| lenient | format | truncated | refused | failed |" in text
    assert "| 1/4 | 1/4 | 1/4 | 1/4 |" in text
    assert "| 0/4 | 0/4 | 0/4 | 0/4 |" in text


def test_an_incomplete_run_says_so_in_its_row() -> None:
    """No place; under its name how many items have their scores, and how many requests failed."""
    text = tables.markdown(ranked(run(FOUR, "++xx", model="begun"), run(FOUR, "+---", model="whole")))
    assert "| begun scored 2/4 failed 2 | – |" in text
    assert "| whole | 1 |" in text
    assert "begun has scores for 2 of 4 items; 2 of 4 requests failed; it takes no place." in text


def test_a_run_that_was_never_asked_has_dashes() -> None:
    """Nothing was planned, so nothing is counted, and no number of trials is invented."""
    found = ranked(run(FOUR, "?+++", model="a"), run(FOUR, "++++", "++++", model="b"), run(FOUR, model="never"))
    assert "| never scored 0/4 | – | – | – | – | – | – |" in tables.markdown(found)


def test_numbers_of_trials_are_marked_where_they_differ() -> None:
    """Under the names, and only then; the spread stands in a column of its own: 0.5 and 0.75 differ by 0.25/√2."""
    once, twice = run(FOUR, "++++", model="a"), run(FOUR, "++--", "+++-", model="b")
    text = tables.markdown(ranked(once, twice))
    assert "| a 1 trial |" in text
    assert "| b 2 trials |" in text
    assert "| 17.7 2 trials n=4 |" in text
    assert "b 2 trials" not in tables.markdown(ranked(twice))
    assert "17.7 2 trials n=4" in tables.markdown(ranked(twice))
    assert "SD" not in tables.markdown(ranked(once))


def test_a_protocol_with_one_parser_has_no_lenient_column() -> None:
    """It would be the strict one again."""
    strict = run(FOUR, "++++")
    both = replace(strict, record=replace(strict.record, protocol={"strict": "boxed", "lenient": "boxed"}))
    assert "lenient" not in tables.markdown(ranked(both))


def test_the_parser_of_the_outcomes_is_named() -> None:
    """Not the one that this program has; in every form."""
    found = ranked(run(FOUR, "++++", versions=("0.9",)))
    assert "parser dict-strict 0.9." in tables.markdown(found)
    assert "exambench rescore" in on_one_line(printed(found, 80))
    (row,) = document(found)["rows"]
    assert (row["parser"], row["parser_version"]) == ("dict-strict", "0.9")
    assert {record["parser"] for record in records(found)} == {"dict-strict 0.9"}


def test_all_datasets_are_named() -> None:
    """Each row says which it sat, in every form, and how many items were left out stands above."""
    changed = exam(item(1), item(2, stem="고친 질문"), item(3), item(4, picture=True))
    found = ranking_on_common_items([run(FOUR, "++++", model="a"), run(changed, "++++", model="b")], DRAW)
    hashes = {"a": FOUR.content_hash, "b": changed.content_hash}
    text = tables.markdown(found)
    for name, dataset in hashes.items():
        assert f"| {name} data {dataset[:8]} |" in text
    assert f"Dataset {', '.join(sorted(each[:8] for each in hashes.values()))}, protocol" in text
    assert "1 item left out" in text
    whole = document(found)
    assert whole["datasets"] == sorted(hashes.values())
    assert whole["items_of_other_content"] == 1
    assert {row["model"]: row["dataset"] for row in whole["rows"]} == hashes
    assert {record["model"]: record["dataset"] for record in records(found)} == hashes


def test_two_runs_of_one_model_are_told_apart_in_every_form() -> None:
    """By the settings that differ."""
    found = ranked(run(FOUR, "++++"), run(FOUR, "+++-", decoding={"temperature": 1.0}))
    names = ["model (temperature 0.0)", "model (temperature 1.0)"]
    assert [row["model"] for row in document(found)["rows"]] == names
    assert list(dict.fromkeys(record["model"] for record in records(found))) == names
    assert all(f"| {name} |" in tables.markdown(found) for name in names)


def test_json_has_everything_that_was_counted() -> None:
    """Two trials of four items: five answered, two unparsed, one of which is right leniently, and one failed."""
    (row,) = document(ranked(run(FOUR, "+~-x", "+?-+")))["rows"]
    assert row["outcomes"] == {
        "answered": 5,
        "unparsed": 2,
        "truncated": 0,
        "refused": 0,
        "failed": 1,
        "unsupported": 0,
        "open": 0,
    }
    assert (row["rank"], row["complete"], row["scored"], row["expected"]) == (None, False, 3, 4)
    assert (row["requests"], row["requests_failed"], row["requests_open"]) == (8, 1, 0)
    assert (row["trials"], row["over_trials"]["items"], row["over_trials"]["items_left_out"]) == ([2], 3, 1)
    # Items 1 to 4 are worth 1, 0, 0 and 1; leniently 1, 1/2, 0 and 1.
    assert (row["axes"]["accuracy"]["n"], row["axes"]["accuracy"]["accuracy"]) == (4, 0.5)
    assert row["lenient_accuracy"] == pytest.approx(2.5 / 4)


def test_json_says_where_the_numbers_come_from() -> None:
    """Benchmark, dataset, protocol, parser, items, and how intervals were drawn."""
    whole = document(ranked(run(FOUR, "++++")))
    assert (whole["level"], whole["resamples"], whole["seed"], whole["items"]) == (0.9, 100, 7, 4)
    assert whole["origin"]["dataset"] == FOUR.content_hash
    assert whole["origin"]["parser"].startswith("dict-strict ")
    assert whole["pass_mark"] == 0.5
    assert whole["rows"][0]["passed"] is True


def test_csv_has_one_line_for_each_run_and_axis() -> None:
    """With the counts of all outcomes, happened or not, and what is needed to know where the numbers come from."""
    found = records(ranked(run(FOUR, "+?/!", model="a"), run(FOUR, "xxxx", model="dead")))
    assert [(record["model"], record["axis"]) for record in found] == [
        ("a", "accuracy"),
        ("a", "korean"),
        ("dead", "accuracy"),
        ("dead", "korean"),
    ]
    first, _, third, _ = found
    counted = ("answered", "unparsed", "truncated", "refused", "failed", "open")
    assert [first[name] for name in counted] == ["1", "1", "1", "1", "0", "0"]
    assert [third[name] for name in counted] == ["0", "0", "0", "0", "4", "0"]
    assert (first["rank"], first["n"], first["accuracy"], first["chance"]) == ("1.0", "4", "0.25", "0.5")
    assert (third["rank"], third["n"], third["accuracy"], third["low"]) == ("", "0", "", "")
    assert (first["level"], first["resamples"], first["seed"], first["trials"]) == ("0.9", "100", "7", "1")
    assert first["dataset"] == FOUR.content_hash


@pytest.mark.parametrize("width", [80, 100])
def test_a_ranking_fits_the_terminal(width: int) -> None:
    """Whatever the names are; nothing in them steers the terminal or is taken for markup."""
    found = ranked(
        run(FOUR, "~/!x", "+-+.", model=HOSTILE),
        run(FOUR, "++++", "++++", model="한글로 된 아주 긴 이름의 모델"),
        run(FOUR, "++++", model="a/rather-long-name-of-a-model-27b-instruct"),
    )
    text = printed(found, width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    assert "[red]m[/red]" in text
    assert ":boom:" in text


def test_hostile_names_stay_text_in_markdown() -> None:
    """Signs that Markdown or HTML would act on are escaped."""
    text = tables.markdown(ranked(run(FOUR, "++++", model=HOSTILE)))
    assert "\\[red]m\\[/red] :boom: \ufffd\\[31m\\|\\*\\<b\\>" in text
    assert "\x1b" not in text
