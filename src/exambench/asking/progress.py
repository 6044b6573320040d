"""How far a task has come, counted from the events of the loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from exambench.asking.tasks import TaskPlan
from exambench.engine.loop import Answered, AnsweredElsewhere, Event, Failed
from exambench.engine.spending import Spending
from exambench.exchange import Request


class TaskTally:
    """Counts of one task while it is on; the store keeps the truth.

    Attributes:
        asked: Requests that are to be asked in this session; grows with every reply that cannot be used.
        done: Requests of this session that have a response.
        new: Responses of this session.
        outcomes: What became of the requests of this session.
        spent: Money spent in this session.

    Args:
        plan: The task.
    """

    def __init__(self, plan: TaskPlan) -> None:
        self.asked = 0
        self.done = 0
        self.new = 0
        self.outcomes: Counter[str] = Counter()
        self.spent = Spending(plan.model.price)

    def expect(self, requests: Mapping[str, Request]) -> None:
        """Take account of requests that are about to be asked."""
        self.asked += len(requests)

    def count(self, event: Event) -> None:
        """Take account of one event."""
        match event:
            case Answered(_, response):
                self.done += 1
                self.new += 1
                self.outcomes["answered"] += 1
                self.spent.add(response.usage)
            case AnsweredElsewhere():
                self.done += 1
            case Failed():
                self.outcomes["failed"] += 1
