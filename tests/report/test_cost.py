"""What runs took, in every form: what is not known is a dash with its reason."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from exambench.analysis.cost import Money, RunCost
from exambench.exchange import Usage
from exambench.report import cost

RUN = RunCost(
    run_id="0" * 16,
    benchmark="시험",
    model="qwen",
    n=10,
    received=10,
    usage=Usage(input_tokens=1000, output_tokens=200, cached_tokens=None, reasoning_tokens=50),
    unmetered=3,
    money=Money(0.5, "USD", at_least=True),
    wall_seconds=60.0,
    gpu="H100",
    gpus=2,
    exam_minutes=150,
    exam_items=100,
    origin={
        "benchmark": "exam",
        "dataset": "d" * 64,
        "protocol": "advanced " + "p" * 64,
        "condition": "wording explicit",
    },
)


def row(run: RunCost) -> list[str]:
    """Return the cells of a run in Markdown."""
    (line,) = [line for line in cost.markdown([run]).splitlines() if line.startswith("| qwen")]
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_a_lower_bound_is_marked() -> None:
    """Where some responses don't say their tokens, sums and money are at least that much, and a note says how many."""
    assert row(RUN)[3:6] == ["≥ 1,000 (1)", "≥ 200 50 reasoning (1)", "≥ 0.5 USD 5"]
    assert "(1) 3 of 10 responses don't say how many tokens they took." in cost.markdown([RUN])
    exact = replace(RUN, unmetered=0, money=Money(0.5, "USD", at_least=False))
    assert row(exact)[3:6] == ["1,000", "200 50 reasoning", "0.5 USD 5"]


def test_gpu_hours_and_time_of_an_exam() -> None:
    """One minute on two GPUs for ten questions: 1/60 × 2 × 100 / 10 = 1/3 GPU-hour, and ten of 150 minutes."""
    assert row(RUN)[6:] == ["0:01:00 600.0 s", "0.333 2 × H100", "10.0 6.7% of 150"]


def test_a_run_that_received_nothing_has_reasons_for_zeros() -> None:
    """Its time is not that of its responses: a dash, never 0.0 hours."""
    reused = replace(RUN, received=0, wall_seconds=0.02)
    assert row(reused)[2] == "10 0 new"
    assert row(reused)[6:] == ["0:00:00", "– (2)", "– (2)"]
    assert "(2) no response arrived while this run was on, so no time was spent on any." in cost.markdown([reused])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"money": None}, "the model file has no \\[price\\]"),  # brackets are escaped in Markdown
        ({"money": None, "usage": Usage()}, "no response says how many tokens it took"),
        ({"gpus": None}, "on how many GPUs the model runs"),
        ({"exam_items": None}, "doesn't say how long people have"),
    ],
)
def test_every_dash_has_its_reason(changes: dict[str, object], reason: str) -> None:
    """Below the table."""
    shown = cost.markdown([replace(RUN, **changes)])  # type: ignore[arg-type]  # fields of the dataclass
    assert reason.replace("\\]", "]") in shown


def test_every_record_says_what_it_is_about() -> None:
    """Dataset, protocol and condition stand beside n, in CSV and JSON alike."""
    (line,) = csv.DictReader(io.StringIO(cost.as_csv([RUN])))
    (record,) = json.loads(cost.as_json([RUN]))
    assert list(line) == list(record)
    for found in (line, record):
        assert {name: found[name] for name in RUN.origin} == RUN.origin
    assert (record["n"], record["received"], record["money"], record["money_is_lower_bound"]) == (10, 10, 0.5, True)


def test_the_terminal_names_dataset_and_protocol_within_100_columns() -> None:
    """By the beginnings of their digests."""
    stream = io.StringIO()
    Console(file=stream, width=100, no_color=True).print(cost.terminal([RUN]))
    shown = stream.getvalue()
    assert max(map(cell_len, shown.splitlines())) <= 100
    assert all(word in shown for word in ("exam", "dddddddd", "advanced", "pppppppp", "wording explicit"))
