"""Papers of a list: which are taken, why others are not, and what is wrong with a list."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from exambench.construct.collect_settings import CollectSettings
from exambench.construct.collecting import collect
from exambench.construct.draws import Circle
from exambench.construct.paper_texts import read_paper_text
from exambench.construct.records import Action, StageResult, check_result
from exambench.construct.stage import Context
from exambench.errors import ConfigError, DataError
from exambench.items import EXPLICIT, Content, Item, TextKey, Wording
from tests.construct.generation import SAMPLE
from tests.construct.papers import typeset

FIELDS = ("file", "title", "journal", "year", "citations", "licence", "category", "language")
TEXT = "해풍 전선이 지나가면 기온은 내려가고 습도는 올라간다. " * 40


def entry(name: str, **changes: object) -> dict[str, object]:
    """Return an entry that every rule lets pass."""
    sound = {
        "file": f"{name}.txt",
        "title": f"{name}의 제목",
        "journal": "표본 회보",
        "year": 2023,
        "citations": 10,
        "licence": "CC BY 4.0",
        "category": "대기",
        "language": "ko",
    }
    return sound | changes


def write(folder: Path, entries: Sequence[Mapping[str, object]], *, texts: bool = True) -> None:
    """Write a list, and a text for each of its papers."""
    (folder / "papers").mkdir(exist_ok=True)
    for each in entries:
        if texts:
            (folder / "papers" / str(each["file"])).write_text(TEXT, encoding="utf-8")
    buffer = io.StringIO()
    table = csv.DictWriter(buffer, list(dict.fromkeys(name for each in entries for name in each)))
    table.writeheader()
    table.writerows(entries)
    (folder / "papers.csv").write_text(buffer.getvalue(), encoding="utf-8")


def run(folder: Path, items: tuple[Item, ...] = (), papers: str = "papers.csv", **settings: object) -> StageResult:
    """Collect from a folder, and make sure that the record is complete."""
    chosen = CollectSettings.model_validate({"papers": papers, **settings})
    result = collect(items, chosen, Context(folder, folder / "pictures", 42, {}))
    check_result("collect", items, result)
    return result


def taken(result: StageResult) -> list[str]:
    """Return the papers that were taken."""
    return [item.id for item in result.items]


def reasons(result: StageResult, action: Action = Action.NOTED) -> dict[str, str]:
    """Return why papers were left out, or left for people."""
    return {change.item: change.reason for change in result.changes if change.action is action}


def table(result: StageResult, name: str) -> list[dict[str, Any]]:
    """Return a fact that is a table."""
    found: list[dict[str, Any]] = result.facts[name]
    return found


def test_the_sample_papers_are_taken_as_items_about_which_nothing_is_asked_yet() -> None:
    """Title, whole text up to the references, facets, and a source with the licence in one form."""
    result = run(SAMPLE.parent, papers="papers/papers.csv", shortest=300)
    assert taken(result) == ["sea-breeze", "paddy", "marsh", "queue"]
    item = result.items[0]
    assert item.wording().question.text == "해안 도시의 해풍 전선과 오후 기온"
    assert item.passage.startswith("해안 도시의 여름 오후 기온은")
    assert item.passage.endswith("해안의 위험마저 놓치게 된다.")
    assert item.passage.count("\n") == 3
    assert item.facets["task"] == "paper"
    assert item.facets["licence"] == "CC-BY-4.0"
    assert item.source == "해안 도시의 해풍 전선과 오후 기온. 표본 대기 회보, 2023. CC-BY-4.0."


def test_every_paper_that_is_left_out_has_its_reason(tmp_path: Path) -> None:
    """By year, citations, licence and quota; what was taken, missing and left out is among the facts."""
    write(
        tmp_path,
        [
            entry("kept"),
            entry("old", year=2018),
            entry("uncited", citations=2),
            entry("closed", licence="CC BY-NC-ND 4.0"),
            entry("second", citations=9),
            entry("ocean", category="해양"),
        ],
    )
    result = run(tmp_path, since=2020, least_citations=5, quota=1, quotas={"해양": 3})
    assert taken(result) == ["kept", "ocean"]
    assert reasons(result) == {
        "old": "left out: published before 2020",
        "uncited": "left out: cited less than 5 times",
        "closed": "left out: the licence CC-BY-NC-ND-4.0 is not allowed",
        "second": "left out: the quota of its category is full",
    }
    assert [result.facts[name] for name in ("listed", "taken", "left_out", "missing_for_quotas")] == [6, 2, 4, 2]
    assert table(result, "categories") == [
        {"category": "대기", "eligible": 2, "quota": 1, "taken": 1, "missing": 0},
        {"category": "해양", "eligible": 1, "quota": 3, "taken": 1, "missing": 2},
    ]


def test_a_category_that_no_paper_has_lacks_its_whole_quota(tmp_path: Path) -> None:
    """A shortfall is a fact, whether some or all are missing."""
    write(tmp_path, [entry("kept")])
    found = {row["category"]: row["missing"] for row in table(run(tmp_path, quotas={"지질": 2}), "categories")}
    assert found == {"대기": None, "지질": 2}


def test_the_newest_years_count_back_from_a_year_that_is_named(tmp_path: Path) -> None:
    """The newest 5 years up to 2024 begin with 2020; never by the clock."""
    write(tmp_path, [entry("in", year=2020), entry("out", year=2019)])
    assert taken(run(tmp_path, newest=5, reference_year=2024)) == ["in"]
    with pytest.raises(ValueError, match="reference_year"):
        CollectSettings.model_validate({"papers": "papers.csv", "newest": 5})
    with pytest.raises(ValueError, match="either since or newest"):
        CollectSettings.model_validate({"papers": "p", "newest": 5, "since": 2000, "reference_year": 2024})


def test_the_most_cited_come_first_and_of_equals_the_newest(tmp_path: Path) -> None:
    """A quota of two takes them in that order, whatever the order of the list."""
    write(tmp_path, [entry("a"), entry("b", year=2024), entry("c", citations=11), entry("d")])
    assert set(taken(run(tmp_path, quota=2))) == {"b", "c"}


def test_a_draw_is_seeded_and_a_paper_that_is_added_moves_no_other(tmp_path: Path) -> None:
    """With one more paper, what was drawn changes by that paper at most."""
    entries = [entry(f"p{number}") for number in range(20)]
    write(tmp_path, entries)
    before = set(taken(run(tmp_path, quota=5, order="drawn")))
    assert before == set(Circle([f"p{number}" for number in range(20)], 42, "collect").names[:5])
    write(tmp_path, [*entries, entry("new")])
    after = set(taken(run(tmp_path, quota=5, order="drawn")))
    assert after - before <= {"new"}
    assert before != set(taken(run(tmp_path, quota=5)))


def test_every_fault_of_a_list_is_named_with_its_place(tmp_path: Path) -> None:
    """File, row, field, value, what is allowed and what to do, of all rows at once; nothing is taken."""
    write(
        tmp_path,
        [
            entry("year", year="20x3"),
            entry("future", year=2030),
            entry("cited", citations=-1),
            entry("licence", licence="my own"),
            entry("language", language="Korean"),
            entry("title", title=""),
            entry("twice"),
            entry("twice"),
            entry("out", file="../secret.txt"),
            entry("nul", title="제\0목"),
        ],
    )
    with pytest.raises(DataError) as caught:
        run(tmp_path, reference_year=2024)
    found = {(finding.item, finding.field) for finding in caught.value.findings}
    assert found == {
        ("row 2", "year"),
        ("row 3", "year"),
        ("row 4", "citations"),
        ("row 5", "licence"),
        ("row 6", "language"),
        ("row 7", "title"),
        ("row 9", "id"),
        ("row 10", "file"),
        ("row 11", "title"),
    }
    text = str(caught.value)
    assert (
        "papers.csv, item row 2, field year: is no number that can be (found '20x3'); allowed: a whole number" in text
    )
    assert "known_licences" in text


@pytest.mark.parametrize("written", ["1204", "1,204", "1204.0", 1204, 1204.0])
def test_a_whole_number_may_be_written_in_other_ways(tmp_path: Path, written: object) -> None:
    """Spreadsheets write commas, and data frames a fraction of nothing."""
    write(tmp_path, [entry("paper", citations=written)])
    (change,) = run(tmp_path).changes
    assert change.details["citations"] == 1204


def test_a_file_that_is_missing_or_broken_is_named_with_its_row(tmp_path: Path) -> None:
    """All of them at once."""
    write(tmp_path, [entry("there"), entry("gone"), entry("bytes"), entry("word", file="word.docx")])
    (tmp_path / "papers" / "gone.txt").unlink()
    (tmp_path / "papers" / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError) as caught:
        run(tmp_path)
    assert {finding.item for finding in caught.value.findings} == {"row 3", "row 4", "row 5"}
    assert "No such file" in str(caught.value)
    assert "is of a kind that no paper is read from" in str(caught.value)


def test_a_name_may_be_decomposed_and_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    """Archives of macOS have 바다 in NFD; a link to a file elsewhere would bring that into the benchmark."""
    write(tmp_path, [entry("바다")], texts=False)
    (tmp_path / "papers" / unicodedata.normalize("NFD", "바다.txt")).write_text(TEXT, encoding="utf-8")
    assert [item.id for item in run(tmp_path).items] == ["바다"]
    (tmp_path / "elsewhere.txt").write_text(TEXT, encoding="utf-8")
    write(tmp_path, [entry("link")], texts=False)
    (tmp_path / "papers" / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    with pytest.raises(DataError, match="row 2, field file: names a file that is a link that leads out of the folder"):
        run(tmp_path)


def test_what_cannot_be_used_as_it_was_read_is_left_for_people_and_the_next_takes_its_place(tmp_path: Path) -> None:
    """A short text, and one in another language than the list says."""
    write(tmp_path, [entry("short", citations=99), entry("english", citations=98), entry("next")])
    (tmp_path / "papers" / "short.txt").write_text("짧다.", encoding="utf-8")
    (tmp_path / "papers" / "english.txt").write_text("The front passes. " * 100, encoding="utf-8")
    result = run(tmp_path, quota=1)
    assert taken(result) == ["next"]
    assert reasons(result, Action.REVIEW) == {
        "short": "its text has fewer than 1,000 characters",
        "english": "its text is hardly in the language ko that the list names",
    }


@pytest.mark.parametrize("form", ["toml", "json", "list.json", "yaml"])
def test_a_list_may_have_other_forms(tmp_path: Path, form: str) -> None:
    """TOML, YAML and JSON with a list of papers, and JSON that is one."""
    write(tmp_path, [entry("kept")])
    one = json.dumps(entry("kept") | {"id": "첫째"}, ensure_ascii=False)
    pairs = "\n".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in json.loads(one).items())
    text = {
        "toml": f"[[papers]]\n{pairs}\n",
        "json": f'{{"papers": [{one}]}}',
        "list.json": f"[{one}]",
        "yaml": f"papers:\n- {one}\n",
    }[form]
    (tmp_path / f"list.{form}").write_text(text, encoding="utf-8")
    assert taken(run(tmp_path, papers=f"list.{form}")) == ["첫째"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("list.csv", "file,title\na.txt,A\n", "has no column journal"),
        ("list.csv", "", "has no column"),
        ("list.csv", ",".join(FIELDS) + "\n", "lists 0 papers"),
        ("list.csv", ",".join((*FIELDS, "year")) + "\n", "has a column twice: year"),
        ("list.json", "{", "cannot be read"),
        ("list.json", '{"papers": 3}', "holds no list of papers"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, name: str, text: str, problem: str) -> None:
    """With the file, and what is allowed."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        run(tmp_path, papers=name)


def test_a_licence_that_is_not_known_cannot_be_allowed(tmp_path: Path) -> None:
    """Unless a file of one's own knows it."""
    write(tmp_path, [entry("kept", licence="House licence")])
    with pytest.raises(ConfigError, match="licences"):
        run(tmp_path, licences=["House licence"])
    (tmp_path / "known.toml").write_text('[licences]\nHouse-1 = ["house licence"]\n', encoding="utf-8")
    result = run(tmp_path, licences=["House-1"], known_licences="known.toml")
    assert result.items[0].facets["licence"] == "House-1"


def test_an_identifier_of_an_earlier_stage_is_refused(tmp_path: Path) -> None:
    """Items of other stages go through, and keep their names."""
    write(tmp_path, [entry("kept")])
    other = Item("kept", {EXPLICIT: Wording(Content("?"))}, TextKey("!"))
    with pytest.raises(DataError, match="earlier stage"):
        run(tmp_path, (other,))


def test_the_text_of_a_pdf_is_read_in_columns_without_headers_and_parted_words(tmp_path: Path) -> None:
    """Two columns, a running header, page numbers, a word that is parted at the end of a line, and references."""
    words = " ".join(f"sedimentation{number} of the international commission" for number in range(120))
    body = f"{words}.\n\n#lorem(20)\n\n== References\n\nA book."
    more = 'header: [Sample Letters], numbering: "1"'
    path = typeset(tmp_path, f'#set text(hyphenate: true, lang: "en")\n{body}', columns=2, more=more)
    found = read_paper_text(path, ("References",))
    assert found.pages > 1
    assert not found.scanned
    assert "Sample Letters" not in found.text
    assert " ".join(found.text.split()).startswith(words)
    assert "A book" not in found.text
    assert found.left_out > 0


def test_headings_of_a_pdf_are_paragraphs_of_their_own(tmp_path: Path) -> None:
    """A title fills its line, and its last word does not go on in the heading below."""
    lines = [
        "도시 열섬과 옥상 녹화의 냉각 효과를 열두 달 동안 재다",
        "초록",
        " ".join(["바닷물은 천천히 식는다."] * 20),
    ]
    path = typeset(tmp_path, "= {}\n== {}\n{}".format(*lines))
    assert read_paper_text(path).text.splitlines() == lines


def test_a_scanned_pdf_is_left_for_people(tmp_path: Path) -> None:
    """It says which pages are scanned, and what to do."""
    (tmp_path / "papers").mkdir()
    picture = Image.new("RGB", (600, 800), "white")
    ImageDraw.Draw(picture).text((50, 50), "scanned", fill="black")
    picture.save(tmp_path / "papers" / "scan.pdf")
    write(tmp_path, [entry("scan", file="scan.pdf")], texts=False)
    result = run(tmp_path)
    (change,) = result.changes
    assert change.action is Action.REVIEW
    assert "scanned" in change.reason
    assert change.details["scanned pages"] == [1]


def test_a_hard_wrapped_text_has_a_paragraph_a_line(tmp_path: Path) -> None:
    """Blank lines part paragraphs; without any, each line is one. Hangul is composed."""
    path = tmp_path / "paper.txt"
    path.write_text("첫 문단의\n둘째 줄.\n \n둘째 문단.", encoding="utf-8")
    assert read_paper_text(path).text == "첫 문단의 둘째 줄.\n둘째 문단."
    path.write_text(unicodedata.normalize("NFD", "첫 문단.\n둘째 문단."), encoding="utf-8")
    assert read_paper_text(path).text == "첫 문단.\n둘째 문단."


def test_the_references_begin_in_the_second_half() -> None:
    """A table of contents that names them does not end the text (the paper of the marsh ends before its own)."""
    found = read_paper_text(SAMPLE / "marsh.txt", ("References",))
    assert found.text.endswith("the weir was closed.")
    assert found.left_out == len("\nReferences\nSample Letters in Coasts, editorial notes on buried plates, 2019.") - 1
