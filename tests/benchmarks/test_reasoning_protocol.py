"""The reasoning protocol asks the rationale items, for reasons and an answer that is scored like any other."""

from __future__ import annotations

from exambench.benchmarks import find_definition, read_benchmark
from exambench.items import ChoiceKey
from exambench.models import Capabilities, Decoding
from exambench.outcomes import Answered
from exambench.parsing import parser
from exambench.parsing.rationales import RATIONALE_KEY, RationaleForm, read_rationale
from exambench.protocols import Condition, Shown, render, show_item


def test_it_is_for_the_items_with_a_rationale() -> None:
    """Those are the reasoning subset."""
    definition = find_definition("kmet-mini")
    benchmark, _ = read_benchmark(definition)
    protocol = definition.protocol("reasoning")
    asked = [item for item in benchmark.items if protocol.selects(item)]
    assert asked == [item for item in benchmark.items if item.rationale]
    assert len(asked) == 18


def test_it_decodes_as_the_release_kit_does() -> None:
    """Temperature 1.0, top-p 0.95, 8,192 tokens, seed 42, for thinking models too."""
    protocol = find_definition("kmetbench").protocol("reasoning")
    for thinking in (False, True):
        decoding = protocol.decoding_for(Decoding(), Capabilities(thinking=thinking))
        assert decoding.parameters() == {"temperature": 1.0, "top_p": 0.95, "max_tokens": 8192, "seed": 42}


def test_the_prompt_names_scratchpad_and_keys() -> None:
    """A model learns the whole form from the prompt."""
    definition = find_definition("kmet-mini")
    protocol = definition.protocol("reasoning")
    item = next(item for item in read_benchmark(definition)[0].items if protocol.selects(item))
    shown = show_item(item, Condition())
    assert isinstance(shown, Shown)
    system = render(shown, protocol)[0].parts[0]
    for word in ("<scratchpad>", "</scratchpad>", f'"{RATIONALE_KEY}"', '"정답"'):
        assert word in str(system)


def test_an_answer_in_its_form_is_read_by_its_parser() -> None:
    """What a baseline writes is an answer without reasons."""
    protocol = find_definition("kmetbench").protocol("reasoning")
    definition = find_definition("kmet-mini")
    item = next(item for item in read_benchmark(definition)[0].items if protocol.selects(item))
    assert isinstance(item.key, ChoiceKey)
    text = protocol.write_answer(item.key.index)
    assert parser(protocol.strict)(text, "stop", item.wording()) == Answered(item.key.index)
    assert read_rationale(text).form is RationaleForm.NONE
