"""Servers among clients that mean no good: others are answered all the same, and no request is the server's fault."""

import asyncio
import contextlib
import json
import random
import socket

import httpx
import pytest
from time_limit import in_loop
from toys import FakeRetriever, Steps, echo
from web_service import web_index, web_service

from multihop import BM25, OneStep, Passage, scripted
from multihop.serve.application import make_index_application
from multihop.serve.operation import Limits
from multihop.serve.service import IndexService
from multihop.serve.web_server import WebServer, listening_socket

PASSAGES = [Passage(str(number), "word", "word " * 4_000) for number in range(50)]
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
PATHS = ("/ask", "/ask/stream", "/retrieve", "/v1/chat/completions", "/v1/models", "/healthz", "/metrics", "/", "/x")
NAMES = "question program earlier tokens pictures queries topk return_scores messages stream model n".split()
VALUES = (0, -1, 1e308, None, True, "", "a", "\0", "\ud800", [], {}, [None], ["q"], [{"role": "user", "content": "q"}])


def post(path, content):
    body = json.dumps(content).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: b\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


HOSTILE = (b"", b"POST /retr", b"GET / HTTP/1.1\r\nHost: b\r\n", post("/retrieve", {"queries": ["word"], "topk": 50}))


async def connect(web, sent):
    _, writer = await asyncio.open_connection("127.0.0.1", int(web.url.rpartition(":")[2]), limit=1)
    writer.write(sent)
    return writer


@pytest.mark.at_once
@pytest.mark.parametrize("kind", ["serve", "serve-index"])
def test_who_never_ends_a_head_and_who_never_reads_lock_nobody_out(kind, how_many):
    clients = how_many(40, 300, 300)
    index = BM25.build(PASSAGES)

    async def main(web):
        writers = [await connect(web, HOSTILE[number % len(HOSTILE)]) for number in range(clients)]
        async with httpx.AsyncClient(timeout=30) as client:
            body = {"queries": ["word"], "topk": 1}
            said = [await client.post(f"{web.url}/retrieve", json=body) for _ in range(10)]
            await asyncio.sleep(1)
        open_ = len(web.server.server_state.connections)
        for writer in writers:
            writer.transport.abort()
        return [each.status_code for each in said], open_

    options = {"patience": 0.5}
    programs = {"one-step": (OneStep(index), scripted(echo))}
    with web_service(programs, **options) if kind == "serve" else web_index(index, **options) as web:
        codes, open_ = in_loop(lambda: main(web))
    assert codes == [200] * 10
    assert open_ <= clients / len(HOSTILE) + 1  # of those who never end a head none


def check_reply(said):
    """It is an answer, or one sentence."""
    head, _, body = said.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    if head[9:10] == b"4" and body and b"application/json" in head:
        error = json.loads(body)["error"]
        sentence = error if isinstance(error, str) else error["message"]
        assert sentence.endswith((".", "?")) or "Valid: " in sentence
        assert "\n" not in sentence
    assert b"Traceback" not in said
    return head[9:12]


def fuzzed(chance):
    body = json.dumps({name: chance.choice(VALUES) for name in chance.sample(NAMES, chance.randint(0, 5))}).encode()
    if chance.random() < 0.3:
        body = bytes(chance.choices(range(256), k=chance.randint(0, 200)))
    body = body[: chance.randint(0, len(body))] if chance.random() < 0.2 else body
    kind = chance.choice(["application/json"] * 8 + ["text/plain", "", "\x80"])
    method = chance.choice(["POST"] * 6 + ["GET", "HEAD", "PUT", "OPTIONS"])
    more = chance.choice(["", "", "Origin: null\r\n", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n"])
    head = f"{method} {chance.choice(PATHS)} HTTP/1.1\r\nHost: b\r\nContent-Type: {kind}\r\n{more}"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode("latin-1") + body


@pytest.mark.parametrize("kind", ["serve", "serve-index"])
def test_no_request_is_the_servers_fault(kind, how_many):
    requests, chance = how_many(600, 2000, 10_000), random.Random(0)

    async def main(web):
        codes, rest = set(), iter(range(requests))

        async def client():
            for _ in rest:
                reader, writer = await asyncio.open_connection("127.0.0.1", int(web.url.rpartition(":")[2]))
                writer.write(fuzzed(chance))
                with contextlib.suppress(ConnectionError):
                    codes.add(check_reply(await reader.read()))
                writer.close()

        await asyncio.gather(*(client() for _ in range(10)))
        return codes

    programs = {"steps": (Steps(rounds=1), scripted(echo)), "one-step": (OneStep(FakeRetriever()), scripted(echo))}
    with web_service(programs, patience=2) if kind == "serve" else web_index(FakeRetriever(), patience=2) as web:
        codes = asyncio.run(main(web))
    assert {b"200", b"400", b"404", b"415"} <= codes
    assert not [code for code in codes if not b"200" <= code < b"500"]
    assert not [line for line in web.events() if line["event"] in ("failed", "search failed")]


def test_who_has_connected_when_the_server_ends_is_answered():
    """Of what waits in the system's queue, which closing the socket would cut off, none is lost."""
    clients = []

    async def main():
        with listening_socket("127.0.0.1", 0) as listener:
            server = WebServer(make_index_application(IndexService(FakeRetriever())), Limits())

            async def connected_in_the_last_moment(_):
                for sent in [GET, GET, b""]:
                    clients.append(socket.create_connection(listener.getsockname()))
                    clients[-1].sendall(sent)
                return True

            server.on_tick = connected_in_the_last_moment
            await server.serve_at(listener)

    in_loop(main)
    said = [client.makefile("rb").read() for client in clients]
    assert [each[9:12] for each in said] == [b"200", b"200", b""]
