"""What the pages of rankings say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exambench.analysis.judged_reasoning import ReasoningColumn, ReasoningScore
from exambench.analysis.reasoning_gap import Judge, JudgedModel
from exambench.benchmarks.published import load_published
from exambench.report.site.boards import Line, Score, Sheet, sheet_of
from exambench.report.site.published_sheets import published_sheets
from exambench.report.site.published_tables import table_sheets
from exambench.stats.intervals import Interval
from tests.support.runs import item
from tests.support.site import EXAM, boards_of, runs_of

SHEETS = [sheet_of(board) for board in boards_of(runs_of())]


def line(sheet: Sheet, name: str) -> Line:
    """Return the row of a model."""
    return next(each for each in sheet.lines if each.name == name)


def test_text_only_models_have_a_page_of_their_own_and_meet_the_others_on_common_items_alone() -> None:
    """They were asked other items: ten of twelve. What all sat is a third ranking, and says so."""
    assert [sheet.scope[0] for sheet in SHEETS] == ["scope_all", "scope_text", "scope_common"]
    names = [{each.name for each in sheet.lines} for sheet in SHEETS]
    assert names[0] & names[1] == set()
    assert names[2] == (names[0] | names[1]) - {"unfinished"}


def test_an_incomplete_run_is_marked_and_takes_no_place() -> None:
    """It has six of twelve scores, and stands below all that have a place."""
    found = line(SHEETS[0], "unfinished")
    assert ("mark_incomplete", {"n": 6, "whole": 12}) in found.marks
    assert found.scores[0] is not None
    assert found.scores[0].rank is None
    assert SHEETS[0].lines[-1] == found


def test_a_run_on_older_data_is_marked() -> None:
    """The data that were registered last are those that the others are held against."""
    *same, _ = EXAM.items
    older = replace(EXAM, items=(*same, item(12, stem="옛 질문", picture=True, choices=4)))
    sheets = [sheet_of(board) for board in boards_of([*runs_of()[:2], runs_of(older)[2]])]
    marked = {
        each.name for sheet in sheets for each in sheet.lines if any(key == "mark_stale" for key, _ in each.marks)
    }
    assert marked == {"middling"}


def test_an_axis_without_a_title_in_a_language_has_that_of_another() -> None:
    """It is not called after all items: the exam names its Korean axis in English alone."""
    titles = {metric.key: metric.titles for metric in SHEETS[0].metrics}
    assert titles["korean"] == {"en": "Korean", "ko": "Korean"}
    assert titles["accuracy"] == {"en": "All items", "ko": "전체 문항"}


def test_every_score_has_its_interval_and_n() -> None:
    """Nine of twelve right, four of six Korean ones, and no number alone."""
    found = line(SHEETS[0], "good")
    scores = dict(zip((metric.key for metric in SHEETS[0].metrics), found.scores, strict=True))
    accuracy, korean = scores["accuracy"], scores["korean"]
    assert accuracy is not None
    assert korean is not None
    assert (accuracy.estimate, accuracy.n) == (9 / 12, 12)
    assert (korean.estimate, korean.n) == (4 / 6, 6)  # of items 2, 4, 6, 8, 10 and 12 the first four
    assert all(each is None or None not in {each.low, each.high, each.n} for each in found.scores)


def test_the_page_says_what_readers_filter_by() -> None:
    """Traits and sizes are those of the model's file."""
    assert line(SHEETS[0], "best").traits == ("vision", "thinking")
    assert line(SHEETS[0], "good").traits == ("vision", "proprietary")
    assert line(SHEETS[0], "middling").traits == ("korean", "vision")
    assert [line(SHEETS[0], name).size for name in ("best", "weakest")] == [70.0, None]


PUBLISHED = published_sheets(load_published().kmetbench)


def test_published_figures_are_marked_and_have_pages_of_their_own() -> None:
    """Models that see pictures and text-only ones sat 1,774 and 1,692 items."""
    assert [sheet.published for sheet in PUBLISHED] == [True, True]
    assert [sheet.scope for sheet in PUBLISHED] == [
        ("scope_all", {"n": 1774, "whole": 1774}),
        ("scope_text", {"n": 1692, "whole": 1774}),
    ]
    assert all(("mark_published", {}) in each.marks for sheet in PUBLISHED for each in sheet.lines)
    assert sum(len(sheet.lines) for sheet in PUBLISHED) == 55


def test_published_figures_are_those_of_the_paper() -> None:
    """K-MetBench, Table 4: gemini-3-pro-preview (Thinking) 93.7, Korean 90.4, multimodal 75.6, reasoning 18.01."""
    found = line(PUBLISHED[0], "gemini-3-pro-preview (Thinking)")
    assert [metric.key for metric in PUBLISHED[0].metrics][:4] == ["accuracy", "korean", "text", "multimodal"]
    shown = [round(100 * score.estimate, 1) for score in found.scores if score is not None]
    assert (shown[0], shown[1], shown[3]) == (93.7, 90.4, 75.6)
    assert shown[-1] == pytest.approx(100 * (18.01 - 4) / 16, abs=0.05)
    assert all(score is not None and score.low is None for score in found.scores)


TABLES = table_sheets(load_published().scholarbench)


def test_each_table_of_scholarbench_is_a_ranking_of_its_own() -> None:
    """Tables 2, 19 and 20 have 17, 17 and 15 models; each begins its ranks at 1, and says which table it is."""
    assert [(sheet.scope, len(sheet.lines)) for sheet in TABLES] == [
        (("scope_closed_book", {"number": "2"}), 17),
        (("scope_open_book", {"number": "19"}), 17),
        (("scope_open_book_cot", {"number": "20"}), 15),
    ]
    assert [sheet.facts for sheet in TABLES] == [
        ("Table 2", "section 3.3"),
        ("Table 19", "appendix G.1"),
        ("Table 20", "appendix G.2"),
    ]
    assert all(sheet.published and ("mark_published", {}) in each.marks for sheet in TABLES for each in sheet.lines)
    # The highest averages that the paper prints: .543 in Table 2, .629 in Table 19, .628 in Table 20.
    assert [sheet.lines[0].name for sheet in TABLES] == ["o3-mini", "GPT-4o", "GPT-4o"]
    assert [each.scores[0].rank for sheet in TABLES for each in sheet.lines[:1] if each.scores[0]] == [1, 1, 1]


def test_the_columns_of_scholarbench_are_those_of_the_paper_in_its_units() -> None:
    """GPT-4o, Table 2: .417 .151 .356 .857 .586 .497 .465 .736 .743, average .534. Neither n nor interval is known."""
    columns = ["average", "R-1", "R-2", "R-L", "BERTScore", "A-2", "A-3", "A-4", "MCQ", "Boolean"]
    assert [metric.key for metric in TABLES[0].metrics] == columns
    assert all(set(metric.titles) == {"en", "ko"} for metric in TABLES[0].metrics)
    scores = [score for score in line(TABLES[0], "GPT-4o").scores if score is not None]
    shown = [TABLES[0].scale.shown(score.estimate) for score in scores]
    assert " ".join(shown) == "0.534 0.417 0.151 0.356 0.857 0.586 0.497 0.465 0.736 0.743"
    assert {(score.low, score.high, score.n) for score in scores} == {(None, None, None)}


def test_models_that_tie_in_a_table_share_a_rank() -> None:
    """Averages of Table 2: .523 twice, below .543, .534, .530, .529 and .527: ranks 6 and 7."""
    tied = [line(TABLES[0], name).scores[0] for name in ("o1-mini", "Mistral-24b")]
    assert [score.rank for score in tied if score is not None] == [6.5, 6.5]


def test_a_size_is_read_from_a_name_that_says_it() -> None:
    """The paper names most models by family and size; o3-mini has none."""
    sizes = [line(TABLES[0], name).size for name in ("Qwen-72b", "Qwen-32b-reasoning", "Gemma2-9b", "o3-mini")]
    assert sizes == [72, 32, 9, None]


def test_runs_and_published_figures_share_no_ranking() -> None:
    """A published row has no page and no run."""
    assert all(each.key == "" for sheet in (*PUBLISHED, *TABLES) for each in sheet.lines)
    assert all(each.key for sheet in SHEETS for each in sheet.lines)


def test_axes_are_named_in_both_languages() -> None:
    """An axis without a title of a language has that of all items, or English."""
    assert all(metric.titles["en"] for sheet in (*SHEETS, *PUBLISHED) for metric in sheet.metrics)
    assert dict(PUBLISHED[0].metrics[1].titles) == {"en": "Korean", "ko": "한국 특화"}
    assert EXAM.axes[0].titles == {"en": "Korean"}


def test_judged_reasoning_is_a_metric_of_its_own_without_ranks() -> None:
    """A model that was not judged has none, instead of 0; the judge is named below."""
    board = boards_of(runs_of())[0]
    mean = Interval(0.625, 0.5, 0.75, 9, 0.95, "percentile bootstrap over items")
    column = ReasoningColumn(
        Judge("strict judge", "rubric", "0" * 64, sees_images=True),
        {"best": ReasoningScore(mean, JudgedModel("best", "run", "judging", 10, 9, 1))},
    )
    sheet = sheet_of(replace(board, ranking=replace(board.ranking, reasoning=column)))
    assert sheet.metrics[-1].titles == {"en": "Reasoning", "ko": "추론"}
    assert line(sheet, "best").scores[-1] == Score(0.625, 0.5, 0.75, 9)
    assert line(sheet, "good").scores[-1] is None
    assert ("note_reasoning", {"judge": "strict judge", "rubric": "rubric"}) in sheet.notes
