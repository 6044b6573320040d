"""The published formats of K-MetBench (JSON) and KMMMU (CSV)."""

from __future__ import annotations

import csv
import io
from typing import Any, Final

from exambench.benchmarks.kmetbench_format import IMPLICIT, ORIGINAL, PARTS, PASSAGE, TRANSLATION
from exambench.interop.exporting import Export, as_json, nothing_left, pictures_in, stem_text
from exambench.items import (
    ENGLISH,
    NEEDS_PASSAGE,
    Benchmark,
    BooleanKey,
    ChoiceKey,
    ChoiceSetKey,
    Content,
    Item,
    ReviewState,
    TextKey,
)
from exambench.scoring.quantities import quantity

CIRCLED: Final = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def kmetbench(benchmark: Benchmark) -> Export:
    """Return a benchmark as ``NAME.json`` in K-MetBench's format.

    Raises:
        DataError: No item has the form that this format takes.
    """
    reasons = {item.id: _against_kmetbench(item) for item in benchmark.items}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    kept = [item for item in benchmark.items if item.id not in left_out]
    if not kept:
        raise nothing_left("kmetbench", left_out)
    return Export({f"{benchmark.name}.json": as_json(list(map(_entry, kept)))}, pictures_in(kept), left_out)


def kmmmu(benchmark: Benchmark) -> Export:
    """Return a benchmark as ``NAME.csv`` with the columns of KMMMU: passage, question and choices in one text.

    Raises:
        DataError: It has no items.
    """
    columns = (
        "question",
        "answer",
        "image_link",
        "question_type",
        "subject_macro",
        "visual_type",
        "is_korean_specific",
    )
    rows = list(map(_row, benchmark.items))
    split = any("\r" in text for row in rows for text in row.values())  # what minimal quoting leaves bare
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n", quoting=csv.QUOTE_ALL if split else csv.QUOTE_MINIMAL)
    writer.writeheader()
    writer.writerows(rows)
    if not benchmark.items:
        raise nothing_left("kmmmu", {})
    return Export({f"{benchmark.name}.csv": buffer.getvalue().encode("utf-8")}, pictures_in(benchmark.items))


def _against_kmetbench(item: Item) -> str:
    """Return why the format has no place for an item; nothing if it has."""
    if not isinstance(item.key, ChoiceKey):
        return "the format has one right choice"
    if item.facets.get("part") not in PARTS:
        return "the format has the parts 1 to 5, which headings or the setting part of ingest give"
    contents = [content for wording in item.wordings.values() for content in (wording.question, *wording.choices)]
    if any(len(content.images) > 1 for content in contents):
        return "the format has one picture for a stem and for each choice; the stage formula makes text of formulas"
    return ""


def _entry(item: Item) -> dict[str, Any]:
    assert isinstance(item.key, ChoiceKey)  # noqa: S101 - others are left out
    wording = item.wording()
    session, _, number = item.source.rpartition(" ")
    entry: dict[str, Any] = {
        "id": int(item.id) if item.id.isascii() and item.id.isdecimal() and str(int(item.id)) == item.id else item.id,
        "question": _content(wording.question),
        "choices": list(map(_content, wording.choices)),
        "answer": item.key.index,
        "part": item.facets["part"],
        "multimodal": bool(wording.images),
        "korean": item.facets.get("korean", False) is True,
        "rationale": item.rationale,
    }
    if IMPLICIT in item.wordings:
        implicit = item.wordings[IMPLICIT]
        entry |= {
            "question_implicit": _content(implicit.question),
            "choices_implicit": list(map(_content, implicit.choices)),
        }
    if ORIGINAL in item.wordings:
        original = item.wordings[ORIGINAL]
        entry["question_original"] = _content(original.question)
        if original.choices != wording.choices:
            entry["choices_original"] = list(map(_content, original.choices))
    if item.passage:
        entry[PASSAGE] = item.passage
    if item.facets.get(NEEDS_PASSAGE) is True:
        entry[NEEDS_PASSAGE] = True
    if ENGLISH in item.wordings:
        english = item.wordings[ENGLISH]
        entry |= {
            "question_english": _content(english.question),
            "choices_english": list(map(_content, english.choices)),
            "translation": str(item.facets.get(TRANSLATION, ReviewState.DRAFT)),
        }
    return entry | {"source": session or number, "source_id": number if session else ""}


def _content(content: Content) -> dict[str, str]:
    return {"text": content.text, "image": content.images[0].path if content.images else ""}


def _row(item: Item) -> dict[str, str]:
    wording = item.wording()
    choices = [f"{_sign(number)} {choice.text}".rstrip() for number, choice in enumerate(wording.choices, start=1)]
    answer, kind = _answer(item)
    return {
        "question": "\n".join((stem_text(item), *choices)),
        "answer": answer,
        "image_link": repr([image.path for image in wording.images]),
        "question_type": kind,
        "subject_macro": str(item.facets.get("discipline", item.facets.get("part", ""))),
        "visual_type": str(item.facets.get("visual_type", "")),
        "is_korean_specific": str(item.facets.get("korean", False) is True),
    }


def _answer(item: Item) -> tuple[str, str]:
    """Return the answer, and KMMMU's name for the kind of question."""
    match item.key:
        case ChoiceKey(index):
            return _sign(index), "객관식(단일정답)"
        case ChoiceSetKey(indices):
            return ", ".join(map(_sign, sorted(indices))), "객관식(복수정답)"
        case BooleanKey(value):
            return ("참" if value else "거짓"), "객관식(단일정답)"
        case TextKey(text):
            return text, "주관식(텍스트)" if quantity(text) is None else "주관식(수치/계산형)"


def _sign(number: int) -> str:
    return CIRCLED[number - 1] if number <= len(CIRCLED) else f"({number})"
