"""What published fields of a data file have no place for, in a field of our own that other programs pass over.

An object of ScholarBench's format holds it by task: ``"exambench": {"short_answer": {"id": …, "rationale": …}}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from exambench.benchmarks.fields import FieldReader
from exambench.errors import Finding
from exambench.items import Content, FacetValue, Item, Wording

FIELD: Final = "exambench"
"""The field."""
ID: Final = "id"
FACETS: Final = "facets"
WORDINGS: Final = "wordings"
RATIONALE: Final = "rationale"
SOURCE: Final = "source"
NAMES: Final = (ID, FACETS, WORDINGS, RATIONALE, SOURCE)
"""What it may say of an item; it says what differs from what the published fields say."""
_QUESTION: Final = "question"
_CHOICES: Final = "choices"
_PUBLISHED: Final = "published"
_LARGEST: Final = 2**63


def own_fields(item: Item, published: Item | None) -> dict[str, Any]:
    """Return what of an item the published fields do not say, as JSON values; always the identifier.

    Args:
        item: The item.
        published: The item that the published fields alone make; ``None`` where they make none.
    """
    other: Mapping[str, Wording] = {} if published is None else published.wordings
    wordings = {name: _as_json(wording) for name, wording in item.wordings.items() if wording != other.get(name)}
    found: dict[str, Any] = {
        ID: item.id,
        FACETS: {} if published is not None and item.facets == published.facets else dict(item.facets),
        WORDINGS: wordings,
        RATIONALE: item.rationale,
        SOURCE: item.source,
    }
    return {name: value for name, value in found.items() if value}


def completed(item: Item, own: object, task: str, file: str, fixed: str) -> tuple[Item | None, list[Finding]]:
    """Return an item of published fields with what our field says of it.

    Args:
        item: What the published fields say.
        own: What our field says, as it was read.
        task: The name under which it says it.
        file: Path of the file, for messages.
        fixed: A facet that it may not change.

    Returns:
        The item, ``None`` where something is wrong; and everything that is wrong.
    """
    prefix = f"{FIELD}.{task}"
    table = own if isinstance(own, dict) else {}
    fields = FieldReader({_PUBLISHED: item.id, **{f"{prefix}.{name}": table[name] for name in table}}, file, 0)
    fields.identifier(_PUBLISHED)
    if own is not table or set(table) - set(NAMES):
        fields.error(prefix, "is not what it can be", value=own, allowed=", ".join(NAMES), remedy="Correct the value")
    wordings = {**item.wordings, **_wordings(fields, f"{prefix}.{WORDINGS}", table.get(WORDINGS), item)}
    facets = _facets(fields, f"{prefix}.{FACETS}", table[FACETS]) if FACETS in table else dict(item.facets)
    if facets.get(fixed) != item.facets[fixed]:
        allowed, remedy = str(item.facets[fixed]), "Correct the facet"
        fields.error(
            f"{prefix}.{FACETS}.{fixed}", "is another", value=facets.get(fixed), allowed=allowed, remedy=remedy
        )
    changes: dict[str, Any] = {
        RATIONALE: fields.text(f"{prefix}.{RATIONALE}"),
        SOURCE: fields.text(f"{prefix}.{SOURCE}"),
        ID: fields.identifier(f"{prefix}.{ID}") if ID in table else item.id,
    }
    if fields.has_errors:
        return None, fields.findings
    return replace(item, wordings=wordings, facets=facets, **changes), fields.findings


def _as_json(wording: Wording) -> dict[str, Any]:
    choices = [choice.text for choice in wording.choices]
    return {_QUESTION: wording.question.text} | ({_CHOICES: choices} if choices else {})


def _facets(fields: FieldReader, field: str, value: object) -> dict[str, FacetValue]:
    if not isinstance(value, dict):
        fields.error(field, "is not an object", value=value, allowed="labels by name", remedy="Correct the value")
        return {}
    found: dict[str, FacetValue] = {}
    for name, label in value.items():
        if isinstance(label, bool) or (isinstance(label, int) and -_LARGEST <= label < _LARGEST):
            found[fields.cleaned(name, field)] = label
        elif isinstance(label, str):
            found[fields.cleaned(name, field)] = fields.cleaned(label, f"{field}.{name}")
        else:
            allowed = "a text, a whole number or a truth value"
            fields.error(f"{field}.{name}", "is no label", value=label, allowed=allowed, remedy="Correct the value")
    return found


def _wordings(fields: FieldReader, field: str, value: object, item: Item) -> dict[str, Wording]:
    """Return the wordings that differ; each has as many choices as the item."""
    count = len(item.wording().choices)
    found: dict[str, Wording] = {}
    tables = {} if value is None else value
    if not isinstance(tables, dict):
        fields.error(field, "is not an object", value=value, allowed="wordings by name", remedy="Correct the value")
        return found
    for name, table in tables.items():
        question, choices = (table.get(_QUESTION), table.get(_CHOICES, [])) if isinstance(table, dict) else (None, None)
        texts = [question, *(choices if isinstance(choices, list) else [None])]
        if not all(isinstance(text, str) for text in texts) or len(texts) != 1 + count:
            allowed = f"a question and {count} choices" if count else "a question"
            fields.error(f"{field}.{name}", "is no wording", value=table, allowed=allowed, remedy="Correct the value")
            continue
        stem, *others = (Content(fields.cleaned(text, f"{field}.{name}")) for text in texts)
        found[fields.cleaned(name, field)] = Wording(stem, tuple(others))
    return found
