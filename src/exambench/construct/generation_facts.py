"""What a generation amounts to: how many drafts kept the rules, which answers are right, and what they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from exambench.benchmarks.scholarbench_format import CATEGORY, TASK, TOPIC
from exambench.construct.decisions import Decision
from exambench.construct.generation import Generated
from exambench.construct.rounds import EXAMPLES
from exambench.construct.topics import Topics
from exambench.construct.written_drafts import LETTERS, Task
from exambench.items import BooleanKey, ChoiceKey, ChoiceSetKey, Item, Key
from exambench.stats.intervals import wilson_interval

Facts = dict[str, Any]
RIGHT: Final = {
    Task.MULTIPLE_CHOICE: LETTERS,
    Task.MULTIPLE_SELECT: LETTERS,
    Task.TRUE_FALSE: ("true", "false"),
}
"""What may be right in each task, as far as that is balanced or not."""


def facts_of(made: Generated, topics: Topics) -> Facts:
    """Return the facts of a generation.

    Args:
        made: What came of the papers.
        topics: Topics by category.
    """
    items = [item for paragraph in made.paragraphs for item in made.items[paragraph.id]]
    lengths = [len(paragraph.passage) for paragraph in made.paragraphs]
    asked = [item for item in items if TOPIC in item.facets]
    accepted = Counter(mended.task for mended in made.decided.values() if mended.decision is Decision.ACCEPTED)
    listed = [topics.is_listed(str(item.facets[CATEGORY]), str(item.facets[TOPIC])) for item in asked]
    return {
        "papers": len(made.papers),
        "paragraphs": len(made.paragraphs),
        "shortest_paragraph": min(lengths, default=None),
        "longest_paragraph": max(lengths, default=None),
        "first_round_whole": sum(written.is_whole for written in made.first.values()),
        "without_two_examples": sum(len(shown) < EXAMPLES for shown in made.examples.values()),
        "items": len(items),
        "left_to_people": sum(len(written.broken) for written in made.second.values()) - len(made.decided),
        "mended_by_people": accepted.total(),
        "rejected_by_people": len(made.decided) - accepted.total(),
        "decisions_not_used": made.unused,
        "other_topics": listed.count(False),
        "tasks": [_of_task(task, made, accepted[task]) for task in Task],
        "right_answers": [row for task, names in RIGHT.items() for row in _right(task, names, items)],
        "topics": _topics(asked),
    }


def _of_task(task: Task, made: Generated, mended: int) -> Facts:
    kept = [written.kept_in[task] for written in made.second.values() if task in written.kept]
    return {
        "task": str(task),
        "first_round": sum(task in written.kept for written in made.first.values()),
        "items": len(kept) + mended,
        "in_one_try": sum(tries == 1 for tries in kept),
        "broken": len(made.second) - len(kept),
        "mended": mended,
    }


def _right(task: Task, names: Sequence[str], made: Sequence[Item]) -> list[Facts]:
    """Return how often each answer is right, its share with Wilson's 95 % interval, and the share by chance.

    Of several right choices each counts; their shares are of the items.
    """
    of_task = [item for item in made if item.facets.get(TASK) == task]
    if not of_task:
        return []
    counts = Counter(name for item in of_task for name in _named(item.key))
    rows = []
    for name in names:
        found = wilson_interval(counts[name], len(of_task))
        rows.append(
            {
                "task": str(task),
                "answer": name,
                "items": counts[name],
                "of": len(of_task),
                "share": found.estimate,
                "low": found.low,
                "high": found.high,
                "balanced": counts.total() / len(of_task) / len(names),
            }
        )
    return rows


def _named(key: Key) -> list[str]:
    match key:
        case ChoiceKey(index):
            return [LETTERS[index - 1]]
        case ChoiceSetKey(indices):
            return [LETTERS[index - 1] for index in indices]
        case BooleanKey(value):
            return [str(value).lower()]
    return []


def _topics(asked: Sequence[Item]) -> list[Facts]:
    counts = Counter((str(item.facets[CATEGORY]), str(item.facets[TOPIC])) for item in asked)
    return [
        {"category": category, "topic": topic, "items": count} for (category, topic), count in sorted(counts.items())
    ]
