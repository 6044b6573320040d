"""How far a run has come, counted from the events of the loop."""

from __future__ import annotations

from collections import Counter

from exambench.engine.loop import Answered, AnsweredElsewhere, Event, Failed
from exambench.engine.spending import Spending
from exambench.evaluation.planning import RunPlan
from exambench.evaluation.reading import interpret
from exambench.outcomes import OutcomeKind
from exambench.parsing import parser
from exambench.protocols import Shown


class Tally:
    """Counts of one run while it is on; the store keeps the truth.

    Attributes:
        asked: Requests of the plan.
        done: Requests that have a response, from before or from this session.
        new: Responses of this session.
        outcomes: What became of the requests of this session, by the strict parser.
        spent: Money spent in this session.

    Args:
        plan: The run.
        open_requests: Requests that had no response when this session began.
    """

    def __init__(self, plan: RunPlan, open_requests: int) -> None:
        self.asked = len(plan.requests)
        self.done = self.asked - open_requests
        self.new = 0
        self.outcomes: Counter[OutcomeKind] = Counter()
        self.spent = Spending(plan.model.price)
        self._read = parser(plan.protocol.strict)
        self._shown: dict[str, Shown] = {
            row.request_key: plan.shown[row.item_id] for row in plan.rows if row.request_key is not None
        }

    def count(self, event: Event) -> None:
        """Take account of one event."""
        match event:
            case Answered(key, response):
                self.done += 1
                self.new += 1
                self.outcomes[interpret(response, self._shown[key], self._read).kind] += 1
                self.spent.add(response.usage)
            case AnsweredElsewhere():
                self.done += 1
            case Failed():
                self.outcomes[OutcomeKind.FAILED] += 1
