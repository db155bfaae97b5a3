import textwrap
from typing import Literal

import dspy
import pytest
from dspy.lm15 import Message, Request
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.lms import Demonstration, Field, parse_prompt, write_completion

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
HEADERS = st.sampled_from(
    ["[[ ## answer ## ]]", "\n\n[[ ## question ## ]]\n", "[[ ## completed ## ]]", "\n\nRespond with "]
)
TEXT = st.lists(WORDS | HEADERS, max_size=4).map("".join)
# DSPy's reader of JSON loses rare control characters in keys.
KEYS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=8)
VALUES = {
    str: TEXT,
    list[str]: st.lists(TEXT, max_size=3),
    dict[str, int]: st.dictionaries(KEYS, st.integers(-9, 9), max_size=3),
    bool: st.booleans(),
    int: st.integers(-(10**9), 10**9),
    float: st.floats(allow_nan=False, allow_infinity=False),
    int | None: st.integers() | st.none(),
    Literal["yes", "no: (really)", "both \"'"]: st.sampled_from(["yes", "no: (really)", "both \"'"]),
}
KINDS = st.sampled_from(list(VALUES))
DESCRIPTIONS = st.sampled_from(["", "plain", "over\ntwo lines: (a)", "2. `looks` like a field", "[[ ## header ## ]]"])
ADAPTERS = {"chat": dspy.ChatAdapter(), "json": dspy.JSONAdapter()}
NAMES = ("question", "path", "answer", "score")


def request_for(signature, inputs, demos=(), adapter=None):
    system, *messages = (adapter or dspy.ChatAdapter()).format(signature, list(demos), inputs)
    turns = [
        Message.user(each["content"]) if each["role"] == "user" else Message.assistant(each["content"])
        for each in messages
    ]
    return Request(model="any", system=system["content"], messages=tuple(turns))


@st.composite
def signatures(draw):
    kinds = {name: draw(KINDS) for name in NAMES}
    directions = [dspy.InputField, dspy.InputField, dspy.OutputField, dspy.OutputField]
    fields = {
        name: (kinds[name], field(desc=draw(DESCRIPTIONS))) for name, field in zip(NAMES, directions, strict=True)
    }
    instructions = draw(
        st.sampled_from(["Answer.", "First.\n\n  Then:\n  more", "Your output fields are:\n1. `x` (str):"])
    )
    return dspy.Signature(fields, instructions), kinds


@settings(max_examples=40)
@given(signatures(), st.data(), st.sampled_from([*ADAPTERS]))
def test_what_the_adapter_formats_is_read_back_and_it_parses_what_is_written(drawn, data, style):
    (signature, kinds), adapter = drawn, ADAPTERS[style]
    inputs = {name: data.draw(VALUES[kinds[name]]) for name in NAMES[:2]}
    prompt = parse_prompt(request_for(signature, inputs, adapter=adapter))
    assert (prompt.inputs, prompt.demonstrations, prompt.style) == (inputs, (), style)
    assert [field.name for field in (*prompt.input_fields, *prompt.output_fields)] == list(NAMES)
    assert prompt.instructions == "\n".join(textwrap.dedent(signature.instructions).splitlines())
    # The adapter strips a text, splits it at every kind of line break and ends it at any header.
    plain = st.from_regex(r"[a-z\"'{\[:,\n]*[a-z]", fullmatch=True).map(str.strip)
    outputs = {name: data.draw(plain if kinds[name] is str else VALUES[kinds[name]]) for name in NAMES[2:]}
    if not any("##" in str(value) for value in outputs.values()):
        assert adapter.parse(signature, write_completion(outputs, style)) == outputs


def test_line_breaks_of_every_kind_stay_in_a_list():
    outputs = {"names": ["\x85", "a\u2028b", "c\u2029", "d\n\x0be"]}
    for style, adapter in ADAPTERS.items():
        written = write_completion(outputs, style)
        assert adapter.parse(dspy.Signature("question -> names: list[str]"), written) == outputs


@pytest.mark.parametrize("adapter", ADAPTERS.values())
def test_demonstrations_come_in_order_with_the_values_they_have(adapter):
    signature = dspy.Signature("passages: list[str], question -> names: list[str], answer")
    demos = [
        {"passages": ["a | [[ ## question ## ]]", "b"], "question": "who?", "names": ["x"], "answer": "X"},
        {"question": "when?", "answer": "then"},
    ]
    prompt = parse_prompt(request_for(signature, {"passages": [], "question": "what?"}, demos, adapter))
    partial, whole = prompt.demonstrations
    assert whole == Demonstration(
        {"passages": ["a | [[ ## question ## ]]", "b"], "question": "who?"}, {"names": ["x"], "answer": "X"}
    )
    assert partial == Demonstration({"question": "when?"}, {"answer": "then"})
    assert prompt.inputs == {"passages": [], "question": "what?"}


def test_fields_carry_type_and_description():
    class Judge(dspy.Signature):
        """Judge."""

        question: str = dspy.InputField(desc="what is asked")
        verdict: Literal["accept", "it's", 3] = dspy.OutputField(desc="one word")
        score: float = dspy.OutputField(ge=0)

    prompt = parse_prompt(request_for(Judge, {"question": "who?"}))
    assert prompt.input_fields == (Field("question", "str", "what is asked"),)
    verdict, score = prompt.output_fields
    assert (verdict.name, verdict.description) == ("verdict", "one word")
    assert score.type == "float"
    assert "greater than or equal to: 0" in score.description


def test_a_missing_input_is_left_out_and_a_value_of_another_type_stays_text():
    signature = dspy.Signature("passages: list[str], count: int, flag: bool, question -> answer")
    inputs = {"passages": "[not json", "count": "many", "flag": "maybe"}
    assert parse_prompt(request_for(signature, inputs)).inputs == inputs


def said(*messages, **more):
    return Request(model="any", messages=(Message.user("hello"), *messages), **more)


OTHERS = [
    (said(), "no system message"),
    (said(system="Be helpful."), "does not describe a signature"),
    (said(Message.assistant("yes"), system="Be helpful."), "last message is not the"),
    (request_for(dspy.Signature("question -> answer"), {"question": "who?"}, adapter=dspy.XMLAdapter()), ""),
]


@pytest.mark.parametrize(("request_", "what"), OTHERS)
def test_a_prompt_of_another_kind_is_refused(request_, what):
    with pytest.raises(InputError, match=f"written by dspy.ChatAdapter.*{what}"):
        parse_prompt(request_)
