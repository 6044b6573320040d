"""One way of finding near-duplicates, in a process of its own: ``python -m bench.similarity_work WORK``.

It prints one JSON object: seconds and processor seconds of the work alone, the mean length of the texts, and what was
found.
"""

from __future__ import annotations

import difflib
import hashlib
import itertools
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

SEED: Final = 42
THRESHOLD: Final = 0.6
SYLLABLES: Final = 1200
WORDS: Final = 6000
EXAM: Final = 2500
SAMPLED: Final = 40
"""One pair of so many is put to difflib to learn its time."""
LARGE: Final = 68_000
TEMPLATED: Final = 20_000
REPEATED: Final = 0.2
ENDINGS: Final = (
    "다음 중 옳은 것은?",
    "에 대한 설명으로 틀린 것은?",
    "가장 가까운 값은?",
    "에 해당하지 않는 것은?",
)
TEMPLATE: Final = (
    "다음은 어느 지점에서 관측한 값이다. 기온 {} °C, 이슬점온도 {} °C, 해면기압 {} hPa, 풍향 {}°, 풍속 {} m/s일 때 "
    "이 지점의 대기 상태와 앞으로 예상되는 변화에 대한 설명으로 가장 알맞은 것을 아래의 보기에서 고르시오. "
    "단, 관측 지점의 고도는 {} m이고 주변의 지형은 평탄하며 관측 시각은 {}시이다. 참고 지명은 {} 및 {}이다."
)


def exam_stems(count: int, shortest: int, longest: int) -> list[str]:
    """Return stems of made-up Korean words of Zipfian frequency; a fifth of them are edited copies of earlier ones."""
    rng = random.Random(SEED)  # noqa: S311 - texts, not secrets
    syllables = [chr(0xAC00 + rng.randrange(11172)) for _ in range(SYLLABLES)]
    weights = [1 / (rank + 3) for rank in range(SYLLABLES)]
    words = ["".join(rng.choices(syllables, weights, k=rng.randint(1, 4))) for _ in range(WORDS)]
    stems: list[str] = []
    for _ in range(count):
        if stems and rng.random() < REPEATED:
            copy = list(rng.choice(stems))
            for _ in range(rng.randint(1, 15)):
                copy[rng.randrange(len(copy))] = rng.choice(syllables)
            stems.append("".join(copy))
        else:
            length, text = rng.randint(shortest, longest), ""
            while len(text) < length:
                text += rng.choice(words) + " "
            stems.append(text + rng.choice(ENDINGS))
    return stems


def templated_stems(count: int) -> list[str]:
    """Return stems of some 250 characters that share a template, so that every pair is near the threshold or above."""
    rng = random.Random(SEED)  # noqa: S311 - texts, not secrets

    def word() -> str:
        return "".join(chr(0xAC00 + rng.randrange(11172)) for _ in range(rng.randint(20, 40)))

    return [TEMPLATE.format(*(rng.randint(0, 1100) for _ in range(7)), word(), word()) for _ in range(count)]


def by_difflib(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ask the standard library about one pair of :data:`SAMPLED`, as who compares two texts does."""
    pairs = itertools.combinations(range(len(texts)), 2)
    for earlier, later in itertools.islice(pairs, 0, None, SAMPLED):
        if difflib.SequenceMatcher(None, texts[earlier], texts[later]).ratio() >= THRESHOLD:
            yield earlier, later


def by_difflib_alone(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ask the standard library about every pair; what its own upper bounds rule out, it does not match block by block.

    ``real_quick_ratio`` and ``quick_ratio`` are documented as upper bounds of ``ratio``, and what is known of the
    second text is kept between calls, so that minutes do.
    """
    matcher = difflib.SequenceMatcher(None, "", "")
    for later, text in enumerate(texts):
        matcher.set_seq2(text)
        for earlier in range(later):
            matcher.set_seq1(texts[earlier])
            bounds = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
            if all(bound() >= THRESHOLD for bound in bounds):
                yield earlier, later


def by_bounds(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ask this library about all pairs."""
    from exambench.construct.similarity import alike  # noqa: PLC0415 - each process imports what it measures

    for pair in alike(texts, THRESHOLD):
        yield pair.earlier, pair.later


def by_stage(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Run the stage ``dedup`` on items with these stems."""
    from exambench.construct.near_duplicates import DedupSettings, near_duplicates  # noqa: PLC0415
    from exambench.construct.opposites import Opposites  # noqa: PLC0415
    from exambench.items import EXPLICIT, Content, Item, TextKey, Wording  # noqa: PLC0415

    items = [Item(str(place), {EXPLICIT: Wording(Content(text))}, TextKey("")) for place, text in enumerate(texts)]
    for pair in near_duplicates(items, DedupSettings(), Opposites((), ()), {}):
        yield int(pair.kept), int(pair.item)


Way = Callable[[Sequence[str]], Iterator[tuple[int, int]]]
WORK: Final[dict[str, tuple[Callable[[], list[str]], Way]]] = {
    "difflib": (lambda: exam_stems(EXAM, 20, 120), by_difflib),
    "every pair": (lambda: exam_stems(EXAM, 20, 120), by_difflib_alone),
    "ours": (lambda: exam_stems(EXAM, 20, 120), by_bounds),
    "large": (lambda: exam_stems(LARGE, 60, 250), by_stage),
    "templated": (lambda: templated_stems(TEMPLATED), by_stage),
}


def main() -> None:
    """Do one piece of work and print what it took."""
    make, way = WORK[sys.argv[1]]
    texts = make()
    start, cpu = time.monotonic(), time.process_time()
    found = sorted(way(texts))
    seconds, cpu_seconds = time.monotonic() - start, time.process_time() - cpu
    print(
        json.dumps(
            {
                "seconds": seconds,
                "cpu_seconds": cpu_seconds,
                "texts": len(texts),
                "mean_length": sum(map(len, texts)) / len(texts),
                "found": len(found),
                "digest": hashlib.sha256(repr(found).encode()).hexdigest(),
            }
        )
    )


if __name__ == "__main__":
    main()
