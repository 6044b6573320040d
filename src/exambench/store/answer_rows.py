"""From rows of the database to what is known of an answer: the statements and columns that make them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from sqlalchemy import Row, Select, func, select

from exambench.exchange import Usage
from exambench.outcomes import Outcome
from exambench.store.answer_records import MOST_VERDICTS, AnswerRow, CutResponse, CutText, Place, RunFacts
from exambench.store.codec import attempts_from_json, judgement_from_json, outcome_from_row
from exambench.store.records import VerdictRow
from exambench.store.tables import failures, judgings, verdicts

OUTCOME_COLUMNS: Final = ("kind", "value", "reason", "flags")


def last_failures_of(keys: Collection[str]) -> Select[Any]:
    """Return a query for the last failure of each of these requests."""
    last = select(func.max(failures.c.id)).where(failures.c.request_key.in_(keys)).group_by(failures.c.request_key)
    return select(failures.c.request_key, failures.c.reason).where(failures.c.id.in_(last))


def row_from(row: Row[Any], facts: RunFacts, reasons: Mapping[str, str]) -> AnswerRow:
    """Return a line about an answer; what has no stored outcome is as it was read just now."""
    fresh = facts.fresh.get((row.item_id, row.trial))
    strict = _outcome(row, "strict")
    lenient = _outcome(row, "lenient")
    return AnswerRow(
        item_id=row.item_id,
        trial=row.trial,
        request_key=row.request_key,
        note=row.note,
        strict=strict if strict is not None or fresh is None else fresh.strict,
        lenient=lenient if lenient is not None or fresh is None else fresh.lenient,
        beginning=row.beginning,
        seconds=row.seconds,
        output_tokens=row.output_tokens,
        failure=reasons.get(row.request_key),
    )


class _Renamed:
    """The columns of an outcome in a row that has those of two."""

    def __init__(self, row: Row[Any], prefix: str) -> None:
        self.item_id = row.item_id
        self.kind, self.value, self.reason, self.flags = (getattr(row, f"{prefix}_{name}") for name in OUTCOME_COLUMNS)


def _outcome(row: Row[Any], prefix: str) -> Outcome | None:
    renamed = _Renamed(row, prefix)
    return None if renamed.kind is None else outcome_from_row(renamed)


def cut_response_from(row: Row[Any]) -> CutResponse:
    """Return a response whose texts the database has cut."""

    def cut(name: str) -> CutText | None:
        text, length = getattr(row, name), getattr(row, f"{name}_length")
        return None if text is None else CutText(text, int(length))

    return CutResponse(
        text=cut("text"),
        reasoning=cut("reasoning"),
        refusal=cut("refusal"),
        finish_reason=row.finish_reason,
        usage=Usage(row.input_tokens, row.output_tokens, row.cached_tokens, row.reasoning_tokens),
        seconds=row.seconds,
        attempts=attempts_from_json(row.attempts),
        served_model=row.served_model,
        adjustments=tuple(row.adjustments),
        created_at=row.created_at,
    )


def verdicts_on(run_id: str, place: Place) -> Select[Any]:
    """Return a query for what judges say of an answer, the first judging first."""
    about = (
        verdicts.c.kind.label("verdict_kind"),
        verdicts.c.body.label("verdict_body"),
        *(verdicts.c[name] for name in ("item_id", "trial", "judge_trial", "tries", "request_key")),
    )
    return (
        select(judgings, *about)
        .join(verdicts, verdicts.c.judging_id == judgings.c.judging_id)
        .where(judgings.c.run_id == run_id, verdicts.c.item_id == place[0], verdicts.c.trial == place[1])
        .order_by(judgings.c.created_at, judgings.c.judging_id, verdicts.c.judge_trial)
        .limit(MOST_VERDICTS)
    )


def verdict_from(row: Row[Any]) -> VerdictRow:
    """Return one of these verdicts."""
    judgement = judgement_from_json(row.verdict_kind, row.verdict_body)
    return VerdictRow(row.item_id, row.trial, row.judge_trial, row.tries, judgement, row.request_key)


def labelled(table: Any, name: str, prefix: str) -> Any:  # noqa: ANN401 - an alias of a table, a column
    """Return a column of an outcome under a name that tells it from that of the other parser."""
    return table.c[name].label(f"{prefix}_{name}")
