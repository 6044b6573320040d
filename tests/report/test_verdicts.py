"""Verdicts in tables and records: hostile text stays text, and models stand together only where they may."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from rich.console import Console

from exambench.analysis.judge_scores import judge_scores
from exambench.outcomes import Unjudged
from exambench.report import grids
from exambench.report.verdict_records import as_csv, as_json, errors_as_csv, errors_as_json
from exambench.report.verdicts import NO_HEADLINE, NO_VERDICT, error_sections, sections
from tests.analysis.test_judge_scores import BOOTSTRAP, JUDGING, judged, scores, verdict

HOSTILE = "[bold]굵게[/bold] \x1b[31m | `x` <b>"


def printed(found: list[grids.Section]) -> str:
    """Return sections as a terminal of 120 columns shows them."""
    console = Console(width=120, file=io.StringIO(), no_color=True)
    console.print(grids.terminal(found))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_judges_words_cannot_steer_a_terminal_or_a_table() -> None:
    """Control characters are replaced, markup is shown, Markdown is escaped."""
    found = [scores(judged(("1", verdict(8, HOSTILE), True)))]
    shown = printed(error_sections(found))
    assert "[bold]굵게[/bold]" in shown
    assert "\x1b" not in shown
    assert r"\[bold]굵게\[/bold]" in grids.markdown(error_sections(found))
    (line,) = csv.DictReader(io.StringIO(errors_as_csv(found)))
    assert line["error"] == HOSTILE.replace("\x1b", "\ufffd")
    assert json.loads(errors_as_json(found))[0]["error"] == HOSTILE


def test_models_stand_together_only_under_one_judge_rubric_and_condition() -> None:
    """Another rubric, another condition: another section."""
    one = judged(("1", verdict(8), True))
    blind = replace(one, judging=replace(JUDGING, condition={"reference": False, "images": False}))
    other = replace(one, judging=replace(JUDGING, rubric_hash="s"))
    found = sections([judge_scores(run, None, BOOTSTRAP) for run in (one, blind, one, other)])
    assert [len(section.grids[0].rows) for section in found] == [2, 1, 1]
    assert [section.title for section in found] == [
        "exam, judged by judge with the expert's rationale",
        "exam, judged by judge without the expert's rationale",
        "exam, judged by judge with the expert's rationale",
    ]


def test_what_has_no_value_says_why() -> None:
    """A dash is explained, and never a zero."""
    empty = [scores(judged(("1", Unjudged("?"), True)))]
    assert NO_VERDICT in printed(sections(empty))
    assert "0/1" in printed(sections(empty))
    assert "1 unjudged" in printed(sections(empty))
    assert NO_HEADLINE in " ".join(printed(sections([scores(judged(("1", verdict(8), True)))])).split())


def test_records_hold_every_verdict_and_the_text_that_was_none() -> None:
    """The raw text of an unjudged reply is in the JSON."""
    run = judged(("1", verdict(8, "e"), True), ("2", Unjudged("why"), False), ("3", None, None))
    answers = (run.answers[0], replace(run.answers[1], request_key="k", tries=3), run.answers[2])
    (document,) = json.loads(as_json([scores(replace(run, answers=answers))], {"k": "raw"}))
    assert (document["asked"], document["judged"], document["unjudged"], document["open"]) == (3, 1, 1, 1)
    one, two, three = document["verdicts"]
    assert (one["total"], one["errors"], one["right"]) == (8, ["e"], True)
    assert (two["verdict"], two["reason"], two["text"], two["tries"]) == ("unjudged", "why", "raw", 3)
    assert three["verdict"] is None
    rows = {row["quantity"]: row for row in csv.DictReader(io.StringIO(as_csv([scores(run)])))}
    assert (rows["total"]["n"], rows["total"]["estimate"]) == ("1", "8.0")
    assert (rows["reasoning_gap"]["n"], rows["reasoning_gap"]["estimate"]) == ("0", "")
    assert (rows["unjudged"]["estimate"], rows["open"]["estimate"]) == ("1", "1")
