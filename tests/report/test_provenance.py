"""Every record says what its numbers are about."""

from __future__ import annotations

from dataclasses import replace

from exambench.analysis.origin import origin_of
from exambench.report.provenance import record_of
from exambench.store.records import RunRecord
from tests.support.tables import table_of

RECORD = RunRecord(
    benchmark="exam",
    dataset_hash="d" * 64,
    model_name="m",
    identity="m",
    decoding={},
    model={},
    protocol_name="advanced",
    protocol_hash="p" * 64,
    protocol={},
    condition={"wording": "explicit"},
)


def test_a_record_of_runs_names_dataset_protocol_and_parser() -> None:
    """Each has a column of its own; the list of all runs stays out of lines that are about one model."""
    table = replace(table_of([[1.0]]), origin=origin_of(RECORD) | {"parser": "dict 3", "runs": "a, b"})
    assert record_of(table, "axis") == {
        "source": "by hand",
        "benchmark": "exam",
        "dataset": "d" * 64,
        "protocol": "advanced " + "p" * 64,
        "condition": "wording explicit",
        "parser": "dict 3",
        "section": "axis",
    }


def test_a_record_of_a_matrix_names_file_and_digest() -> None:
    """What its columns were taken for is no column of a record, where an item or a key has that name."""
    table = replace(table_of([[1.0]]), origin={"file": "m.csv", "sha256": "ab", "item": "row", "key": "answer"})
    assert record_of(table, "item") == {"source": "by hand", "file": "m.csv", "sha256": "ab", "section": "item"}
