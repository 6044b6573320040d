"""What the labels of all items amount to: their counts, and how far models agree with each other and with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from exambench.construct.label_sets import folded
from exambench.errors import UndefinedStatisticError
from exambench.items import Item
from exambench.stats.agreement import cohen_kappa
from exambench.stats.intervals import wilson_interval
from exambench.stats.resampling import Bootstrap

RESAMPLES: Final = 1000


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labels of one item.

    Attributes:
        item: The item.
        said: What each model said, as far as it can be used.
        labels: The same after consolidation; ``None`` where it cannot be used or the map does not have it.
        of_models: What they amount to.
        of_people: What a person said; ``None`` where nobody did, or about another item or question.
    """

    item: Item
    said: tuple[str | None, ...]
    labels: tuple[str | None, ...]
    of_models: str | None
    of_people: str | None = None

    @property
    def label(self) -> str | None:
        """The label that the item gets: that of people before that of models."""
        return self.of_models if self.of_people is None else self.of_people


def label_facts(
    found: Sequence[Labelled],
    audit: frozenset[str],
    merging: Mapping[str, str] | None,
    names: Sequence[str],
    seed: int,
) -> dict[str, Any]:
    """Return the facts of a labelling as JSON values.

    Args:
        found: The labels of all items.
        audit: The items of the sample that people look at in any case.
        merging: The map onto fewer labels, by the folded phrase.
        names: Names of the models.
        seed: Of the resamples.
    """
    counts = Counter(each.label for each in found if each.label is not None)
    people = [each for each in found if each.of_people is not None]
    facts: dict[str, Any] = {
        "labelled": counts.total(),
        "without_label": len(found) - counts.total(),
        "labelled_by_people": len(people),
        "changed_by_people": sum(each.of_people != each.of_models for each in people),
        "labels": [{"label": name, "items": count} for name, count in _ranked(counts)],
    }
    if merging is not None:
        phrases = Counter(phrase for each in found for phrase in each.said if phrase is not None)
        facts["open_labels"] = [
            {"said": name, "becomes": merging.get(folded(name)), "times": count} for name, count in _ranked(phrases)
        ]
    if audit:
        audited = [each for each in people if each.item.id in audit]
        facts |= {"audit_sample": len(audit), "audited": len(audited), "audit": _audit(audited, names, seed)}
    if len(names) > 1:
        facts |= _between_models([each.labels for each in found if None not in each.labels], seed)
    return facts


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def _audit(audited: Sequence[Labelled], names: Sequence[str], seed: int) -> list[dict[str, Any]]:
    """Return how far people agree with what models amount to, and with each model where there are two."""
    columns = {"the models together" if len(names) > 1 else names[0]: [each.of_models for each in audited]}
    if len(names) > 1:
        columns |= {name: [each.labels[place] for each in audited] for place, name in enumerate(names)}
    return [
        {
            "between": f"people and {name}",
            **_agreement(zip(labels, (each.of_people for each in audited), strict=True), seed),
        }
        for name, labels in columns.items()
    ]


def _between_models(both: Sequence[tuple[str | None, ...]], seed: int) -> dict[str, Any]:
    """Return how far two models agree, on the items that both labelled."""
    found = _agreement(((labels[0], labels[-1]) for labels in both), seed)
    undefined = {} if found["kappa"] is not None else {"kappa_undefined": "one label throughout, or none by both"}
    return {
        "both_labelled": found["items"],
        **{name: value for name, value in found.items() if name != "items"},
        **undefined,
        "kappa_seed": seed,
    }


def _agreement(pairs: Iterable[tuple[str | None, str | None]], seed: int) -> dict[str, Any]:
    """Return share with Wilson's 95 % interval, and Cohen's κ with its percentile interval over items.

    A label that is missing agrees with none; κ leaves it out.
    """
    listed = list(pairs)
    n, agree = len(listed), sum(one == other and one is not None for one, other in listed)
    share = wilson_interval(agree, n) if n else None
    facts: dict[str, Any] = {
        "items": n,
        "agreement": None if share is None else share.estimate,
        "agreement_low": None if share is None else share.low,
        "agreement_high": None if share is None else share.high,
    }
    both = [(one, other) for one, other in listed if one is not None and other is not None]
    codes = {name: code for code, name in enumerate(sorted({name for pair in both for name in pair}))}
    unknown = facts | {"kappa": None, "kappa_low": None, "kappa_high": None}
    if not both:
        return unknown
    ratings = np.array([[codes[name] for name in pair] for pair in both], dtype=np.float64)
    try:
        kappa = cohen_kappa(ratings[:, 0], ratings[:, 1], bootstrap=Bootstrap(RESAMPLES, seed))
    except UndefinedStatisticError:
        return unknown
    return facts | {
        "kappa": kappa.estimate,
        "kappa_low": None if np.isnan(kappa.low) else kappa.low,
        "kappa_high": None if np.isnan(kappa.high) else kappa.high,
    }
