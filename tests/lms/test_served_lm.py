import asyncio

import dspy
import pytest
from openai_server import OpenAIServer

from multihop import open_lm
from multihop.lms import served_lm

PREDICT = dspy.Predict("text -> answer")


@pytest.fixture(params=[None, "json_object"])
def server(request):
    with OpenAIServer(lambda prompt: {"answer": "Ada"}, keeps_to_schema=request.param) as server:
        yield server


@pytest.fixture
def asked(monkeypatch):
    asked = []
    monkeypatch.setattr(served_lm, "context_of", lambda *what: asked.append(what) or 2048)
    return asked


def at_once(**inputs):
    return PREDICT(**inputs)


def in_loop(**inputs):
    return asyncio.run(PREDICT.acall(**inputs))


@pytest.mark.parametrize("ask", [at_once, in_loop])
def test_a_prompt_that_cannot_fit_is_refused_before_it_is_sent(ask, server, asked):
    lm = open_lm("server/m", api_base=server.url, api_key="k")
    says = r"has at least 4,\d\d\d tokens, and the context of m 2,048; show fewer passages, or start its server with a"
    with dspy.context(lm=lm, adapter=dspy.JSONAdapter()):
        with pytest.raises(dspy.ContextWindowExceededError, match=says):
            ask(text="word " * 4000)
        assert server.requests == 0
        assert ask(text="word " * 1500).answer == "Ada"
    assert {*asked} == {(server.url, "m", "k")}


@pytest.mark.parametrize("ask", [at_once, in_loop])
def test_the_context_is_not_asked_for_before_a_short_prompt(ask, server, asked):
    with dspy.context(lm=open_lm("server/m", api_base=server.url)):
        assert ask(text="word").answer == "Ada"
    assert asked == []


def test_where_the_server_does_not_tell_the_family_does(monkeypatch, server):
    monkeypatch.setattr(served_lm, "context_of", lambda *what: None)
    refused = pytest.raises(dspy.ContextWindowExceededError, match="the context of smollm2-1.7b 8,192")
    with dspy.context(lm=open_lm("server/smollm2-1.7b", api_base=server.url)), refused:
        PREDICT(text="word " * 9000)
    with dspy.context(lm=open_lm("server/m", api_base=server.url)):
        assert PREDICT(text="word " * 9000).answer == "Ada"


@pytest.mark.parametrize(
    "refusal",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 5067 tokens (5067 in the messages, "
        "None in the completion). Please reduce the length of the messages or completion.",
        "This model's maximum context length is 2048 tokens. However, your request has 5067 input tokens.",
        "request (5067 tokens) exceeds the available context size (2048 tokens), try increasing it",
    ],
)
def test_what_the_server_itself_refuses_is_said_in_our_words(refusal):
    says = "the prompt has 5,067 tokens, and the context of m 2,048; show fewer passages, or start its server"
    with pytest.raises(served_lm.ContextLengthError, match=says), served_lm.in_one_sentence("m"):
        raise served_lm.ContextLengthError(refusal)


def test_an_answer_that_would_not_fit_stays_in_the_words_of_the_server():
    refusal = "maximum context length is 2048 tokens. However, you requested 2100 tokens (100 in the messages, 2000 in"
    with pytest.raises(served_lm.ContextLengthError, match=r"you requested 2100"), served_lm.in_one_sentence("m"):
        raise served_lm.ContextLengthError(refusal)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("one two", 2), ("|---|---|", 1), ("don't", 3), ("1984, Ōtani", 3), ("日本語です", 1)]
)
def test_a_text_has_a_token_for_each_word_and_each_run_of_marks_at_least(text, tokens):
    assert served_lm.least_tokens(text) == tokens
