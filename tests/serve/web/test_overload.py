"""The server when too much, too long, too slowly or no longer is asked."""

import asyncio
import contextlib
import socket

import httpx
import pytest
from never_ending import never_ending
from time_limit import LIMIT, in_loop
from toys import Steps, echo
from web_service import web_service

from multihop import scripted

ASKED = {"question": "q"}


def stuck(**options):
    """A server whose first program never gets an answer, and whose second does at once; and the LM's engine."""
    lm, engine = never_ending()
    return web_service({"stuck": (Steps(rounds=0), lm), "steps": (Steps(), scripted(echo))}, **options), engine


async def until(what):
    """Wait until something has become true on the server's side."""
    async with asyncio.timeout(LIMIT):
        while not what():
            await asyncio.sleep(0.001)


@pytest.mark.at_once
@pytest.mark.parametrize("path", ["/ask", "/ask/stream", "/v1/chat/completions"])
def test_a_client_that_leaves_cancels_its_calls(path):
    serving, engine = stuck()
    chat = {"messages": [{"role": "user", "content": "q"}], "stream": True}
    body = chat if path.startswith("/v1") else ASKED

    async def main(web):
        async with httpx.AsyncClient() as client:
            asking = asyncio.create_task(client.post(f"{web.url}{path}", json=body, timeout=LIMIT))
            await until(lambda: engine.under_way == 1)
            asking.cancel()
            await until(lambda: engine.under_way == 0 and web.events())
            said = await client.post(f"{web.url}/ask", json={**ASKED, "program": "steps"})
        return said.status_code

    with serving as web:
        assert in_loop(lambda: main(web)) == 200
        assert [line["event"] for line in web.events()] == ["left", "answered"]
        assert (web.service.admission.running, web.service.admission.waiting) == (0, 0)


@pytest.mark.at_once
def test_more_than_can_wait_is_refused_with_a_time_and_taken_afterwards():
    serving, engine = stuck(in_flight=2, queued=1)

    async def main(web):
        async with httpx.AsyncClient(timeout=LIMIT) as client:
            asking = [asyncio.create_task(client.post(f"{web.url}/ask", json=ASKED)) for _ in range(3)]
            await until(lambda: web.service.admission.waiting == 1 and engine.under_way == 2)
            refused = [
                await client.post(f"{web.url}{path}", json={"messages": [{"role": "user", "content": "q"}], **body})
                for path, body in (("/v1/chat/completions", {}), ("/v1/chat/completions", {"stream": True}))
            ]
            refused += [await client.post(f"{web.url}{path}", json=ASKED) for path in ("/ask", "/ask/stream")]
            health = await client.get(f"{web.url}/healthz")
            for task in asking:
                task.cancel()
            await until(lambda: web.service.admission.running == 0)
            taken = await client.post(f"{web.url}/ask", json={**ASKED, "program": "steps"})
        return refused, health.status_code, taken.status_code

    with serving as web:
        refused, health, taken = in_loop(lambda: main(web))
    assert {(each.status_code, each.headers["retry-after"]) for each in refused} == {(429, "1")}
    sentence = "2 questions are being answered and 1 wait; ask again in 1 s."
    assert refused[-1].json() == {"error": sentence}
    assert refused[0].json()["error"]["message"] == sentence
    assert (health, taken) == (200, 200)


def test_a_question_that_takes_too_long_is_ended():
    serving, engine = stuck(seconds=0.05)
    with serving as web:
        said = httpx.post(f"{web.url}/ask", json=ASKED)
        streamed = httpx.post(f"{web.url}/ask/stream", json=ASKED).text
    assert (said.status_code, said.json()) == (504, {"error": "there was no answer within 0.05 s."})
    assert streamed == 'event: error\ndata: {"error":"there was no answer within 0.05 s.","status":504}\n\n'
    assert engine.under_way == 0
    assert [line["event"] for line in web.events()] == ["too slow", "too slow"]


def talk(web, sent):
    """The reply to bytes that are no request of a client library."""
    with socket.create_connection(("127.0.0.1", int(web.url.rpartition(":")[2])), timeout=LIMIT) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


HEAD = b"POST /ask HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"


def test_what_is_too_long_or_too_slow_is_refused():
    with web_service({"steps": (Steps(), scripted(echo))}, body_bytes=1000, patience=0.2) as web:
        declared = talk(web, HEAD + b"Content-Length: 1001\r\n\r\n")
        chunked = talk(
            web,
            HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"200\r\n" + b"x" * 512 + b"\r\n" + b"200\r\n" + b"x" * 512,
        )
        slow = talk(web, HEAD + b"Content-Length: 10\r\n\r\n{")
        headers = talk(web, HEAD + b"X-Long: " + b"x" * 20_000)
        garbage = talk(web, b"\x16\x03\x01\x02\x00\x01\r\n\r\n")
    assert declared.startswith("HTTP/1.1 413 ")
    assert declared.endswith('{"error":"the body is longer than 1,000 bytes."}\n')
    assert chunked.startswith("HTTP/1.1 413 ")
    assert slow.startswith("HTTP/1.1 408 ")
    assert slow.endswith('{"error":"the request was not whole after 0.2 s."}\n')
    assert headers.startswith("HTTP/1.1 400 ")
    assert garbage.startswith("HTTP/1.1 400 ")
    assert "Traceback" not in headers + garbage


@pytest.mark.at_once
def test_what_was_taken_is_answered_before_the_server_ends():
    lm, engine = never_ending(lambda prompt: {"answer": "late"})
    let = []

    async def complete(request):
        engine.under_way += 1
        while not let:
            await asyncio.sleep(0.001)
        engine.under_way -= 1
        return engine.engine.respond(request)

    engine.complete = complete

    async def main(web):
        async with httpx.AsyncClient(timeout=LIMIT) as client:
            asking = [asyncio.create_task(client.post(f"{web.url}/ask", json=ASKED)) for _ in range(2)]
            await until(lambda: engine.under_way == 1 and web.service.admission.waiting == 1)
            web.end()
            await until(lambda: web.service.draining)
            let.append(True)
            answers = [(await task).json()["answer"] for task in asking]
            with pytest.raises(httpx.ConnectError):
                while True:
                    with contextlib.suppress(httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
                        await client.post(f"{web.url}/ask", json=ASKED)  # may be connected as the server closes
        return answers

    with web_service({"steps": (Steps(rounds=0), lm)}, in_flight=1) as web:
        assert in_loop(lambda: main(web)) == ["late", "late"]
    assert [line["event"] for line in web.events() if line["event"] != "refused"] == ["answered", "answered"]
