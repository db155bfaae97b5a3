import copy
import enum
import gc
import json
import weakref
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Optional

import dspy
import pydantic
import pytest
from dspy.utils.callback import BaseCallback
from dspy.utils.exceptions import AdapterParseError
from hypothesis import given
from hypothesis import strategies as st
from two_ways import quicken

import multihop.signatures
from multihop.runtime import inside_dspy, message_layout
from multihop.runtime.message_layout import layout_of

OURS = [getattr(multihop.signatures, name) for name in multihop.signatures.__all__]
ADAPTERS = {
    "chat": dspy.ChatAdapter(),
    "chat alone": dspy.ChatAdapter(use_json_adapter_fallback=False),
    "chat with tools": dspy.ChatAdapter(use_native_function_calling=True),
    "json": dspy.JSONAdapter(),
    "json without tools": dspy.JSONAdapter(use_native_function_calling=False),
    "a plain subclass": type("Mine", (dspy.ChatAdapter,), {})(),
    "a plain subclass, json": type("Mine", (dspy.JSONAdapter,), {})(),
}


class Colour(enum.Enum):
    RED = "red"
    BLUE = 2


class Person(pydantic.BaseModel):
    name: str
    born: int | None = None
    friends: list["Person"] = []


class Types(dspy.Signature):
    """Everything.

    On two lines."""

    text: str = dspy.InputField()
    undeclared = dspy.InputField()
    anything: Any = dspy.InputField(desc="whatever it is")
    names: list[str] = dspy.InputField()
    person: Person | None = dspy.InputField(default=None)
    verdict: Literal["yes", "no", "it's 'so'", 3] = dspy.OutputField()
    sure: bool = dspy.OutputField()
    share: float = dspy.OutputField(ge=0, le=1)
    count: int = dspy.OutputField(desc="how many")
    colour: Colour = dspy.OutputField()
    maybe: str | None = dspy.OutputField()
    number: Optional[int] = dspy.OutputField(default=7)  # noqa: UP045
    people: list[Person] = dspy.OutputField(default_factory=list)
    table: dict[str, list[int]] = dspy.OutputField(default={"a": [1]})
    pair: tuple[str, int] = dspy.OutputField(default=("a", 1))
    note: Annotated[str, "a note"] = dspy.OutputField(default="")


class OwnTypes(dspy.Signature):
    """With types that DSPy knows."""

    history: dspy.History = dspy.InputField()
    picture: dspy.Image = dspy.InputField()
    pictures: list[dspy.Image] = dspy.InputField()
    question: str = dspy.InputField()
    why: dspy.Reasoning = dspy.OutputField()
    code: dspy.Code["python"] = dspy.OutputField()  # noqa: F821
    answer: str = dspy.OutputField()


class WithTools(dspy.Signature):
    """Call tools."""

    tools: list[dspy.Tool] = dspy.InputField()
    question: str = dspy.InputField()
    calls: dspy.ToolCalls = dspy.OutputField()
    answer: str = dspy.OutputField()


def every_letter():
    """Text of all sorts, halves of characters and DSPy's own marks included."""
    marks = st.sampled_from(
        ["[[ ## answer ## ]]\n", "«", "\n\n", "<<CUSTOM-TYPE-START-IDENTIFIER>>", "<<CUSTOM-TYPE-END-IDENTIFIER>>", '"']
    )
    return st.lists(st.one_of(st.text(st.characters(), max_size=6), marks), max_size=4).map("".join)


def anything():
    scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), every_letter(), st.binary(max_size=3))
    people = st.builds(Person, name=every_letter(), born=st.none() | st.integers())
    objects = st.sampled_from([Colour.RED, object, {1, 2}, frozenset([3]), range(2), dspy.Example(a=1), 1 + 2j])
    return st.recursive(
        st.one_of(scalars, people, objects),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(every_letter() | st.integers(), inner, max_size=3)
        ),
        max_leaves=5,
    )


def of_type(annotation):
    if annotation == list[str]:
        return st.lists(every_letter(), max_size=3)
    if annotation is str:
        return every_letter() | st.lists(every_letter(), max_size=3)
    return anything()


def outcome(work, *given):
    """What comes of it, or the error, with all that is said of it."""
    try:
        return work(*given)
    except Exception as error:
        return type(error), str(error), vars(error), type(error.__cause__)


def same(one, other):
    """Equal, and of equal types; what is not a number is the same as itself."""
    return repr(one) == repr(other)


def assert_same_messages(adapter, signature, demos, inputs):
    quick = quicken(adapter)
    assert quick is not adapter
    wanted = outcome(adapter.format, signature, demos, copy.copy(inputs))
    for _ in range(2):  # made, and kept
        assert same(outcome(quick.format, signature, demos, copy.copy(inputs)), wanted)


@pytest.mark.parametrize("signature", OURS, ids=lambda each: each.__name__)
def test_every_step_is_put_to_the_lm_as_dspy_puts_it(signature):
    fields = signature.fields
    values = {name: ["Ada | a", "Bo"] if field.annotation == list[str] else name for name, field in fields.items()}
    demos = [values, dspy.Example(**values), {name: values[name] for name in list(fields)[1:]}]
    for adapter in ADAPTERS.values():
        assert_same_messages(adapter, signature, demos, {name: values[name] for name in signature.input_fields})


SIGNATURES = st.sampled_from([*OURS, *[Types, OwnTypes, WithTools] * len(OURS)])


@given(data=st.data(), adapter=st.sampled_from([*ADAPTERS.values()]), signature=SIGNATURES)
def test_messages_are_the_same_to_the_last_byte(signature, adapter, data):
    fields = {name: of_type(field.annotation) for name, field in signature.fields.items()}
    inputs = data.draw(st.fixed_dictionaries({}, optional=fields))
    demo = st.fixed_dictionaries({}, optional=fields).map(data.draw(st.sampled_from([dict, dspy.Example])))
    if "history" in fields:
        inputs["history"] = dspy.History(messages=[{"question": "Who?", "answer": "Ada"}, {"question": "Where?"}])
        inputs["picture"] = dspy.Image("https://example.org/a.png")
        inputs["pictures"] = [inputs["picture"]]
    if "tools" in fields:
        inputs["tools"] = [dspy.Tool(len, name="len", desc="a length", args={}, arg_types={}, arg_desc={})]
    assert_same_messages(adapter, signature, data.draw(st.lists(demo, max_size=2)), inputs)


def spoiled(completion):
    """The completion, or what an LM may make of it."""
    return st.one_of(
        st.just(completion),
        st.sampled_from(
            [
                "",
                completion[: len(completion) // 2],
                completion.upper(),
                completion.replace("\n\n", "\n"),
                completion.replace("]]\n", "]] "),
                completion.replace(" ## ]]", "## ]]"),
                f"<think>so</think>\n{completion}",
                f"```json\n{completion}\n```",
                completion * 2,
                completion.replace('"', "'"),
                completion.replace("}", ""),
            ]
        ),
        every_letter(),
    )


def said_of(annotation):
    """What an LM may say for a field, as text or as a value of JSON."""
    words = [
        "yes",
        " 'no' ",
        "Literal[yes]",
        "it's 'so'",
        "3",
        "maybe",
        "True",
        "true",
        "1",
        "0.5",
        "80%",
        "1e999",
        "NaN",
    ]
    words += ["red", "BLUE", "2", "None", "null", '""', '"a"', "[]", '["a", "b"]', "['a']", "- a\n- b", '{"a": [1]}']
    words += ['{"name": "Ada"}', '[{"name": "Ada", "born": "1815", "friends": [{"name": "Bo"}]}]', '["a", 1]', "[1"]
    values = [True, 0, 3, 0.5, None, ["a"], [1], {"a": [2]}, {"name": "Ada"}, [{"name": "Ada"}, {"name": 1}], ["b", 2]]
    return st.sampled_from(words) | st.sampled_from(values) | every_letter()


@given(data=st.data(), adapter=st.sampled_from([*ADAPTERS.values()]), signature=SIGNATURES)
def test_completions_are_read_alike_and_fail_alike(signature, adapter, data):
    fields = {name: said_of(field.annotation) for name, field in signature.output_fields.items()}
    needed = {name: fields.pop(name) for name in data.draw(st.sets(st.sampled_from([*fields])))}
    said = data.draw(st.fixed_dictionaries(needed, optional={**fields, "other": every_letter()}))
    if data.draw(st.booleans()):
        completion = json.dumps(said)
    else:
        completion = "".join(f"[[ ## {name} ## ]]\n{value}\n\n" for name, value in said.items())
    completion = data.draw(spoiled(completion))
    wanted = outcome(adapter.parse, signature, completion)
    assert same(outcome(quicken(adapter).parse, signature, completion), wanted)


def test_what_was_written_of_all_types_is_read_back():
    values = {
        "verdict": "it's 'so'",
        "sure": True,
        "share": 0.5,
        "count": 3,
        "colour": Colour.BLUE,
        "maybe": None,
        "number": None,
        "people": [Person(name="Ada", friends=[Person(name="Bo")])],
        "table": {"x": [1, 2]},
        "pair": ("b", 2),
        "note": "so\nit is",
    }
    quick, layout = quicken(dspy.JSONAdapter()), layout_of(Types)
    completion = quick.format_assistant_message_content(Types, {**values, "colour": "BLUE"})
    assert message_layout.read_completion("json", layout, Types, completion) == values
    quick = quicken(dspy.ChatAdapter())
    completion = quick.format_assistant_message_content(Types, {**values, "colour": "BLUE"})
    read = message_layout.read_completion("chat", layout, Types, completion.replace("\nNone\n", "\nnull\n"))
    assert read == {**values, "maybe": "null"}  # as DSPy does, where text is allowed


def test_defaults_are_made_anew_for_every_completion():
    completion = json.dumps({"verdict": 3, "sure": True, "share": 1, "count": 1, "colour": 2})
    first, second = (quicken(dspy.JSONAdapter()).parse(Types, completion) for _ in range(2))
    assert first == second
    assert first["people"] is not second["people"]


@pytest.mark.parametrize("signature", OURS, ids=lambda each: each.__name__)
def test_what_a_step_is_told_of_its_fields_is_written_once(signature):
    quick, fresh = quicken(dspy.ChatAdapter()), signature.with_instructions("Do.")
    texts = [quick.format_system_message(fresh) for _ in range(3)]
    assert texts[0] is texts[1] is texts[2]


def test_a_changed_signature_is_described_as_it_is_now():
    class Changing(dspy.Signature):
        """One."""

        question: str = dspy.InputField()
        answer: str = dspy.OutputField()

    adapter, quick = dspy.ChatAdapter(), quicken(dspy.ChatAdapter())

    def described():
        text = quick.format(Changing, [], {"question": "Who?"})
        assert text == adapter.format(Changing, [], {"question": "Who?"})
        return text[0]["content"] + text[1]["content"]

    assert "One." in described()
    Changing.instructions = "Two."
    assert "Two." in described()
    Changing.fields["answer"].json_schema_extra["desc"] = "in a word"
    assert "in a word" in described()
    Changing.model_fields["answer"].annotation = int
    assert "Python int" in described()
    assert quick.parse(Changing, "[[ ## answer ## ]]\n4") == {"answer": 4}
    del Changing.model_fields["question"]
    assert "question" not in described()


def test_nothing_is_kept_of_a_signature_that_is_gone():
    def use():
        signature = Types.with_instructions("Used once.")
        for adapter in ADAPTERS.values():
            quicken(adapter).format(signature, [], {"text": "a"})
            outcome(quicken(adapter).parse, signature, "{}")
        return weakref.ref(signature), weakref.ref(layout_of(signature))

    signature, layout = use()
    gc.collect()
    assert signature() is None
    assert layout() is None


class Own(dspy.ChatAdapter):
    def user_message_output_requirements(self, signature):
        return "Answer as you like."


class Kept(dspy.JSONAdapter):
    def parse(self, signature, completion):
        return {"answer": completion}


@pytest.mark.parametrize("adapter", [Own(), Kept(), dspy.XMLAdapter(), dspy.TwoStepAdapter(dspy.LM("openai/none"))])
def test_an_adapter_of_ones_own_is_left_alone(adapter):
    assert quicken(adapter) is adapter


def test_an_instance_with_a_method_of_its_own_is_left_alone():
    adapter = dspy.ChatAdapter()
    adapter.parse = lambda signature, completion: {"answer": "mine"}
    assert quicken(adapter) is adapter
    assert quicken(quicken(dspy.ChatAdapter())).parse(dspy.Signature("q -> a"), "[[ ## a ## ]]\nx") == {"a": "x"}


def test_another_source_than_the_known_one_leaves_every_adapter_alone(monkeypatch):
    def format_system_message(self, signature):
        return "Hello."

    with monkeypatch.context() as patch:
        patch.setattr(dspy.ChatAdapter, "format_system_message", format_system_message)
        adapter = dspy.ChatAdapter()
        assert quicken(adapter) is adapter
    with monkeypatch.context() as patch:
        patch.setattr(inside_dspy.utils, "parse_value", lambda value, annotation: "patched")
        assert quicken(adapter) is adapter
    assert quicken(adapter) is not adapter


class Listening(BaseCallback):
    def __init__(self):
        self.heard = []

    def on_adapter_format_start(self, call_id, instance, inputs):
        self.heard.append(("format", type(instance), sorted(inputs)))

    def on_adapter_format_end(self, call_id, outputs, exception=None):
        self.heard.append(("formatted", outputs))

    def on_adapter_parse_start(self, call_id, instance, inputs):
        self.heard.append(("parse", type(instance), inputs["completion"]))

    def on_adapter_parse_end(self, call_id, outputs, exception=None):
        self.heard.append(("parsed", outputs, type(exception)))


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
@pytest.mark.parametrize("everywhere", [True, False])
def test_callbacks_hear_the_same(adapter, everywhere):
    heard = []
    for quick in (False, True):
        listening = Listening()
        own = copy.copy(adapter)
        own.callbacks = [] if everywhere else [listening]
        own = quicken(own) if quick else own
        with dspy.context(callbacks=[listening] if everywhere else []):
            own.format(OURS[0], [], dict.fromkeys(OURS[0].input_fields, "x"))
            for completion in ("{}", "[[ ## answer ## ]]\nx", "garbage"):
                outcome(own.parse, OURS[0], completion)
        heard.append(listening.heard)
    assert heard[0] == heard[1]
    assert len(heard[0]) >= 8


def test_errors_carry_what_dspy_says():
    with pytest.raises(AdapterParseError) as caught:
        quicken(dspy.ChatAdapter()).parse(Types, "[[ ## sure ## ]]\nperhaps")
    assert (caught.value.adapter_name, caught.value.signature) == ("ChatAdapter", Types)
    assert caught.value.lm_response == "[[ ## sure ## ]]\nperhaps"
    assert "Failed to parse field sure with value perhaps" in str(caught.value)


SCHEMAS = SimpleNamespace(supported_params={"response_format"}, supports_response_schema=True)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("signature", [*OURS, Types.delete("table"), Types, WithTools], ids=lambda each: each.__name__)
def test_the_schema_that_is_sent_is_the_same(signature, native):
    adapter = dspy.JSONAdapter(use_native_function_calling=native)
    wanted, sent = {}, [{}, {}]
    adapter._prepare_response_format(SCHEMAS, wanted, signature)
    for settings in sent:
        quicken(adapter)._prepare_response_format(SCHEMAS, settings, signature)
        if isinstance(wanted["response_format"], dict):
            assert settings == wanted
        else:
            assert settings["response_format"].__name__ == wanted["response_format"].__name__
            assert settings["response_format"].model_json_schema() == wanted["response_format"].model_json_schema()
    if signature in OURS:
        assert sent[0]["response_format"] is sent[1]["response_format"]
