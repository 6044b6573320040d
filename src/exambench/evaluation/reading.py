"""From what a model said to outcomes: repeatable without the model, as often as a parser improves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exambench.exchange import Response
from exambench.items import Wording
from exambench.outcomes import Answered, Outcome, Refused, Truncated
from exambench.parsing import PARSER_VERSION, Parser, parser
from exambench.store.records import OutcomeRow, RunRecord
from exambench.store.store import Store

CONTENT_FILTER: Final = "content_filter"


@dataclass(frozen=True, slots=True)
class Change:
    """An outcome that differs from the one that was stored.

    Attributes:
        item_id: Identifier of the item.
        trial: Trial, from 0.
        parser: Name of the parser.
        before: What was stored.
        after: What the parser reads now.
    """

    item_id: str
    trial: int
    parser: str
    before: Outcome
    after: Outcome


def interpret(response: Response, wording: Wording, read: Parser) -> Outcome:
    """Return what became of a request that has a response.

    A refusal that the endpoint marks as one counts as refused unless a complete answer stands beside it.
    """
    outcome = read(response.text, response.finish_reason, wording)
    if isinstance(outcome, Answered):
        return outcome
    if response.refusal:
        return Refused(response.refusal)
    if response.finish_reason == CONTENT_FILTER:
        return Refused("the endpoint's content filter stopped the response")
    return outcome


def read_outcomes(store: Store, run: RunRecord) -> tuple[Change, ...]:
    """Parse every stored response of a run with both parsers of its protocol, and store the outcomes.

    Returns:
        What changed against the outcomes that were stored, in order of the parsers, the items and the trials.
    """
    items = store.benchmark(run.benchmark, run.dataset_hash).by_id
    condition = str(run.condition["wording"])
    readers = {name: parser(name) for name in (str(run.protocol["strict"]), str(run.protocol["lenient"]))}
    rows: dict[str, list[OutcomeRow]] = {name: [] for name in readers}
    for stored in store.responses(run.run_id):
        wording = items[stored.item_id].wording(condition)
        for name, read in readers.items():
            outcome = interpret(stored.response, wording, read)
            rows[name].append(OutcomeRow(stored.item_id, stored.trial, outcome))
    changes: list[Change] = []
    for name, found in rows.items():
        before = {(row.item_id, row.trial): row.outcome for row in store.outcomes(run.run_id, name)}
        changes += [
            Change(row.item_id, row.trial, name, old, row.outcome)
            for row in found
            if (old := before.get((row.item_id, row.trial))) is not None and old != row.outcome
        ]
        store.save_outcomes(run.run_id, name, PARSER_VERSION, found)
    return tuple(changes)


def describe(outcome: Outcome) -> str:
    """Return an outcome in a few words."""
    match outcome:
        case Answered(value):
            return f"answered {value!r}"
        case Truncated():
            return "truncated"
        case _:
            return f"{outcome.kind} ({outcome.reason})"
