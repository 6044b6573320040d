"""What sites of tests are made of: a few runs of a small exam, some with names that try to be more than text."""

from __future__ import annotations

from dataclasses import replace

from exambench.analysis.diagnosis import diagnose
from exambench.analysis.leaderboard import ranking_on_common_items, rankings
from exambench.analysis.scores import RunScores
from exambench.items import EXPLICIT, Axis, Benchmark, ChoiceKey, Content, Item, Wording
from exambench.report.site.item_material import ItemSet
from exambench.report.site.material import Board, Material, board_of
from exambench.stats.resampling import Bootstrap
from tests.support.runs import exam, item, run

BOOTSTRAP = Bootstrap(200, 42)

TAG = '<script>document.title="taken"</script><img src=x onerror="document.title=1">'
END_OF_SCRIPT = "</script><script>document.title='taken'</script>"
LINK = "javascript:document.title='taken'"
RIGHT_TO_LEFT = "model \u202egnp.exe\u202c \u200f"
HALF = "half \ud800 pair"
LONG = "가" * 1_000_000
HOSTILE = (TAG, END_OF_SCRIPT, LINK, RIGHT_TO_LEFT, HALF, LONG)

# Items 1 to 12, the last two with a picture; those of even numbers are Korean.
# An axis of pictures makes three, the fewest that a radar shows.
_ITEMS = (item(number, picture=number > 10, choices=4) for number in range(1, 13))
PICTURES = Axis("pictures", {"en": "Pictures", "ko": "그림"}, {"modality": ("image",)})
EXAM = replace(exam(*_ITEMS, pass_mark=0.6), axes=(*exam().axes, PICTURES))


def described(made: RunScores, **facts: object) -> RunScores:
    """Return a run whose model file says more, as in ``size_b=7`` or ``korean=True``."""
    model = {**made.record.model, **facts}
    return replace(made, record=replace(made.record, model=model))


def runs_of(benchmark: Benchmark = EXAM) -> list[RunScores]:
    """Return five models that see pictures, two that don't, and one that has not come to its end."""
    seeing = {"images": True, "thinking": False}
    return [
        described(run(benchmark, "++++++++++++", model="best"), size_b=70, capabilities=seeing | {"thinking": True}),
        described(run(benchmark, "+++++++++---", model="good"), size_b=30, proprietary=True, capabilities=seeing),
        described(run(benchmark, "-++-++-++-++", model="middling"), size_b=7, korean=True, capabilities=seeing),
        described(run(benchmark, "+~----?---/-", model="weak"), size_b=2, korean=True, capabilities=seeing),
        described(run(benchmark, "-!----------", model="weakest"), capabilities=seeing),
        run(benchmark, "++++++----  ", model="reader", images=False),
        run(benchmark, "+++++++++-  ", model="keen reader", images=False),
        run(benchmark, "++++++......", model="unfinished"),
    ]


def hostile_runs(benchmark: Benchmark) -> list[RunScores]:
    """Return complete runs of models with every hostile name."""
    signs = ("++++++", "+++++-", "++++--", "+++---", "++----", "-+----")
    return [run(benchmark, sign, model=name) for sign, name in zip(signs, HOSTILE, strict=True)]


def hostile_exam() -> Benchmark:
    """Return an exam whose questions, choices, facets and reasons are hostile."""
    items = tuple(
        Item(
            id=f"{number} {text[:100]}",
            wordings={EXPLICIT: Wording(Content(text), (Content(text), Content("x")))},
            key=ChoiceKey(1),
            facets={"korean": True, "modality": "text", "source": text},
            rationale=text,
        )
        for number, text in enumerate(HOSTILE, start=1)
    )
    return exam(*items)


def boards_of(runs: list[RunScores]) -> tuple[Board, ...]:
    """Return their rankings, and that on common items last."""
    apart = rankings(runs, BOOTSTRAP)
    together = ranking_on_common_items([each for each in runs if each.complete], BOOTSTRAP) if len(apart) > 1 else ()
    current = runs[0].record.dataset_hash
    return tuple(
        board_of(ranking, diagnose(ranking.table, BOOTSTRAP), current, on_common_items=common)
        for common, found in ((False, apart), (True, together))
        for ranking in found
    )


def material_of(runs: list[RunScores], *, items: bool = False) -> Material:
    """Return what a site of these runs is made of."""
    named = tuple((each.record.model_name, each) for each in runs)
    return Material(boards_of(runs), item_sets=(ItemSet(runs[0].benchmark, named),) if items else ())
