"""Replies of an LM's server that are too long, never end, or tell what cannot be: each costs one sentence."""

import asyncio
import gzip
import json
import logging
import threading

import dspy
import pytest
from dspy.utils.exceptions import LMProviderError, LMTimeoutError
from json_server import JsonServer
from openai_server import OpenAIServer
from toys import ask
from virtual_clock import run_on_virtual_clock

from multihop import open_lm
from multihop.lms import served_lm
from multihop.programs import Direct
from multihop.runtime import Bill, caching, log, total_paid
from multihop.runtime.log import waiting_for

pytestmark = pytest.mark.at_once

SAID = "[[ ## answer ## ]]\nAda\n\n[[ ## completed ## ]]"


def completion(content=SAID, **others):
    return {"choices": [{"message": {"role": "assistant", "content": content}}], "model": "m", **others}


def asked(server, program=None, **options):
    """The prediction of a program whose LM is on the server."""
    address = server.url if server.url.endswith("/v1") else f"{server.url}/v1"
    lm = open_lm("server/m", api_base=address, **{"structured": "text", **options})
    return ask(program or Direct(), lm, "Who?")


def chunked(body):
    """The body and no end."""
    return {"Transfer-Encoding": "chunked"}, b"%x\r\n%s\r\n" % (len(body), body)


def packed(body, *codings):
    for _ in codings:
        body = gzip.compress(body)
    return {"Content-Encoding": ", ".join(codings)}, body


BLANKS, LINES = b" " * 1_100_000, b": still here\n" * 90_000
TOO_LONG = {
    "without end": chunked(BLANKS),
    "streamed without end": ({"Content-Type": "text/event-stream", **chunked(LINES)[0]}, chunked(LINES)[1]),
    "long": ({"Content-Length": "3000000000"}, BLANKS),
    "bomb": packed(b" " * 5_000_000, "gzip"),
    "bomb in a bomb": packed(b" " * 5_000_000, "gzip", "gzip"),
}


@pytest.mark.parametrize(
    ("kind", "in_loop"), [*((kind, True) for kind in TOO_LONG), ("without end", False), ("bomb", False)]
)
def test_a_reply_is_read_to_its_longest_length_and_no_further(kind, in_loop, monkeypatch):
    monkeypatch.setattr(served_lm, "MOST_BYTES", 1_000_000)
    headers, body = TOO_LONG[kind]
    predict, says = dspy.Predict("question -> answer"), r"\[server/m\] http://127.0.0.1:\d+/v1 "
    says += "(sends more than 1,000,000 bytes|packs its reply twice)"
    with JsonServer(lambda asked: (200, body, headers)) as server:
        predict.lm = open_lm("server/m", api_base=f"{server.url}/v1", structured="text")
        with pytest.raises(LMProviderError, match=says):
            asyncio.run(predict.acall(question="Who?")) if in_loop else predict(question="Who?")
        assert len(server.asked) == 1
        assert open_lm("server/m", api_base=f"{server.url}/v1").structured == "text"  # its probe is read no further
        assert len(server.asked) == 2


def test_a_call_ends_after_its_time_and_says_meanwhile_what_it_waits_for(caplog):
    async def waiting(timeout):
        with pytest.raises(LMTimeoutError) as ended:
            async with waiting_for(dspy.LM("openai/m", timeout=timeout), "answer"):
                await asyncio.sleep(10**9)
        return str(ended.value)

    for timeout, seconds in ((None, 600), (65, 65), (1800.0, 1800)):
        with caplog.at_level(logging.WARNING, "multihop"):
            caplog.clear()
            says, took = run_on_virtual_clock(waiting(timeout))
        assert took == seconds
        assert says == f"[openai/m] no answer within {seconds} s (the parameter timeout)."
        told = [f"waiting for openai/m (step answer) for {at} s" for at in range(30, seconds + 1, 30)]
        assert [record.getMessage() for record in caplog.records] == told


def test_silence_and_a_pause_that_was_asked_for_end_with_the_call(monkeypatch):
    monkeypatch.setattr(log, "CALL_SECONDS", 0.2)
    over = threading.Event()
    with OpenAIServer(None, fault=lambda number: "429 with retry-after") as server:
        with pytest.raises(LMTimeoutError, match=r"within 0\.2 s .*; the server said last: .*refused on purpose"):
            asked(server)
        assert server.requests == 1
        server.reply = lambda asked: over.wait(10)  # nothing, and never an end
        with pytest.raises(LMTimeoutError, match=r"no answer within 0\.2 s"):
            asked(server)
        over.set()


@pytest.mark.parametrize(("longest", "requests"), [(120, 1), (10**10, 2)])
def test_a_server_that_wants_to_be_left_alone_for_long_is_left_alone(longest, requests, monkeypatch):
    async def at_once(seconds, *given, wait=asyncio.sleep):
        await wait(0 if seconds == 10**9 else seconds, *given)

    monkeypatch.setattr(served_lm, "LONGEST_PAUSE", longest)
    monkeypatch.setattr("dspy.clients.execution.asyncio.sleep", at_once)
    reply = 429, {"error": {"message": "come back later", "type": "busy"}}, {"Retry-After": "1000000000"}
    with OpenAIServer(None) as server:
        server.reply = lambda asked: server.__dict__.update(requests=server.requests + 1) or reply
        says = "come back later" + (r" \(server, HTTP 429\): it .* 1,000,000,000 s.* 120 s" if requests == 1 else "")
        with pytest.raises(LMProviderError, match=says):
            asked(server, num_retries=1)
        assert server.requests == requests


HUGE = 10**30
COUNTS = [
    *({"prompt_tokens": count, "completion_tokens": 1} for count in (HUGE, 1.5, "8", float("nan"), -1, True)),
    {"prompt_tokens": 8, "completion_tokens": [1]},
    {"prompt_tokens": 8, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": -(10**9)}},
    {"prompt_tokens": 8, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 9}},
    {"prompt_tokens": 8, "completion_tokens": 2, "prompt_tokens_details": [3]},
    {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": HUGE},
    [1],
    "8",
    None,
]


@pytest.mark.parametrize("usage", COUNTS, ids=str)
def test_counts_that_cannot_be_true_are_estimated_and_the_answer_is_kept(usage, tmp_path):
    reply = completion(usage=usage)
    with JsonServer(lambda asked: reply) as server, Bill(tmp_path) as bill, caching(bill=bill):
        prediction = asked(server)
    assert prediction.answer == "Ada"
    assert prediction.cost["estimated"] == total_paid(tmp_path)["estimated"] == total_paid(tmp_path)["calls"] == 1
    assert 20 < prediction.cost["tokens"]["server/m"]["in"] < 1000
    assert prediction.cost["tokens"]["server/m"] == {"in": prediction.cost["tokens"]["server/m"]["in"], "out": 12}


def test_so_are_those_of_a_streamed_answer():
    events = [{"choices": [{"index": 0, "delta": {"content": SAID}}]}, {"choices": [], "usage": COUNTS[0]}]
    sent = b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events)

    async def streamed(lm):
        with dspy.context(lm=lm):
            return [piece async for piece in dspy.streamify(Direct())(question="Who?")][-1]

    reply = 200, sent + b"data: [DONE]\n\n", {"Content-Type": "text/event-stream"}
    with JsonServer(lambda asked: reply) as server:
        prediction = asyncio.run(streamed(open_lm("server/m", api_base=f"{server.url}/v1", structured="text")))
    assert (prediction.answer, prediction.cost["estimated"]) == ("Ada", 1)


def test_what_is_no_character_does_not_reach_an_answer():
    with JsonServer(lambda asked: completion(SAID.replace("Ada", "A\ud83d d\0a"))) as server:
        assert asked(server).answer == "A\ufffd d\ufffda"


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_answer_that_is_nested_too_deeply_is_one_that_cannot_be_read(form):
    said = {"text": f"[[ ## answer ## ]]\n{'[' * 100_000}", "json": '{"answer": ' + "[" * 100_000}[form]
    program = Direct(retries=0)
    program.answer.signature = program.answer.signature.with_updated_fields("answer", type_=list[str])
    says = pytest.raises(dspy.AdapterParseError, match="it is nested too deeply")
    with JsonServer(lambda asked: completion(said)) as server, says:
        asked(server, program, structured=form)


def test_an_answer_as_long_as_a_library_is_none_and_is_not_kept(tmp_path):
    reply = completion("A" * 1_000_001)
    refused = pytest.raises(LMProviderError, match=r"\[server/m\] the answer has 1,000,001 characters; .* 1,000,000")
    with JsonServer(lambda asked: reply) as server, Bill(tmp_path) as bill, caching(bill=bill), refused:
        asked(server)
    assert total_paid(tmp_path)["calls"] == 1
    assert (tmp_path / "calls.jsonl").stat().st_size < 1000
