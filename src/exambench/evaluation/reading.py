"""From what a model said to outcomes: repeatable without the model, as often as a parser improves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Final

from exambench.exchange import Response
from exambench.outcomes import Answered, Outcome, Refused
from exambench.parsing import PARSER_VERSION, Parser, parser
from exambench.protocols import Shown, condition_from, show_in_order
from exambench.store.records import OutcomeRow, RunRecord, StoredResponse
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


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading responses.

    Attributes:
        first: Responses that had no outcome, by one parser or both.
        changes: What differs from the outcomes that were stored, in order of the parsers, the items and the trials.
    """

    first: int = 0
    changes: tuple[Change, ...] = ()


def interpret(response: Response, shown: Shown, read: Parser) -> Outcome:
    """Return what became of a request that has a response, in the item's own numbering of its choices.

    A refusal that the endpoint marks as one counts as refused unless a complete answer stands beside it.
    """
    outcome = read(response.text, response.finish_reason, shown.wording)
    if isinstance(outcome, Answered):
        return shown.outcome(outcome)
    if response.refusal:
        return Refused(response.refusal)
    if response.finish_reason == CONTENT_FILTER:
        return Refused("the endpoint's content filter stopped the response")
    return outcome


def read_all(store: Store, run: RunRecord) -> Reading:
    """Parse every stored response of a run with both parsers of its protocol, and store the outcomes.

    Raises:
        ConfigError: The run was made with a parser that this version does not have.
        StoreError: The store cannot be read, or the outcomes cannot be stored.
    """
    return _read(store, run, store.responses(run.run_id))


def read_unread(store: Store, run: RunRecord) -> Reading:
    """Parse the responses of a run that have no outcome by the parsers of this version, and store the outcomes.

    A run that was killed has such responses, as has one that an older version read. Where there is nothing to read,
    this costs one query and writes nothing.

    Raises:
        ConfigError: The run was made with a parser that this version does not have.
        StoreError: The store cannot be read, or the outcomes cannot be stored, as when it may only be read.
    """
    return _read(store, run, store.unread(run.run_id, _parsers_of(run), PARSER_VERSION))


def _parsers_of(run: RunRecord) -> tuple[str, ...]:
    """Return the names of the strict and the lenient parser, once if they are one."""
    return tuple(dict.fromkeys((str(run.protocol["strict"]), str(run.protocol["lenient"]))))


def _read(store: Store, run: RunRecord, responses: Iterable[StoredResponse]) -> Reading:
    """Parse responses, and store the outcomes in place of what was made of the same items and trials before."""
    found = _outcomes(store, run, responses)
    first: set[tuple[str, int]] = set()
    changes: list[Change] = []
    for name, rows in found.items():
        before = {(row.item_id, row.trial): row.outcome for row in store.outcomes(run.run_id, name)}
        first |= {(row.item_id, row.trial) for row in rows} - before.keys()
        changes += [
            Change(row.item_id, row.trial, name, old, row.outcome)
            for row in rows
            if (old := before.get((row.item_id, row.trial))) is not None and old != row.outcome
        ]
    strict = str(run.protocol["strict"])
    # Before the new outcomes are there: a verdict must never stand beside an answer that it is not about.
    store.judgings.forget_answers(run.run_id, [(each.item_id, each.trial) for each in changes if each.parser == strict])
    for name, rows in found.items():
        store.save_outcomes(run.run_id, name, PARSER_VERSION, rows)
    return Reading(len(first), tuple(changes))


def _outcomes(store: Store, run: RunRecord, responses: Iterable[StoredResponse]) -> dict[str, list[OutcomeRow]]:
    """Return by parser what it makes of responses; nothing where there are none."""
    remaining = iter(responses)
    head = next(remaining, None)
    if head is None:
        return {}
    items = store.benchmark(run.benchmark, run.dataset_hash).by_id
    condition = condition_from(run.condition)
    orders = {row.item_id: row.order for row in store.planned(run.run_id)}
    readers = {name: parser(name) for name in _parsers_of(run)}
    rows: dict[str, list[OutcomeRow]] = {name: [] for name in readers}
    for stored in chain([head], remaining):
        shown = show_in_order(items[stored.item_id], condition, orders[stored.item_id])
        for name, read in readers.items():
            rows[name].append(OutcomeRow(stored.item_id, stored.trial, interpret(stored.response, shown, read)))
    return rows
