"""Tasks for Inspect AI and the LM Evaluation Harness: a file that they load, and the items beside it."""

from __future__ import annotations

from keyword import iskeyword
from string import ascii_uppercase
from sys import stdlib_module_names
from typing import Any, Final

from exambench.interop.exporting import PICTURES, Export, as_jsonl, nothing_left, pictures_in, stem_text
from exambench.items import Benchmark, ChoiceKey, ChoiceSetKey, Item, Wording
from exambench.text import printable

ITEMS: Final = "items.jsonl"
_IMPORTED: Final = frozenset({"datasets", "inspect_ai"})
"""What files of ours import besides the standard library: a file of that name beside them would be taken instead."""

_INSPECT: Final = '''"""{title} as a task of Inspect AI: inspect eval {name}.py --model PROVIDER/MODEL."""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

HERE = Path(__file__).parent


def sample(record):
    """Return a record as a sample; its pictures stand after its text."""
    pictures = [ContentImage(image=str(HERE / "{pictures}" / path)) for path in record["images"]]
    content = [ContentText(text=record["question"]), *pictures] if pictures else record["question"]
    return Sample(
        id=record["id"],
        input=[ChatMessageUser(content=content)],
        choices=record["choices"],
        target=record["target"],
        metadata=record["facets"],
    )


@task
def {function}():
    """Return the task; more than one choice may be right where a record has several targets."""
    lines = (HERE / "{items}").read_text(encoding="utf-8").split("\\n")
    records = [json.loads(line) for line in lines if line]
    several = any(len(record["target"]) > 1 for record in records)
    return Task(
        dataset=MemoryDataset([sample(record) for record in records]),
        solver=multiple_choice(multiple_correct=several),
        scorer=choice(),
    )
'''

_LM_EVAL: Final = """task: {task}
custom_dataset: !function {module}.load
output_type: multiple_choice
test_split: test
doc_to_text: "{{{{question}}}}\\n{{{{listed}}}}\\n정답:"
doc_to_choice: "{{{{letters}}}}"
doc_to_target: "{{{{target}}}}"
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1
  dataset: "{digest}"
"""

_LM_EVAL_GENERATIVE: Final = """task: {task}
custom_dataset: !function {module}.load
output_type: generate_until
test_split: test
doc_to_text: "{{{{question}}}}\\n{{{{listed}}}}\\n\\n{request}"
doc_to_target: "{{{{letters[target]}}}}"
generation_kwargs:
  temperature: 0.0
  do_sample: false
  max_gen_toks: 2048
  until: []
filter_list:
  - name: letter
    filter:
      - function: regex
        regex_pattern: '{pattern}'
        group_select: -1
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1
  dataset: "{digest}"
"""

_REQUEST: Final = "알맞은 보기 하나를 고르고, 마지막 줄에 그 글자를 '정답: 글자'의 꼴로 쓰시오."
LETTER: Final = r"(?:정답|[Aa]nswer|ANSWER)[*_`]*\s*(?:은|는|is|[:：])[\s*_`(\[]*([A-Z])(?![A-Za-z])"
"""What a reply to the generative task names its letter by; the last one counts."""

_LM_EVAL_ITEMS: Final = '''"""The items of the tasks beside this file, wherever the harness is started."""

import json
from pathlib import Path

from datasets import Dataset

HERE = Path(__file__).parent


def load(**_settings):
    """Return the items as the split that the tasks name."""
    lines = (HERE / "{items}").read_text(encoding="utf-8").split("\\n")
    return {{"test": Dataset.from_list([json.loads(line) for line in lines if line])}}
'''


def inspect_task(benchmark: Benchmark) -> Export:
    """Return ``NAME.py``, a task of Inspect AI, with items and pictures; the right letters are the targets.

    Raises:
        DataError: No item has choices.
    """
    kept, left_out = _with_choices(benchmark)
    if not kept:
        raise nothing_left("inspect", left_out)
    function = function_name(benchmark.name)
    code = _INSPECT.format(
        title=printable(benchmark.title).replace('"', "'").replace("\\", " "),
        name=function,
        function=function,
        pictures=PICTURES,
        items=ITEMS,
    )
    records = [
        {
            "id": item.id,
            "question": stem_text(item),
            "choices": _listed(item.wording()),
            "images": [image.path for image in item.wording().images],
            "target": [ascii_uppercase[index - 1] for index in _right(item)],
            "facets": dict(item.facets),
        }
        for item in kept
    ]
    return Export({f"{function}.py": code.encode(), ITEMS: as_jsonl(records)}, pictures_in(kept), left_out)


def lm_eval_task(benchmark: Benchmark) -> Export:
    """Return two tasks of the LM Evaluation Harness, with their items: text alone, one right choice.

    ``NAME.yaml`` compares how likely the letters are, for which a model has to tell probabilities of the prompt;
    ``NAME_generative.yaml`` reads the letter of a written reply, as every chat endpoint gives one.

    Raises:
        DataError: No item is of that kind.
    """
    kept, left_out = _with_choices(benchmark)
    for item in list(kept):
        reason = (
            "the harness compares letters, so one choice has to be right"
            if not isinstance(item.key, ChoiceKey)
            else "it has pictures"
            if item.wording().images
            else ""
        )
        if reason:
            kept.remove(item)
            left_out[item.id] = reason
    if not kept:
        raise nothing_left("lm-eval", left_out)
    function = function_name(benchmark.name)
    generative, module = f"{function}_generative", f"{function}_items"
    common = {"module": module, "digest": benchmark.content_hash, "request": _REQUEST, "pattern": LETTER}
    texts = {
        f"{function}.yaml": _LM_EVAL.format(task=function, **common),
        f"{generative}.yaml": _LM_EVAL_GENERATIVE.format(task=generative, **common),
        f"{module}.py": _LM_EVAL_ITEMS.format(items=ITEMS),
    }
    files = {name: text.encode() for name, text in texts.items()}
    return Export(files | {ITEMS: as_jsonl(map(_document, kept))}, (), left_out)


def function_name(name: str) -> str:
    """Return a benchmark's name as Python and YAML take it: ``kmet_mini``."""
    plain = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in name)
    taken = iskeyword(plain) or plain in stdlib_module_names or plain in _IMPORTED
    return plain if plain[:1].isalpha() and not taken else f"exam_{plain}"


def _with_choices(benchmark: Benchmark) -> tuple[list[Item], dict[str, str]]:
    reasons = {item.id: _against_letters(item) for item in benchmark.items}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    return [item for item in benchmark.items if item.id not in left_out], left_out


def _against_letters(item: Item) -> str:
    if not isinstance(item.key, ChoiceKey | ChoiceSetKey):
        return "it has no choices to answer with"
    return "it has more choices than letters" if len(item.wording().choices) > len(ascii_uppercase) else ""


def _listed(wording: Wording) -> list[str]:
    """Return choices as text; those with pictures say which, since all pictures stand together after the stem."""
    shown = len(wording.question.images)
    texts: list[str] = []
    for choice in wording.choices:
        places = range(shown + 1, shown + 1 + len(choice.images))
        shown += len(choice.images)
        pictures = f"({', '.join(f'picture {place}' for place in places)})" if places else ""
        texts.append(f"{choice.text} {pictures}".strip() or "–")
    return texts


def _right(item: Item) -> list[int]:
    match item.key:
        case ChoiceKey(index):
            return [index]
        case ChoiceSetKey(indices):
            return sorted(indices)
        case _:
            return []


def _document(item: Item) -> dict[str, Any]:
    choices = item.wording().choices
    letters = list(ascii_uppercase[: len(choices)])
    return {
        "id": item.id,
        "question": stem_text(item).strip(),
        "listed": "\n".join(f"{letter}. {choice.text}" for letter, choice in zip(letters, choices, strict=True)),
        "letters": letters,
        "target": _right(item)[0] - 1,
        **{f"facet_{name}": value for name, value in item.facets.items()},
    }
