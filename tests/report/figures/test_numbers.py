"""The numbers behind each figure are those of the analysis."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from exambench.analysis.cost import RunCost
from exambench.analysis.diagnosis import diagnose
from exambench.analysis.item_analysis import analyse_items
from exambench.analysis.other_scores import OtherScores
from exambench.benchmarks.published import load_published
from exambench.errors import ConfigError, UndefinedStatisticError
from exambench.exchange import Usage
from exambench.report.figures.forest import forest, forest_data
from exambench.report.figures.gpu_hours import BEYOND, WITHIN, gpu_hours, gpu_hours_data
from exambench.report.figures.influence import influence, influence_data
from exambench.report.figures.items import items_data
from exambench.report.figures.judge import judge, judge_data
from exambench.report.figures.language import Language
from exambench.report.figures.orthogonality import orthogonality, orthogonality_data
from exambench.report.figures.positions import positions, positions_data
from exambench.report.figures.published import (
    hours_in_text,
    leaderboard_scores,
    sizes_of_parts,
    table_of_swings,
)
from exambench.report.figures.radar import radar, radar_data
from exambench.report.figures.reasoning import reasoning, reasoning_data
from exambench.report.figures.scores import scores_of
from exambench.report.figures.size import size, size_data
from exambench.report.figures.slope import slope, slope_data
from exambench.report.figures.topics import Topic, cut_tree, topics, topics_data
from exambench.stats.resampling import Bootstrap
from tests.support.figures import PLAIN, axis_scores, diagnosis_of, every_figure, exam_table, outline, study

KMETBENCH = load_published().kmetbench


def test_scores_are_those_of_the_diagnosis() -> None:
    """Estimate, interval, n and rank of a model on an axis stand in the record as the analysis has them."""
    diagnosis = diagnosis_of()
    record = scores_of(diagnosis, {}).record(3, 1)
    assert (record["model"], record["axis"]) == ("Qwen3", "korean")
    found = diagnosis.means.interval(3, "korean")
    assert (record["score"], record["low"], record["high"], record["n"]) == (found.estimate, found.low, found.high, 10)
    assert diagnosis.ranks is not None
    assert record["rank"] == diagnosis.ranks.rank[3, diagnosis.ranks.names.index("korean")]


def test_an_axis_of_all_items_is_not_repeated() -> None:
    """Where no item has a picture, the axis of text is the axis of all items, and says nothing of its own."""
    table = exam_table()
    text = table.on(table.axes["text"], "text only")
    assert scores_of(diagnose(text, Bootstrap(20, 1)), {}).axes == ("all", "korean")


# ------------------------------------------------------------------ radar and forest


def test_a_radar_puts_values_on_their_spokes() -> None:
    """The first axis points up; at 100 percent a point is at distance 1, and a value of s at distance s."""
    scores = axis_scores()
    points = every_figure()["radar"].datasets["points"]
    first = next(row for row in points if row["axis"] == "Accuracy")
    best = scores.best_first[0]
    assert first["model"] == PLAIN[best]
    assert first["x"] == 0.0
    assert first["y"] == pytest.approx(scores.estimate[best, 0])
    radii = [math.hypot(*(float(str(row[side])) for side in ("x", "y"))) for row in points]
    assert radii == pytest.approx([float(str(row["value"])) / 100 for row in points], abs=1e-5)


def test_a_radar_leaves_a_line_open_where_a_model_has_no_score() -> None:
    """The text-only model has no point on the axis of pictures, and its line does not pass through it."""
    scores = axis_scores()
    figure = radar(radar_data(scores, [1]))
    assert len(figure.datasets["points"]) == len(scores.axes) - 1
    assert [row["step"] for row in figure.datasets["lines"]] == [1, 2, 3, 4]
    closed = radar(radar_data(scores, [0])).datasets["lines"]
    assert (closed[0]["x"], closed[0]["y"]) == (closed[-1]["x"], closed[-1]["y"])


def test_a_radar_shows_the_best_or_those_that_are_named() -> None:
    """No more than can be told apart; the figure says how many are left out."""
    scores = axis_scores()
    assert radar_data(scores).models == tuple(scores.best_first[:6])
    assert radar_data(scores, [4, 2]).models == (4, 2)
    assert "Not shown: 1 more models." in radar(radar_data(scores)).subtitle


def test_a_radar_of_two_axes_is_refused() -> None:
    """Two spokes enclose nothing."""
    scores = axis_scores()
    with pytest.raises(UndefinedStatisticError, match="needs 3 axes; found 2"):
        radar_data(replace(scores, axes=scores.axes[:2]))


def test_a_forest_of_many_models_is_evenly_spaced() -> None:
    """Of 55 published models 12 are drawn, the best and the last among them."""
    scores = leaderboard_scores(KMETBENCH)
    chosen = forest_data(scores).models
    assert len(chosen) == 12
    assert (chosen[0], chosen[-1]) == (scores.best_first[0], scores.best_first[-1])
    assert "12 of 55 models, evenly spaced in this order." in forest(forest_data(scores)).subtitle


def test_published_scores_are_the_leaderboard() -> None:
    """The multimodal accuracy of gemini-3-pro-preview is 75.6 % [65.9, 84.1] of 82, as appendix H.1 prints it."""
    scores = leaderboard_scores(KMETBENCH)
    record = scores.record(scores.models.index("gemini-3-pro-preview (Thinking)"), scores.axes.index("multimodal"))
    assert [round(float(str(record[name])), 3) for name in ("score", "low", "high")] == [0.756, 0.659, 0.841]
    assert record["n"] == 82


# ------------------------------------------------------------------ size and reasoning


def test_the_frontier_holds_who_beats_all_that_are_no_larger() -> None:
    """Sizes double twice from model to model and scores fall, so the first model alone is on the frontier."""
    data = size_data(axis_scores())
    assert data.frontier == (data.models[0],) == (0,)
    assert [row["score"] for row in size(data).datasets["frontier"]] == [
        pytest.approx(100 * data.scores.estimate[0, 0])
    ] * 2


def test_a_size_must_be_declared() -> None:
    """Without any, there is no figure, and the reason names the field."""
    with pytest.raises(UndefinedStatisticError, match="size_b"):
        size_data(scores_of(diagnosis_of(), {}))


def test_reasoning_and_accuracy_correlate_as_on_the_leaderboard() -> None:
    """R of accuracy and normalised reasoning over the 55 published models is .921; nothing changes it by scaling."""
    data = reasoning_data(leaderboard_scores(KMETBENCH))
    assert data.correlation is not None
    assert round(data.correlation.coefficient, 3) == 0.921
    x = [row.accuracy_pct / 100 for row in KMETBENCH.leaderboard]
    y = [(row.reasoning_4_20 - 4) / 16 for row in KMETBENCH.leaderboard]
    record = reasoning(data).table()[-1]
    assert [record["slope"], record["intercept"]] == pytest.approx(list(np.polyfit(x, y, 1)))


def test_a_line_needs_models() -> None:
    """Three models have no interval of r: they are drawn without a line, which is said."""
    figure = reasoning(reasoning_data(axis_scores(PLAIN[:3])))
    assert figure.datasets["band"] == []
    assert "No line: it takes 4 models that differ in both scores; 3 have both." in figure.subtitle


def test_models_that_are_all_alike_have_no_line() -> None:
    """Seven models of one score have no r: too few are not the reason."""
    scores = axis_scores()
    alike = reasoning_data(replace(scores, estimate=np.full_like(scores.estimate, 0.5)))
    assert alike.correlation is None
    assert "No line: it takes 4 models that differ in both scores; 7 have both." in reasoning(alike).subtitle


# ------------------------------------------------------------------ numbers of items


def test_every_score_shows_how_many_items_it_is_of() -> None:
    """On paper there is no tooltip: 40 items in all, of which the text-only model sat 32; 10 are Korean ones."""
    figures, spec = every_figure(), {name: figure.spec() for name, figure in every_figure().items()}
    assert "Accuracy · n = 32–40" in {row["axis"] for row in figures["forest"].datasets["scores"]}
    assert ["Korean", "n = 8–10"] in [row["axis"] for row in figures["radar"].datasets["spokes"]]
    assert "Accuracy (%) · n = 32–40" in json.dumps(spec["size"], ensure_ascii=False)
    assert "Accuracy on all items (%) · n = 32–40" in json.dumps(spec["reasoning"], ensure_ascii=False)
    assert "n = 40, p " in str(figures["positions"].datasets["ends"][1]["text"])
    assert figures["gpu-hours"].datasets["runs"][0]["text"] == "0.5 · n = 40"


# ------------------------------------------------------------------ orthogonality and influence


def test_tau_is_that_of_the_columns() -> None:
    """Six pairs of four models, one of them the other way round: τ = (5 − 1)/6. A turned sign turns it."""
    names = PLAIN[:4]
    scores = axis_scores(names)
    accuracy = scores.estimate[:, 0]
    assert sorted(accuracy, reverse=True) == list(accuracy)
    others = OtherScores(
        "o.csv",
        ("KMMLU", "loss"),
        {name: (value, -value) for name, value in zip(names, (4, 3, 1, 2), strict=True)},
        ("loss",),
    )
    records = {
        (each["axis"], each["column"]): each for each in orthogonality(orthogonality_data(scores, others)).table()
    }
    assert records["all", "KMMLU"]["tau_b"] == pytest.approx(4 / 6)
    assert records["all", "loss"]["tau_b"] == pytest.approx(-4 / 6)
    assert (records["all", "KMMLU"]["n"], records["multimodal", "KMMLU"]["n"]) == (4, 3)


def test_others_that_know_no_model_are_refused() -> None:
    """No blank columns: the reason shows a name as it must be written. Of the known ones the number is told."""
    scores = axis_scores(PLAIN[:4])
    with pytest.raises(UndefinedStatisticError, match=r"has none of these models.*'gemini'"):
        orthogonality_data(scores, OtherScores("o.csv", ("KMMLU",), {"Gemini": (1.0,)}))
    found = orthogonality_data(
        scores, OtherScores("o.csv", ("KMMLU",), {"gemini": (1.0,), "Qwen3": (2.0,), "x": (3.0,)})
    )
    assert "Right of the gap: o.csv, which has 2 of these 4 models." in orthogonality(found).subtitle


def test_swings_are_those_of_the_analysis() -> None:
    """Gap, interval, largest change, item and flips of a model stand in the record as the diagnosis has them."""
    family = diagnosis_of().families[0]
    gap, found = family.names.index("geo-cultural"), family.influence[family.names.index("geo-cultural")]
    assert found is not None
    records = influence(influence_data(diagnosis_of())).table()
    record = next(each for each in records if (each["gap"], each["model"]) == ("geo-cultural", PLAIN[2]))
    assert record["baseline"] == family.estimates.estimate[2, gap]
    assert (record["max_change"], record["item"], record["n"]) == (found.max_change[2], found.item[2], 10)


def test_published_swings_are_table_14() -> None:
    """15 gaps; Qwen3-VL-4B's modality gap is −2.28 ± 0.63 points, and no item turns its sign."""
    records = influence(table_of_swings(KMETBENCH)).table()
    assert len(records) == 15
    found = next(each for each in records if (each["gap"], each["model"]) == ("modality", "Qwen3-VL-4B-Instruct"))
    assert (found["baseline"], found["max_change"]) == (pytest.approx(-0.0228), pytest.approx(0.0063))
    assert (found["sign_flips"], found["n"]) == (0, 82)


# ------------------------------------------------------------------ items, positions, topics


def test_every_item_has_its_record() -> None:
    """Difficulty and discrimination in the CSV are those of the analysis, also of items that are not drawn."""
    analysis = analyse_items(exam_table())
    records = every_figure()["items"].table()
    assert [each["difficulty"] for each in records] == list(analysis.statistics.difficulty)
    drawn = sum(int(str(row["count"])) for row in every_figure()["items"].datasets["items"])
    assert drawn == np.count_nonzero(~np.isnan(analysis.statistics.discrimination))


def test_items_need_models() -> None:
    """With two models there is no discrimination."""
    with pytest.raises(UndefinedStatisticError, match="at least 3 models; found 2"):
        items_data(analyse_items(exam_table(PLAIN[:2])))


def test_shares_of_positions_are_whole() -> None:
    """40 keys, 10 in each position; every bar ends at 100 percent, and the most biased model stands first."""
    analysis = analyse_items(exam_table())
    data = positions_data(analysis)
    assert data.keys == (10, 10, 10, 10)
    assert list(data.p_adjusted) == sorted(data.p_adjusted)
    rows = positions(data).datasets["shares"]
    assert {row["to"] for row in rows if row["order"] == 3} == {100.0}
    assert sum(int(str(row["count"])) for row in rows if row["model"] == PLAIN[1]) == 32


def test_topics_count_items() -> None:
    """The n-th topic has n items; a subtopic holds the even ones of them; what has none is only in its topic."""
    data = topics_data(outline(PLAIN[:3]))
    assert {topic.path: topic.count for topic in data.topics} == {
        ("gemini",): 1,
        ("gemini", "gemini 세부"): 1,
        ("하이퍼클로바X",): 2,
        ("하이퍼클로바X", "하이퍼클로바X 세부"): 1,
        ("A.X-4.0",): 3,
        ("A.X-4.0", "A.X-4.0 세부"): 2,
    }


def test_a_large_tree_loses_its_smallest_topics_and_no_item() -> None:
    """Of 1 + 300 topics some are put together in one row, which counts their items."""
    large = [Topic(("a",), sum(range(300)))] + [Topic(("a", f"t{count}"), count) for count in range(300)]
    shown = cut_tree(large, 50)
    assert len(shown) <= 50
    assert sum(topic.count for topic in shown if len(topic.path) == 2) == sum(range(300))
    assert sum(topic.folded for topic in shown if len(topic.path) == 2) == 300


def test_a_facet_of_topics_must_be_there() -> None:
    """A facet that no item has is an error that names those that there are."""
    with pytest.raises(ConfigError, match="subtopic, topic"):
        topics_data(outline(), ["chapter"])


def test_published_topics_are_table_3() -> None:
    """1,774 items in five parts, 82 of them with pictures."""
    data = sizes_of_parts(KMETBENCH)
    assert data.count == sum(topic.count for topic in data.topics if len(topic.path) == 1) == 1774
    assert sum(topic.count for topic in data.topics if topic.path[1:] == ("image",)) == 82
    assert topics(data, Language.KO).table()[0]["items"] == 373


def test_published_topics_have_korean_names() -> None:
    """The parts of the examination are called what the examination calls them."""
    shown = [row["name"] for row in topics(sizes_of_parts(KMETBENCH), Language.KO).datasets["topics"]]
    assert shown[:3] == ["P1 기상분석 및 예보론", "이미지", "텍스트"]


# ------------------------------------------------------------------ people, judges, costs


def test_ranks_and_means_are_those_of_the_study() -> None:
    """Of the totals 18, 16, 14 and the judge's 16, 17, 10 the first two change places."""
    report = study([18, 16, 14], [16, 17, 10])
    records = slope(slope_data(report)).table()
    assert [(each["people_rank"], each["judge_rank"]) for each in records] == [(1, 2), (2, 1), (3, 3)]
    rows = slope(slope_data(report)).datasets["panel_0"]
    assert [row["way"] for row in rows if row["side"] == 0] == ["down", "up", "same"]
    agreement = judge(judge_data(report)).table()[-1]
    # Three pairs, two in the same order: τ = (2 − 1)/3.
    assert agreement["tau_b"] == pytest.approx(1 / 3)
    assert agreement["slope"] == pytest.approx(np.polyfit([18, 16, 14], [16, 17, 10], 1)[0])


def test_points_without_room_for_a_name_are_counted() -> None:
    """Of seven models in one place one has a name beside it at most; the reader is told where the others are."""
    crowded = judge(judge_data(study([12.0] * 7, [12.0] * 7)))
    shown = [row["label"] for row in crowded.datasets["models_0"]]
    unnamed = shown.count("")
    assert unnamed >= 1
    assert f"Points without room for a name: {unnamed}; the CSV names them." in crowded.subtitle
    assert len(judge(judge_data(study([18, 12], [10, 16]))).subtitle) == 2


def test_one_model_has_no_slope_and_no_line() -> None:
    """A slope graph needs two models; the scatter shows the one, without a line."""
    report = study([12.0], [13.0])
    with pytest.raises(UndefinedStatisticError, match="no two models"):
        slope_data(report)
    assert judge(judge_data(report)).datasets["band_0"] == []


def cost(gpus: int | None) -> RunCost:
    """Return what a run took that answered 60 questions in three minutes; people have 150 minutes for 100."""
    return RunCost(
        run_id="0" * 16,
        benchmark="exam",
        model="m",
        n=60,
        received=60,
        usage=Usage(),
        unmetered=60,
        money=None,
        wall_seconds=180.0,
        gpu="H200",
        gpus=gpus,
        exam_minutes=150.0,
        exam_items=100,
        origin={"protocol": "advanced 0", "benchmark": "exam"},
    )


def test_gpu_hours_are_those_of_the_cost() -> None:
    """180 s for 60 answers on 2 GPUs are 1/6 GPU-hour per 100 questions; people have 2.5 hours for them."""
    data = gpu_hours_data([cost(gpus=2), cost(gpus=None)])
    assert [run.hours for run in data.runs] == [pytest.approx(1 / 6)]
    assert (data.limit, data.unknown) == (2.5, 1)


def test_published_hours_are_those_of_appendix_e5() -> None:
    """2.4, 3.8 and 20.8 GPU-hours: one within the 2.5 hours of the examination, two beyond."""
    figure = gpu_hours(hours_in_text(KMETBENCH))
    assert [each["gpu_hours_per_100"] for each in figure.table()] == [2.4, 3.8, 20.8]
    assert [row["side"] for row in figure.datasets["runs"]] == [WITHIN, BEYOND, BEYOND]
