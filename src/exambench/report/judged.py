"""Whose verdicts a reasoning gap rests on, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator

from exambench.analysis.gaps import REASONING_GAP
from exambench.analysis.reasoning_gap import Judge, JudgedModel, ReasoningGap
from exambench.items import short


def judge_sentences(reasoning: ReasoningGap | None) -> Iterator[str]:
    """Yield a sentence that names the judge and counts the verdicts of each model; nothing without a gap."""
    if reasoning is None or reasoning.judge is None:
        return
    counts = "; ".join(map(_coverage, reasoning.models))
    yield f"{judge_sentence(reasoning.judge)} Judged of asked: {counts}. What is unjudged is in no mean."


def judge_sentence(judge: Judge) -> str:
    """Return who judges, what the judge sees, and by which rubric."""
    pictures = "and the pictures" if judge.sees_images else "and no pictures"
    return (
        f"Reasoning is judged by {judge.name}, which sees the expert's rationale {pictures}, by the rubric "
        f"{judge.rubric} ({short(judge.rubric_hash)})."
    )


def judged_records(reasoning: ReasoningGap | None) -> Iterator[dict[str, object]]:
    """Yield for each model with a reasoning gap the judge, the rubric, the run and the numbers of verdicts."""
    if reasoning is None or reasoning.judge is None:
        return
    judge = reasoning.judge
    for each in reasoning.models:
        yield {
            "gap": REASONING_GAP,
            "model": each.model,
            "judge": judge.name,
            "rubric": judge.rubric,
            "rubric_hash": judge.rubric_hash,
            "judge_sees_images": judge.sees_images,
            "run": each.run_id,
            "judging": each.judging_id,
            "asked": each.asked,
            "judged": each.judged,
            "unjudged": each.unjudged,
            "open": each.open,
        }


def _coverage(each: JudgedModel) -> str:
    left = [f"{each.unjudged} unjudged"] if each.unjudged else []
    left += [f"{each.open} open"] if each.open else []
    return f"{each.model} {each.judged}/{each.asked}" + (f" ({', '.join(left)})" if left else "")
