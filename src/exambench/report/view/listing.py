"""The page of a run: how far it has come, and its answers in pages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from exambench.analysis.marks import mark
from exambench.items import BooleanKey, Item, Key
from exambench.judging.subjects import answer_text, key_text
from exambench.outcomes import Answered, AnswerValue, Outcome
from exambench.parsing import PARSERS
from exambench.report.view import addresses
from exambench.report.view.filters import Contrast, Filters, selection_of
from exambench.report.view.live import Moment
from exambench.store import RunRecord
from exambench.store.answer_records import AnswerOrder, AnswerRow, AnswerState, RunFacts

PAGE_SIZE: Final = 50


@dataclass(frozen=True, slots=True)
class Line:
    """A line about an answer.

    Attributes:
        row: What the store says of it.
        question: Beginning of the question, or of the passage where that is all.
        state: What has become of it.
        answer: What the strict parser read, for people; empty for nothing.
        lenient: What the lenient parser read where that is something else; ``None`` where it is the same.
        key: What is right, for people.
        address: Where everything about it is shown.
    """

    row: AnswerRow
    question: str
    state: AnswerState
    answer: str
    lenient: str | None
    key: str
    address: str


def run_content(moment: Moment, run: RunRecord, filters: Filters) -> dict[str, Any]:
    """Return what the page of a run shows.

    Raises:
        ConfigError: The run's parser and the benchmark's keys don't fit each other.
        StoreError: The store cannot be read.
    """
    benchmark = moment.benchmark(run)
    facts = moment.facts(run, moment.marks(run))
    selection = selection_of(moment, run, filters)
    states = moment.memory.get(("states", run.run_id), moment.stamp, lambda: _states(moment, facts))
    total = (
        moment.memory.get(
            ("count", run.run_id, filters.at_page(1)),
            moment.stamp,
            lambda: moment.store.answers.count(facts, selection),
        )
        if filters.narrows
        else sum(states.values())
    )
    progress = next(iter(moment.progress(run.run_id)), None)
    pages = max(1, math.ceil(total / PAGE_SIZE))
    page = min(filters.page, pages)
    rows = moment.store.answers.page(facts, selection, first=(page - 1) * PAGE_SIZE, most=PAGE_SIZE)
    lines = [line_of(run, benchmark.by_id[row.item_id], row, filters) for row in rows]
    return {
        "run": run,
        "benchmark": benchmark,
        "progress": progress,
        "model_page": f"model/{run.run_id}.html" if progress is not None and progress.has_scores else None,
        "all_states": tuple(AnswerState),
        "filters": filters,
        "states": states,
        "contrasts": tuple(Contrast),
        "orders": tuple(AnswerOrder),
        "lines": lines,
        "has_trials": moment.store.answers.trials(run.run_id) > 1,
        "total": total,
        "first": (page - 1) * PAGE_SIZE + 1,
        "last": (page - 1) * PAGE_SIZE + len(lines),
        "before": addresses.of_run(run.run_id, filters.at_page(page - 1)) if page > 1 else None,
        "after": addresses.of_run(run.run_id, filters.at_page(page + 1)) if page < pages else None,
        "cleared": addresses.of_run(run.run_id),
    }


def _states(moment: Moment, facts: RunFacts) -> dict[AnswerState, int]:
    """Return the answers by state; what came in after the others were read waits for the next look."""
    counts = moment.store.answers.states(facts)
    if {facts.strict, facts.lenient} <= PARSERS.keys() and AnswerState.UNREAD in counts:
        counts[AnswerState.WAITING] = counts.get(AnswerState.WAITING, 0) + counts.pop(AnswerState.UNREAD)
    return counts


def line_of(run: RunRecord, item: Item, row: AnswerRow, filters: Filters) -> Line:
    """Return a line about an answer."""
    strict, lenient = shown(row.strict), shown(row.lenient)
    return Line(
        row=row,
        question=item.wording(str(run.condition["wording"])).question.text or item.passage,
        state=state_of(row.strict, item.key, asked=row.request_key is not None, answered=row.has_response)
        if row.failure is None
        else AnswerState.FAILED,
        answer=strict,
        lenient=lenient if lenient != strict else None,
        key=key_shown(item.key),
        address=addresses.of_answer(run.run_id, row.place, filters),
    )


def state_of(outcome: Outcome | None, key: Key, *, asked: bool, answered: bool) -> AnswerState:
    """Return what has become of an item; failures apart, which only the store knows of."""
    if outcome is None:
        waits = AnswerState.UNREAD if answered else AnswerState.WAITING
        return waits if asked else AnswerState.UNSUPPORTED
    if not isinstance(outcome, Answered):
        return AnswerState(outcome.kind.value)
    right = mark(outcome, key)
    if right is None:
        return AnswerState.ANSWERED
    return AnswerState.RIGHT if right else AnswerState.WRONG


def shown(outcome: Outcome | None) -> str:
    """Return the answer in an outcome for people; empty where there is none."""
    return value_shown(outcome.value) if isinstance(outcome, Answered) else ""


def value_shown(value: AnswerValue) -> str:
    """Return an answer for people."""
    return str(value).lower() if isinstance(value, bool) else answer_text(value)


def key_shown(key: Key) -> str:
    """Return what is right for people."""
    return value_shown(key.value) if isinstance(key, BooleanKey) else key_text(key)
