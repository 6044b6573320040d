"""A site in a folder."""

from __future__ import annotations

import csv
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from exambench.benchmarks.published import load_published
from exambench.errors import ConfigError
from exambench.items import EXPLICIT, Content, Wording
from exambench.report import tables
from exambench.report.site.building import MARKER, build_site, site_files
from exambench.report.site.downloads import bibtex
from exambench.report.site.material import Material
from exambench.report.site.rendering import STATIC_POLICY
from tests.support.runs import item, run
from tests.support.site import EXAM, HOSTILE, TAG, hostile_exam, hostile_runs, material_of, runs_of

MATERIAL = replace(material_of(runs_of()), published=(load_published().kmetbench,))
FILES = dict(site_files(MATERIAL))
PAGES = {path: content.decode() for path, content in FILES.items() if path.endswith(".html")}

SMALL = material_of(runs_of()[:2])

ADDRESS = re.compile(r'(?:href|src|action|url)\s*[=(]\s*["\']?([^"\'\s>)]*)')


def files_in(folder: Path) -> set[str]:
    """Return the files in a folder as paths with forward slashes."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_same_results_give_the_same_bytes() -> None:
    """Nothing in a page depends on the day, the folder, or the order of a set."""
    assert dict(site_files(replace(material_of(runs_of()), published=(load_published().kmetbench,)))) == FILES


def test_every_page_is_there_in_both_languages_and_says_which() -> None:
    """English at the root, Korean in a folder of its own."""
    english = {path for path in PAGES if not path.startswith("ko/")}
    assert {path.removeprefix("ko/") for path in PAGES if path.startswith("ko/")} == english
    assert all(('<html lang="ko">' if path.startswith("ko/") else '<html lang="en">') in PAGES[path] for path in PAGES)


def test_korean_pages_say_conditions_gaps_and_tests_in_korean() -> None:
    """What the data and the statistics call by English words; a citation is in English everywhere."""
    english = ("wording explicit", "modality image", "korean true", "two-sided", "bootstrap over")
    for path, page in PAGES.items():
        if path.startswith("ko/") and path != "ko/downloads.html":
            assert [words for words in english if words in page] == [], path


def test_every_link_leads_to_a_file_of_the_site() -> None:
    """Links are relative, so that the folder may stand anywhere; none goes to another host."""
    for path, page in PAGES.items():
        for address in ADDRESS.findall(page):
            if address.startswith("#"):
                continue
            target = (Path("/site") / path).parent.joinpath(address).as_posix()
            parts: list[str] = []
            for part in target.split("/"):
                parts = parts[:-1] if part == ".." else [*parts, part]
            assert "/".join(parts).removeprefix("/site/") in FILES, f"{path} → {address}"


def test_every_page_allows_its_own_scripts_and_nothing_else() -> None:
    """The policy is strict: no inline script, no inline style, no other host."""
    shown = STATIC_POLICY.replace("'", "&#39;")
    for path, page in PAGES.items():
        assert f'content="{shown}"' in page, path
        assert re.search(r"\sstyle=|\son[a-z]+=|javascript:", page) is None, path


def test_items_are_on_no_page_unless_they_are_wanted() -> None:
    """A site without items holds no question and no choice: models read sites."""
    everything = "\n".join(content.decode() for content in FILES.values())
    assert "질문 3" not in everything
    assert "답 2" not in everything
    with_items = dict(site_files(material_of(runs_of(), items=True)))
    assert sum("질문 3" in content.decode() for content in with_items.values()) == 4  # the item and the list, twice


def test_an_item_says_what_it_is_about_in_the_reader_s_language() -> None:
    """By the titles of its axes, in another language where there is none; a label that does not hold is not said."""
    pages = {path: content.decode() for path, content in site_files(material_of(runs_of(), items=True))}
    (korean,) = (page for path, page in pages.items() if path.startswith("ko/items/") and path.endswith("/12.html"))
    (english,) = (page for path, page in pages.items() if path.startswith("items/") and path.endswith("/11.html"))
    assert '<p class="lead">Korean · 그림 · ' in korean
    assert '<p class="lead">Pictures · part 2 · mean score' in english


def test_an_item_shows_the_passage_that_it_is_about() -> None:
    """As text, whatever it says, above the question, in the reader's language of headings."""
    benchmark = replace(EXAM, items=(replace(EXAM.items[0], passage=f"지문. {TAG}"), *EXAM.items[1:]))
    files = dict(site_files(material_of(runs_of(benchmark)[:2], items=True)))
    pages = {path: content.decode() for path, content in files.items()}
    first, second = (
        next(page for path, page in pages.items() if re.fullmatch(f"ko/items/[^/]+/{number}.html", path))
        for number in (1, 2)
    )
    assert first.index("<h2>지문</h2>") < first.index("지문. &lt;script&gt;") < first.index("질문 1")
    assert TAG not in first
    assert "<h2>지문</h2>" not in second


def test_an_item_without_a_question_is_listed_by_its_passage() -> None:
    """As a summary is; there is no heading above nothing."""
    bare = replace(
        EXAM.items[0], wordings={EXPLICIT: Wording(Content(), EXAM.items[0].wording().choices)}, passage="지문."
    )
    files = dict(site_files(material_of(runs_of(replace(EXAM, items=(bare, *EXAM.items[1:])))[:1], items=True)))
    pages = {path: content.decode() for path, content in files.items()}
    (page,) = (page for path, page in pages.items() if re.fullmatch("items/[^/]+/1.html", path))
    assert "<h2>Passage</h2>" in page
    assert "<h2>Question</h2>" not in page
    assert "지문." in pages["items/index.html"]


def test_an_item_says_which_answers_came_under_an_unusual_condition() -> None:
    """Who saw no question is not mistaken for who did."""
    plain, other = runs_of()[:2]
    blind = replace(other, record=replace(other.record, condition={"wording": "explicit", "question": "hidden"}))
    material = material_of([plain, blind], items=True)
    (page,) = (content.decode() for path, content in site_files(material) if re.fullmatch("items/[^/]+/1.html", path))
    assert re.search(r'>good</a> <span class="more">\(no question\)</span>', page)
    assert re.search(r">best</a>,? ?[^(]", page)
    assert page.count("(no question)") == 1


def test_downloads_are_the_reports_of_the_command_line() -> None:
    """The files have the numbers of ``exambench report``."""
    expected = tables.as_csv([board.ranking for board in MATERIAL.boards])
    assert FILES["downloads/rankings.csv"].decode() == expected
    assert len(json.loads(FILES["downloads/rankings.json"])) == 3
    published = list(csv.DictReader(io.StringIO(FILES["downloads/published-kmetbench.csv"].decode())))
    assert len(published) == 55


def test_a_pair_names_its_own_test() -> None:
    """Means over two trials are graded; the pair of the two other models, right or wrong alone, is still McNemar's."""
    twice = run(EXAM, "++++++++++++", "-+-+-+-+-+-+", model="twice")
    material = material_of([*runs_of()[:2], twice])
    (script,) = (content for path, content in site_files(material) if path.endswith("-pairs.js"))
    pairs = json.loads(script.decode().partition(",")[2].removesuffix(");\n"))
    graded = pairs["models"].index(twice.run_id)
    named = dict(zip(combinations(range(3), 2), (pairs["tests"][test] for test in pairs["test"]), strict=True))
    assert all((name == "test_sign") is (graded in pair) for pair, name in named.items())
    assert sorted(named.values()) == ["test_mcnemar", "test_sign", "test_sign"]


def test_papers_stand_side_by_side() -> None:
    """Each has its pages, its file with the digits that it prints, its entry to cite, and its sources under Method."""
    published = load_published()
    files = dict(site_files(replace(MATERIAL, published=(published.scholarbench, published.kmetbench))))
    sheets = [path for path in files if path.startswith("ranking/published-")]
    assert len(sheets) == 3 + 2
    rows = list(csv.DictReader(io.StringIO(files["downloads/published-scholarbench.csv"].decode())))
    assert len(rows) == 17 + 17 + 15
    assert (rows[0]["table"], rows[0]["model"], rows[0]["rouge2"]) == ("Table 2", "o3-mini", "0.130")
    assert files["downloads/citation.bib"].decode().count("@misc{") == 3 + 2
    method = files["method.html"].decode()
    assert all(
        label in method for label in ("Table 2, section 3.3", "Table 19, appendix G.1", "Table 20, appendix G.2")
    )


def test_citations_name_dataset_and_protocol() -> None:
    """Whoever cites a ranking says on which data, and how it was asked."""
    entries = FILES["downloads/citation.bib"].decode()
    assert f"dataset {EXAM.content_hash[:8]}, protocol advanced" in entries
    assert entries.count("@misc{") == 4  # three rankings and the paper


def test_a_citation_names_every_dataset_and_the_condition() -> None:
    """Rankings that differ in the condition alone are told apart, and one over several datasets names them all."""
    *same, _ = EXAM.items
    older = replace(EXAM, items=(*same, item(12, stem="옛 질문", picture=True, choices=4)))
    entries = bibtex(material_of([*runs_of()[:2], runs_of(older)[2]]))
    assert "wording explicit" in entries
    assert f"datasets {EXAM.content_hash[:8]}, {older.content_hash[:8]}" in entries or (
        f"datasets {older.content_hash[:8]}, {EXAM.content_hash[:8]}" in entries
    )


def test_an_older_site_is_replaced_whole(tmp_path: Path) -> None:
    """A page that is gone from the site is gone from the folder."""
    out = tmp_path / "site"
    build_site(SMALL, out)
    assert files_in(out) != {*FILES, MARKER}
    count = build_site(MATERIAL, out)
    assert files_in(out) == {*FILES, MARKER}
    assert count == len(PAGES)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_other_peoples_folders_are_left_alone(tmp_path: Path) -> None:
    """A folder that this program did not write is not replaced."""
    (tmp_path / "thesis.tex").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"thesis.tex: is there already, and this command did not write it"):
        build_site(SMALL, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_others_put_beside_the_pages_is_not_lost(tmp_path: Path) -> None:
    """A store or a version history in the folder of a site stops the next build; it is never replaced with it."""
    out = tmp_path / "site"
    build_site(SMALL, out)
    (out / "downloads" / "results.db").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"results.db: is there already"):
        build_site(SMALL, out)
    assert (out / "downloads" / "results.db").is_file()


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    """Hosts are often given a link to the folder that they serve; what it leads to is written, there already or not."""
    (tmp_path / "public").symlink_to(tmp_path / "www" / "board")
    for _ in range(2):
        build_site(SMALL, tmp_path / "public")
        assert (tmp_path / "public").is_symlink()
        assert (tmp_path / "www" / "board" / "index.html").is_file()


def test_the_current_folder_is_not_replaced_under_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stands in the folder would stand in one that is gone."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="from another folder"):
        build_site(SMALL, Path())
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A name that is too long, a file where a folder should be, and a link to itself."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for place in (tmp_path / ("n" * 300), tmp_path / "file" / "site", tmp_path / "loop"):
        with pytest.raises(ConfigError, match="cannot be written"):
            build_site(SMALL, place)
    with pytest.raises(ConfigError, match="file: is there already"):
        build_site(SMALL, tmp_path / "file")


def test_two_builds_at_once_leave_one_whole_site(tmp_path: Path) -> None:
    """Each makes its pages apart; the later one replaces the earlier, or says that it could not."""
    out = tmp_path / "site"
    with ThreadPoolExecutor(4) as pool:
        builds = [pool.submit(build_site, SMALL, out) for _ in range(8)]
    faults = [fault for build in builds if (fault := build.exception()) is not None]
    assert all(isinstance(fault, ConfigError) for fault in faults)
    assert len(faults) < len(builds)
    assert files_in(out) == {*dict(site_files(SMALL)), MARKER}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_runs_without_scores_make_no_site(tmp_path: Path) -> None:
    """A site has a first page, which is a ranking."""
    with pytest.raises(ConfigError, match="no run has a score yet"):
        build_site(Material(()), tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_fails_leaves_the_older_site(tmp_path: Path) -> None:
    """Pages are renamed when all of them are there."""
    out = tmp_path / "site"
    build_site(MATERIAL, out)
    broken = replace(MATERIAL, item_sets=(None,))  # type: ignore[arg-type] # fails while pages are made
    with pytest.raises(AttributeError):
        build_site(broken, out)
    assert files_in(out) == {*FILES, MARKER}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_hostile_texts_stay_text_and_stay_short() -> None:
    """Tags are escaped, scripts are not ended, signs that reorder are replaced, a megabyte is cut."""
    exam = hostile_exam()
    for path, content in site_files(material_of(hostile_runs(exam), items=True)):
        if not path.endswith((".html", ".js")):
            continue
        text = content.decode("utf-8")
        assert "<script>document" not in text
        assert "<img src=x" not in text
        assert "\u202e" not in text
        assert len(text) < 400_000
        assert not re.search(r'(?:href|src)="[^"]*javascript:', text)
    assert len(HOSTILE[-1]) == 1_000_000
