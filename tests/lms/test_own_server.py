import json
import pickle

import cloudpickle
import dspy
import httpx
import pytest
from openai_server import OpenAIServer

from multihop import Direct, InputError, create, open_lm
from multihop.lms import own_server


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(own_server, "_schema_places", {})


def ada(prompt):
    return {"reasoning": "It was she.", "answer": "Ada"}


def asked(server, **options):
    """The bodies of the calls of one question, and its answer."""
    with dspy.context(lm=open_lm("server/m", api_base=server.url, **options)):
        prediction = create("cot")(question="Who?")
    return server.bodies, prediction


def test_a_server_that_keeps_to_a_schema_gets_that_of_the_step_at_once():
    with OpenAIServer(ada, keeps_to_schema="json_schema") as server:
        (body,), prediction = asked(server)
    assert prediction.answer == "Ada"
    schema = body["response_format"]["json_schema"]["schema"]
    assert (schema["required"], schema["properties"]["answer"]["type"]) == (["reasoning", "answer"], "string")
    assert prediction.cost["calls"] == 1


def test_one_text_alone_needs_no_schema():
    with OpenAIServer(ada, keeps_to_schema="json_schema") as server:
        with dspy.context(lm=open_lm("server/m", api_base=server.url)):
            prediction = Direct()(question="Who?")
        (body,) = server.bodies
    assert prediction.answer == "Ada"
    assert "response_format" not in body
    assert body["messages"][-1]["content"] == "Question: Who?\n\nAnswer:"


@pytest.mark.parametrize("structured", ["auto", "schema"])
def test_a_server_that_takes_schemas_beside_json_mode_gets_them_there(structured):
    with OpenAIServer(ada, keeps_to_schema="json_object") as server:
        (body,), prediction = asked(server, structured=structured)
    assert prediction.answer == "Ada"
    assert body["response_format"]["type"] == "json_object"
    assert body["response_format"]["schema"]["properties"]["answer"]["type"] == "string"


@pytest.mark.parametrize("place", ["json_schema", "json_object"])
def test_texts_of_a_schema_end_before_the_tokens_of_the_answer_do(place):
    with OpenAIServer(ada, keeps_to_schema=place) as server:
        (body,), _ = asked(server, max_tokens=300)
    form = body["response_format"]
    schema = form["schema"] if place == "json_object" else form["json_schema"]["schema"]
    assert {name: each["maxLength"] for name, each in schema["properties"].items()} == {"reasoning": 144, "answer": 288}


def test_a_schema_beside_json_mode_travels_with_its_lm():
    with OpenAIServer(ada, keeps_to_schema="json_object") as server:
        lm = pickle.loads(cloudpickle.dumps(open_lm("server/m", api_base=server.url))).copy(temperature=0.5)
        with dspy.context(lm=lm):
            create("cot")(question="Who?")
        (body,) = server.bodies
    assert (body["response_format"]["type"], body["temperature"]) == ("json_object", 0.5)


def test_a_server_that_does_not_is_asked_for_text():
    with OpenAIServer(ada) as server:
        (body,), prediction = asked(server)
    assert prediction.answer == "Ada"
    assert "response_format" not in body
    assert "[[ ## answer ## ]]" in json.dumps(body["messages"])


def test_a_server_is_told_how_to_answer_and_not_left_to_its_own_ways():
    with OpenAIServer(ada, keeps_to_schema="json_schema") as server:
        (body,), _ = asked(server)
    assert (body["temperature"], body["max_tokens"]) == (0, 1024)
    with OpenAIServer(ada, keeps_to_schema="json_schema") as server:
        (body,), _ = asked(server, temperature=0.7, max_tokens=50)
    assert (body["temperature"], body["max_tokens"]) == (0.7, 50)


def test_a_server_draws_the_answers_of_a_model_that_thinks_as_its_makers_recommend():
    lm = open_lm("server/qwen3-8b@http://127.0.0.1:9/v1", structured="text", thinking=True)
    told = {name: lm.kwargs[name] for name in ("temperature", "top_p", "max_tokens")}
    assert told == {"temperature": 0.6, "top_p": 0.95, "max_tokens": 4096}
    assert "top_k" not in lm.kwargs


@pytest.mark.parametrize(("structured", "marked"), [("json", False), ("text", True)])
def test_a_form_without_a_schema_is_taken_and_the_server_is_not_asked(structured, marked, monkeypatch):
    monkeypatch.setattr(own_server, "_ask_with_schema", None)
    with OpenAIServer(ada) as server:
        (body,), prediction = asked(server, structured=structured)
    assert prediction.answer == "Ada"
    assert "response_format" not in body
    assert ("completed" in json.dumps(body["messages"])) == marked


def reply_of(said, **choice):
    return httpx.Response(200, json={"choices": [{"message": {"content": said}, **choice}]})


ZEBRA = reply_of('{"word": "zebra"}')


def test_a_server_is_asked_once_for_a_model(monkeypatch):
    asked_for = []
    monkeypatch.setattr(own_server, "_ask_with_schema", lambda *what: asked_for.append(what) or ZEBRA)
    lms = [open_lm("server/m@http://127.0.0.1:9/v1"), open_lm("openai/m@http://127.0.0.1:9/v1")]
    assert [lm.structured for lm in lms] == ["schema", "schema"]
    assert asked_for == [("http://127.0.0.1:9/v1", "m", "EMPTY", "json_schema", {})]


def test_a_server_that_is_not_there_yet_is_asked_again(monkeypatch):
    replies = iter([httpx.Response(503), reply_of("hello"), ZEBRA])
    monkeypatch.setattr(own_server, "_ask_with_schema", lambda *what: next(replies))
    assert [open_lm("server/m@http://127.0.0.1:9/v1").structured for _ in range(3)] == ["text", "schema", "schema"]


def test_nobody_answers_where_no_server_is():
    assert own_server.schema_place("http://127.0.0.1:9/v1", "m", "EMPTY") is None
    assert own_server._schema_places == {}


def test_a_server_that_schemas_break_is_told_of(monkeypatch):
    monkeypatch.setattr(own_server, "_ask_with_schema", lambda *what: httpx.Response(500))
    with pytest.warns(
        UserWarning, match=r"^the server at http://127.0.0.1:9/v1 fails \(500\) where it is given a JSON"
    ):
        assert open_lm("server/m@http://127.0.0.1:9/v1").structured == "text"


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_a_refusal_is_no_answer(status):
    assert own_server._keeps(httpx.Response(status)) is None


@pytest.mark.parametrize("said", ["hello", '{"word": "hello"}', '["zebra"]', None])
def test_another_word_is_no_schema_kept(said):
    assert own_server._keeps(reply_of(said)) is False


def test_a_model_that_is_still_thinking_says_nothing_of_schemas():
    assert own_server._keeps(reply_of(None, finish_reason="length")) is None


def test_a_schema_that_is_asked_for_is_refused_where_the_server_keeps_to_none():
    with OpenAIServer(ada) as server, pytest.raises(InputError, match="does not keep to a schema: ask it for 'json'"):
        open_lm("server/m", api_base=server.url, structured="schema")


OFF = {"chat_template_kwargs": {"enable_thinking": False}}


@pytest.mark.parametrize(
    ("model", "options", "sent"),
    [
        ("m", {}, {}),
        ("m", {"thinking": False}, OFF),
        ("m", {"thinking": True}, {}),
        ("qwen3-8b", {}, OFF),
        ("qwen3-8b", {"thinking": True}, {}),
        ("qwen2.5-7b", {"thinking": False}, {}),
        ("gpt-oss-20b", {}, {"reasoning_effort": "low"}),
        ("gpt-oss-20b", {"thinking": True}, {}),
        ("gpt-oss-20b", {"reasoning_effort": "high"}, {"reasoning_effort": "high"}),
        ("deepseek-r1:8b", {}, {}),
    ],
)
def test_a_model_that_can_be_told_not_to_think_is_told_so_unless_it_is_asked_to(model, options, sent):
    with OpenAIServer(ada) as server:
        with dspy.context(lm=open_lm(f"server/{model}", api_base=server.url, structured="text", **options)):
            Direct()(question="Who?")
        (body,) = server.bodies
    assert {name: value for name, value in body.items() if name in own_server.SWITCHES} == sent


def test_ollama_is_told_with_the_one_word_that_it_takes():
    lm = open_lm("server/qwen3:8b@http://127.0.0.1:11434/v1", structured="text")
    assert {name: lm.kwargs.get(name) for name in own_server.SWITCHES} == {
        "chat_template_kwargs": None,
        "reasoning_effort": "none",
    }


def test_the_switch_goes_along_when_the_server_is_asked_for_schemas():
    with OpenAIServer(ada, keeps_to_schema="json_schema") as server:
        open_lm("server/qwen3-8b", api_base=server.url)
        (probe,) = server.probes
    assert probe["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize(
    ("model", "thinking", "message"),
    [
        ("qwen2.5-7b", True, "'qwen2.5-7b' cannot think: models of the family Qwen2.5 never do"),
        ("deepseek-r1:8b", False, "'deepseek-r1:8b' cannot be told not to think"),
        ("Qwen3.5-0.8B", True, "thinks only if its server is started so"),
    ],
)
def test_what_a_family_cannot_do_is_refused(model, thinking, message):
    with pytest.raises(InputError, match=message):
        open_lm(f"server/{model}@http://127.0.0.1:9/v1", structured="text", thinking=thinking)


def test_a_limit_of_tokens_has_the_name_that_all_servers_read():
    with OpenAIServer(ada) as server:
        (body,), _ = asked(server, structured="text", max_tokens=7)
    assert body["max_tokens"] == 7


def test_an_lm_keeps_what_it_was_opened_with_and_leaves_nothing_behind():
    from dspy.lm15 import registered_providers

    before = registered_providers()
    with OpenAIServer(ada, keeps_to_schema="json_schema") as server:
        first = open_lm("server/m", api_base=server.url, structured="schema")
        open_lm("server/m", api_base=server.url, structured="text")
        assert (first.supports_response_schema, first.structured) == (True, "schema")
    assert registered_providers() == before
