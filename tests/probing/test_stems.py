"""Long stems cut in two, continuations without what was shown, verdicts of judges."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping

import pytest

from exambench.exchange import Response
from exambench.items import EXPLICIT, Benchmark, ChoiceKey, Content, FacetValue, Item, Wording
from exambench.outcomes import Unjudged
from exambench.probing.comparisons import ExactnessVerdict, read_comparison
from exambench.probing.continuations import LONGEST, continuation_of
from exambench.probing.prompts import read_exactness_prompt, read_prefix_prompt
from exambench.probing.stems import Stem, long_stems
from exambench.probing.tokens import CHARACTERS, WORDS, Tokenization, tokenizer

PROMPT = read_exactness_prompt()


def benchmark(stem: str, source: str = "", facets: Mapping[str, FacetValue] | None = None) -> Benchmark:
    """Return a benchmark of one item."""
    item = Item("1", {EXPLICIT: Wording(Content(stem))}, ChoiceKey(1), facets=facets or {}, source=source)
    return Benchmark("b", "기상 시험", (item,), axes=())


def cut(stem: str, *, source: str = "", facets: Mapping[str, FacetValue] | None = None) -> Stem:
    """Return the stem of a benchmark of one item, cut by words."""
    found = long_stems(benchmark(stem, source, facets), WORDS, more_than=2, share=0.35, by="source")
    return found.stems[0]


def test_the_prefix_is_a_share_of_the_tokens_and_the_rest_is_the_rest() -> None:
    """35 % of ten words are three, rounded down."""
    stem = cut("하나 둘 셋  넷 다섯 여섯 일곱 여덟 아홉 열")
    assert (stem.prefix, stem.rest) == ("하나 둘 셋", "넷 다섯 여섯 일곱 여덟 아홉 열")
    assert stem.tokens == 10


def test_a_stem_has_more_tokens_than_asked_for() -> None:
    """Ten are not more than ten; a text in decomposed form counts in composed syllables."""
    ten = "가나다라마바사아자차"
    decomposed = unicodedata.normalize("NFD", "가나다")
    for text, more_than, expected in ((ten, 10, 0), (ten, 9, 1), (decomposed, 3, 0)):
        found = long_stems(benchmark(text), CHARACTERS, more_than=more_than, share=0.35, by="source")
        assert len(found.stems) == expected


def test_exam_and_year_come_from_facets_or_the_source() -> None:
    """Facets first; of a source the first year; of neither the benchmark's title."""
    from_source = cut("하나 둘 셋", source="기상기사 2019년 1회 12번")
    assert (from_source.source, from_source.exam, from_source.year) == (
        "기상기사",
        "기상기사 2019년 1회 12번",
        "2019",
    )
    from_facets = cut("하나 둘 셋", source="x 1999", facets={"exam": "예보사", "year": 2021})
    assert (from_facets.exam, from_facets.year) == ("예보사", "2021")
    bare = cut("하나 둘 셋")
    assert (bare.source, bare.exam, bare.year) == ("–", "기상 시험", "")
    assert cut("하나 둘 셋", source="x 1", facets={"source": "PSAT"}).source == "PSAT"


def test_kiwi_cuts_at_morphemes_and_is_named() -> None:
    """It is the default where it is installed; a verb comes apart into stem and ending, which end in one syllable."""
    kiwi = tokenizer(None)
    text = "동쪽으로 이동한다."
    assert kiwi.name.startswith("Kiwi 0.")
    assert kiwi.tokens(text) == ["동쪽", "으로", "이동", "하", "ᆫ다", "."]
    assert [text[: token.end] for token in kiwi.cut(text)][-3:] == ["동쪽으로 이동한", "동쪽으로 이동한다", text]
    assert [tokenizer(Tokenization.WORDS), tokenizer(Tokenization.CHARACTERS)] == [WORDS, CHARACTERS]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("이어지는 글", "이어지는 글"),
        ("앞의 글 이어지는 글", "이어지는 글"),
        ("앞의글\n이어지는 글", "이어지는 글"),
        ("앞의 글", ""),
        ("앞의 다른 글", "앞의 다른 글"),
        ("<think>앞의 글</think>이어지는 글", "이어지는 글"),
        (None, ""),
    ],
)
def test_what_was_shown_is_not_remembered(said: str | None, text: str) -> None:
    """A model that begins with the prefix gets no credit for it, whatever its spaces."""
    assert continuation_of(Response(text=said), "앞의 글").text == text


def test_a_refusal_of_the_endpoint_and_a_cut_are_known() -> None:
    """By its marks, and by a length that no stem has."""
    assert continuation_of(Response(text=None, refusal="no"), "x").declined
    assert continuation_of(Response(text="", finish_reason="content_filter"), "x").declined
    assert continuation_of(Response(text="가", finish_reason="length"), "x").cut
    long = continuation_of(Response(text="가" * (LONGEST + 1)), "x")
    assert (long.cut, len(long.text)) == (True, LONGEST)


def verdict(**changes: object) -> str:
    """Return a verdict in the form that is asked for."""
    return json.dumps({"근거": "같다", "일치도": 70, "거절": 0, "지어냄": 1} | changes, ensure_ascii=False)


def test_the_last_whole_verdict_counts() -> None:
    """Whatever is said around it."""
    text = f"먼저 {verdict(일치도=10)} 라고 보았으나, 고쳐서 {verdict()}"
    found = read_comparison(Response(text=text), PROMPT)
    assert found == ExactnessVerdict(70, refusal=False, hallucination=True, reason="같다")


@pytest.mark.parametrize(
    "text",
    [
        "70점",
        verdict(일치도=101),
        verdict(일치도=-1),
        verdict(일치도="70"),
        verdict(일치도=70.5),
        verdict(거절=True),
        verdict(지어냄=2),
        '{"일치도": 70, "거절": 0}',
        f'{verdict()} 그리고 {{"일치도": 3}}',
        '{"일치도": 70, "일치도": 80, "거절": 0, "지어냄": 0}',
    ],
)
def test_a_verdict_in_another_form_is_none(text: str) -> None:
    """Nothing is mended: it is asked for again."""
    assert isinstance(read_comparison(Response(text=text), PROMPT), Unjudged)


def test_the_shipped_prompts_say_what_is_read() -> None:
    """The keys stand in the judge's prompt through placeholders; two arms of the model's differ by the hint."""
    assert all(f"{{{{{name}}}}}" in PROMPT.system for name in PROMPT.keys)
    prompt = read_prefix_prompt()
    assert prompt.hinted.endswith(prompt.user)
    assert read_prefix_prompt().hash == prompt.hash != PROMPT.hash
