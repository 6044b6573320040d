"""Where the numbers of a report come from: stated above every table, and in every record."""

from __future__ import annotations

from typing import Any, Final

from exambench.analysis.score_table import ScoreTable
from exambench.stats.resampling import Bootstrap

FACTS: Final = ("benchmark", "dataset", "protocol", "condition", "parser", "file", "sha256")


def source(table: ScoreTable) -> dict[str, Any]:
    """Return what a JSON report says of its table."""
    return {
        "title": table.title,
        "origin": dict(table.origin),
        "notes": list(table.notes),
        "models": list(table.models),
        "items": len(table.items),
    }


def drawn(bootstrap: Bootstrap) -> dict[str, Any]:
    """Return how intervals were drawn."""
    return {"level": bootstrap.level, "resamples": bootstrap.resamples, "seed": bootstrap.seed}


def interval_note(bootstrap: Bootstrap) -> str:
    """Return how intervals were drawn as a sentence."""
    return (
        f"Intervals: {bootstrap.level:.0%}, percentiles of {bootstrap.resamples:,} bootstrap resamples of the items, "
        f"seed {bootstrap.seed}."
    )


def record_of(table: ScoreTable, section: str) -> dict[str, object]:
    """Return the first columns of every CSV record of a table, and what kind of line it is.

    Of stored runs benchmark, dataset, protocol, condition and parser; of a matrix its file and the digest of it.
    """
    facts = {name: table.origin[name] for name in FACTS if name in table.origin}
    return {"source": table.title, **facts, "section": section}
