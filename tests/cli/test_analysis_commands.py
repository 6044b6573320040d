"""``diagnose``, ``compare``, ``items`` and ``cost`` on stored runs, and ``analyze`` on a foreign matrix."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError, DataError, StoreError
from tests.support.chat_server import Call, Reply, Script, always, completion, serve
from tests.support.commands import exambench
from tests.support.exams import write_exam

FIRST, LONGEST, ORACLE = "baseline/first", "baseline/longest", "baseline/oracle"
HOSTILE = "[red]m[/red] :boom: <b>|x"


def run(*arguments: str | Path) -> Result:
    """Run a command in this process, with a terminal of 100 columns."""
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "100", "TERM": "dumb"})


def as_json(*arguments: str | Path) -> Any:
    """Run a command with --json and return the document."""
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store in which three baselines sat an exam of 40 items, the last four of which show a picture.

    The key of item n is n mod 4 + 1, so that the first choice is right for the ten multiples of four. Every seventh
    item is Korean: 7, 14, 21, 28, 35. All choices are of one length, so the longest is the first.
    """
    folder = tmp_path_factory.mktemp("exam")
    data = write_exam(folder, 40, pictures=4)
    place = folder / "results.db"
    options = ("--benchmark", "kmetbench", "--data", data, "--images", folder / "images", "--store", place)
    assert run("run", *options, "--model", FIRST, "--model", LONGEST, "--model", ORACLE).exit_code == 0
    return place


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a matrix of 30 items with hostile names: m is right on even items, n on multiples of three, o on all."""
    path = tmp_path_factory.mktemp("matrix") / "matrix.csv"
    rows = [[f"[i]{n}", "odd" if n % 2 else "even", int(n % 2 == 0), int(n % 3 == 0), 1] for n in range(30)]
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["item", "kind", HOSTILE, "n", "o"], *rows])
    path.write_text(buffer.getvalue(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def suspicious(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store in which the best of three models is right on 19 of 20 items, and picks 1 for item 1, not 2.

    The top third of three models is one.
    """
    folder = tmp_path_factory.mktemp("suspicious")
    data = write_exam(folder, 20)
    place = folder / "results.db"
    options = ("--benchmark", "kmetbench", "--data", data, "--store", place)
    with serve(sitting(wrong={1})) as best, serve(sitting(wrong={1, 2, 3})) as good:
        models = [f"best@{best.base_url}", f"good@{good.base_url}", FIRST]
        done = run("run", *options, *(word for model in models for word in ("--model", model)))
    assert done.exit_code == 0, done.output
    return place


def sitting(wrong: set[int]) -> Script:
    """Return a model that answers right, but picks the first choice on some items."""

    def answer(call: Call) -> Reply:
        stem = str(call.body["messages"][-1]["content"])
        (number,) = map(int, re.findall(r"(\d+)번 관측소", stem))
        return completion(json.dumps({"정답": 1 if number in wrong else number % 4 + 1}, ensure_ascii=False))

    return answer


def by_model(records: list[dict[str, Any]], **fixed: str) -> dict[str, dict[str, Any]]:
    """Return the records that have these values, by model."""
    return {each["model"]: each for each in records if all(each[name] == value for name, value in fixed.items())}


def test_diagnose_has_axes_with_ranks(store: Path) -> None:
    """By hand: the first choice is right for 10 of 40 items; the two that pick it share ranks 2 and 3."""
    (document,) = as_json("diagnose", "--store", store)
    axes = by_model(document["axes"], axis="accuracy")
    assert {model: (each["n"], each["accuracy"], each["rank"]) for model, each in axes.items()} == {
        FIRST: (40, 0.25, 2.5),
        LONGEST: (40, 0.25, 2.5),
        ORACLE: (40, 1.0, 1.0),
    }
    assert axes[FIRST]["low"] < 0.25 < axes[FIRST]["high"]
    assert (document["level"], document["resamples"], document["seed"]) == (0.95, 1000, 42)
    assert document["origin"]["protocol"].startswith("advanced ")


def test_diagnose_has_gaps_with_single_items(store: Path) -> None:
    """By hand: 28 is the one right of 5 Korean items, 9 of the other 35; without it the gap is −9/35."""
    (document,) = as_json("diagnose", "--store", store)
    (family,) = document["gaps"]
    gap = by_model(family["gaps"], gap="geo-cultural")[FIRST]
    assert gap["estimate"] == pytest.approx(1 / 5 - 9 / 35)
    assert (gap["n_first"], gap["n_second"], gap["formula"]) == (5, 35, "korean true − false")
    assert gap["loo_max_change"] == pytest.approx(1 / 5)
    assert (gap["loo_item"], gap["loo_n"], gap["loo_sign_flips"]) == ("28", 5, 0)
    assert gap["low"] < gap["estimate"] < gap["high"]
    # Of four pictures, 40 is right: 1/4, as much as 9 of 36 texts.
    assert by_model(family["gaps"], gap="modality")[FIRST]["estimate"] == pytest.approx(0.0)
    # Two gaps of three models; the oracle's don't vary, so they have no p-value to correct.
    assert (family["comparisons"], family["method"]) == (4, "Holm")


def test_diagnose_names_the_weakest_axis_in_a_sentence(store: Path) -> None:
    """Parts have 8 items each, fewer than ten, and korean 5: only text has more; it is as good as all items."""
    (document,) = as_json("diagnose", "--store", store)
    assert document["weakest"] == []
    assert "Weakest axes" not in run("diagnose", "--store", store).stdout


def test_diagnose_sets_parts_against_the_rest(store: Path) -> None:
    """Part n mod 5 + 1: part 1 holds 5, 10, … 40, of which 20 and 40 are right: 2/8 against 8/32."""
    (document,) = as_json("diagnose", "--store", store, "--by", "part")
    parts = document["gaps"][1]
    assert parts["family"] == "part"
    assert by_model(parts["gaps"], gap="1")[FIRST]["estimate"] == pytest.approx(2 / 8 - 8 / 32)


def test_diagnose_takes_the_runs_that_are_named(store: Path) -> None:
    """By a model's name; all of them, the resamples and the seed reach the numbers."""
    (document,) = as_json("diagnose", FIRST, "--store", store, "--resamples", "50", "--seed", "7", "--level", "0.9")
    assert document["models"] == [FIRST]
    assert (document["level"], document["resamples"], document["seed"]) == (0.9, 50, 7)
    assert {each["rank"] for each in document["axes"]} == {None}


def test_a_text_only_model_is_diagnosed_apart_or_on_common_items(tmp_path: Path) -> None:
    """It saw 6 of 8 items and has no modality gap; put together, both models stand on those 6."""
    data = write_exam(tmp_path, 8, pictures=2)
    place = tmp_path / "results.db"
    options = ("--benchmark", "kmetbench", "--data", data, "--images", tmp_path / "images", "--store", place)
    with serve(always(completion('{"정답": 1}'))) as server:
        assert run("run", *options, "--model", f"reader@{server.base_url}", "--model", FIRST).exit_code == 0
    seer, reader = as_json("diagnose", "--store", place)
    assert (seer["models"], seer["items"], reader["models"], reader["items"]) == ([FIRST], 8, ["reader"], 6)
    assert {each["gap"] for each in seer["gaps"][0]["gaps"]} == {"geo-cultural", "modality"}
    assert reader["gaps"] == []  # item 7, the only Korean one, shows a picture
    (together,) = as_json("diagnose", "--store", place, "--common")
    assert (together["items"], set(together["models"])) == (6, {FIRST, "reader"})
    assert as_json("compare", FIRST, "reader", "--store", place)["outcomes"]["neither"] == 5


def test_diagnose_and_report_agree(store: Path) -> None:
    """The same runs have the same n, accuracies and intervals in both, to the last digit."""
    (document,), (ranking,) = as_json("diagnose", "--store", store), as_json("report", "--store", store)
    for row in ranking["rows"]:
        for axis, cell in row["axes"].items():
            (found,) = [each for each in document["axes"] if (each["model"], each["axis"]) == (row["model"], axis)]
            assert {name: found[name] for name in cell} == cell
            assert axis != "accuracy" or found["rank"] == row["rank"]


def test_report_takes_models_by_name_and_draws_as_it_is_told(store: Path) -> None:
    """As all commands of analysis do."""
    options = ("--store", store, "--resamples", "50", "--seed", "7", "--level", "0.9")
    (ranking,) = as_json("report", FIRST, *options)
    assert [row["model"] for row in ranking["rows"]] == [FIRST]
    assert (ranking["level"], ranking["resamples"], ranking["seed"]) == (0.9, 50, 7)


def test_compare_counts_pairs_on_common_items(store: Path) -> None:
    """By hand: both solve 10, the oracle alone 30; the exact two-sided p is 2 · 2⁻³⁰; nothing turns the order."""
    document = as_json("compare", FIRST, ORACLE, "--store", store)
    assert document["outcomes"] == {"both": 10, "only_a": 0, "only_b": 30, "neither": 0}
    assert document["overall"]["difference"] == pytest.approx(-0.75)
    assert document["overall"]["p"] == pytest.approx(2 * 2**-30)
    assert (document["order"]["leader"], document["order"]["to_tie"], document["order"]["to_flip"]) == (
        ORACLE,
        30,
        None,
    )
    first = document["items"][0]
    assert (first["item"], first["pick_a"], first["pick_b"], first["key"]) == ("1", "1", "2", "2")
    assert first["facets"]["korean"] == "false"


def test_compare_takes_the_beginning_of_a_run_id_and_one_axis(store: Path) -> None:
    """A run by its identifier is the run by its model's name; an axis narrows everything to its items."""
    runs = {each["model"]: each["run"] for each in json.loads(run("runs", "--json", "--store", store).stdout)}
    by_id = as_json("compare", runs[FIRST][:6], runs[ORACLE], "--store", store)
    assert by_id == as_json("compare", FIRST, ORACLE, "--store", store)
    assert as_json("compare", FIRST, ORACLE, "--store", store, "--axis", "korean")["n"] == 5


def test_an_axis_has_one_interval_wherever_it_stands(store: Path) -> None:
    """With --axis the items of all axes are drawn as without it: the row of the axis and its own page say the same."""
    whole = as_json("compare", FIRST, ORACLE, "--store", store)
    (row,) = [each for each in whole["axes"] if each["axis"] == "korean"]
    (alone, *_) = as_json("compare", FIRST, ORACLE, "--store", store, "--axis", "korean")["axes"]
    for bound in ("difference", "low", "high"):
        assert alone[bound] == row[bound]


def test_items_tells_who_picks_one_position(store: Path) -> None:
    """Forty picks of the first choice against ten keys each: χ² = 30²/10 + 3 · 10²/10 = 120."""
    (document,) = as_json("items", "--store", store)
    habits = by_model(document["habits"])
    assert (habits[FIRST]["near_constant"], habits[ORACLE]["near_constant"]) == (True, False)
    assert habits[FIRST]["chi_square"] == pytest.approx(120)
    assert habits[FIRST]["picks"] == {"1": 40, "2": 0, "3": 0, "4": 0}
    items = {each["item"]: each for each in document["items"]}
    assert (items["4"]["solved_by_all"], items["4"]["difficulty"]) == (True, 1.0)
    assert items["1"]["picks"] == {"1": 2, "2": 1, "3": 0, "4": 0}


def test_items_lists_suspects_alone(store: Path) -> None:
    """The top third is the oracle, so nothing is suspected, and nothing but suspects is printed."""
    (document,) = as_json("items", "--store", store, "--suspects")
    assert document["items"] == []
    assert "habits" not in document
    shown = run("items", "--store", store, "--suspects").stdout
    assert "Wrong-key suspects: 0" in shown
    assert "hardest" not in shown


def test_items_names_the_suspect(suspicious: Path) -> None:
    """By hand: the top third of three models is the best one, which picks 1 on item 1, whose key is 2."""
    (document,) = as_json("items", "--store", suspicious, "--suspects")
    (suspect,) = document["items"]
    assert (suspect["item"], suspect["key"], suspect["preferred"]) == ("1", "2", "1")
    assert (suspect["top_picks_of_preferred"], suspect["top_picks_of_key"], suspect["top_models"]) == (1, 0, 1)


def test_items_says_that_two_models_are_too_few(store: Path) -> None:
    """No suspects are claimed from two models."""
    (document,) = as_json("items", FIRST, ORACLE, "--store", store)
    assert "Wrong-key suspects need at least 3 models; found 2." in document["reasons"]
    assert document["items"][0]["wrong_key_suspect"] is None


def test_cost_states_n_and_what_was_not_metered(store: Path) -> None:
    """Baselines count no tokens and have no price: none is not zero."""
    records = by_model(as_json("cost", "--store", store))
    assert (records[FIRST]["n"], records[FIRST]["unmetered"]) == (40, 40)
    assert (records[FIRST]["money"], records[FIRST]["input_tokens"]) == (None, None)
    assert records[FIRST]["exam_minutes"] == 150
    assert "no response says how many tokens it took" in run("cost", "--store", store).stdout


def test_analyze_has_accuracy_pairs_facets_and_items(matrix: Path) -> None:
    """By hand: m has 15/30 and n 10/30, both are right on 5; even items less odd ones of m are 1 − 0."""
    document = as_json("analyze", matrix, "--pair", HOSTILE, "n")
    accuracies = by_model(document["diagnosis"]["axes"], axis="all")
    assert {model: each["accuracy"] for model, each in accuracies.items()} == pytest.approx(
        {HOSTILE: 1 / 2, "n": 1 / 3, "o": 1}
    )
    pair = next(each for each in document["pairs"] if (each["a"], each["b"]) == (HOSTILE, "n"))
    assert (pair["only_a"], pair["only_b"], pair["to_flip"]) == (10, 5, 6)
    assert document["comparison"]["outcomes"] == {"both": 5, "only_a": 10, "only_b": 5, "neither": 10}
    assert len(document["comparison"]["order"]["greedy"]) == 6
    kind = document["diagnosis"]["gaps"][1]
    assert by_model(kind["gaps"], gap="even")[HOSTILE]["estimate"] == 1.0
    assert len(document["items"]["items"]) == 30
    assert document["diagnosis"]["origin"]["facets"] == "kind"


def test_analyze_reads_picks(tmp_path: Path) -> None:
    """With the key's column named; picks make distractors and habits."""
    path = tmp_path / "picks.csv"
    path.write_text("row,answer,m,n\n0,A,A,B\n1,B,A,\n", encoding="utf-8")
    document = as_json("analyze", path, "--picks", "--key", "answer")
    assert document["items"]["items"][1]["picks"] == {"A": 1, "B": 0, "C": 0, "D": 0}
    assert document["items"]["items"][1]["no_pick"] == 1


def test_names_are_text_never_markup(matrix: Path) -> None:
    """Brackets, emoji codes, bars and tags of models and items are shown as they are, and escaped in Markdown."""
    shown = run("analyze", matrix).stdout
    assert HOSTILE in shown
    assert "[i]29" in shown
    markdown = run("analyze", matrix, "--markdown").stdout
    assert r"\[red]m\[/red] :boom: \<b\>\|x" in markdown
    assert "<b>" not in markdown


def test_long_tables_are_cut_on_the_terminal_only(matrix: Path) -> None:
    """Twenty of thirty items are shown with a count of the rest; CSV, JSON and Markdown have all."""
    assert "Not shown: 10 of 30 items" in run("analyze", matrix).stdout
    lines = list(csv.DictReader(io.StringIO(run("analyze", matrix, "--csv").stdout)))
    assert sum(line["section"] == "item" for line in lines) == 30
    assert "Not shown" not in run("analyze", matrix, "--markdown").stdout


COMMANDS = [
    ["diagnose", "--resamples", "50", "--by", "part"],
    ["compare", FIRST, ORACLE, "--resamples", "50"],
    ["items"],
    ["items", "--suspects"],
    ["cost"],
    ["report", "--resamples", "50"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_form_is_printed(suspicious: Path, command: list[str]) -> None:
    """The terminal's tables fit 100 columns; Markdown has a heading; CSV has one width in its two lines and more."""
    words = ["best" if word == ORACLE else word for word in command]
    shown, markdown, table = (run(*words, "--store", suspicious, *form) for form in ([], ["--markdown"], ["--csv"]))
    assert [done.exit_code for done in (shown, markdown, table)] == [0, 0, 0]
    assert max(map(cell_len, shown.stdout.splitlines())) <= 100
    assert markdown.stdout.startswith("## ")
    lines = list(csv.reader(io.StringIO(table.stdout)))
    assert len(lines) > 1
    assert {len(line) for line in lines} == {len(lines[0])}
    assert {"benchmark", "dataset", "protocol", "condition"} <= set(lines[0])


def test_a_wide_matrix_fits_the_terminal(matrix: Path) -> None:
    """Long names of models and facets are folded."""
    shown = run("analyze", matrix, "--pair", "n", "o").stdout
    assert max(map(len, shown.splitlines())) <= 100


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_same_runs_give_the_same_bytes(store: Path, command: list[str]) -> None:
    """The seed is stated, and nothing else is random."""
    first, second = (run(*command, "--store", store, "--json") for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.stdout == second.stdout
    assert json.loads(first.stdout)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["diagnose", "nobody"], ConfigError, "there is no such run"),
        (["diagnose", "--by", "colour"], ConfigError, "allowed: korean, modality, part, reasoning"),
        (["diagnose", "--level", "95"], ConfigError, "a number between 0 and 1"),
        (["diagnose", "--json", "--csv"], ConfigError, "more than one form"),
        (["report", "--json", "--csv"], ConfigError, "more than one form"),
        (["report", "--level", "95"], ConfigError, "a number between 0 and 1"),
        (["report", "nobody"], ConfigError, "there is no such run"),
        (["compare", FIRST, FIRST], ConfigError, "mean one run"),
        (["compare", FIRST, ORACLE, "--axis", "P9"], ConfigError, "no such axis"),
    ],
)
def test_what_cannot_be_used_is_one_error(
    store: Path, arguments: list[str], error: type[Exception], message: str
) -> None:
    """Named with what is allowed, and nothing is printed."""
    done = run(*arguments, "--store", store)
    assert isinstance(done.exception, error)
    assert message in str(done.exception)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--picks"], ConfigError, "Name the column with --key"),
        (["--key", "kind"], ConfigError, "Add --picks"),
        (["--pair", "n", "p"], ConfigError, "there is no such model"),
        (["--facet", "colour"], DataError, "that --facet names is missing"),
    ],
)
def test_options_of_a_matrix_that_do_not_fit_are_one_error(
    matrix: Path, arguments: list[str], error: type[Exception], message: str
) -> None:
    """Said before anything is computed."""
    done = run("analyze", matrix, *arguments)
    assert isinstance(done.exception, error)
    assert message in str(done.exception)


def test_a_store_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    """None is made by looking."""
    done = run("diagnose", "--store", tmp_path / "none.db")
    assert isinstance(done.exception, (StoreError, ConfigError))
    assert not (tmp_path / "none.db").exists()


def test_a_model_with_several_runs_must_be_named_by_run(tmp_path: Path) -> None:
    """The error lists the runs of that model."""
    data = write_exam(tmp_path, 8)
    for protocol in ("advanced", "standard"):
        options = ("--benchmark", "kmetbench", "--data", data, "--protocol", protocol, "--store", tmp_path / "r.db")
        assert run("run", *options, "--model", FIRST, "--model", ORACLE).exit_code == 0
    done = run("compare", FIRST, ORACLE, "--store", tmp_path / "r.db")
    assert isinstance(done.exception, ConfigError)
    assert "several runs are of this model" in str(done.exception)
    assert "kmetbench, advanced" in str(done.exception)
    assert len(as_json("diagnose", "--store", tmp_path / "r.db")) == 2


@pytest.mark.parametrize("command", COMMANDS[:3] + COMMANDS[4:], ids=lambda command: command[0])
def test_a_command_runs_in_a_process_of_its_own(store: Path, command: list[str]) -> None:
    """Exit code 0, the result on standard output, nothing on standard error."""
    done = exambench(*command, "--store", store, env={"COLUMNS": "100"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_a_broken_matrix_ends_in_exit_code_2(tmp_path: Path) -> None:
    """One message with file, row, column, value and remedy; no traceback, nothing printed."""
    path = tmp_path / "matrix.csv"
    path.write_text("item,m,n\nq1,1,2\nq2,1,0\n", encoding="utf-8")
    done = exambench("analyze", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"exambench: {path}, item row 2, field n: this is not a score (found '2'); allowed: 0 or 1, or blank for none. "
        "Correct the value, or name the column with --facet if it is not a model.\n"
    )
