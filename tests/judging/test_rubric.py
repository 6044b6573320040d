"""A rubric is data, and what is wrong with it is said before a judge is asked."""

from __future__ import annotations

import tomllib
import unicodedata
from pathlib import Path

import pytest

from exambench.benchmarks import find_definition
from exambench.benchmarks.loading import rubric_path
from exambench.errors import ConfigError
from exambench.judging.rationales import read_verdict
from exambench.judging.rubric import Rubric, read_rubric, rubric_from_json
from exambench.judging.sheets import score_headers_of
from exambench.outcomes import Verdict
from tests.judging.examples import AXES, shipped_rubric, verdict_text

SHIPPED = find_definition("kmetbench").folder / "rubric.toml"


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """Return the shipped rubric with one change, in a file of its own."""
    text = SHIPPED.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "rubric.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_the_shipped_rubric_has_the_papers_axes_and_scale() -> None:
    """Four axes from 1 to 5 with anchors at 5, 3 and 1, and the keys of the paper's verdicts."""
    rubric = shipped_rubric()
    assert tuple(axis.key for axis in rubric.axes) == AXES
    assert (rubric.low, rubric.high) == (1, 5)
    assert all(set(axis.anchors) == {5, 3, 1} for axis in rubric.axes)
    assert (rubric.errors_key, rubric.reason_key) == ("사실_오류_목록", "평가_사유")
    assert (rubric.decoding.temperature, rubric.decoding.top_p) == (0.0, 0.95)


def test_a_benchmark_has_the_rubric_of_what_it_extends() -> None:
    """kmet-mini is judged as K-MetBench is."""
    assert rubric_path(find_definition("kmet-mini")) == SHIPPED.resolve()


def test_a_benchmark_without_a_rubric_says_so() -> None:
    """There is no rubric to fall back on."""
    definition = find_definition("kmetbench").model_copy(update={"rubric": None})
    with pytest.raises(ConfigError, match="--rubric FILE"):
        rubric_path(definition)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('key = "정확성"', 'key = "추론의_깊이"', "one name"),
        ('reason_key = "평가_사유"', 'reason_key = "정확성"', "one name"),
        ("low = 1", "low = 5", "low must be below high"),
        ('5 = "모든 진술이', '6 = "모든 진술이', "outside the scale"),
        ('3 = "핵심은 옳으나', '4 = "핵심은 옳으나', None),
        ('5 = "모든 단계가 이어지고', '4 = "모든 단계가 이어지고', "say what 5, 1 and a score between them mean"),
        ('3 = "뜻은 통하지만', '2 = "뜻은 통하지만', None),
        ("{{rationale}}", "", "{{rationale}} are missing"),
        ("{{reference}}", "{{model}}", "unknown placeholders {{model}}"),
        ("{{axes}}", "{{rationale}}", "unknown placeholders {{rationale}}"),
        ('language = "ko"', 'languages = "ko"', "languages"),
        ("low = 1", 'low = "eins"', "low"),
        ("low = 1", "low = true", "low: Input should be a valid integer"),
        ('key = "정확성"', 'key = " "', "axes[1].key: a name has printable characters"),
        ('key = "정확성"', 'key = "정\\u0000확성"', "axes[1].key: a name has printable characters"),
        ('ko = "정확성"', 'ko = "추론의 깊이"', "axes.titles.ko: two axes have one title"),
        ('ko = "정확성"', 'ko = "정확성\\n"', "axes[1].titles.ko: a name has printable characters"),
    ],
)
def test_a_rubric_that_cannot_work_is_refused(tmp_path: Path, old: str, new: str, told: str | None) -> None:
    """Names that clash, a scale or anchors that make no sense, placeholders that nothing fills."""
    path = changed(tmp_path, old, new)
    if told is None:
        read_rubric(path)
        return
    with pytest.raises(ConfigError) as error:
        read_rubric(path)
    assert told in str(error.value)
    assert str(path) in str(error.value)


def test_a_fault_of_the_whole_is_told_without_the_whole(tmp_path: Path) -> None:
    """The message says what is wrong in one sentence, and does not repeat the file."""
    with pytest.raises(ConfigError) as error:
        read_rubric(changed(tmp_path, "low = 1", "low = 5"))
    assert str(error.value).endswith(
        "rubric.toml: scale: low is 5 and high is 5; low must be below high. Correct the file."
    )


def test_keys_in_another_normal_form_are_the_same_keys(tmp_path: Path) -> None:
    """A file from a system that decomposes Hangul asks for the keys that replies and sheets are read by."""
    path = tmp_path / "rubric.toml"
    path.write_text(unicodedata.normalize("NFD", SHIPPED.read_text(encoding="utf-8")), encoding="utf-8")
    rubric = read_rubric(path)
    assert [axis.key for axis in rubric.axes] == list(AXES)
    assert score_headers_of(rubric) == score_headers_of(shipped_rubric())
    assert isinstance(read_verdict(verdict_text(), rubric), Verdict)


def test_the_prompt_is_part_of_the_hash_and_the_name_is_not(tmp_path: Path) -> None:
    """Verdicts by another prompt are other verdicts; a new name changes nothing that a judge sees."""
    assert read_rubric(changed(tmp_path, "채점 위원", "심사 위원")).hash != shipped_rubric().hash
    assert read_rubric(changed(tmp_path, "kmetbench-rationale", "other")).hash == shipped_rubric().hash


def test_a_stored_rubric_is_the_rubric() -> None:
    """Verdicts can be read again with the rubric that they were asked for with."""
    assert rubric_from_json(shipped_rubric().as_json()) == shipped_rubric()


def test_the_schema_demands_every_key_and_integers_within_the_scale() -> None:
    """What is sent as a response format is what the reader accepts."""
    schema = shipped_rubric().response_format()
    assert schema["type"] == "json_schema"
    inner = schema["json_schema"]
    assert isinstance(inner, dict)
    form = inner["schema"]
    assert form["required"] == ["사실_오류_목록", "평가_사유", *AXES]
    assert form["additionalProperties"] is False
    assert form["properties"]["정확성"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}


def test_the_form_in_the_prompt_names_every_key() -> None:
    """A judge that is held to no schema learns the form from the prompt."""
    table = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))
    assert "{{form}}" in table["system"]
    assert "{{axes}}" in table["system"]
    rubric: Rubric = shipped_rubric()
    assert all(f'"{key}"' in rubric.form_text for key in (*AXES, "사실_오류_목록", "평가_사유"))
    assert rubric.axes_text.count("\n  5: ") == 4
