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

from multihop import BM25, OneStep, Passage, scripted

ASKED = {"question": "q"}


def stuck(**options):
    """A server whose first program never gets an answer, and whose second does at once; and the LM's engine."""
    lm, engine = never_ending()
    found = OneStep(BM25.build([Passage("p1", "Po", "A river.")])), scripted(echo)
    programs = {"stuck": (Steps(rounds=0), lm), "steps": (Steps(), scripted(echo)), "one-step": found}
    return web_service(programs, **options), engine


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


def closed(web, sent):
    """True once the server has closed the connection on which those bytes were sent, and nothing else is."""
    with socket.create_connection(("127.0.0.1", int(web.url.rpartition(":")[2])), timeout=LIMIT) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b"")) == b""


def test_a_head_that_is_never_whole_is_not_waited_for():
    with web_service({"steps": (Steps(), scripted(echo))}, patience=0.2) as web:
        for sent in (b"", b"POST /ask HT", b"POST /ask HTTP/1.1\r\nHost: here\r\n"):
            assert closed(web, sent)
        with socket.create_connection(("127.0.0.1", int(web.url.rpartition(":")[2])), timeout=LIMIT) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
            again = connection.recv(65536).decode()
            connection.sendall(b"GET /hea")
            again += b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        said = httpx.post(f"{web.url}/ask", json=ASKED).status_code
    assert again.startswith("HTTP/1.1 200 ")
    assert again.count("HTTP/1.1 ") == 1
    assert said == 200


def test_a_client_that_never_reads_is_left_and_holds_nothing():
    passages = [Passage(str(number), "word", "word " * 20_000) for number in range(50)]
    program = OneStep(BM25.build(passages))

    async def main(web):
        host, port = web.url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port), limit=1)
        body = b'{"queries": ["word"], "topk": 50}'
        head = b"POST /retrieve HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        writer.write(head % len(body) + body)
        await until(lambda: web.service._holding.held > 0)
        await until(lambda: web.service._holding.held == 0 and not web.server.server_state.connections)
        writer.close()

    with web_service({"one-step": (program, scripted(echo))}, patience=0.2) as web:
        in_loop(lambda: main(web))


@pytest.mark.at_once
@pytest.mark.parametrize("path", ["/ask/stream", "/v1/chat/completions"])
def test_streams_beyond_the_limit_are_refused_before_they_begin(path):
    serving, engine = stuck(in_flight=1, queued=1)
    body = {"messages": [{"role": "user", "content": "q"}], "stream": True} if path.startswith("/v1") else ASKED

    async def main(web):
        async with httpx.AsyncClient(timeout=LIMIT) as client:

            async def status():
                async with client.stream("POST", f"{web.url}{path}", json=body) as streamed:
                    codes.append(streamed.status_code)
                    if streamed.status_code == 200:
                        await asyncio.Event().wait()

            codes = []
            asking = [asyncio.create_task(status()) for _ in range(10)]
            await until(lambda: len(codes) == 10)
            for task in asking:
                task.cancel()
            await until(lambda: engine.under_way == 0 and web.service.admission.running == 0)
            await until(lambda: web.service.admission.waiting == 0)
        return sorted(codes)

    with serving as web:
        assert in_loop(lambda: main(web)) == [200] * 2 + [429] * 8


@pytest.mark.at_once
def test_searches_are_let_in_as_questions_are():
    serving, engine = stuck(in_flight=1, queued=0)

    async def main(web):
        async with httpx.AsyncClient(timeout=LIMIT) as client:
            asking = asyncio.create_task(client.post(f"{web.url}/ask", json=ASKED))
            await until(lambda: engine.under_way == 1)
            query = {"queries": ["q"]}
            refused = await client.post(f"{web.url}/retrieve?program=one-step", json=query)
            asking.cancel()
            await until(lambda: web.service.admission.running == 0)
            taken = await client.post(f"{web.url}/retrieve?program=one-step", json=query)
            web.service.draining = True
            ending = await client.post(f"{web.url}/retrieve?program=one-step", json=query)
            web.end()
        return [each.status_code for each in (refused, taken, ending)]

    with serving as web:
        assert in_loop(lambda: main(web)) == [429, 200, 503]
