"""Where the numbers of a run come from."""

from __future__ import annotations

from exambench.protocols.condition import condition_text
from exambench.store.records import RunRecord


def origin_of(record: RunRecord) -> dict[str, str]:
    """Return what a run was asked, and how: name of the fact → the fact, the same names in every report."""
    return {
        "benchmark": record.benchmark,
        "dataset": record.dataset_hash,
        "protocol": f"{record.protocol_name} {record.protocol_hash}",
        "condition": condition_text(record.condition),
    }
