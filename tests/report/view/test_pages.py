"""What the server answers: pages, raw texts and pictures, and what it says when the store is in trouble."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from html import unescape
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx
import pytest

from exambench.judging.perturbations import AS_WRITTEN
from exambench.outcomes import Verdict
from exambench.report.site.catalogue import all_texts
from exambench.report.view.live import Looking, Moment
from exambench.report.view.pages import VIEW, page_at
from exambench.report.view.pictures import Gallery
from exambench.store import PERTURBATION, JudgingKind, JudgingRecord, VerdictRow, open_store
from tests.report.view.conftest import HOSTILE, LINK, LONG, Example
from tests.support import stored_runs as made
from tests.support.viewing import client

TAGS = re.compile("<[^>]*>")


@pytest.fixture(scope="module")
def reader(example: Example) -> Iterator[httpx.Client]:
    """Somebody who asks for pages of the example."""
    with client(example.path, images=example.images) as asking:
        yield asking


def words(html: str) -> str:
    """Return what a page says, without its tags."""
    return " ".join(unescape(TAGS.sub(" ", html)).split())


def answer_at(example: Example, run: int, item: str, trial: int = 0, **more: str) -> str:
    """Return the address of an answer's page."""
    query = urlencode({"item": item, "trial": str(trial), **more})
    return f"/answer/{example.runs[run].run_id}.html?{query}"


@pytest.mark.parametrize("language", ["", "ko/"])
@pytest.mark.parametrize(
    "path", ["", "index.html", "runs.html", "compare.html", "method.html", "downloads.html", "items/index.html"]
)
def test_the_pages_are_there_in_both_languages(reader: httpx.Client, language: str, path: str) -> None:
    """Those of the site among them."""
    got = reader.get(f"/{language}{path}")
    assert got.status_code == 200
    assert f'<html lang="{language.strip("/") or "en"}">' in got.text


def test_every_link_of_the_pages_leads_somewhere(reader: httpx.Client, example: Example) -> None:
    """Also to assets, data and downloads."""
    run_id = example.runs[1].run_id
    starts = ["/runs.html", "/ko/index.html", f"/run/{run_id}.html", answer_at(example, 1, "문항 1"), "/downloads.html"]
    wanted = set()
    for start in starts:
        page = reader.get(start)
        for found in re.findall(r'(?:href|src)="([^"]*)"', page.text):
            wanted.add(page.url.join(unescape(found)).copy_with(fragment=None))
    missing = [address for address in wanted if reader.get(address).status_code != 200]
    assert len(wanted) > 80
    assert missing == []


def test_a_page_that_has_not_changed_is_not_sent_again(reader: httpx.Client) -> None:
    """304 without a body."""
    first = reader.get("/runs.html")
    again = reader.get("/runs.html", headers={"if-none-match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert first.headers["cache-control"] == "private, no-cache"


def test_a_run_shows_its_answers_in_pages(reader: httpx.Client, example: Example) -> None:
    """62 items are two pages; a page beyond the last is the last."""
    path = f"/run/{example.runs[0].run_id}.html"
    assert "1–50 of 62" in words(reader.get(path).text)
    assert "51–62 of 62" in words(reader.get(f"{path}?page=2").text)
    assert "51–62 of 62" in words(reader.get(f"{path}?page=999").text)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("outcome=wrong&outcome=right", 118),  # 62 items × 2 trials, less two texts, a failure, a wait, two unsupported
        ("outcome=unparsed", 2),
        ("outcome=failed&outcome=waiting", 2),
        ("outcome=unsupported", 2),
        ("axis=korean", 42),  # 0, 3, 6, …, 60: 21 items
        ("axis=nothing", 0),
        ("show=readings", 1),  # <think>…</think>정답: 2
        ("q=문항 2", 22),  # 2, 20–29
        ("q=관측소&outcome=failed", 1),
        ("outcome=nonsense&show=nonsense&page=-1", 124),
    ],
)
def test_filters_narrow_the_list(reader: httpx.Client, example: Example, query: str, count: int) -> None:
    """Counted by hand on the model ``mixed``, which has two trials."""
    text = words(reader.get(f"/run/{example.runs[1].run_id}.html?{query}").text)
    assert (f"of {count} " in text) if count else ("No answer fits these filters" in text)


def test_models_disagree_where_one_is_right_and_another_is_not(tmp_path: Path) -> None:
    """Of four items: both right, one right, none right, one asked of one model only, who is wrong."""
    exam = made.exam(*(made.item(number) for number in range(4)))
    written = {
        "a": {"문항 0": 1, "문항 1": 2, "문항 2": 1, "문항 3": 1},
        "b": {"문항 0": 1, "문항 1": 3, "문항 2": 2},
    }
    with open_store(str(tmp_path / "a.db")) as store:
        runs = [
            made.add_run(store, exam, model, {item: [made.answer(choice)] for item, choice in picks.items()})
            for model, picks in written.items()
        ]
    with client(tmp_path / "a.db") as reader:
        found = {
            show: re.findall(
                "문항 [0-9]", words(reader.get(f"/run/{runs[0].run_id}.html?show={show}").text).split("Seconds")[1]
            )
            for show in ("models", "nobody")
        }
    assert found == {"models": ["문항 1"], "nobody": ["문항 2", "문항 3"]}


def test_an_answer_shows_everything_that_is_known(reader: httpx.Client, example: Example) -> None:
    """Prompt, text with and without its thinking, both readings, verdicts, attempts, others' answers, facts."""
    page = reader.get(answer_at(example, 1, "문항 1"))
    text = words(page.text)
    for part in (
        "기상 전문가로서 답하시오.",
        "1번 관측소의 기압은?",
        "<think>둘인가?</think>정답: 2",
        "dict-lenient",
        "HTTP 503: not now",
        "judge <b>, rubric rubric",
        "no JSON object",
        "1번 해설",
        '"seed": 42',
        "served-1",
        "right",
    ):
        assert part in text
    assert f"/picture/{example.digest}" not in page.text
    assert f"../picture/{example.digest}" in reader.get(answer_at(example, 1, "문항 0")).text


def test_other_runs_of_one_model_are_told_apart(tmp_path: Path) -> None:
    """By the beginnings of their identifiers; a model with one run goes by its name alone."""
    exam = made.exam(made.item(1))
    with open_store(str(tmp_path / "a.db")) as store:
        runs = [
            made.add_run(store, exam, model, {"문항 1": [made.answer(2)]}, decoding={"temperature": temperature})
            for model, temperature in (("alone", 0.0), ("twice", 0.0), ("twice", 1.0))
        ]
    with client(tmp_path / "a.db") as reader:
        page = reader.get(f"/answer/{runs[1].run_id}.html?{urlencode({'item': '문항 1'})}").text
    peers = words(page.partition('<section id="peers">')[2].partition("</section>")[0])
    assert f"twice ({runs[2].run_id[:8]}) 0" in peers
    assert "alone 0" in peers


@pytest.mark.parametrize(
    ("tag", "said"),
    [(AS_WRITTEN, "about the answer as written"), ("padding", "about a changed answer: padding")],
)
def test_a_probe_of_a_judge_says_what_the_judge_saw(tmp_path: Path, tag: str, said: str) -> None:
    """The verdict that a probe is held against is on the answer as it stands on the page."""
    with open_store(str(tmp_path / "a.db")) as store:
        run = made.add_run(store, made.exam(made.item(1)), "model", {"문항 1": [made.answer(2)]})
        record = JudgingRecord(
            run_id=run.run_id,
            kind=JudgingKind.RUBRIC,
            judge_name="judge",
            identity="judge@http://localhost",
            decoding={},
            judge={"name": "judge"},
            rubric_name="rubric",
            rubric_hash="r" * 64,
            rubric={"axes": [{"key": "정확성"}], "low": 1, "high": 5},
            condition={"reference": True, "images": False, PERTURBATION: tag},
        )
        store.judgings.register(record)
        verdict = VerdictRow("문항 1", 0, 0, 1, Verdict({"정확성": 4}, (), ""))
        store.judgings.save_verdicts(record.judging_id, [verdict])
    with client(tmp_path / "a.db") as reader:
        text = words(reader.get(f"/answer/{run.run_id}.html?{urlencode({'item': '문항 1'})}").text)
    assert [part for part in ("about the answer as written", "about a changed answer") if part in text] == [
        said.partition(":")[0]
    ]
    assert said in text


@pytest.mark.parametrize(
    "path", ["answer/{run}.html?item=no", "answer/{run}.html", "answer/no.html", "run/no.html", "x/../y"]
)
def test_what_is_not_there_is_said_to_be_missing(reader: httpx.Client, example: Example, path: str) -> None:
    """In the reader's language."""
    for language, said in (("", "There is no such page"), ("ko/", "그런 페이지가 없습니다")):
        got = reader.get(f"/{language}{path.format(run=example.runs[1].run_id)}")
        assert got.status_code == 404
        assert said in got.text


@pytest.mark.parametrize("path", ["favicon.ico", "ko/robots.txt", "items/x", "runs"])
def test_what_is_no_page_ranks_nothing(example: Example, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Browsers ask for an icon of their own accord; a large ranking would keep all other readers waiting."""
    monkeypatch.setattr(Moment, "material", lambda _: pytest.fail("the models were ranked"))
    monkeypatch.setattr(Moment, "all_scores", lambda _: pytest.fail("the answers were scored"))
    looking = Looking(str(example.path))
    with looking.moment() as moment:
        assert page_at(moment, Gallery(), "en", path, ()).status == 404
    looking.close()


def test_more_choices_than_there_are_is_no_trouble_of_the_server(
    reader: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """The address is refused as one without end, and no traceback stands in the log."""
    for path in ("/runs.html", "/raw/x"):
        assert reader.get(f"{path}?{'&'.join(['outcome=right'] * 200)}").status_code == 414
    assert caplog.records == []


def test_long_texts_are_cut_and_whole_ones_are_plain(reader: httpx.Client, example: Example) -> None:
    """Two million characters make a page of less than 200 KB; the whole text is one click away, and stays text."""
    page = reader.get(answer_at(example, 2, HOSTILE))
    assert len(page.content) < 400_000
    assert "The first 20,000 of 1,000,000 characters." in words(page.text)
    (address,) = {unescape(found) for found in re.findall(r'href="([^"]*part=text)"', page.text)}
    raw = reader.get(page.url.join(address))
    assert raw.text == LONG
    assert raw.headers["content-type"] == "text/plain; charset=utf-8"
    assert raw.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("part", ["prompt", "rationale", "verdicts", "reasoning"])
def test_every_part_has_its_plain_text(reader: httpx.Client, example: Example, part: str) -> None:
    """Lone surrogates in it are replaced, not an error."""
    query = urlencode({"item": HOSTILE if part == "prompt" else "문항 1", "part": part})
    run = example.runs[2] if part in {"prompt", "reasoning"} else example.runs[1]
    got = reader.get(f"/raw/{run.run_id}?{query}")
    assert got.status_code == 200
    assert got.headers["content-type"] == "text/plain; charset=utf-8"


def test_hostile_texts_stay_text(reader: httpx.Client, example: Example) -> None:
    """Names, identifiers, questions, answers, verdicts: no tag of theirs, no link, no sign that turns a line around."""
    hostile = example.runs[2].run_id
    for path in (
        "/runs.html",
        "/index.html",
        f"/run/{hostile}.html",
        f"/run/{hostile}.html?q={quote(HOSTILE)}&axis={quote(HOSTILE)}",
        f"/model/{hostile}.html",
        answer_at(example, 2, HOSTILE, q=HOSTILE),
        answer_at(example, 2, "문항 1"),
        answer_at(example, 1, "문항 1"),
    ):
        html = reader.get(path).text
        assert "<script>" not in html
        assert "<img src=x" not in html
        assert f'href="{LINK}' not in html
        assert "\u202e" not in html
        assert "<script>window.hacked" in unescape(html)


def test_pictures_are_asked_for_by_their_content(reader: httpx.Client, example: Example) -> None:
    """As they are, with their type."""
    got = reader.get(f"/picture/{example.digest}")
    assert got.content == (example.images / "chart.png").read_bytes()
    assert got.headers["content-type"] == "image/png"
    assert got.headers["content-security-policy"]


def test_no_address_leads_to_a_file(reader: httpx.Client, example: Example) -> None:
    """Neither paths, nor the digest of a file that lies outside of the image root though an item names it."""
    outside = next(item for item in example.benchmark.items if item.id == "문항 61").wording().images[0]
    for digest in (str(outside.sha256), "chart.png", "..%2fsecret.png", "0" * 64, example.digest.upper()):
        assert reader.get(f"/picture/{digest}").status_code == 404
    for path in ("/assets/..%2fcatalogue.toml", "/assets/../pages.py", "/assets/data/..%2f..%2fx", "/assets/%00"):
        assert reader.get(path).status_code == 404


def test_a_picture_that_has_changed_is_not_shown(example: Example, tmp_path: Path) -> None:
    """It is not what the model saw."""
    (tmp_path / "chart.png").write_bytes((example.images / "chart.png").read_bytes() + b"x")
    with client(example.path, images=tmp_path) as reader:
        assert reader.get(f"/picture/{example.digest}").status_code == 404


def test_looking_leaves_the_store_as_it_was(reader: httpx.Client, example: Example) -> None:
    """Not one byte of the file changes."""
    before = example.path.read_bytes()
    for path in ("/index.html", "/runs.html", f"/run/{example.runs[1].run_id}.html"):
        reader.get(path)
    assert example.path.read_bytes() == before


def test_the_server_outlives_its_store(example: Example, tmp_path: Path) -> None:
    """Gone, broken, another one, back again: a page says what is the matter, and the next one is right."""
    path = tmp_path / "a.db"
    shutil.copy(example.path, path)
    with client(path) as reader:
        assert "mixed" in reader.get("/runs.html").text
        path.rename(tmp_path / "away.db")
        gone = reader.get("/ko/runs.html")
        assert gone.status_code == 503
        assert "지금은 저장소를 읽을 수 없습니다" in gone.text
        path.write_bytes(b"something else" * 100)
        assert "not a database" in reader.get("/runs.html").text
        other = tmp_path / "other.db"
        with open_store(str(other)) as store:
            made.add_run(store, made.exam(made.item(1)), "newcomer", {"문항 1": [made.answer(2)]})
        other.replace(path)
        found = reader.get("/runs.html")
        assert found.status_code == 200
        assert "newcomer" in found.text
        assert "mixed" not in found.text


def test_a_query_that_fails_is_one_page(example: Example, tmp_path: Path) -> None:
    """A table that is gone is an error page; what does without it works on."""
    path = tmp_path / "a.db"
    shutil.copy(example.path, path)
    with client(path) as reader:
        assert reader.get("/runs.html").status_code == 200
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DROP TABLE verdicts")
        connection.commit()
        connection.close()
        assert reader.get(answer_at(example, 1, "문항 1")).status_code == 503
        assert reader.get("/runs.html").status_code == 200


def test_the_leaderboard_of_a_store_without_scores_says_so(tmp_path: Path) -> None:
    """It leads to the runs."""
    with open_store(str(tmp_path / "a.db")):
        pass
    with client(tmp_path / "a.db") as reader:
        assert "No run has a score yet" in reader.get("/index.html").text
        assert "Start one with" in reader.get("/runs.html").text


def test_the_texts_of_the_explorer_are_there_in_both_languages() -> None:
    """And none of them takes the place of one of the site's."""
    own = all_texts((VIEW,))
    assert all(set(texts) == {"en", "ko"} and all(texts.values()) for texts in own.values())
    assert not own.keys() & all_texts().keys()
    for texts in own.values():
        assert set(re.findall(r"{(\w+)", texts["en"])) == set(re.findall(r"{(\w+)", texts["ko"]))


def test_templates_ask_for_texts_that_are_there() -> None:
    """Every key that stands in a template is in the catalogue, and every text is used."""
    own = all_texts((VIEW,))
    package = files(VIEW)
    sources = [each.read_text(encoding="utf-8") for each in package.joinpath("templates").iterdir()]
    sources += [package.joinpath(name).read_text(encoding="utf-8") for name in ("pages.py", "app.py")]
    named = {key for source in sources for key in re.findall(r'"(view_\w+)"', source)}
    beginnings = tuple(key for key in named if key.endswith("_"))
    assert named - set(beginnings) <= own.keys()
    assert [
        key for key in own if key not in named and not key.startswith(beginnings) and not key.endswith("_text")
    ] == []
