"""What to call judges in one table, where several may have one name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def numbered(names: Sequence[str]) -> list[str]:
    """Return names with numbers behind those that stand more than once, in the order of their first places."""
    counts, taken = Counter(names), set(names)
    found, number = [], Counter[str]()
    for name in names:
        chosen = name
        while counts[name] > 1 and chosen in taken:
            number[name] += 1
            chosen = f"{name} ({number[name]})"
        taken.add(chosen)
        found.append(chosen)
    return found
