"""What conditions do to each model, as JSON and CSV in full precision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exambench.analysis.condition_cells import PROMPT, CellRun
from exambench.analysis.condition_contrasts import Contrast, Effects
from exambench.analysis.conditions import ModelConditions, ProbeResult
from exambench.analysis.reshuffling import Reshuffling
from exambench.report.formatting import csv_text, json_text, number
from exambench.report.provenance import drawn
from exambench.stats.intervals import Interval


def as_json(models: Sequence[ModelConditions]) -> str:
    """Return the result as a JSON document."""
    return json_text([_document(found) for found in models])


def as_csv(models: Sequence[ModelConditions]) -> str:
    """Return one line for each cell, contrast, effect, probe and permutation; a line for each item that flips."""
    return csv_text(record for found in models for record in _records(found))


def _document(found: ModelConditions) -> dict[str, Any]:
    return {
        **_origin(found),
        "cells": [
            {**_cell(each), **_interval(accuracy, "accuracy"), "not_asked": dict(refused)}
            for each, accuracy, refused in zip(found.cells.cells, found.accuracy, found.refused, strict=True)
        ],
        "effects": [_effects(each) for each in found.effects],
        "contrasts": [_contrast(each) | {"lost": each.lost, "gained": each.gained} for each in found.contrasts],
        "probes": [_probe(each) | {"solved": each.solved} for each in found.probes],
        "reshuffling": [_reshuffling(each) for each in found.reshufflings],
    }


def _origin(found: ModelConditions) -> dict[str, Any]:
    run = found.cells.reference.run
    return {
        "benchmark": run.record.benchmark,
        "dataset": run.record.dataset_hash,
        "parser": run.parser,
        "model": found.model,
        "axis": found.axis,
        **drawn(found.bootstrap),
    }


def _records(found: ModelConditions) -> Iterator[dict[str, object]]:
    origin = _origin(found)
    for each, accuracy, refused in zip(found.cells.cells, found.accuracy, found.refused, strict=True):
        counted = {"not_asked": sum(refused.values())}
        yield {**origin, "section": "cell", **_flat(_cell(each)), **_interval(accuracy, "accuracy"), **counted}
    for effects in found.effects:
        document = _effects(effects)
        for name in ("first", "second", "interaction"):
            named = {"factors": " × ".join(effects.factors), "effect": name}
            yield {**origin, "section": "effect", **named, **document[name]}
    for contrast in found.contrasts:
        record = _flat(_contrast(contrast))
        yield {**origin, "section": "contrast", **record}
        for direction, items in (("lost", contrast.lost), ("gained", contrast.gained)):
            for item in items:
                sides = {name: record[name] for name in ("factor", "first_run", "second_run")}
                yield {**origin, "section": "flip", **sides, "direction": direction, "item": item}
    for probe in found.probes:
        yield {**origin, "section": "probe", **_flat(_probe(probe))}
    for reshuffling in found.reshufflings:
        yield {**origin, "section": "reshuffling", **_flat(_reshuffling(reshuffling))}


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with nested objects as columns of their own, and lists in one cell."""
    flat: dict[str, Any] = {}
    for name, value in document.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}_{inner}": each for inner, each in _flat(value).items()}
        else:
            flat[name] = " ".join(map(str, value)) if isinstance(value, list | tuple) else value
    return flat


def _cell(found: CellRun) -> dict[str, Any]:
    record = found.run.record
    return {
        "run": record.run_id,
        "protocol": found.values[PROMPT],
        "condition": dict(record.condition),
        "title": found.title,
    }


def _interval(found: Interval | None, name: str) -> dict[str, Any]:
    if found is None:
        return {"n": 0, name: None, "low": None, "high": None}
    return {"n": found.n, name: number(found.estimate), "low": number(found.low), "high": number(found.high)}


def _contrast(found: Contrast) -> dict[str, Any]:
    return {
        "factor": found.factor,
        "first": found.first.title,
        "second": found.second.title,
        "first_run": found.first.run.run_id,
        "second_run": found.second.run.run_id,
        "first_mean": found.means[0],
        "second_mean": found.means[1],
        **_interval(found.difference, "difference"),
        "n_lost": found.test.only_a,
        "n_gained": found.test.only_b,
        "test": found.test.method,
        "p": found.test.p_value,
        "p_holm": number(found.adjusted),
    }


def _effects(found: Effects) -> dict[str, Any]:
    return {
        "factors": list(found.factors),
        "levels": [list(pair) for pair in found.levels],
        "means": found.means.tolist(),
        "first": _interval(found.first, "effect_size"),
        "second": _interval(found.second, "effect_size"),
        "interaction": _interval(found.interaction, "effect_size"),
    }


def _probe(found: ProbeResult) -> dict[str, Any]:
    contrast = found.contrast
    return {
        "probe": found.probe.name,
        "tests": found.probe.tests,
        "run": found.cell.run.run_id,
        "title": found.cell.title,
        **_interval(found.accuracy, "accuracy"),
        "chance": found.chance,
        "p_above_chance": number(found.above_chance),
        "p_above_chance_holm": number(found.adjusted),
        "above_chance": found.beats_chance,
        "change": None if contrast is None else _interval(contrast.difference, "points"),
        "changed": None if contrast is None else contrast.significant,
    }


def _reshuffling(found: Reshuffling) -> dict[str, Any]:
    places = found.places
    return {
        "runs": [each.run.run_id for each in found.cells],
        "n": found.n,
        "accuracies": list(found.accuracies),
        "mean": found.mean,
        "sd": number(found.sd),
        "original_accuracy": found.original_accuracy,
        "drop": _interval(found.drop, "points"),
        "p": number(found.p_value),
        "hangs_on_the_order": found.hangs_on_the_order,
        "same_choice": found.consistency.same,
        "same_choice_n": found.consistency.n,
        "consistency": number(found.consistency.share),
        "picked": places.observed.tolist(),
        "expected": places.expected.tolist(),
        "chi_square": None if places.test is None else places.test.statistic,
        "design_effect": None if places.test is None else places.test.design_effect,
        "degrees": None if places.test is None else places.test.degrees,
        "p_places": None if places.test is None else places.test.p_value,
        "preferred_place": places.preferred,
    }
