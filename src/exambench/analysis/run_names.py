"""What to call runs in one table: by the model, and by what differs where one model has several."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from exambench.analysis.scores import RunScores
from exambench.items import short

LONGEST_SETTINGS: Final = 40


def names_of(runs: Sequence[RunScores]) -> tuple[str, ...]:
    """Return a name for each run, each once.

    It is the model's name; runs of one model have the settings of the decoding that differ behind it, and where these
    are the same, or long, the beginning of the run's identifier.
    """
    names = [run.record.model_name for run in runs]
    for described in (_settings, _short_id, _whole_id):
        counts = Counter(names)
        names = [
            name if counts[name] == 1 else _named(run, [other for other in runs if _alike(run, other)], described)
            for run, name in zip(runs, names, strict=True)
        ]
    return tuple(names)


def _named(
    run: RunScores, alike: Sequence[RunScores], described: Callable[[RunScores, Sequence[RunScores]], str]
) -> str:
    text = described(run, alike)
    return f"{run.record.model_name} ({text})" if text else run.record.model_name


def _alike(run: RunScores, other: RunScores) -> bool:
    return run.record.model_name == other.record.model_name


def _settings(run: RunScores, alike: Sequence[RunScores]) -> str:
    """Return the settings of the decoding in which runs of one model differ; nothing if that is long for any."""
    names = dict.fromkeys(name for other in alike for name in other.record.decoding)
    differing = [name for name in names if len({_setting(other, name) for other in alike}) > 1]
    texts = {other.run_id: ", ".join(_setting(other, name) for name in differing) for other in alike}
    return texts[run.run_id] if max(map(len, texts.values())) <= LONGEST_SETTINGS else ""


def _setting(run: RunScores, name: str) -> str:
    decoding = run.record.decoding
    if name not in decoding:
        return f"no {name}"
    value = decoding[name]
    return f"{name} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"


def _short_id(run: RunScores, _alike: Sequence[RunScores]) -> str:
    return short(run.run_id)


def _whole_id(run: RunScores, _alike: Sequence[RunScores]) -> str:
    return run.run_id
