"""The format of K-MetBench's ``kmetbench.json``: one array of items, read as far as it can be, each fault named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from exambench.benchmarks.data_files import duplicate_ids, read_array, unknown_fields
from exambench.benchmarks.fields import FieldReader
from exambench.errors import Finding, show
from exambench.items import (
    ENGLISH,
    EXPLICIT,
    NEEDS_PASSAGE,
    ChoiceKey,
    Content,
    FacetValue,
    Item,
    ReviewState,
    Wording,
)

IMPLICIT: Final = "implicit"
ORIGINAL: Final = "original"
TRANSLATION: Final = "translation"
"""Name of the facet that says how far the English side of an item has come."""
PASSAGE: Final = "passage"
PARTS: Final = range(1, 6)
FIELDS: Final = frozenset(
    {
        "id",
        "question",
        "choices",
        "answer",
        "part",
        "multimodal",
        "korean",
        "rationale",
        "question_implicit",
        "choices_implicit",
        "question_original",
        "choices_original",
        "question_english",
        "choices_english",
        "translation",
        "source",
        "source_id",
        "canary",
        PASSAGE,
        NEEDS_PASSAGE,
    }
)


def read_items(path: Path) -> tuple[tuple[Item, ...], tuple[Finding, ...]]:
    """Read every item that can be read.

    Returns:
        The usable items in the order of the file, and everything that is wrong, errors and warnings.

    Raises:
        DataError: The file cannot be read at all, or is not a JSON array.
    """
    entries = read_array(path)
    findings: list[Finding] = []
    items: list[Item] = []
    for position, entry in enumerate(entries, start=1):
        item, problems = _read_item(entry, str(path), position)
        findings.extend(problems)
        if item is not None:
            items.append(item)
    findings.extend(duplicate_ids(items, str(path)))
    findings.extend(unknown_fields(entries, FIELDS, str(path)))
    return tuple(items), tuple(findings)


def _read_item(entry: object, file: str, position: int) -> tuple[Item | None, list[Finding]]:
    if not isinstance(entry, dict):
        problem = Finding(
            problem="is not an object", file=file, item=f"#{position}", value=show(entry), allowed="a JSON object"
        )
        return None, [problem]
    fields = FieldReader(entry, file, position)
    identifier = fields.identifier("id")
    question = fields.content("question")
    choices = fields.contents("choices")
    answer = fields.integer("answer", allowed=range(1, len(choices) + 1)) if choices else None
    part = fields.integer("part", allowed=PARTS)
    multimodal = fields.boolean("multimodal")
    korean = fields.boolean("korean")
    rationale = fields.text("rationale")
    wordings = _wordings(fields, question, choices)
    source = " ".join(filter(None, (fields.text("source"), fields.text("source_id"))))
    passage = fields.text(PASSAGE)
    needs_passage = NEEDS_PASSAGE in entry and fields.boolean(NEEDS_PASSAGE)
    if needs_passage and not passage:
        fields.error(
            PASSAGE,
            "is missing, and the question cannot stand without it",
            value=passage,
            allowed=f"a text, or no {NEEDS_PASSAGE}",
            remedy="Add the passage",
        )
    _compare_modality(fields, wordings[EXPLICIT], multimodal=multimodal)
    state = _translation_state(fields, wordings)
    if fields.has_errors or identifier is None or answer is None or part is None:
        return None, fields.findings
    facets: Mapping[str, FacetValue] = {
        "part": part,
        "korean": bool(korean),
        "modality": "image" if multimodal else "text",
        "reasoning": bool(rationale),
        **({TRANSLATION: str(state)} if state is not None else {}),
        **({NEEDS_PASSAGE: True} if needs_passage else {}),
    }
    item = Item(
        id=identifier,
        wordings=wordings,
        key=ChoiceKey(answer),
        facets=facets,
        rationale=rationale,
        source=source,
        passage=passage,
    )
    return item, fields.findings


def _wordings(fields: FieldReader, question: Content, choices: tuple[Content, ...]) -> dict[str, Wording]:
    """Collect the ways to put the item; a variant given as text alone keeps the explicit wording's pictures."""
    wordings = {EXPLICIT: Wording(question, choices)}
    implicit_question = fields.variant("question_implicit", question)
    implicit_choices = fields.variants("choices_implicit", choices)
    if implicit_question is not None or implicit_choices is not None:
        wordings[IMPLICIT] = Wording(implicit_question or question, implicit_choices or choices)
    original = fields.variant("question_original", question)
    original_choices = fields.variants("choices_original", choices)
    if original is not None or original_choices is not None:
        wordings[ORIGINAL] = Wording(original or question, original_choices or choices)
    english_question = fields.variant("question_english", question)
    english_choices = fields.variants("choices_english", choices)
    if english_question is not None:
        wordings[ENGLISH] = Wording(english_question, english_choices or choices)
    elif english_choices is not None:
        fields.error(
            "question_english",
            "is missing, and the choices are translated",
            value=None,
            allowed="a translation of the question, or no choices_english",
            remedy="Translate both",
        )
    return wordings


def _translation_state(fields: FieldReader, wordings: Mapping[str, Wording]) -> ReviewState | None:
    """Return how far the English side has come; ``None`` where there is none."""
    state = fields.text(TRANSLATION)
    if state and state not in set(ReviewState):
        fields.error(
            TRANSLATION,
            "is no state of a translation",
            value=state,
            allowed=", ".join(ReviewState),
            remedy="Correct the value",
        )
        return None
    if ENGLISH not in wordings:
        return None
    return ReviewState(state) if state else ReviewState.DRAFT


def _compare_modality(fields: FieldReader, wording: Wording, *, multimodal: bool | None) -> None:
    if multimodal is not None and multimodal != bool(wording.images):
        fields.warn(
            "multimodal",
            "does not agree with the item's pictures",
            value=multimodal,
            allowed=f"{str(bool(wording.images)).lower()}, for {len(wording.images)} pictures",
            remedy="Correct the flag, or name the missing picture",
        )
