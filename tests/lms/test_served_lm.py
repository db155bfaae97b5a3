import asyncio

import dspy
import pytest
from openai_server import OpenAIServer

from multihop import open_lm
from multihop.lms import served_lm
from multihop.lms.served_lm import bounded, without_turns

PREDICT = dspy.Predict("text -> answer")


def ada(prompt):
    return {"answer": "Ada"}


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
