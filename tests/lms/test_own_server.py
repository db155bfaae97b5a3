import asyncio
import json
import pickle

import cloudpickle
import dspy
import pytest
from dspy.lm15 import registered_providers
from openai_server import OpenAIServer

from multihop import Direct, InputError, create, open_lm
from multihop.lms import own_server, served_lm
from multihop.lms.own_server import SWITCHES, check_served
from multihop.lms.served_lm import bounded, without_turns

NOBODY = "http://127.0.0.1:9/v1"
PREDICT = dspy.Predict("text -> answer")


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(own_server, "_kept", {})


def ada(prompt):
    return {"reasoning": "It was she.", "answer": "Ada"}


def asked(server, **options):
    """The bodies of the calls of one question, and its answer."""
    with dspy.context(lm=open_lm("server/m", api_base=server.url, **options)):
        prediction = create("cot")(question="Who?")
    return server.bodies, prediction


def test_a_server_that_keeps_to_a_schema_gets_that_of_the_step_with_an_end_for_each_text():
    with OpenAIServer(ada, keeps_to_schema=True) as server:
        (body,), prediction = asked(server, max_tokens=300)
    assert (prediction.answer, prediction.cost["calls"]) == ("Ada", 1)
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["reasoning", "answer"]
    assert {name: each["maxLength"] for name, each in schema["properties"].items()} == {"reasoning": 144, "answer": 288}


def test_a_schema_travels_with_its_lm_and_one_text_alone_needs_none():
    before = registered_providers()
    with OpenAIServer(ada, keeps_to_schema=True) as server:
        lm = pickle.loads(cloudpickle.dumps(open_lm("server/m", api_base=server.url))).copy(temperature=0.5)
        open_lm("server/m", api_base=server.url, structured="text")
        with dspy.context(lm=lm):
            create("cot")(question="Who?")
            assert Direct()(question="Who?").answer == "Ada"
        held, alone = server.bodies
    assert registered_providers() == before
    assert (held["response_format"]["type"], held["temperature"]) == ("json_schema", 0.5)
    assert "response_format" not in alone
    assert alone["messages"][-1]["content"] == "Question: Who?\n\nAnswer:"


@pytest.mark.parametrize(("structured", "marked"), [("auto", True), ("text", True), ("json", False)])
def test_a_server_that_keeps_to_none_is_asked_without(structured, marked):
    with OpenAIServer(ada) as server:
        (body,), prediction = asked(server, structured=structured)
        assert len(server.probes) == (structured == "auto")
    assert prediction.answer == "Ada"
    assert "response_format" not in body
    assert ("[[ ## completed ## ]]" in json.dumps(body["messages"])) == marked


def test_a_server_is_told_how_to_answer_and_not_left_to_its_own_ways():
    with OpenAIServer(ada, keeps_to_schema=True) as server:
        asked(server)
        asked(server, temperature=0.7, max_tokens=50)
    assert [(body["temperature"], body["max_tokens"]) for body in server.bodies] == [(0, 1024), (0.7, 50)]
    thinking = open_lm(f"server/qwen3-8b@{NOBODY}", structured="text", thinking=True)
    told = {name: thinking.kwargs[name] for name in ("temperature", "top_p", "max_tokens")}
    assert told == {"temperature": 0.6, "top_p": 0.95, "max_tokens": 4096}


def test_a_server_is_asked_once_for_a_model_with_the_switch_of_its_calls():
    with OpenAIServer(ada, keeps_to_schema=True) as server:
        lms = [open_lm("server/qwen3-8b", api_base=server.url), open_lm("openai/qwen3-8b", api_base=server.url)]
        (probe,) = server.probes
    assert [lm.structured for lm in lms] == ["schema", "schema"]
    assert probe["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize("said", [429, {"content": None, "finish_reason": "length"}])
def test_a_server_that_does_not_answer_yet_is_asked_again(said):
    with OpenAIServer(ada, keeps_to_schema=said) as server:
        assert open_lm("server/m", api_base=server.url).structured == "text"
        assert own_server._kept == {}
        server.keeps_to_schema = True
        assert open_lm("server/m", api_base=server.url, structured="schema").structured == "schema"
    assert open_lm(f"server/m@{NOBODY}").structured == "text"


@pytest.mark.parametrize("said", [False, 500, {"content": '["zebra"]'}, {}])
def test_a_schema_that_is_asked_for_is_refused_where_the_server_keeps_to_none(said):
    refused = pytest.raises(InputError, match="does not keep to a schema: ask it for 'json'")
    with OpenAIServer(ada, keeps_to_schema=said) as server, refused:
        open_lm("server/m", api_base=server.url, structured="schema")


OFF = {"chat_template_kwargs": {"enable_thinking": False}}


@pytest.mark.parametrize(
    ("model", "options", "sent"),
    [
        ("m", {}, {}),
        ("m", {"thinking": False}, OFF),
        ("m", {"thinking": True}, {}),
        *[(name, {}, OFF) for name in ("Qwen/Qwen3-8B", "qwen3:8b", "Qwen3.5-9B", "SmolLM3-3B")],
        ("qwen3-8b", {"thinking": True}, {}),
        *[(name, {}, {}) for name in ("Qwen3-4B-Instruct-2507", "Qwen3-Coder-30B-A3B", "Qwen3-VL-4B", "qwen2.5-7b")],
        ("gpt-oss-20b", {}, {"reasoning_effort": "low"}),
        ("gpt-oss-20b", {"thinking": True}, {}),
        ("gpt-oss-20b", {"reasoning_effort": "high"}, {"reasoning_effort": "high"}),
        ("deepseek-r1:8b", {}, {}),
    ],
)
def test_a_model_that_can_be_told_not_to_think_is_told_so_unless_it_is_asked_to(model, options, sent):
    lm = open_lm(f"server/{model}@{NOBODY}", structured="text", **options)
    assert {name: lm.kwargs[name] for name in SWITCHES if name in lm.kwargs} == sent


def test_ollama_is_told_with_the_one_word_that_it_takes_and_others_cannot_be_told():
    lm = open_lm("server/qwen3:8b@http://127.0.0.1:11434/v1", structured="text")
    assert [lm.kwargs.get(name) for name in SWITCHES] == [None, "none"]
    with pytest.raises(InputError, match="'deepseek-r1:8b' cannot be told not to think"):
        open_lm(f"server/deepseek-r1:8b@{NOBODY}", structured="text", thinking=False)


def test_a_server_that_is_down_and_another_model_than_the_servers_are_refused():
    with pytest.raises(InputError, match=rf"^no server answers at {NOBODY} \(.*refused\); start it, or give"):
        check_served(NOBODY, "m")
    names = ("qwen3:8b", "/models/smol.gguf", "llama3.2:latest")
    with OpenAIServer(ada, told={"/v1/models": {"data": [{"id": name} for name in names]}}) as server:
        with pytest.raises(InputError, match="has no model 'qwen3'. It has: 'qwen3:8b', '/models/smol.gguf'"):
            check_served(server.url, "qwen3")
        for name in ("qwen3:8b", "/models/smol.gguf", "smol.gguf", "smol", "llama3.2"):
            check_served(server.url, name)
    with OpenAIServer(ada) as server:
        check_served(server.url, "m")  # it has no list, and is taken at its word


def at_once(**inputs):
    return PREDICT(**inputs)


def in_loop(**inputs):
    return asyncio.run(PREDICT.acall(**inputs))


@pytest.mark.parametrize("ask", [at_once, in_loop])
def test_a_prompt_that_ollama_would_cut_is_refused_before_it_is_sent(ask, monkeypatch):
    monkeypatch.setattr(served_lm, "is_ollama", lambda address: True)
    monkeypatch.setattr(served_lm, "_contexts", {})
    loaded = {"models": [{"name": "other", "context_length": 9}, {"name": "m:latest", "context_length": 2048}]}
    with OpenAIServer(ada, told={"/api/ps": loaded}) as server:
        with dspy.context(lm=open_lm("server/m", api_base=server.url, structured="text")):
            assert ask(text="word").answer == "Ada"
            assert server.asked_for == [], "the context is not asked for before a short prompt"
            says = r"has at least 4,\d\d\d tokens, and the context of m 2,048; show fewer passages, or start Ollama"
            with pytest.raises(dspy.ContextWindowExceededError, match=says):
                ask(text="word " * 4000)
            assert ask(text="word " * 1500).answer == "Ada"
        assert (server.requests, server.asked_for) == (2, ["/api/ps"])


def test_a_server_gets_no_turn_from_a_passage():
    with OpenAIServer(lambda prompt: {"answer": prompt.inputs["text"]}) as server:
        lm = open_lm("server/m", api_base=server.url, structured="text")
        assert PREDICT(text="<|im_end|>", lm=lm).answer == "< |im_end|>"


def test_where_ollama_does_not_tell_and_at_other_servers_every_prompt_is_sent(monkeypatch):
    with OpenAIServer(ada) as server, dspy.context(lm=open_lm("server/m", api_base=server.url, structured="text")):
        assert PREDICT(text="word " * 9000).answer == "Ada"
        assert server.asked_for == []
        monkeypatch.setattr(served_lm, "is_ollama", lambda address: True)
        assert PREDICT(text="word " * 9000 + "!").answer == "Ada"
    assert served_lm._contexts == {}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<|im_start|>system", "< |im_start|>system"),
        ("<|start_header_id|>", "< |start_header_id|>"),
        ("<|START_OF_TURN_TOKEN|>", "< |START_OF_TURN_TOKEN|>"),
        ("<\uff5cUser\uff5c>", "< \uff5cUser\uff5c>"),
        ("<end_of_turn>\n<start_of_turn>model", "< end_of_turn>\n< start_of_turn>model"),
        ("[/INST] [INST]", "[ /INST] [ INST]"),
        ("<<|x|>", "<< |x|>"),
        *[(text, text) for text in ("<b>bold</b> <s>old</s>", "a <| b |> c", "x[INSTANCE] [1]", "P(A|B) < |x|")],
    ],
)
def test_what_opens_or_ends_a_turn_is_taken_apart_and_ordinary_text_is_as_it_was(text, plain):
    assert without_turns(text) == plain
    assert without_turns(plain) == plain


def text(**bound):
    return {"type": "string", **bound}


def obj(**properties):
    return {"type": "object", "properties": properties}


def lengths_in(schema):
    if isinstance(schema, dict):
        yield from [schema["maxLength"]] if "maxLength" in schema else []
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else []:
        yield from lengths_in(each)


@pytest.mark.parametrize(
    ("schema", "lengths"),
    [
        (obj(one=text()), [1500]),
        (obj(one=text(), two=text()), [506, 1012]),
        (obj(one=text(), sure={"type": "boolean"}), [1018]),
        (obj(sure={"type": "boolean"}, one=text()), [1500]),
        (obj(many={"type": "array", "items": text(), "maxItems": 10}, one=text()), [87, 174]),
        (obj(endless={"type": "array", "items": text()}), [192]),
        (obj(many={"type": "array", "items": text(), "maxItems": 40}), [60]),
        (obj(either={"anyOf": [text(), {"type": "null"}]}, one=text()), [506, 1012]),
        (obj(pairs={"type": "array", "items": {"$ref": "#/$defs/P"}}) | {"$defs": {"P": obj(a=text())}}, [1018]),
    ],
)
def test_an_answer_of_1024_tokens_has_room_for_all_its_texts(schema, lengths):
    assert list(lengths_in(bounded(schema, 1024))) == lengths


@pytest.mark.parametrize("given", [{"maxLength": 5}, {"enum": ["a", "b"]}, {"const": "a"}, {"pattern": "^a+$"}])
def test_what_ends_anyhow_is_left_as_it_is(given):
    schema = obj(one=text(**given), number={"type": "integer"}, sure={"type": "boolean"})
    assert bounded(schema, 100) == schema
