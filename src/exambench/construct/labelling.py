"""The stage ``label``: a facet of each item from one or two models, and from people, who audit a sample of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, model_validator

from exambench.construct.draws import Circle
from exambench.construct.inquiries import spending_of
from exambench.construct.label_decisions import (
    ASKED,
    VERSION,
    LabelDecision,
    label_of,
    read_label_decisions,
    version_of,
)
from exambench.construct.label_facts import Labelled, label_facts
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
from exambench.construct.shipped import digests_of_shipped
from exambench.construct.stage import AskingSettings, Context, StageKind
from exambench.construct.texts import Text, TextQuestion, ask_for_texts, item_as_shown, read_text_prompt
from exambench.items import FacetValue, Item
from exambench.store import TaskKind

PROMPT: Final = Path(__file__).with_name("label.toml")
OPEN_PROMPT: Final = Path(__file__).with_name("label_open.toml")
UNSEEN: Final = "a model that takes text only labelled it without its pictures"
OUTDATED: Final = "the item or the question is another one since people labelled it"


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
        decisions: The labels that people gave; see ``exambench build decide``.
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
    decisions: Path | None = None
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


def label(items: tuple[Item, ...], settings: LabelSettings, context: Context) -> StageResult:
    """Set a facet of every item by what models say of it, and by what people say, which comes first.

    Raises:
        ConfigError: The prompt, the outline, the map or a decision cannot be used.
        DataError: The file of decisions cannot be read.
        ImageError: A picture that a model is to see is missing or broken.
        UnfinishedError: A request has no response, or the budget is used up.
    """
    labels = _labels(settings, context.folder)
    merging = None if settings.consolidation is None else read_consolidation(context.folder / settings.consolidation)
    final = labels if merging is None else fixed(dict.fromkeys(merging.values(), ""))
    decisions = {} if settings.decisions is None else read_label_decisions(context.folder / settings.decisions)
    question = _question(settings, labels, context.folder)
    asked = [ask_for_texts(question, items, role, settings, context) for role in settings.models]
    names = [context.models[role].name for role in settings.models]
    by_models = [_labelled(item, [texts[item.id] for texts, _ in asked], labels, merging, settings) for item in items]
    audited = [each.item.id for each in by_models if each.of_models is not None]
    audit = frozenset(Circle(audited, context.seed, f"audit {settings.facet}").names[: settings.audit])
    blind = [context.models[role].name for role in settings.models if not context.models[role].capabilities.images]
    unseen = [item for item in items if blind and item.wording().images]
    found = [_with_people(each, decisions.get(each.item.id), final, settings) for each in by_models]
    return StageResult(
        items=tuple(_with_facet(each, settings) for each in found),
        changes=(
            *(change for each in found for change in _changes(each, settings, names, decisions.keys(), audit)),
            *(Change(item.id, Action.NOTED, UNSEEN, {"models": blind}) for item in unseen),
        ),
        facts={
            **label_facts(found, audit, merging, names, context.seed),
            "pictures_not_seen": len(unseen),
            "decisions_not_used": len(decisions) - sum(each.of_people is not None for each in found),
            ASKED: {
                "facet": settings.facet,
                "about": settings.about,
                "labels": None if final.allowed is None else list(final.allowed),
                "listing": final.listing,
            },
        },
        spending=spending_of([answers for _, answers in asked], {question.prompt.name: question.prompt.hash}),
    )


LABEL: Final = StageKind(
    LabelSettings,
    label,
    version=2,
    files=lambda settings: [
        path
        for path in (settings.prompt, settings.outline, settings.consolidation, settings.decisions)
        if path is not None
    ],
    shipped=lambda settings, _: digests_of_shipped([_shipped_prompt(settings.kind)] if settings.prompt is None else []),
    roles=lambda settings: settings.models,
)


def _shipped_prompt(kind: Kind) -> Path:
    return OPEN_PROMPT if kind is Kind.OPEN else PROMPT


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
    prompt = read_text_prompt(
        _shipped_prompt(settings.kind) if settings.prompt is None else folder / settings.prompt,
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


def _with_people(found: Labelled, decision: LabelDecision | None, final: LabelSet, settings: LabelSettings) -> Labelled:
    """Return labels with that of people, where they gave it to the item and the question as they are."""
    if decision is None or decision.seen != version_of(found.item, settings.facet, settings.about):
        return found
    return replace(found, of_people=label_of(decision, found.item, final))


def _with_facet(found: Labelled, settings: LabelSettings) -> Item:
    if found.label is None:
        return found.item
    return replace(found.item, facets={**found.item.facets, settings.facet: _value(found.label, settings)})


def _value(label: str, settings: LabelSettings) -> FacetValue:
    """Return a label as the value of a facet: a truth value, a whole number where all labels are, or the label."""
    if settings.kind is Kind.YES_NO:
        return label == YES
    numbered = bool(settings.labels) and all(name.isascii() and name.isdecimal() for name in settings.labels)
    return int(label) if numbered else label


def _changes(
    found: Labelled, settings: LabelSettings, names: Sequence[str], decided: Collection[str], audit: Collection[str]
) -> Iterator[Change]:
    """Yield what is set, and why people look at it; what they labelled is not theirs any more."""
    item, said = found.item.id, _said(found, names)
    version = {VERSION: version_of(found.item, settings.facet, settings.about)}
    changed = _with_facet(found, settings) != found.item
    if found.of_people is not None:
        details = {"label": found.of_people, "models": found.of_models, **said, **version}
        yield Change(item, Action.CHANGED if changed else Action.NOTED, "people labelled it", details)
        return
    if changed:
        yield Change(item, Action.CHANGED, f"{settings.facet} was set", {"label": found.label, **said})
    if reason := _reason(found, settings):
        yield Change(item, Action.REVIEW, reason, {**said, **version})
    if item in audit:
        yield Change(item, Action.REVIEW, "it is in the audit sample", {**said, **version})
    if item in decided:
        yield Change(item, Action.REVIEW, OUTDATED, {**said, **version})


def _reason(found: Labelled, settings: LabelSettings) -> str:
    """Say why people look at an item, the audit sample apart; nothing where they need not."""
    if None in found.said:
        return "a model gave no label that can be used"
    if None in found.labels:
        return "a label is not in the consolidation map"
    if len(set(found.labels)) > 1 and settings.people is not ForPeople.NOTHING:
        return "the models disagree"
    if found.of_models == YES and settings.people is ForPeople.POSITIVES:
        return f"{settings.facet} is yes"
    return ""


def _said(found: Labelled, names: Sequence[str]) -> dict[str, object]:
    return {"said": dict(zip(names, found.said, strict=True))}
