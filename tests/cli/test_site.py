"""``exambench site`` as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import exambench


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two baselines on kmet-mini."""
    path = tmp_path_factory.mktemp("store") / "results.db"
    models = ("--model", "baseline/random", "--model", "baseline/longest")
    done = exambench("run", "--benchmark", "kmet-mini", *models, "--store", path)
    assert done.returncode == 0, done.stderr
    return path


def test_a_store_becomes_a_site_with_items_and_published_figures(store: Path, tmp_path: Path) -> None:
    """The command says how many pages there are and which one to open; pictures of the items come along."""
    out = tmp_path / "site"
    done = exambench("site", out, "--store", store, "--with-items", "--published", "kmetbench")
    assert done.returncode == 0, done.stderr
    pages = list(out.rglob("*.html"))
    # One ranking, two published ones, two models, 60 items and their list, compare, method, downloads; two languages.
    assert len(pages) == 2 * (1 + 2 + 2 + 61 + 3)
    assert done.stdout == f"{len(pages)} pages in {out}; open {out / 'index.html'}\n"
    assert len(list((out / "items" / "pictures").iterdir())) == 26
    assert "baseline/longest" in (out / "index.html").read_text(encoding="utf-8")
    assert "gemini-3-pro-preview" in (out / "ranking" / "published-kmetbench-vision.html").read_text(encoding="utf-8")


def test_runs_can_be_named(store: Path, tmp_path: Path) -> None:
    """As in every command of analysis."""
    out = tmp_path / "site"
    assert exambench("site", out, "baseline/random", "--store", store).returncode == 0
    assert "baseline/longest" not in (out / "index.html").read_text(encoding="utf-8")


def test_several_papers_can_be_named(store: Path, tmp_path: Path) -> None:
    """Each is added once: two pages of K-MetBench and three of ScholarBench."""
    out = tmp_path / "site"
    papers = ("--published", "scholarbench", "--published", "kmetbench", "--published", "scholarbench")
    done = exambench("site", out, "--store", store, *papers)
    assert done.returncode == 0, done.stderr
    found = sorted(path.stem for path in (out / "ranking").glob("published-*.html"))
    assert found == [
        "published-kmetbench-text",
        "published-kmetbench-vision",
        "published-scholarbench-table02",
        "published-scholarbench-table19",
        "published-scholarbench-table20",
    ]


def test_a_paper_without_a_leaderboard_is_refused(store: Path, tmp_path: Path) -> None:
    """What ships of KMMMU are single figures: there is nothing to rank, and no site is written that lacks it."""
    done = exambench("site", tmp_path / "site", "--store", store, "--published", "kmmmu")
    assert done.returncode == 2
    assert "the figures of KMMMU that ship hold no leaderboard" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "site").exists()


def test_an_unknown_paper_is_refused(store: Path, tmp_path: Path) -> None:
    """The message names what there is, and nothing is written."""
    done = exambench("site", tmp_path / "site", "--store", store, "--published", "mmlu")
    assert done.returncode == 2
    assert "allowed: kmetbench, scholarbench" in done.stderr
    assert not (tmp_path / "site").exists()
