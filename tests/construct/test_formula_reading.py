"""Pictures of formulas as LaTeX: what is read, what is asked again, what stays a picture for people."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pixels

from exambench.cli.exit_codes import ExitCode
from exambench.construct.formula_reading import FormulaSettings, read_formulas
from exambench.construct.formulas import mark_of
from exambench.construct.inquiries import Answers, Budget
from exambench.construct.records import Action, StageResult
from exambench.construct.stage import Context
from exambench.errors import ConfigError
from exambench.exchange import Response
from exambench.items import EXPLICIT, ChoiceKey, Content, Image, Item, Wording
from exambench.models import Capabilities, ModelConfig
from tests.construct.papers import keys, question, typeset
from tests.construct.projects import build, details, outcome, record, write_project
from tests.support.chat_server import Call, ChatServer, Reply, completion, serve, status
from tests.support.exams import entry

STAGE = '[[stages]]\nuse = "formula"\nmodel = "reader"\n{more}\n'


def picture(shade: int) -> bytes:
    """Return the file of a picture of one shade."""
    stream = io.BytesIO()
    Pixels.new("L", (30, 20), shade).save(stream, "PNG")
    return stream.getvalue()


def name(shade: int) -> str:
    """Return what a build calls it."""
    return f"{hashlib.sha256(picture(shade)).hexdigest()[:32]}.png"


def mark(shade: int) -> str:
    """Return the mark that stands for it."""
    return mark_of(Image(name(shade)))


def shade_of(call: Call) -> int:
    """Return the shade of the picture that a chat shows, once."""
    [part] = [part for part in call.body["messages"][1]["content"] if part["type"] == "image_url"]
    with Pixels.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].partition(",")[2]))) as shown:
        return int(shown.convert("L").getpixel((0, 0)))  # type: ignore[arg-type]  # a grey value


def said(latex: str) -> Reply:
    """Reply in the form that the prompt asks for."""
    return completion(json.dumps({"latex": latex}))


def write(folder: Path, server: ChatServer, texts: Mapping[int, tuple[int, str]], more: str = "") -> None:
    """Write a project: for each item the shade of its picture, and its stem, in which M is the mark."""
    entries = [
        entry(number, question={"text": text.replace("M", mark(shade)), "image": name(shade)}, multimodal=True)
        for number, (shade, text) in texts.items()
    ]
    write_project(folder, entries, STAGE.format(more=more), {"reader": server})
    for shade, _ in texts.values():
        (folder / "images" / name(shade)).write_bytes(picture(shade))
    config = json.loads((folder / "reader.yaml").read_text(encoding="utf-8"))
    (folder / "reader.yaml").write_text(json.dumps(config | {"capabilities": {"images": True}}), encoding="utf-8")


RIGHT = r"\frac{dT}{dz}"
SCRIPT: Mapping[int, Callable[[bool], Reply]] = {
    10: lambda _: said(RIGHT),
    20: lambda again: said(RIGHT if again else r"\frac{dT}{dz"),
    30: lambda again: said(RIGHT if again else rf"The formula is {RIGHT}"),
    40: lambda _: said(r"\input{x}"),
    50: lambda _: completion(None, refusal="no"),
    60: lambda _: completion(f"네, {RIGHT}입니다."),
    70: lambda _: said(r"x$ <script>alert(1)</script> $"),
    80: lambda _: said("{" * 400 + "x" + "}" * 400),
}


def reader(call: Call) -> Reply:
    """Read by the shade of the picture."""
    return SCRIPT[shade_of(call)](len(call.body["messages"]) > 2)


def test_readings_are_checked_asked_again_and_left_to_people(tmp_path: Path) -> None:
    """Shade 10 is read at once, 20 and 30 at the second try; the others are asked three times and stay as they were."""
    with serve(reader) as server:
        write(tmp_path, server, {shade: (shade, "기온감률 M 은?") for shade in SCRIPT})
        assert build(tmp_path) is ExitCode.COMPLETE
        tries = [shade_of(call) for call in server.calls]
        complaints = [call.prompt for call in server.calls if len(call.body["messages"]) == 4]
    found, items = outcome(tmp_path, "formula")
    assert [tries.count(shade) for shade in SCRIPT] == [1, 2, 2, 3, 3, 3, 3, 3]
    assert "Not in pairs: {." in complaints[0]
    for shade in (10, 20, 30):
        assert items[str(shade)].wording().question == Content(f"기온감률 ${RIGHT}$ 은?")
    for shade in (40, 50, 60, 70, 80):
        stem = items[str(shade)].wording().question
        assert (stem.text, [image.path for image in stem.images]) == (f"기온감률 {mark(shade)} 은?", [name(shade)])
    waiting = details(found, Action.REVIEW)
    assert waiting.keys() == {"40", "50", "60", "70", "80"}
    assert waiting["40"]["formulas"][0]["problems"] == [r"Not known: \input."]
    assert found.facts == {"formulas": 8, "read": 3, "retried": 7, "unread": 5, "items_left_to_people": 5}
    assert details(found, Action.CHANGED)["20"]["formulas"] == [
        {"before": mark(20), "after": f"${RIGHT}$", "picture": name(20), "tries": 2}
    ]


def test_a_picture_is_asked_about_once(tmp_path: Path) -> None:
    """Three items show it, and the record rests on one response."""
    with serve(reader) as server:
        write(tmp_path, server, {number: (10, f"{number}번 M 은?") for number in (1, 2, 3)})
        build(tmp_path)
        assert len(server.calls) == 1
    found, items = outcome(tmp_path, "formula")
    assert found.spending.requests == 1
    assert {number: item.wording().question.text for number, item in items.items()} == {
        number: f"{number}번 ${RIGHT}$ 은?" for number in ("1", "2", "3")
    }


def test_a_figure_stays_a_picture(tmp_path: Path) -> None:
    """What no mark names is not asked about."""
    with serve(reader) as server:
        write(tmp_path, server, {1: (10, "그림의 전선은?")})
        assert build(tmp_path) is ExitCode.COMPLETE
        assert not server.calls
    found, items = outcome(tmp_path, "formula")
    assert found.changes == ()
    assert [image.path for image in items["1"].wording().images] == [name(10)]


def test_a_failed_request_leaves_the_stage_undone(tmp_path: Path) -> None:
    """The next build asks that one again, and no other."""
    failing: Callable[[Call], Reply] = lambda call: status(500) if shade_of(call) == 20 else reader(call)  # noqa: E731 - a script
    with serve(failing) as server:
        write(tmp_path, server, {shade: (shade, "M 은?") for shade in (10, 20)})
        assert build(tmp_path) is ExitCode.INCOMPLETE
        assert record(tmp_path, "formula") is None
        asked = len(server.calls)
        server.script = reader
        assert build(tmp_path) is ExitCode.COMPLETE
        assert {shade_of(call) for call in server.calls[asked:]} == {20}


def test_a_model_that_sees_nothing_is_refused(tmp_path: Path) -> None:
    """Before the first request: it would have to guess."""
    with serve(reader) as server:
        write(tmp_path, server, {1: (10, "M 은?")})
        config = json.loads((tmp_path / "reader.yaml").read_text(encoding="utf-8"))
        (tmp_path / "reader.yaml").write_text(json.dumps(config | {"capabilities": {}}), encoding="utf-8")
        with pytest.raises(ConfigError, match=r"models\.reader.*takes no pictures"):
            build(tmp_path)
        assert not server.calls


def test_formulas_of_a_paper_are_read(tmp_path: Path) -> None:
    """No mark and no picture of one is left in stem and choices, and what stands in both is asked about once."""
    stem = "공기 밀도가 $rho$일 때 기압은?"
    typeset(tmp_path, question(1, stem, "① $rho$ \\ ② 약 3 \\ ③ $sqrt(2)$ \\ ④ 없음") + keys("1"))
    with serve(lambda _: said(r"\rho")) as server:
        write(tmp_path, server, {7: (10, "그림의 전선은?")})
        path = tmp_path / "build.toml"
        paper = '[[stages]]\nuse = "ingest"\npaper = "exam.pdf"\nprefix = "p-"\n\n[[stages]]\nuse = "formula"'
        text = path.read_text(encoding="utf-8").replace('[[stages]]\nuse = "formula"', paper)
        path.write_text(text, encoding="utf-8")
        assert build(tmp_path) is ExitCode.COMPLETE
        asked = len(server.calls)
    wording = outcome(tmp_path, "formula")[1]["p-1"].wording()
    assert wording.question.text == r"공기 밀도가 $\rho$일 때 기압은?"
    assert [choice.text for choice in wording.choices] == [r"$\rho$", "약 3", r"$\rho$", "없음"]
    assert wording.images == ()
    assert asked == len({image.path for image in outcome(tmp_path, "ingest")[1]["p-1"].wording().images})


def read_here(folder: Path, content: Content, latex: Mapping[int, str]) -> tuple[Content, StageResult]:
    """Read the formulas of one stem, with a model that says this of pictures of these shades."""
    for shade in latex:
        (folder / name(shade)).write_bytes(picture(shade))

    def ask(plan: Any, _: Budget) -> Answers:
        shades = {name(shade): text for shade, text in latex.items()}
        replies = {each.place: (Response(json.dumps({"latex": shades[each.item_id]})),) * 3 for each in plan.asks}
        return Answers(plan, replies)

    model = ModelConfig.model_validate(
        {"name": "m", "endpoint": {"base_url": "http://127.0.0.1:9/v1"}, "capabilities": Capabilities(images=True)}
    )
    context = Context(folder, folder, 7, {"reader": model}, ask=ask)
    item = Item("1", {EXPLICIT: Wording(content)}, ChoiceKey(1))
    result = read_formulas((item,), FormulaSettings(model="reader"), context)
    return result.items[0].wording().question, result


def images(*shades: int) -> tuple[Image, ...]:
    """Return pictures of these shades."""
    return tuple(Image(name(shade)) for shade in shades)


def test_formulas_side_by_side_are_kept_apart(tmp_path: Path) -> None:
    """Two dollar signs in a row would begin a formula of another kind."""
    content, _ = read_here(tmp_path, Content(f"{mark(1)}{mark(2)}은?", images(1, 2)), {1: "x", 2: "y"})
    assert content == Content("$x$ $y$은?")


def test_a_formula_that_cannot_be_read_leaves_the_others_alone(tmp_path: Path) -> None:
    """Its mark and its picture stay; the item is changed, and is left to people."""
    content, result = read_here(tmp_path, Content(f"{mark(1)}와 {mark(2)}", images(1, 2)), {1: r"\x", 2: "y"})
    assert content == Content(f"{mark(1)}와 $y$", images(1))
    assert [change.action for change in result.changes] == [Action.CHANGED, Action.REVIEW]


@pytest.mark.parametrize(
    ("text", "shades", "latex", "why"),
    [
        ("비용 $5에서 M 은 $6", (1,), "x", "the text has a $ of its own"),
        ("M 은?", (), "x", "its picture is missing"),
        ("M 은?", (1,), "f(x", "a bracket is open in the text with it"),
    ],
)
def test_what_does_not_fit_into_its_text_stays(
    tmp_path: Path, text: str, shades: tuple[int, ...], latex: str, why: str
) -> None:
    """People are told why."""
    before = Content(text.replace("M", mark(1)), images(*shades))
    content, result = read_here(tmp_path, before, {1: latex})
    assert content == before
    assert [each["why"] for each in result.changes[0].details["formulas"]] == [why]


def test_a_bracket_that_the_text_closes_is_none_left_open(tmp_path: Path) -> None:
    """A formula in a line is cut where its font ends, and may leave a bracket to the text."""
    content, _ = read_here(tmp_path, Content(f"속도{mark(1)})는?", images(1)), {1: r"(\mathrm{m/s^2}"})
    assert content == Content(r"속도$(\mathrm{m/s^2}$)는?")
