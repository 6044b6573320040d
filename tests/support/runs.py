"""Runs made by hand: what became of each item in each trial, without a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from exambench.analysis.scores import RunScores, TrialRow
from exambench.items import EXPLICIT, Axis, Benchmark, ChoiceKey, Content, Image, Item, Wording
from exambench.outcomes import OutcomeKind
from exambench.store.records import RunRecord

_ROWS: Mapping[str, TrialRow] = {
    "+": TrialRow("", 0, OutcomeKind.ANSWERED, 1.0, 1.0, 1),
    "-": TrialRow("", 0, OutcomeKind.ANSWERED, 0.0, 0.0, 2),
    "~": TrialRow("", 0, OutcomeKind.UNPARSED, 0.0, 1.0),
    "?": TrialRow("", 0, OutcomeKind.UNPARSED, 0.0, 0.0),
    "/": TrialRow("", 0, OutcomeKind.TRUNCATED, 0.0, 0.0),
    "!": TrialRow("", 0, OutcomeKind.REFUSED, 0.0, 0.0),
    "x": TrialRow("", 0, OutcomeKind.FAILED),
    ".": TrialRow("", 0, None),
}


def item(number: int, *, stem: str = "", picture: bool = False, choices: int = 2) -> Item:
    """Return an item whose first choice is right."""
    images = (Image(f"{number}.png"),) if picture else ()
    answers = tuple(Content(f"답 {choice}") for choice in range(choices))
    facets = {"korean": number % 2 == 0, "modality": "image" if picture else "text", "part": number % 3}
    wordings = {EXPLICIT: Wording(Content(stem or f"질문 {number}", images), answers)}
    return Item(id=str(number), wordings=wordings, key=ChoiceKey(1), facets=facets)


def exam(*items: Item, pass_mark: float | None = None) -> Benchmark:
    """Return a benchmark with an axis of all items and one of Korean items, those of even numbers."""
    axes = (Axis("korean", {"en": "Korean"}, {"korean": (True,)}), Axis("accuracy", {}))
    return Benchmark(name="exam", title="시험", items=items, axes=axes, pass_mark=pass_mark)


def run(
    benchmark: Benchmark,
    *trials: str,
    model: str = "model",
    images: bool = True,
    protocol: str = "advanced",
    decoding: Mapping[str, object] | None = None,
    versions: tuple[str, ...] = (),
    condition: Mapping[str, str] | None = None,
) -> RunScores:
    """Return a run of the first items of a benchmark.

    Args:
        benchmark: What was asked.
        trials: For each trial one sign an item: ``+`` right, ``-`` wrong, ``~`` right in another form than the required
            one, ``?`` no answer in any form, ``/`` cut by the token limit, ``!`` refused, ``x`` failed, ``.`` waiting,
            a space not planned.
        model: Name of the model.
        images: Whether it sees pictures.
        protocol: Name of the protocol.
        decoding: The decoding settings.
        versions: Versions of the parsers that read the responses; by default the present one.
        condition: The condition as it is stored; the usual one by default.
    """
    record = RunRecord(
        benchmark=benchmark.name,
        dataset_hash=benchmark.content_hash,
        model_name=model,
        identity=model,
        decoding=decoding or {"temperature": 0.0},
        model={"name": model, "capabilities": {"images": images}},
        protocol_name=protocol,
        protocol_hash=protocol * 8,
        protocol={"strict": "dict-strict", "lenient": "dict-lenient"},
        condition=condition or {"wording": EXPLICIT},
    )
    rows = tuple(
        replace(_ROWS[sign], item_id=asked.id, trial=trial)
        for trial, signs in enumerate(trials)
        for asked, sign in zip(benchmark.items, signs, strict=False)
        if sign != " "
    )
    return RunScores(record, benchmark, rows, versions)
