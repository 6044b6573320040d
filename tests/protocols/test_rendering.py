"""An item under a protocol and a condition becomes the messages that a model is sent."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exambench import protocols
from exambench.errors import ConfigError
from exambench.exchange import ImagePart, Message, Role, TextPart
from exambench.items import EXPLICIT, ChoiceKey, Content, Image, Item, Wording
from exambench.models import Capabilities, Decoding
from exambench.protocols import Condition, Protocol, Shown, show_item

PROTOCOL = Protocol(
    name="plain",
    system="Answer.",
    user="Q: {{question}}\n{{choices}}\nEnd",
    choice="{{number}}) {{content}}",
    answer='{"정답": {{answer}}}',
    strict="dict-strict",
    lenient="dict-lenient",
    decoding=Decoding(temperature=0.1, top_p=0.95, seed=42),
    thinking=Decoding(temperature=1.0),
)


def item(question: Content, *choices: Content, **wordings: Wording) -> Item:
    """Return an item whose first choice is right."""
    return Item(id="1", wordings={EXPLICIT: Wording(question, choices), **wordings}, key=ChoiceKey(1))


def render(asked: Item, protocol: Protocol, condition: Condition) -> tuple[Message, ...]:
    """Return the chat that puts an item under a condition that can show it."""
    shown = show_item(asked, condition)
    assert isinstance(shown, Shown)
    return protocols.render(shown, protocol)


def test_a_text_item_is_one_string_after_the_system_message() -> None:
    """A chat without pictures has one part a message, so that any text-only endpoint takes it."""
    messages = render(item(Content("무엇?"), Content("가"), Content("나")), PROTOCOL, Condition())
    assert [message.role for message in messages] == [Role.SYSTEM, Role.USER]
    assert messages[1].parts == (TextPart("Q: 무엇?\n1) 가\n2) 나\nEnd"),)


def test_pictures_stand_where_the_reader_sees_them() -> None:
    """A stem's picture follows its text; a choice's picture follows its number."""
    stem, first, second = Image("q.png"), Image("1.png"), Image("2.png")
    messages = render(
        item(Content("무엇?", (stem,)), Content("", (first,)), Content("나", (second,))), PROTOCOL, Condition()
    )
    assert messages[1].parts == (
        TextPart("Q: 무엇?"),
        ImagePart(stem),
        TextPart("\n1) "),
        ImagePart(first),
        TextPart("\n2) 나"),
        ImagePart(second),
        TextPart("\nEnd"),
    )


def test_a_condition_chooses_the_wording() -> None:
    """The implicit wording is shown under its condition, the explicit one otherwise."""
    two = item(Content("대한민국"), Content("가"), implicit=Wording(Content("우리나라"), (Content("가"),)))
    assert render(two, PROTOCOL, Condition("implicit"))[1].parts == (TextPart("Q: 우리나라\n1) 가\nEnd"),)
    assert render(two, PROTOCOL, Condition())[1].parts == (TextPart("Q: 대한민국\n1) 가\nEnd"),)


@given(text=st.text(min_size=1))
def test_a_stem_is_never_searched_for_placeholders(text: str) -> None:
    """What stands in the data stays as it is, a placeholder too."""
    messages = render(item(Content(text + "{{choices}}{{x}}"), Content("가")), PROTOCOL, Condition())
    assert messages[1].parts == (TextPart(f"Q: {text}{{{{choices}}}}{{{{x}}}}\n1) 가\nEnd"),)


def test_an_unknown_placeholder_is_an_error_that_names_the_known_ones() -> None:
    """A template with a slip in it never reaches a model."""
    broken = Protocol(name="x", user="{{stem}}", choice="", answer="", strict="", lenient="")
    with pytest.raises(ConfigError, match=r"\{\{stem\}\}.*\{\{question\}\}, \{\{choices\}\}"):
        render(item(Content("무엇?")), broken, Condition())


def test_a_model_that_thinks_is_decoded_at_its_own_temperature() -> None:
    """Thinking changes what the protocol says of it and nothing else; the model's own file comes first."""
    thinks, plain = Capabilities(thinking=True), Capabilities()
    assert PROTOCOL.decoding_for(Decoding(), plain).temperature == 0.1
    assert PROTOCOL.decoding_for(Decoding(), thinks).temperature == 1.0
    assert PROTOCOL.decoding_for(Decoding(), thinks).top_p == 0.95
    assert PROTOCOL.decoding_for(Decoding(temperature=0.6), thinks).temperature == 0.6


def test_a_trial_shifts_the_seed() -> None:
    """Trial t is asked with the seed plus t."""
    assert PROTOCOL.decoding.parameters(seed_offset=3)["seed"] == 45


def test_the_protocol_hash_follows_what_a_model_sees() -> None:
    """A changed prompt is another protocol; a changed name is not."""
    assert replace(PROTOCOL, name="other").hash == PROTOCOL.hash
    assert replace(PROTOCOL, system="Answer well.").hash != PROTOCOL.hash
