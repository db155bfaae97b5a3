"""The server when too much, too long, too slowly or no longer is asked."""

import asyncio
import socket

import pytest
from never_ending import never_ending
from time_limit import LIMIT, in_loop, until
from toys import Steps, echo
from web_service import web_service

from multihop import BM25, OneStep, Passage, scripted

ASKED = {"question": "q"}
CHAT = {"messages": [{"role": "user", "content": "q"}], "stream": True}


def stuck(**options):
    """A server whose first program never gets an answer, and whose second does at once; and the LM's engine."""
    lm, engine = never_ending()
    found = OneStep(BM25.build([Passage("p1", "Po", "A river.")])), scripted(echo)
    programs = {"stuck": (Steps(rounds=0), lm), "steps": (Steps(), scripted(echo)), "one-step": found}
    return web_service(programs, **options), engine


@pytest.mark.at_once
@pytest.mark.parametrize("path", ["/ask", "/ask/stream", "/v1/chat/completions"])
def test_a_client_that_leaves_cancels_its_calls(path):
    serving, engine = stuck()
    body = CHAT if path.startswith("/v1") else ASKED

    async def main(web):
        async with web.new_client() as client:
            asking = asyncio.create_task(client.post(path, json=body))
            await until(lambda: engine.under_way == 1)
            asking.cancel()
            await until(lambda: engine.under_way == 0 and web.events())
            said = await client.post("/ask", json={**ASKED, "program": "steps"})
        return said.status_code

    with serving as web:
        assert in_loop(lambda: main(web)) == 200
        assert [line["event"] for line in web.events()] == ["left", "answered"]
        assert (web.service.admission.running, web.service.admission.waiting) == (0, 0)


@pytest.mark.at_once
def test_more_than_can_wait_is_refused_with_a_time_and_taken_afterwards():
    serving, engine = stuck(in_flight=2, queued=1)

    async def main(web):
        async with web.new_client() as client:
            asking = [asyncio.create_task(client.post("/ask", json=ASKED)) for _ in range(3)]
            await until(lambda: web.service.admission.waiting == 1 and engine.under_way == 2)
            paths = {"/v1/chat/completions": CHAT, "/ask": ASKED, "/ask/stream": ASKED}
            paths["/retrieve?program=one-step"] = {"queries": ["q"]}
            refused = [await client.post(path, json=body) for path, body in paths.items()]
            health = await client.get("/healthz")
            for task in asking:
                task.cancel()
            await until(lambda: web.service.admission.running == 0)
            taken = await client.post("/ask", json={**ASKED, "program": "steps"})
        return refused, health.status_code, taken.status_code

    with serving as web:
        refused, health, taken = in_loop(lambda: main(web))
    assert {(each.status_code, each.headers["retry-after"]) for each in refused} == {(429, "5")}
    sentence = "2 questions are being answered and 1 wait; ask again in 5 s."
    assert refused[0].json()["error"]["message"] == sentence
    assert [each.json() for each in refused[1:]] == [{"error": sentence}] * 3
    assert (health, taken) == (200, 200)


def test_a_question_that_takes_too_long_is_ended():
    serving, engine = stuck(seconds=0.05)
    with serving as web:
        said = web.client.post("/ask", json=ASKED)
        streamed = web.client.post("/ask/stream", json=ASKED).text
    assert (said.status_code, said.json()) == (504, {"error": "there was no answer within 0.05 s."})
    assert streamed == 'event: error\ndata: {"error":"there was no answer within 0.05 s.","status":504}\n\n'
    assert engine.under_way == 0
    assert [line["event"] for line in web.events()] == ["too slow", "too slow"]


def talk(web, sent):
    """The reply to bytes that are no request of a client library."""
    with socket.create_connection(("127.0.0.1", int(web.url.rpartition(":")[2])), timeout=LIMIT) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


HEAD = b"POST /ask HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: application/json\r\n"


def test_what_is_too_long_or_no_request_is_refused_and_one_that_is_never_whole_not_waited_for():
    with web_service({"steps": (Steps(), scripted(echo))}, body_bytes=1000, patience=0.2) as web:
        declared = talk(web, HEAD + b"Content-Length: 1001\r\n\r\n")
        piece = b"200\r\n" + b"x" * 512 + b"\r\n"
        chunked = talk(web, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + piece * 2)
        headers = talk(web, HEAD + b"X-Long: " + b"x" * 20_000)
        garbage = talk(web, b"\x16\x03\x01\x02\x00\x01\r\n\r\n")
        never = talk(web, HEAD + b"Content-Length: 10\r\n\r\n{")
    assert [each[:13] for each in (declared, chunked)] == ["HTTP/1.1 413 "] * 2
    assert declared.endswith('{"error":"the body is longer than 1,000 bytes."}\n')
    assert [each[:13] for each in (headers, garbage)] == ["HTTP/1.1 400 "] * 2
    assert never == ""


def test_what_is_under_way_is_not_waited_for_longer_than_the_patience():
    serving, engine = stuck(patience=0.05)

    async def main(web):
        async with web.new_client() as client:
            asking = asyncio.create_task(client.post("/ask", json=ASKED))
            await until(lambda: engine.under_way == 1)
            web.end()
            return (await asking).status_code

    with serving as web:
        assert in_loop(lambda: main(web)) == 500
    assert engine.under_way == 0
    assert "Traceback" not in str(web.events())
