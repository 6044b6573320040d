"""A run in the store, a real server as the judge: what is asked, asked again, stored, and never averaged."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image as Picture

from exambench.analysis.scores import load_scores
from exambench.analysis.verdicts import load_verdicts, unreadable_texts
from exambench.errors import ConfigError, ImageError, StoreError
from exambench.evaluation.pictures import with_pictures
from exambench.evaluation.reading import read_all
from exambench.items import Image, TextKey
from exambench.judging.answers import AnswerJudge, read_answer_rubric
from exambench.judging.planning import TRIES
from exambench.judging.rationales import RationaleJudge
from exambench.judging.reading import read_verdicts
from exambench.models import ModelConfig
from exambench.outcomes import AnswerVerdict, Settlement, Unjudged, Unparsed, Verdict
from exambench.parsing.rationales import RationaleForm
from exambench.protocols import Protocol
from exambench.store import JudgeReply, Judgings, OutcomeRow, Store, VerdictRow, open_store
from tests.judging.examples import AXES, answer, ask, exam, judge_config, plan_for, shipped_rubric, sit, verdict_text
from tests.support.chat_server import (
    Call,
    Reply,
    always,
    completion,
    hang_up,
    html,
    in_turn,
    json_reply,
    raw,
    reasoning_only,
    serve,
    status,
    unsupported_by_openai,
    unsupported_by_vllm,
)

SCORES = dict(zip(AXES, (4, 3, 2, 5), strict=True))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with open_store(str(tmp_path / "results.db")) as opened:
        yield opened


def number_of(call: Call) -> int:
    """Return the number of the item that a call asks about."""
    match = re.search(r"(\d+)번 관측소", call.prompt)
    assert match is not None
    return int(match[1])


def on_item(number: int, *replies: Reply) -> Callable[[Call], Reply]:
    """Give a verdict on every item, but on one of them these replies in turn, the last one kept."""
    left = list(replies)

    def script(call: Call) -> Reply:
        if number_of(call) != number:
            return completion(verdict_text())
        return left.pop(0) if len(left) > 1 else left[0]

    return script


def test_every_rationale_is_judged_once_and_never_again(store: Store) -> None:
    """One request an answer; the same command again asks nothing and finds the same verdicts."""
    run = sit(store, exam(), {str(number): answer(number) for number in range(1, 5)})
    with serve(always(completion(verdict_text()))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        assert ask(plan, store).answered == 4
        judged = load_verdicts(store, plan.record)
        assert ask(plan, store).answered == 0
    assert sorted(map(number_of, server.calls)) == [1, 2, 3, 4]
    assert [each.judgement for each in judged.answers] == [Verdict(SCORES, (), "무난함")] * 4
    assert load_verdicts(store, plan.record) == judged


def test_a_judge_decodes_greedily_and_is_held_to_the_form(store: Store) -> None:
    """Temperature 0, top-p 0.95 and a schema, unless the judge's file says otherwise."""
    run = sit(store, exam(1), {"1": answer(1)})
    with serve(always(completion(verdict_text()))) as server:
        ask(plan_for(store, run, judge_config(server.base_url)), store)
    (call,) = server.calls
    assert (call.body["temperature"], call.body["top_p"], call.body["seed"]) == (0.0, 0.95, 42)
    assert call.body["response_format"] == shipped_rubric().response_format()


UNREADABLE = {
    "out of the scale": completion(verdict_text((4, 6, 2, 5))),
    "a float": completion(verdict_text((4, 3.0, 2, 5))),
    "a truth value": completion(verdict_text((4, True, 2, 5))),
    "a missing axis": completion(verdict_text(추론의_깊이=...)),
    "prose": completion("네 점을 주겠습니다."),
    "a broken dict": completion(verdict_text()[:-1]),
    "a refusal": completion(None, refusal="I cannot grade this."),
    "a content filter": completion("", finish_reason="content_filter"),
    "reasoning alone": reasoning_only("어렵다"),
    "cut at the token limit": completion('{"정확성": 4', finish_reason="length"),
}


@pytest.mark.parametrize("reply", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_cannot_be_read_is_asked_again_and_the_next_verdict_counts(store: Store, reply: Reply) -> None:
    """Each try is a request of its own, with a seed of its own."""
    run = sit(store, exam(2), {"1": answer(1), "2": answer(2)})
    with serve(on_item(2, reply, completion(verdict_text()))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
    assert Counter(map(number_of, server.calls)) == {1: 1, 2: 2}
    assert [call.body["seed"] for call in server.calls if number_of(call) == 2] == [42, 43]
    judged = load_verdicts(store, plan.record)
    assert [each.tries for each in judged.answers] == [1, 2]
    assert not judged.unjudged


@pytest.mark.parametrize("reply", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_after_three_tries_it_is_unjudged_counted_and_in_no_mean(store: Store, reply: Reply) -> None:
    """Neither a zero nor a middle score stands in for a verdict; the same command does not ask a fourth time."""
    run = sit(store, exam(2), {"1": answer(1), "2": answer(2)})
    with serve(on_item(2, reply)) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
        ask(plan, store)
    assert Counter(map(number_of, server.calls)) == {1: 1, 2: TRIES}
    judged = load_verdicts(store, plan.record)
    (unjudged,) = judged.unjudged
    assert (unjudged.item_id, unjudged.tries) == ("2", 3)
    assert judged.scores() == {"1": 14.0}
    assert judged.scores("정확성") == {"1": 4.0}
    assert (len(judged.answers), len(judged.judged), len(judged.open)) == (2, 1, 0)


def test_the_text_of_an_unjudged_reply_is_kept(store: Store) -> None:
    """People can look at what the judge wrote instead of a verdict."""
    run = sit(store, exam(1), {"1": answer(1)})
    with serve(in_turn(completion("하나"), completion("둘"), completion("셋: \x00'\"{"))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
    judged = load_verdicts(store, plan.record)
    assert list(unreadable_texts(store, judged).values()) == ["셋: \ufffd'\"{"]
    assert judged.unjudged[0].judgement == Unjudged("no closed dict with the axes of the rubric")


@pytest.mark.parametrize("fault", [status(500), status(429), html(), hang_up(), raw(b"{"), json_reply({"choices": []})])
def test_a_fault_of_the_endpoint_is_no_reply_and_uses_up_no_try(store: Store, fault: Reply) -> None:
    """It stays open, is in no mean, and the next session asks for it."""
    run = sit(store, exam(2), {"1": answer(1), "2": answer(2)})
    with serve(on_item(2, fault)) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        result = ask(plan, store)
        assert (result.answered, result.failed) == (1, 1)
        judged = load_verdicts(store, plan.record)
        assert [each.item_id for each in judged.open] == ["2"]
        assert judged.scores() == {"1": 14.0}
        server.script = always(completion(verdict_text()))
        assert ask(plan, store).answered == 1
    judged = load_verdicts(store, plan.record)
    assert not judged.open
    assert [each.tries for each in judged.answers] == [1, 1]


def test_a_fault_in_a_further_try_ends_the_session_and_not_the_judgement(store: Store) -> None:
    """An unreadable reply, then a fault: no endless loop, and the next session goes on with the second try."""
    run = sit(store, exam(1), {"1": answer(1)})
    with serve(in_turn(completion("?"), status(500), completion("?"), completion(verdict_text()))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        result = ask(plan, store)
        assert (result.answered, result.failed) == (1, 1)
        ask(plan, store)
    assert [call.body["seed"] for call in server.calls] == [42, 43, 43, 44]
    assert load_verdicts(store, plan.record).answers[0].tries == 3


REFUSED_FORMATS = {
    "openai": unsupported_by_openai("response_format"),
    "vllm": unsupported_by_vllm("response_format"),
    "a type": status(400, "This response_format type is unavailable now"),
    "a value": status(400, "'response_format.type' must be 'json_object' or 'text', but got 'json_schema'"),
    "unprocessable": status(422, "Invalid schema for response_format 'verdict'"),
    "not implemented": status(501, "response_format is not implemented"),
    "no route": status(404, "No endpoints found that support: response_format"),
    "by its purpose": status(400, "This model does not support structured outputs"),
    "by its type": status(400, "Invalid type 'json_schema': only 'text' and 'json_object' are supported"),
    "by its grammar": status(400, "Failed to parse grammar"),
    "by its decoder": status(400, "guided_decoding needs a backend, and none is installed"),
}


@pytest.mark.parametrize("refusal", REFUSED_FORMATS.values(), ids=REFUSED_FORMATS.keys())
def test_a_refused_form_is_left_out(store: Store, refusal: Reply) -> None:
    """Structured output is a help, not a condition: the judge is then asked in words alone, and that is recorded."""
    run = sit(store, exam(3), {str(number): answer(number) for number in range(1, 4)})

    def script(call: Call) -> Reply:
        return refusal if "response_format" in call.body else completion(verdict_text())

    with serve(script) as server:
        plan = plan_for(store, run, judge_config(server.base_url, concurrency=1))
        result = ask(plan, store)
    assert (result.answered, result.failed) == (3, 0)
    assert ["response_format" in call.body for call in server.calls] == [True, False, False, False]
    replies = list(store.judgings.replies(plan.record.judging_id))
    assert {reply.response.adjustments for reply in replies} == {("dropped:response_format",)}


def test_no_request_tells_who_is_judged_or_what_it_thought(store: Store) -> None:
    """Neither the names of the model, its served name, its address, its thinking, nor its scratchpad."""
    chatty = "나는 examinee-7b이고 org/examinee-7b-chat, served-secret로 불린다."
    texts = {"1": f"<think>몰래 생각</think>{answer(1, chatty)}", "2": f"몰래 생각</think>{answer(2)}"}
    run = sit(store, exam(2), texts)
    with serve(always(completion(verdict_text()))) as server:
        ask(plan_for(store, run, judge_config(server.base_url)), store)
    sent = "\n".join(call.raw.decode().encode().decode("unicode_escape") for call in server.calls)
    assert len(server.calls) == 2
    for secret in ("examinee", "served-secret", "127.0.0.1:9", "몰래 생각", "비밀 메모", "scratchpad", "think>"):
        assert secret not in sent
        assert json.dumps(secret)[1:-1] not in sent


def test_a_response_without_reasons_is_judged_as_such_and_marked(store: Store) -> None:
    """Empty, absent, cut or thought only: it is put to the judge with a word in place of the rationale."""
    texts: dict[str, str | None] = {
        "1": answer(1, ""),
        "2": '{"정답": 3}',
        "3": None,
        "4": "왜냐하면 고도가 높기 때문이다.\n```json\n{'정답': 1}\n```",
    }
    run = sit(store, exam(), texts)
    with serve(always(completion(verdict_text((1, 1, 1, 1))))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
    empty = [number_of(call) for call in server.calls if "(수험자가 풀이를 쓰지 않았음)" in call.prompt]
    assert sorted(empty) == [1, 2, 3]
    judged = load_verdicts(store, plan.record)
    none = RationaleForm.NONE
    assert [each.form for each in judged.answers] == [none, none, none, RationaleForm.PROSE]
    assert [each.has_rationale for each in judged.answers] == [False, False, False, True]
    assert [each.right for each in judged.answers] == [True, True, False, True]
    assert len(judged.judged) == 4


def test_what_failed_is_not_judged(store: Store) -> None:
    """An item without a response is nobody's rationale."""
    run = sit(store, exam(), {"1": answer(1)})
    with serve(always(completion(verdict_text()))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
    assert len(server.calls) == len(load_verdicts(store, plan.record).answers) == 1


def test_trials_of_the_judge_have_seeds_of_their_own(store: Store) -> None:
    """Repeats and tries never share a seed, so that a repeat is a repeat; more trials ask only what is new."""
    run = sit(store, exam(1), {"1": answer(1)})
    with serve(in_turn(completion("?"), completion(verdict_text()))) as server:
        judge = judge_config(server.base_url)
        ask(plan_for(store, run, judge), store)
        plan = plan_for(store, run, judge, trials=2)
        ask(plan, store)
    assert [call.body["seed"] for call in server.calls] == [42, 43, 45]
    judged = load_verdicts(store, plan.record)
    assert [(each.judge_trial, each.tries) for each in judged.answers] == [(0, 2), (1, 1)]
    assert judged.judge_trials == 2
    assert judged.scores(judge_trial=1) == {"1": 14.0}


def test_with_and_without_the_reference_are_two_judgings(store: Store) -> None:
    """Two conditions, two sets of verdicts; the one without never shows the expert's words."""
    run = sit(store, exam(1), {"1": answer(1)})
    with serve(always(completion(verdict_text()))) as server:
        judge = judge_config(server.base_url)
        with_it = plan_for(store, run, judge)
        ask(with_it, store)
        without = plan_for(store, run, judge, instrument=RationaleJudge(shipped_rubric(), with_reference=False))
        ask(without, store)
    assert with_it.record.judging_id != without.record.judging_id
    assert ["1번의 참고 풀이" in call.prompt for call in server.calls] == [True, False]
    assert [load_verdicts(store, record).with_reference for record in store.judgings.all(run.run_id)] == [True, False]


def test_a_judge_that_takes_pictures_gets_them(store: Store, tmp_path: Path) -> None:
    """As data URIs, in the place where the examinee saw them; another judge gets text alone."""
    Picture.new("RGB", (40, 30), (10, 80, 160)).save(tmp_path / "map.png")
    benchmark = with_pictures(exam(2, picture=Image("map.png")), tmp_path)
    run = sit(store, benchmark, {"1": answer(1)}, images=True)
    with serve(always(completion(verdict_text()))) as server:
        judge = judge_config(server.base_url, images=True)
        ask(plan_for(store, run, judge, benchmark=benchmark), store)
        content = server.calls[0].body["messages"][1]["content"]
        assert [part["type"] for part in content] == ["text", "image_url", "text"]
        assert content[1]["image_url"]["url"].startswith("data:image/png;base64,")
        with pytest.raises(ImageError, match="no image folder was named"):
            plan_for(store, run, judge)
        ask(plan_for(store, run, judge_config(server.base_url)), store)
    assert isinstance(server.calls[1].body["messages"][1]["content"], str)


def test_a_baseline_cannot_judge(store: Store) -> None:
    """It reads no chat."""
    run = sit(store, exam(1), {"1": answer(1)})
    baseline = ModelConfig.model_validate({"name": "b", "endpoint": {"kind": "baseline", "strategy": "first"}})
    with pytest.raises(ConfigError, match="a baseline cannot judge"):
        plan_for(store, run, baseline)


def test_a_run_without_answers_cannot_be_judged(store: Store) -> None:
    """The message says what to do first."""
    run = sit(store, exam(1), {})
    with pytest.raises(ConfigError, match="exambench run --protocol reasoning"):
        plan_for(store, run, judge_config("http://127.0.0.1:9/v1"))


def test_a_run_on_other_data_cannot_be_judged(store: Store) -> None:
    """A rationale is held against the item that the model saw."""
    run = sit(store, exam(2), {"1": answer(1)})
    with pytest.raises(StoreError, match="was on the dataset"):
        plan_for(store, run, judge_config("http://127.0.0.1:9/v1"), benchmark=exam(3))


def test_replies_can_be_read_again_without_the_judge(store: Store) -> None:
    """Verdicts follow from stored replies: what was spoilt in the table comes back, and the change is told."""
    run = sit(store, exam(2), {"1": answer(1), "2": answer(2)})
    with serve(always(completion(verdict_text()))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
    judging = plan.record.judging_id
    sound = store.judgings.verdicts(judging)
    store.judgings.save_verdicts(judging, [sound[0], VerdictRow("2", 0, 0, 1, Unjudged("an older reader"))])
    _, changes = read_verdicts(store, store.judgings.find(judging[:6]))
    assert [(change.item_id, change.before, change.after) for change in changes] == [
        ("2", Unjudged("an older reader"), sound[1].judgement)
    ]
    assert store.judgings.verdicts(judging) == sound


def test_a_newly_read_answer_is_judged_anew(store: Store) -> None:
    """The judge sees the parsed answer: when the parser reads another one, the old verdict goes."""
    run = sit(store, exam(1), {"1": answer(1)})
    with serve(in_turn(completion("?"), completion(verdict_text()))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
        parser = str(run.protocol["strict"])
        store.save_outcomes(run.run_id, parser, "0", [OutcomeRow("1", 0, Unparsed("another reader"))])
        again = plan_for(store, run, judge_config(server.base_url))
        ask(again, store)
    assert again.record.judging_id == plan.record.judging_id
    assert "(정해진 형식의 답이 없음)" in server.calls[-1].prompt
    (verdict,) = store.judgings.verdicts(plan.record.judging_id)
    assert verdict.tries == 1


FREE = Protocol(name="free", user="{{question}}", choice="", answer="", strict="boxed-free", lenient="boxed-free")


def test_free_answers_are_settled_or_judged(store: Store) -> None:
    """The same loop as for rationales: matches and empty answers without asking, the rest by the last line."""
    texts: dict[str, str | None] = {
        "1": "\\boxed{1013 hPa}",
        "2": "모르겠습니다",
        "3": "\\boxed{표준 대기압}",
        "4": "\\boxed{해수면 기압}",
        "5": "\\boxed{55 hPa}",
        "6": "\\boxed{애매한 답}",
    }
    run = sit(store, exam(6, key=TextKey("1013 hPa")), texts, protocol=FREE)

    def script(call: Call) -> Reply:
        said = {3: "뜻이 같다.\nTRUE", 4: "FALSE", 6: "TRUE에 가깝지만 확실하지 않다."}
        return completion(said[number_of(call)])

    with serve(script) as server:
        judge = judge_config(server.base_url)
        plan = plan_for(store, run, judge, instrument=AnswerJudge(read_answer_rubric()))
        ask(plan, store)
        ask(plan, store)
    assert Counter(map(number_of, server.calls)) == {3: 1, 4: 1, 6: 3}
    assert all("response_format" not in call.body for call in server.calls)
    judged = load_verdicts(store, plan.record)
    assert [each.judgement for each in judged.answers] == [
        AnswerVerdict(correct=True, settled=Settlement.MATCH),
        AnswerVerdict(correct=False, settled=Settlement.NO_ANSWER),
        AnswerVerdict(correct=True, settled=Settlement.JUDGE),
        AnswerVerdict(correct=False, settled=Settlement.JUDGE),
        AnswerVerdict(correct=False, settled=Settlement.MISMATCH),
        Unjudged("the last line is neither TRUE nor FALSE"),
    ]
    assert read_verdicts(store, plan.record)[1] == ()


def test_a_verdict_goes_with_the_answer_that_it_was_about(store: Store) -> None:
    """Another reader finds another free answer: until the judge has seen that one it has no verdict and no score.

    The verdict on an answer that stays, stays. The reply is kept, so that nothing is asked twice.
    """
    texts = {"1": "\\boxed{표준 대기압}", "2": "\\boxed{해수면 기압}"}
    run = sit(store, exam(2, key=TextKey("1013 hPa")), dict(texts), protocol=FREE)
    with serve(always(completion("TRUE"))) as server:
        judge = judge_config(server.base_url)
        plan = plan_for(store, run, judge, instrument=AnswerJudge(read_answer_rubric()))
        ask(plan, store)
        parser = str(run.protocol["strict"])
        stored = {row.item_id: row.outcome for row in store.outcomes(run.run_id, parser)}
        store.save_outcomes(run.run_id, parser, "0", [OutcomeRow("1", 0, Unparsed("an older reader"))])
        read_all(store, run)
        assert {row.item_id: row.outcome for row in store.outcomes(run.run_id, parser)} == stored
        assert [row.item_id for row in store.judgings.verdicts(plan.record.judging_id)] == ["2"]
        assert load_scores(store, run, plan.record).scores == {"2": 1.0}
        read_verdicts(store, plan.record)
        assert [row.item_id for row in store.judgings.verdicts(plan.record.judging_id)] == ["2"]
        before = len(server.calls)
        ask(plan_for(store, run, judge, instrument=AnswerJudge(read_answer_rubric())), store)
        ask(plan_for(store, run, judge, instrument=AnswerJudge(read_answer_rubric())), store)
        assert len(server.calls) == before  # the reply to this answer was there already
    read_verdicts(store, plan.record)
    assert load_scores(store, run, plan.record).scores == {"1": 1.0, "2": 1.0}


def test_a_reading_that_is_overtaken_takes_no_verdict_away(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes judge one run: what the quicker one has read of later replies stays."""
    run = sit(store, exam(2), {str(number): answer(number) for number in (1, 2)})
    with serve(on_item(2, status(500))) as server:
        plan = plan_for(store, run, judge_config(server.base_url))
        ask(plan, store)
        replies = Judgings.replies

        def overtaken(judgings: Judgings, judging_id: str) -> Iterator[JudgeReply]:
            before = list(replies(judgings, judging_id))
            monkeypatch.undo()
            server.script = always(completion(verdict_text()))
            ask(plan, store)
            yield from before

        monkeypatch.setattr(Judgings, "replies", overtaken)
        read_verdicts(store, plan.record)
    assert [row.item_id for row in store.judgings.verdicts(plan.record.judging_id)] == ["1", "2"]
