"""What a stage asks is asked durably: responses are in the project's store, and what has one is not asked again."""

from __future__ import annotations

from collections.abc import Callable

from exambench.asking.running import due, register, run_task
from exambench.asking.tasks import TaskPlan, replies_of
from exambench.construct.inquiries import Answers, Budget, UnfinishedError
from exambench.engine.loop import Answered, AnsweredElsewhere, Event, Failed
from exambench.errors import ConfigError, Finding
from exambench.store import Store


class StoredAnswers:
    """Asks models for one stage; see :class:`exambench.construct.inquiries.AskModel`.

    Args:
        stage: Name of the stage, for messages.
        store: Where responses go.
        on_progress: Told how many requests of how many have their response.
        on_stop: Told of the first interrupt.
    """

    def __init__(
        self, stage: str, store: Store, on_progress: Callable[[int, int], None], on_stop: Callable[[], None]
    ) -> None:
        self._stage = stage
        self._store = store
        self._on_progress = on_progress
        self._on_stop = on_stop
        self._costs: dict[str, float | None] = {}
        """Of every response that the stage rests on so far, by request; ``None`` where it is not known."""

    def __call__(self, plan: TaskPlan, budget: Budget, /) -> Answers:
        """Ask what has no response yet; see :class:`exambench.construct.inquiries.AskModel`."""
        wanted = register(plan, self._store)
        self._take(self._answers(plan))
        session = _Session(self._costs, plan, budget, self._on_progress, self._on_stop)
        if wanted:
            self._refuse_without_price(plan, budget)
            if not session.enough():
                run_task(
                    plan,
                    self._store,
                    concurrency=plan.model.concurrency,
                    on_event=session.see,
                    on_stop=session.stop,
                    on_requests=lambda requests: session.expect(len(requests)),
                    most=None if budget.requests is None else budget.requests - len(self._costs),
                    enough=session.enough,
                )
        left = len(due(plan, self._store))
        answers = self._answers(plan)
        self._take(answers)
        if left:
            raise UnfinishedError(
                f"stage {self._stage}: {plan.model.name}: {session.why(left)} What was answered is stored; "
                "the next build asks the rest."
            )
        return answers

    def _answers(self, plan: TaskPlan) -> Answers:
        asked = {ask.place for ask in plan.asks}
        found = replies_of(self._store, plan.record)
        return Answers(plan, {place: replies for place, replies in found.items() if place in asked})

    def _take(self, answers: Answers) -> None:
        price = answers.plan.model.price
        self._costs |= {
            key: None if price is None else price.of(response.usage) for key, response in answers.responses.items()
        }

    def _refuse_without_price(self, plan: TaskPlan, budget: Budget) -> None:
        if budget.cost is not None and plan.model.price is None:
            raise ConfigError(
                Finding(
                    problem="the stage has a limit of cost, and the model file names no price",
                    field="max_cost",
                    value=plan.model.name,
                    remedy="Add a price to the model file, or limit max_requests instead",
                )
            )


class _Session:
    """One asking: what it has spent, and why it ended."""

    def __init__(
        self,
        costs: dict[str, float | None],
        plan: TaskPlan,
        budget: Budget,
        on_progress: Callable[[int, int], None],
        on_stop: Callable[[], None],
    ) -> None:
        self._costs = costs
        self._price = plan.model.price
        self._budget = budget
        self._on_progress = on_progress
        self._on_stop = on_stop
        self._expected = self._done = 0
        self._failure = ""
        self._failed = 0
        self._stopped = False

    def expect(self, requests: int) -> None:
        self._expected += requests
        self._on_progress(self._done, self._expected)

    def see(self, event: Event) -> None:
        match event:
            case Answered(key, response):
                self._done += 1
                self._costs[key] = None if self._price is None else self._price.of(response.usage)
            case AnsweredElsewhere():
                self._done += 1
            case Failed(_, failure):
                self._failed += 1
                self._failure = failure.reason
            case _:
                return
        self._on_progress(self._done, self._expected)

    def stop(self) -> None:
        self._stopped = True
        self._on_stop()

    def enough(self) -> bool:
        """Tell whether the budget is used up; a cost that is not known uses up any limit of it."""
        requests, cost = self._budget.requests, self._budget.cost
        if requests is not None and len(self._costs) >= requests:
            return True
        if cost is None:
            return False
        known = [each for each in self._costs.values() if each is not None]
        return len(known) < len(self._costs) or sum(known) >= cost

    def why(self, left: int) -> str:
        """Say why requests are left, most important first."""
        if self._stopped:
            return f"stopped, and {left} requests have no response."
        if self._failed:
            return f"{left} requests have no response, {self._failed} of them failed ({self._failure})."
        if self.enough():
            return f"the budget of the stage is used up, and {left} requests or more are due; raise it to go on."
        return f"{left} requests have no response."
