"""The stage ``label``: a facet of each item from one or two models, with their agreement and an audit sample."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field, model_validator

from exambench.construct.inquiries import spending_of
from exambench.construct.label_sets import (
    YES,
    Combine,
    LabelSet,
    any_phrase,
    combined,
    fixed,
    folded,
    read_consolidation,
    read_outline,
    yes_or_no,
)
from exambench.construct.records import Action, Change, StageResult
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.texts import Text, TextQuestion, ask_for_texts, item_as_shown, read_text_prompt
from exambench.errors import UndefinedStatisticError
from exambench.items import FacetValue, Item
from exambench.stats.agreement import cohen_kappa
from exambench.stats.resampling import Bootstrap
from exambench.store import TaskKind

PROMPT: Final = Path(__file__).with_name("label.toml")
OPEN_PROMPT: Final = Path(__file__).with_name("label_open.toml")
RESAMPLES: Final = 1000


class Kind(StrEnum):
    """What may be a label."""

    YES_NO = "yes-no"
    FIXED = "fixed"
    OUTLINE = "outline"
    OPEN = "open"


class ForPeople(StrEnum):
    """Which labels people look at, those that cannot be used apart."""

    NOTHING = "nothing"
    DISAGREEMENTS = "disagreements"
    POSITIVES = "positives"


class LabelSettings(AskingSettings):
    """Settings of ``label``.

    Attributes:
        facet: The facet that is set.
        kind: What may be a label.
        about: What the label says, for the model.
        models: Roles of one or two models.
        labels: What each label of a fixed set means.
        outline: File of the outline of topics.
        consolidation: File of the map from open labels onto fewer.
        combine: How the labels of two models become one.
        people: Which labels people look at.
        audit: Size of a sample that people look at in any case.
        prompt: A prompt of one's own.
    """

    facet: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
    kind: Kind
    about: Annotated[str, Field(min_length=1)]
    models: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)]
    labels: dict[Annotated[str, Field(min_length=1, max_length=60)], str] = Field(default_factory=dict)
    outline: Path | None = None
    consolidation: Path | None = None
    combine: Combine = Combine.FIRST
    people: ForPeople = ForPeople.DISAGREEMENTS
    audit: Annotated[int, Field(ge=0)] = 0
    prompt: Path | None = None

    @model_validator(mode="after")
    def _fits(self) -> LabelSettings:
        needed = [
            ("labels", bool(self.labels), Kind.FIXED),
            ("outline", self.outline is not None, Kind.OUTLINE),
        ]
        for name, given, kind in needed:
            if given != (self.kind is kind):
                raise ValueError(f"{name}: needed for kind = {str(kind)!r}, and for no other")
        if self.consolidation is not None and self.kind is not Kind.OPEN:
            raise ValueError("consolidation: only labels of kind = 'open' are consolidated")
        if self.kind is not Kind.YES_NO and Combine.UNION is self.combine:
            raise ValueError("combine: a union is one of labels of kind = 'yes-no'")
        if self.kind is not Kind.YES_NO and ForPeople.POSITIVES is self.people:
            raise ValueError("people: only labels of kind = 'yes-no' have positives")
        if len(set(self.models)) < len(self.models):
            raise ValueError("models: a model stands twice; it would only agree with itself")
        return self


@dataclass(frozen=True, slots=True)
class Labelled:
    """The labels of one item.

    Attributes:
        item: The item.
        said: What each model said, as far as it can be used.
        labels: The same after consolidation; ``None`` where it cannot be used or the map does not have it.
        label: What they amount to.
    """

    item: Item
    said: tuple[str | None, ...]
    labels: tuple[str | None, ...]
    label: str | None


def label(items: tuple[Item, ...], settings: LabelSettings, context: Context) -> StageResult:
    """Set a facet of every item by what models say of it.

    Raises:
        ConfigError: The prompt, the outline or the map cannot be used.
        ImageError: A picture that a model is to see is missing or broken.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    labels = _labels(settings, context.folder)
    merging = None if settings.consolidation is None else read_consolidation(context.folder / settings.consolidation)
    question = _question(settings, labels, context.folder)
    asked = [ask_for_texts(question, items, role, settings, context) for role in settings.models]
    names = [context.models[role].name for role in settings.models]
    found = [_labelled(item, [texts[item.id] for texts, _ in asked], labels, merging, settings) for item in items]
    audit = _audit_sample([each for each in found if each.label is not None], settings.audit, context.seed)
    changes = [change for each in found for change in _changes(each, settings, names)]
    changes += [Change(each.item.id, Action.REVIEW, "it is in the audit sample", _said(each, names)) for each in audit]
    return StageResult(
        items=tuple(_with_facet(each, settings) for each in found),
        changes=tuple(changes),
        facts=_facts(found, audit, merging, names, context.seed),
        spending=spending_of([answers for _, answers in asked], {question.prompt.name: question.prompt.hash}),
    )


LABEL: Final = StageKind(
    LabelSettings,
    label,
    files=lambda settings: [
        path for path in (settings.prompt, settings.outline, settings.consolidation) if path is not None
    ],
    roles=lambda settings: settings.models,
)


def _labels(settings: LabelSettings, folder: Path) -> LabelSet:
    if settings.outline is not None:
        return read_outline(folder / settings.outline)
    match settings.kind:
        case Kind.YES_NO:
            return yes_or_no()
        case Kind.OPEN:
            return any_phrase()
    return fixed(settings.labels)


def _question(settings: LabelSettings, labels: LabelSet, folder: Path) -> TextQuestion:
    is_open = labels.allowed is None
    once = {"about": settings.about} if is_open else {"about": settings.about, "labels": labels.listing}
    shipped = OPEN_PROMPT if is_open else PROMPT
    prompt = read_text_prompt(
        shipped if settings.prompt is None else folder / settings.prompt,
        once=frozenset(once),
        shown=frozenset({"question", "choices"}),
    )
    return TextQuestion(
        kind=TaskKind.LABEL,
        prompt=prompt,
        problems=lambda _, text: labels.problems(text),
        shown=item_as_shown,
        once=once,
    )


def _labelled(
    item: Item, texts: Sequence[Text], labels: LabelSet, merging: Mapping[str, str] | None, settings: LabelSettings
) -> Labelled:
    said = tuple(None if text.text is None or text.problems else labels.find(text.text) for text in texts)
    merged = said if merging is None else tuple(None if one is None else merging.get(folded(one)) for one in said)
    return Labelled(item, said, merged, combined(merged, settings.combine))


def _with_facet(found: Labelled, settings: LabelSettings) -> Item:
    if found.label is None:
        return found.item
    value: FacetValue = found.label == YES if settings.kind is Kind.YES_NO else found.label
    return replace(found.item, facets={**found.item.facets, settings.facet: value})


def _changes(found: Labelled, settings: LabelSettings, names: Sequence[str]) -> Iterator[Change]:
    item, said = found.item.id, _said(found, names)
    if _with_facet(found, settings) != found.item:
        yield Change(item, Action.CHANGED, f"{settings.facet} was set", {"label": found.label, **said})
    if None in found.said:
        yield Change(item, Action.REVIEW, "a model gave no label that can be used", said)
    elif None in found.labels:
        yield Change(item, Action.REVIEW, "a label is not in the consolidation map", said)
    elif len(set(found.labels)) > 1 and settings.people is not ForPeople.NOTHING:
        yield Change(item, Action.REVIEW, "the models disagree", said)
    elif found.label == YES and settings.people is ForPeople.POSITIVES:
        yield Change(item, Action.REVIEW, f"{settings.facet} is yes", said)


def _said(found: Labelled, names: Sequence[str]) -> dict[str, object]:
    return {"said": dict(zip(names, found.said, strict=True))}


def _audit_sample(labelled: Sequence[Labelled], size: int, seed: int) -> list[Labelled]:
    """Draw a simple random sample without replacement, in the order of the items."""
    drawn = random.Random(seed).sample(range(len(labelled)), min(size, len(labelled)))  # noqa: S311 - a sample of items
    return [labelled[place] for place in sorted(drawn)]


def _facts(
    found: Sequence[Labelled],
    audit: Sequence[Labelled],
    merging: Mapping[str, str] | None,
    names: Sequence[str],
    seed: int,
) -> dict[str, Any]:
    counts = Counter(each.label for each in found if each.label is not None)
    facts: dict[str, Any] = {
        "labelled": counts.total(),
        "without_label": len(found) - counts.total(),
        "labels": [{"label": name, "items": count} for name, count in _ranked(counts)],
    }
    if merging is not None:
        phrases = Counter(phrase for each in found for phrase in each.said if phrase is not None)
        facts["open_labels"] = [
            {"said": name, "becomes": merging.get(folded(name)), "times": count} for name, count in _ranked(phrases)
        ]
    if audit:
        facts["audit_sample"] = len(audit)
    if len(names) > 1:
        facts |= _agreement(found, audit, seed)
    return facts


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))


def _agreement(found: Sequence[Labelled], audit: Sequence[Labelled], seed: int) -> dict[str, Any]:
    """Return how far two models agree, on the items that both labelled: share, and Cohen's κ with its interval."""
    both = [each.labels for each in found if None not in each.labels]
    facts: dict[str, Any] = {
        "both_labelled": len(both),
        "agreement": sum(len(set(labels)) == 1 for labels in both) / len(both) if both else None,
    }
    if audit:
        facts["audit_agreement"] = sum(len(set(each.labels)) == 1 for each in audit) / len(audit)
    codes = {name: code for code, name in enumerate(sorted({str(name) for labels in both for name in labels}))}
    ratings = np.array([[codes[str(name)] for name in labels] for labels in both], dtype=np.float64).reshape(-1, 2)
    try:
        kappa = cohen_kappa(ratings[:, 0], ratings[:, 1], bootstrap=Bootstrap(RESAMPLES, seed))
    except UndefinedStatisticError as error:
        return facts | {"kappa": None, "kappa_undefined": str(error)}
    return facts | {
        "kappa": kappa.estimate,
        "kappa_low": None if np.isnan(kappa.low) else kappa.low,
        "kappa_high": None if np.isnan(kappa.high) else kappa.high,
        "kappa_seed": seed,
    }
