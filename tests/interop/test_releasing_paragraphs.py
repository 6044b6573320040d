"""A build of items about paragraphs is released whole, in ScholarBench's format, and says where its items come from."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from exambench.benchmarks import find_definition, read_benchmark
from exambench.benchmarks.scholarbench_format import TASKS, read_items
from exambench.cli.app import app
from exambench.cli.building import build_project, release_project
from exambench.construct.building import final_items, states
from exambench.construct.project import read_project
from exambench.construct.records import Action, Change, Spending
from exambench.errors import ConfigError, DataError
from exambench.evaluation.preflight import check
from exambench.evaluation.reading import interpret
from exambench.exchange import Response, TextPart
from exambench.interop.exporting import as_json
from exambench.interop.release import Release
from exambench.interop.release_forms import MOST_AXES
from exambench.interop.releasing import release_export
from exambench.interop.scholarbench import whole_scholarbench
from exambench.items import EXPLICIT, Content, Item, Wording, facet_text
from exambench.parsing import parser
from exambench.protocols import Condition, Shown, render, show_item
from exambench.store.codec import item_to_json
from tests.construct.generation import write_papers, writer
from tests.interop.test_scholarbench import as_asked, exam, item, read_strictly
from tests.support.chat_server import serve
from tests.support.exams import entry

GUID = "00000000-0000-4000-8000-000000000000"
HEAD = 'name = "papers"\ntitle = "Papers"\nlicence = "CC-BY-4.0"\n'
READ = '[[stages]]\nuse = "read"\ndata = "data.json"\nformat = "scholarbench"\n'


def written(task: str, number: int = 2) -> Item:
    """Return an item as the stage ``generate`` leaves it: called after paper, place and task, with its reasoning."""
    made = item(task, f"kim-{number}-{task}", f"kim-{number}")
    wording = made.wording()
    return replace(
        made,
        wordings={EXPLICIT: replace(wording, question=Content("" if task == "summarization" else "무엇인가?"))},
        facets={**made.facets, "language": "ko", "paper": "kim", "checked": True, "round": 2},
        rationale="" if task == "summarization" else "압력이 크므로, 그렇다.",
        source="바람의 균형. 기상학회지, 2021. CC-BY-4.0.",
    )


ITEMS = (
    *map(written, TASKS),
    replace(
        written("true_false", 3),
        wordings={
            EXPLICIT: Wording(Content("지균풍은 등압선과 나란하다.")),
            "original": Wording(Content("지균풍은 등압선을 따른다.")),
        },
        passage="둘째 문단",
    ),
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder that is built from such items."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "build.toml").write_text(HEAD + READ, encoding="utf-8")
    (folder / "data.json").write_bytes(whole_scholarbench(exam(*ITEMS)).files["papers.json"])
    build_project(folder, None)
    return folder


@pytest.fixture(scope="module")
def released(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of its release 1.0."""
    out = tmp_path_factory.mktemp("releases")
    release_project(project, "1.0", out, 7)
    return out / "papers-1.0"


def as_values(items: tuple[Item, ...]) -> list[dict[str, Any]]:
    """Return everything about items, by their identifiers."""
    return sorted(map(item_to_json, items), key=lambda values: str(values["id"]))


@pytest.mark.parametrize("name", ["papers.json", "papers.jsonl"])
def test_what_goes_out_comes_back(project: Path, released: Path, name: str) -> None:
    """Identifiers, wordings, keys, labels, rationales, sources and passages, from either file."""
    found, findings = read_items(released / name)
    assert findings == ()
    assert as_values(found) == as_values(ITEMS) == as_values(final_items(read_project(project)))


def test_a_release_is_a_benchmark_without_findings(released: Path) -> None:
    """The preflight has nothing to say; the content hash is the one that the datasheet and the record name."""
    found = check(str(released), None, None)
    assert found.findings == ()
    assert found.benchmark.content_hash == exam(*ITEMS).content_hash
    assert found.benchmark.content_hash in (released / "DATASHEET.md").read_text(encoding="utf-8")
    record = json.loads((released / "records" / "_release.json").read_text(encoding="utf-8"))
    assert record["content_hash"] == found.benchmark.content_hash
    assert (record["format"], record["lost"], record["items"]) == ("scholarbench", {}, 6)


def test_what_other_programs_do_not_see_is_counted(released: Path) -> None:
    """By hand: 6 items, 5 with a rationale, one with a second wording; ScholarBench has no place for these."""
    record = json.loads((released / "records" / "_release.json").read_text(encoding="utf-8"))
    facets = {f"facet {name}": 6 for name in ("checked", "language", "paper", "paragraph", "round")}
    facets["facet topic"] = 1  # of the summary, which has no such field
    others = {"id": 6, "rationale": 5, "source": 6, "wording original": 1}
    assert record["in_own_field"] == facets | others
    sheet = (released / "DATASHEET.md").read_text(encoding="utf-8")
    assert "| wording original | 1 |" in sheet
    assert "| facet paper | 6 |" in sheet


def test_a_program_for_the_published_files_reads_what_is_asked(released: Path) -> None:
    """It names the fields that it reads; canary and our own field stand beside them."""
    objects = json.loads((released / "papers.json").read_text(encoding="utf-8"))
    found = {(each["pid"], task): asked for each in objects for task, asked in read_strictly(each).items()}
    assert found == {(facet_text(each.facets["paragraph"]), str(each.facets["task"])): as_asked(each) for each in ITEMS}


def test_every_object_carries_the_canary_and_every_file_is_listed(released: Path) -> None:
    """One string in both data files; digests as ``sha256sum --check`` reads them."""
    texts = [(released / name).read_text(encoding="utf-8") for name in ("papers.json", "papers.jsonl")]
    objects = [*json.loads(texts[0]), *map(json.loads, texts[1].split("\n")[:-1])]
    assert len(objects) == 4
    (canary,) = {each["canary"] for each in objects}
    assert canary in (released / "DATASHEET.md").read_text(encoding="utf-8")
    lines = (released / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = {path: digest for digest, path in (line.split("  ", 1) for line in lines)}
    files = {path.relative_to(released).as_posix(): path for path in released.rglob("*") if path.is_file()}
    files.pop("SHA256SUMS")
    assert listed == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def test_the_same_seed_gives_the_same_bytes(project: Path, released: Path, tmp_path: Path) -> None:
    """Through the command; nothing in a release depends on the day or the machine."""
    arguments = ["build", "release", "1.0", "--project", str(project), "--out", str(tmp_path), "--canary-seed", "7"]
    done = CliRunner().invoke(app, [*arguments, "--format", "scholarbench"], catch_exceptions=False)
    assert done.exit_code == 0
    again = tmp_path / "papers-1.0"
    assert {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()} == {
        path.relative_to(released): path.read_bytes() for path in released.rglob("*") if path.is_file()
    }


def test_a_release_may_be_built_on(released: Path, tmp_path: Path) -> None:
    """Its data is read by a stage, and the items are the same."""
    (tmp_path / "build.toml").write_text(HEAD + READ, encoding="utf-8")
    (tmp_path / "data.json").write_bytes((released / "papers.json").read_bytes())
    build_project(tmp_path, None)
    assert as_values(final_items(read_project(tmp_path))) == as_values(ITEMS)


ANSWERS: dict[str, tuple[str, object]] = {
    "multiple_choice": ("2", "2"),
    "multiple_select": ("1, 3", ("1", "3")),
    "true_false": ("0", False),
    "short_answer": ("지균풍", "지균풍"),
}
"""What an examinee writes who knows, and what is read of it; see ``KEYS`` of the tests of the format."""


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_definition_asks_each_task_in_its_form(project: Path, tmp_path: Path, language: str) -> None:
    """The right answer, written as its protocol asks for it, is read as what the key says."""
    found = read_project(project)
    files = release_export(Release(replace(found, language=language), "1.0", states(found), ITEMS, GUID)).files
    for name in ("benchmark.toml", "papers.json"):
        (tmp_path / name).write_bytes(files[name])
    definition = find_definition(str(tmp_path))
    items = read_benchmark(definition)[0].items
    assert (definition.headline, list(definition.protocols)) == ("multiple_choice", list(ANSWERS))
    for task, (answer, value) in ANSWERS.items():
        protocol = definition.protocol(task)
        shown = show_item(next(each for each in items if protocol.selects(each)), Condition())
        assert isinstance(shown, Shown)
        assert shown.item.facets["task"] == task
        response = Response(protocol.write_answer(answer), finish_reason="stop")
        assert getattr(interpret(response, shown, parser(protocol.strict)), "value", None) == value
        (message,) = render(shown, protocol)
        asked = "".join(part.text for part in message.parts if isinstance(part, TextPart))
        assert asked.index(shown.item.passage) < asked.index(shown.item.wording().question.text)


def test_the_datasheet_names_papers_models_and_prompts(project: Path) -> None:
    """From the records of the build: what the list said of the paper, who wrote, and with which prompts."""
    found = read_project(project)
    (state,) = states(found)
    assert state.record is not None
    told = {"title": "바람의 | 균형", "journal": "기상학회지", "year": 2021, "licence": "CC-BY-4.0"}
    changes = (Change("kim", Action.ADDED, "taken from the list", told), Change("lee", Action.ADDED, "taken", told))
    collected = replace(state.record, name="collect", use="collect", changes=changes)
    spending = Spending(models=("writer-model",), prompts={"second-ko": "b" * 64, "first-ko": "a" * 64})
    wrote = replace(state.record, name="write", use="generate", spending=spending)
    all_states = tuple(replace(state, record=record) for record in (collected, wrote))
    files = release_export(Release(found, "1.0", all_states, ITEMS, GUID)).files
    sheet = files["DATASHEET.md"].decode("utf-8")
    assert "| kim | 바람의 \\| 균형 | 기상학회지 | 2021 | CC-BY-4.0 | 6 |" in sheet
    assert "| lee |" not in sheet
    assert f"| write | generate | writer-model | first-ko | {'a' * 64} |\n| write | generate | writer-model |" in sheet


def test_the_axes_of_a_definition_are_its_categories(project: Path) -> None:
    """Whatever they are called; where there are too many to show, accuracy alone."""
    found = read_project(project)
    odd = 'A "b"\x7f\\ 기상'
    items = (ITEMS[0], replace(ITEMS[-1], facets={**ITEMS[-1].facets, "category": odd}))
    toml = release_export(Release(found, "1.0", states(found), items, GUID)).files["benchmark.toml"].decode("utf-8")
    axes = tomllib.loads(toml)["axes"]
    assert [axis["name"] for axis in axes] == ["accuracy", "Earth & Life Sciences", odd]
    assert axes[2]["where"] == {"category": [odd]}
    assert tomllib.loads(toml)["headline"] == "true_false"
    many = tuple(
        replace(written("true_false", number), facets={**written("true_false", number).facets, "category": str(number)})
        for number in range(MOST_AXES + 1)
    )
    toml = release_export(Release(found, "1.0", states(found), many, GUID)).files["benchmark.toml"].decode("utf-8")
    assert [axis["name"] for axis in tomllib.loads(toml)["axes"]] == ["accuracy"]


def test_a_datasheet_counts_paragraphs_and_does_not_list_them(released: Path) -> None:
    """By hand: two paragraphs of one paper."""
    sheet = (released / "DATASHEET.md").read_text(encoding="utf-8")
    assert "| paper | 1 different | 6 |\n| paragraph | 2 different | 6 |" in sheet
    assert "| topic | Key Features | 6 |" in sheet


def test_items_that_a_model_wrote_are_released_whole(tmp_path: Path) -> None:
    """From a list of papers to a folder that reads back: papers, writer and prompts are in its datasheet."""
    with serve(writer) as server:
        write_papers(tmp_path, server, papers=["paddy", "queue"], more='[[stages]]\nuse = "shuffle"\n')
        settings = (tmp_path / "build.toml").read_text(encoding="utf-8")
        (tmp_path / "build.toml").write_text(f'licence = "CC-BY-4.0"\n{settings}', encoding="utf-8")
        build_project(tmp_path, None)
    release_project(tmp_path, "1.0", tmp_path / "out", 7)
    found = check(str(tmp_path / "out" / "papers-1.0"), None, None)
    assert found.findings == ()
    assert as_values(found.benchmark.items) == as_values(final_items(read_project(tmp_path)))
    sheet = (tmp_path / "out" / "papers-1.0" / "DATASHEET.md").read_text(encoding="utf-8")
    assert "| paddy | 논의 중간 물떼기와 메탄 배출 | 표본 농업 회보 | 2022 | CC-BY-4.0 | 20 |" in sheet
    assert "| queue | Reserved seats and waiting in a reading room | Sample Notes on Services | 2021 |" in sheet
    assert "| generate | generate | writer-model | generate-second-ko |" in sheet


def test_a_release_in_two_languages_says_so(project: Path) -> None:
    """Facets of the items come before the project's language."""
    found = read_project(project)
    english = replace(ITEMS[-1], facets={**ITEMS[-1].facets, "language": "en"})
    files = release_export(Release(found, "1.0", states(found), (*ITEMS[:-1], english), GUID)).files
    assert "- Language: en, ko\n" in files["DATASHEET.md"].decode("utf-8")
    assert json.loads(files["croissant.json"])["inLanguage"] == ["en", "ko"]


def test_papers_that_no_list_names_are_told_by_the_source(released: Path) -> None:
    """Items that were read from a file have no list of papers."""
    sheet = (released / "DATASHEET.md").read_text(encoding="utf-8")
    assert "| kim | 바람의 균형. 기상학회지, 2021. CC-BY-4.0. | – | – | – | 6 |" in sheet


def test_croissant_names_both_files_and_the_fields_of_their_lines(released: Path) -> None:
    """By hand: the first paragraph has all tasks, the second a statement alone; that lacks the fields of the others."""
    # >>> import mlcroissant     (1.1.1)
    # >>> first, second = mlcroissant.Dataset(jsonld="papers-1.0/croissant.json").records("paragraphs")
    # >>> first["paragraphs/multiple_select_answer"], second["paragraphs/true_false_id"]
    # The list of a and c, and kim-3-true_false; None for what the second paragraph lacks.
    metadata = json.loads((released / "croissant.json").read_text(encoding="utf-8"))
    assert [(file["@id"], file["encodingFormat"]) for file in metadata["distribution"]] == [
        ("papers.json", "application/json"),
        ("papers.jsonl", "application/jsonlines"),
    ]
    first, second = map(json.loads, (released / "papers.jsonl").read_text(encoding="utf-8").split("\n")[:-1])
    fields = {field["name"]: field for field in metadata["recordSet"][0]["field"]}
    assert all(value_of(first, field) is not None for field in fields.values())
    assert value_of(first, fields["multiple_select_answer"]) == ["a", "c"]
    assert value_of(second, fields["true_false_id"]) == "kim-3-true_false"
    there = {name for name, field in fields.items() if value_of(second, field) is not None}
    about = {"id", "category", "paragraph", "canary"}
    assert there == about | {f"true_false_{name}" for name in ("id", "question", "answer", "topic")}
    repeated = {"multiple_choice_choices", "multiple_select_choices", "multiple_select_answer"}
    assert {name for name, field in fields.items() if field.get("repeated")} == repeated


def value_of(record: dict[str, Any], field: dict[str, Any]) -> object:
    """Return what a field says of a record: a column, or what a path leads to in it; ``None`` where there is none."""
    source = field["source"]
    value: Any = record.get(source["extract"]["column"])
    for name in source.get("transform", {}).get("jsonPath", "").split("."):
        value = value.get(name) if name and isinstance(value, dict) else value if not name else None
    return value


def test_a_summary_keeps_its_question_and_its_topic(tmp_path: Path) -> None:
    """ScholarBench has no field for either; other programs read it as before."""
    summary = item("summarization")
    assert (summary.wording().question.text, summary.facets["topic"]) == ("summarization: 무엇인가?", "Key Features")
    export = whole_scholarbench(exam(summary))
    (tmp_path / "papers.json").write_bytes(export.files["papers.json"])
    assert read_items(tmp_path / "papers.json") == ((summary,), ())
    (made,) = json.loads(export.files["papers.json"])
    assert read_strictly(made) == {"summarization": as_asked(summary)}


def test_a_mixture_of_formats_is_released_in_neither(project: Path) -> None:
    """Every item that the format has no place for is named."""
    found = read_project(project)
    exam_item = replace(item("multiple_choice"), id="1", facets={"part": 1}, passage="")
    mixed = Release(found, "1.0", states(found), (*ITEMS, exam_item), GUID)
    assert mixed.form == "kmetbench"
    with pytest.raises(DataError, match="the format has ") as caught:
        release_export(mixed)
    assert {finding.item for finding in caught.value.findings} == {each.id for each in ITEMS}
    with pytest.raises(DataError, match="facet task is none of"):
        release_export(replace(mixed, wanted="scholarbench"))


def test_an_item_that_would_be_read_as_another_one_stops_a_release(project: Path) -> None:
    """Decomposed Hangul is composed when it is read, so that the content hash would be another."""
    found = read_project(project)
    decomposed = replace(ITEMS[-1], wordings={EXPLICIT: Wording(Content("\u1100\u1161?"))})
    with pytest.raises(DataError, match="would be read as another one") as caught:
        release_export(Release(found, "1.0", states(found), (*ITEMS[:-1], decomposed), GUID))
    assert [finding.item for finding in caught.value.findings] == ["kim-3-true_false"]


def test_what_an_exam_loses_is_told(tmp_path: Path) -> None:
    """K-MetBench's format has no place for a label of one's own."""
    (tmp_path / "build.toml").write_text(HEAD + READ.replace("scholarbench", "kmetbench"), encoding="utf-8")
    (tmp_path / "data.json").write_bytes(as_json([entry(1), entry(2)]))
    build_project(tmp_path, None)
    found = read_project(tmp_path)
    first, second = final_items(found)
    labelled = replace(first, facets={**first.facets, "topic": "clouds"})
    files = release_export(Release(found, "1.0", states(found), (labelled, second), GUID)).files
    assert json.loads(files["records/_release.json"])["lost"] == {"facet topic": 1}
    assert "| facet topic | 1 |" in files["DATASHEET.md"].decode("utf-8")


def test_a_project_is_not_called_like_the_metadata(project: Path) -> None:
    """One file would take the other's place."""
    found = replace(read_project(project), name="croissant")
    with pytest.raises(ConfigError, match="would have the name of the metadata"):
        release_export(Release(found, "1.0", states(found), ITEMS, GUID))


def test_a_format_is_one_of_two(project: Path, tmp_path: Path) -> None:
    """K-MetBench's has no place for such items."""
    with pytest.raises((ConfigError, DataError), match="no item can be put into the form kmetbench"):
        release_project(project, "1.0", tmp_path, 7, "kmetbench")
    assert list(tmp_path.iterdir()) == []
