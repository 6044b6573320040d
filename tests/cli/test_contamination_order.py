"""The published order against others, from the command line: models of known behaviour get their verdict."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from exambench.cli.app import app
from exambench.errors import ConfigError
from tests.support.chat_server import Call, Reply, Script, completion, json_reply, serve
from tests.support.exams import entry

SIZE = 16
PRINTED = (2, 0, 3, 1)
KNOWN_KEY: Callable[[int], int] = lambda number: number % 4 + 1  # noqa: E731 - the key of tests.support.exams
_SHOWN = re.compile(r"^(\d)\. (\d+) hPa$", re.MULTILINE)


def exambench(*arguments: str | Path) -> Result:
    """Run a command in this process and return what it printed; an expected failure is raised."""
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    return CliRunner().invoke(app, list(map(str, arguments)), env=environment, catch_exceptions=False)


def number_of(text: str) -> int:
    """Return the number of the item that a prompt is about."""
    match = re.search(r"(\d+)번 관측소", text)
    assert match is not None
    return int(match[1])


def place_of_key(text: str) -> int:
    """Return where the right choice is shown: the one at the place n % 4 + 1 as it was printed."""
    number = number_of(text)
    shown = {int(value): int(place) for place, value in _SHOWN.findall(text)}
    return shown[1000 + number + PRINTED[number % 4]]


def unsorted(number: int, **changes: object) -> dict[str, Any]:
    """Return an item whose choices, 1000 + n … 1003 + n, are not printed by size."""
    choices = [{"text": f"{1000 + number + step} hPa", "image": ""} for step in PRINTED]
    return entry(number, choices=choices, **changes)


def pick(place: int) -> Reply:
    """Answer with a place."""
    return completion(json.dumps({"정답": place}, ensure_ascii=False))


def knows_the_subject(call: Call) -> Reply:
    """Find the right choice wherever it stands, on three items of four."""
    place = place_of_key(call.prompt)
    return pick(place if number_of(call.prompt) % 4 else place % 4 + 1)


def knows_the_numbers(call: Call) -> Reply:
    """Give the number that the key has in the published order, whatever stands there."""
    return pick(KNOWN_KEY(number_of(call.prompt)))


def prefers_the_first(_call: Call) -> Reply:
    """Give the first place."""
    return pick(1)


@pytest.fixture(name="exam", scope="module")
def _exam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exam of 16 items whose keys are spread over four places."""
    return write(tmp_path_factory.mktemp("exam") / "exam.json", [unsorted(number) for number in range(1, SIZE + 1)])


def write(path: Path, entries: list[dict[str, Any]]) -> Path:
    """Write an exam."""
    path.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return path


def probe(exam: Path, store: Path, script: Script, *more: str | Path) -> Any:
    """Ask one model in five orders and return its part of the report."""
    with serve(script) as server:
        done = exambench(
            *("contamination", "order", "--benchmark", "kmetbench", "--data", exam, "--permutations", "4"),
            *("--model", f"tester@{server.base_url}", "--store", store, "--json", "--resamples", "50", *more),
        )
    assert done.exit_code == 0, done.stderr
    (model,) = json.loads(done.stdout)["models"]
    return model


@pytest.fixture(name="remembered", scope="module")
def _remembered(exam: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A store in which a model that knows the numbers was asked, and what came of it."""
    store = tmp_path_factory.mktemp("remembered") / "r.db"
    return store, probe(exam, store, knows_the_numbers)


def test_a_model_that_knows_the_original_numbers_is_told(remembered: tuple[Path, Any]) -> None:
    """All right in the published order; in others only where the key happens to stay in its place."""
    _, model = remembered
    assert (model["published"]["estimate"], model["items"], model["orders"]) == (1.0, SIZE, 4)
    # By enumeration: p is the product over items of (orders in which it is right) / 5.
    expected = 1.0
    for item in model["scores"]:
        expected *= (1 + sum(item["others"])) / 5
    assert model["p"] == pytest.approx(expected)
    assert model["p"] < 1e-6
    assert model["same_place"]["low"] > 0
    assert model["conclusion"] == "better in the published order: a sign of memory"


def test_a_model_that_knows_the_subject_is_not_accused(exam: Path, tmp_path: Path) -> None:
    """It does equally well in all orders, so nothing can be exchanged: p is 1."""
    model = probe(exam, tmp_path / "r.db", knows_the_subject)
    assert (model["published"]["estimate"], model["others"]["estimate"], model["informative"]) == (0.75, 0.75, 0)
    assert (model["p"], model["difference"]["estimate"]) == (1.0, 0.0)
    assert model["conclusion"] == "no better in the published order: no sign of memory"


def test_a_preference_for_a_place_does_not_pass_for_memory(tmp_path: Path) -> None:
    """All published keys stand first, and the model always answers 1: better in the published order, but explained."""
    entries = [unsorted(number, answer=1) for number in range(1, SIZE + 1)]
    model = probe(write(tmp_path / "exam.json", entries), tmp_path / "r.db", prefers_the_first)
    assert model["published"]["estimate"] == 1.0
    assert model["p"] < 1e-6
    # Wherever an order has the key first, this model is right there too: the difference at the same place is 0.
    assert (model["same_place"]["estimate"], model["same_place"]["high"]) == (0.0, 0.0)
    assert "no more than its preference for places explains" in model["conclusion"]


def test_stored_runs_are_compared_without_asking(remembered: tuple[Path, Any]) -> None:
    """The run in the published order is named; those in other orders are found beside it."""
    store, asked = remembered
    again = exambench("contamination", "order", asked["run"][:8], "--store", store, "--json", "--resamples", "50")
    assert json.loads(again.stdout)["models"] == [asked]


def test_sorted_numbers_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    """Any model finds numbers by size natural: six items of the usual kind are not asked in other orders."""
    entries = [entry(number) if number <= 6 else unsorted(number) for number in range(1, SIZE + 1)]
    path = write(tmp_path / "exam.json", entries)
    assert probe(path, tmp_path / "r.db", prefers_the_first)["items"] == SIZE - 6
    assert probe(path, tmp_path / "r.db", prefers_the_first, "--sorted")["items"] == SIZE


def test_every_form_says_the_same(remembered: tuple[Path, Any]) -> None:
    """Terminal, Markdown and CSV, with the null hypothesis beside the p-value."""
    store, asked = remembered
    common: list[str | Path] = ["contamination", "order", asked["run"], "--store", store, "--resamples", "20"]
    for page in (exambench(*common).stdout, exambench(*common, "--markdown").stdout):
        assert "Null hypothesis: an item is answered as well in any order." in " ".join(page.split())
        assert "a sign of memory" in page
    (row,) = csv.DictReader(io.StringIO(exambench(*common, "--csv").stdout))
    assert (float(row["p"]), row["published_n"]) == (asked["p"], str(SIZE))


def test_a_run_without_others_is_said(exam: Path, tmp_path: Path) -> None:
    """And how to get them."""
    run: list[str | Path] = [
        "run",
        "--benchmark",
        "kmetbench",
        "--data",
        exam,
        "--model",
        "baseline/first",
        "--store",
        tmp_path / "r.db",
    ]
    exambench(*run)
    with pytest.raises(ConfigError, match=r"differs from .* in the order alone"):
        exambench("contamination", "order", "baseline/first", "--store", tmp_path / "r.db")
    with pytest.raises(ConfigError, match="name runs of the store, or a benchmark and models"):
        exambench("contamination", "order", "--store", tmp_path / "r.db")


def echoed(likelihood: Callable[[str], float]) -> Script:
    """Echo the prompt as completions do, in two tokens after the first and one that is generated."""

    def script(call: Call) -> Reply:
        assert call.path == "/v1/completions"
        assert (call.body["echo"], call.body["logprobs"], call.body["max_tokens"]) == (True, 1, 1)
        half = likelihood(call.body["prompt"]) / 2
        logprobs = {"token_logprobs": [None, half, half, -50.0], "tokens": ["a", "b", "c", "d"]}
        usage = {"prompt_tokens": 3, "completion_tokens": 1}
        return json_reply({"choices": [{"text": call.body["prompt"], "logprobs": logprobs}], "usage": usage})

    return script


def prompt_logprobs(likelihood: Callable[[str], float]) -> Script:
    """Give the log-probabilities of a chat's prompt as vLLM does."""

    def script(call: Call) -> Reply:
        assert call.path == "/v1/chat/completions"
        assert call.body["prompt_logprobs"] == 0
        entries = [None, {"7": {"logprob": likelihood(call.prompt), "rank": 1, "decoded_token": "x"}}]
        message = {"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "length"}
        return json_reply({"choices": [message], "prompt_logprobs": entries})

    return script


def in_written_order(text: str) -> bool:
    """Tell whether the choices stand as they were published."""
    values = [int(value) for _, value in _SHOWN.findall(text)]
    return values == [min(values) + step for step in PRINTED]


def seen_before(text: str) -> float:
    """Find the published order more likely than any other."""
    return -10.0 if in_written_order(text) else -20.0 - sum(map(ord, text)) % 7


def never_seen(text: str) -> float:
    """Find all orders of an item equally likely."""
    return -20.0 - number_of(text) % 5


def likelihoods(exam: Path, store: Path, script: Script, source: str) -> Any:
    """Ask one model for likelihoods in six orders and return its part of the report."""
    with serve(script) as server:
        done = exambench(
            *("contamination", "order", "--benchmark", "kmetbench", "--data", exam, "--permutations", "5"),
            *("--model", f"tester@{server.base_url}", "--likelihood", source, "--store", store, "--json"),
        )
    assert done.exit_code == 0, done.stderr
    (model,) = json.loads(done.stdout)["models"]
    return model


@pytest.mark.parametrize(("source", "speak"), [("completions", echoed), ("chat", prompt_logprobs)])
def test_the_published_order_that_was_seen_is_the_most_likely(
    exam: Path, tmp_path: Path, source: str, speak: Callable[[Callable[[str], float]], Script]
) -> None:
    """Rank 1 of 6 on all 16 items: p is (1/6)^16."""
    model = likelihoods(exam, tmp_path / "r.db", speak(seen_before), source)
    assert (model["most_likely"], model["items"], model["mean_percentile"]) == (SIZE, SIZE, 1.0)
    assert model["p"] == pytest.approx((1 / 6) ** SIZE, rel=1e-6)
    assert model["conclusion"] == "more likely in the published order: a sign of memory"
    assert {item["log_likelihood"] for item in model["ranks"]} == {-10.0}


def test_orders_that_are_all_alike_tie(exam: Path, tmp_path: Path) -> None:
    """Ties share their rank, so nothing can be exchanged."""
    model = likelihoods(exam, tmp_path / "r.db", echoed(never_seen), "completions")
    assert (model["most_likely"], model["mean_percentile"], model["p"]) == (0, 0.5, 1.0)
    assert model["expected_most_likely"] == pytest.approx(SIZE / 6)
    assert model["conclusion"] == "no more likely in the published order: no sign of memory"


def test_an_endpoint_without_log_probabilities_fails_aloud(exam: Path, tmp_path: Path) -> None:
    """A reply without them is no likelihood: it stays open, and there is no report."""
    with serve(lambda _: completion("2")) as server, pytest.raises(ConfigError, match="has no item with a likelihood"):
        exambench(
            *("contamination", "order", "--benchmark", "kmetbench", "--data", exam, "--permutations", "1"),
            *("--model", write_model(tmp_path, server.base_url), "--likelihood", "chat", "--store", tmp_path / "r.db"),
        )


def write_model(folder: Path, base_url: str) -> Path:
    """Write a model file that tries each request once."""
    path = folder / "model.toml"
    path.write_text(f'name = "m"\n[endpoint]\nbase_url = "{base_url}"\n[limits]\nmax_attempts = 1\n', encoding="utf-8")
    return path
