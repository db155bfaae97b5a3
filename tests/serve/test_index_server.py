import asyncio
import json
import random
import socket
import threading

import httpx
import pytest

from multihop.base import InputError, RunFailed
from multihop.retrieval import BM25, Hit, Passage, RemoteRetriever, fingerprint
from multihop.serve.index_server import IndexServer, ServerLimits

PASSAGES = [
    Passage("p1", "Danube", "The Danube flows through Vienna."),
    Passage("p2", "", 'He said "no" | twice.'),
    Passage("p3", "Po", "The Po is a river of Italy, \ud83d and 😀 long."),
]
QUERIES = ["river of Italy", "Vienna", "what he said twice", "nothing at all", ""]


def serving(main, retriever=None, **limits):
    """What `main(address, server)` returns, with a server around it."""

    async def work():
        server = IndexServer(retriever or BM25.build(PASSAGES), ServerLimits(**limits))
        async with server.listen("127.0.0.1", 0) as address:
            return await main(address, server)

    return asyncio.run(asyncio.wait_for(work(), 60))


async def post(address, **asked):
    async with httpx.AsyncClient() as client:
        return await client.post(f"{address}/retrieve", json={"queries": ["Vienna"], **asked})


async def talk(address, sent, *, end=True):
    """What comes back for bytes that are no request of a client library."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    if end:
        writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


class Held:
    """A retriever that searches when it is let."""

    fingerprint = "held"

    def __init__(self):
        self.let, self.batches, self.began = threading.Event(), [], threading.Event()

    def search(self, queries, k):
        self.batches.append(sorted(queries))
        self.began.set()
        assert self.let.wait(60)
        return [[Hit(PASSAGES[0], 1.0)] for _ in queries]


async def until(event):
    await asyncio.get_running_loop().run_in_executor(None, event.wait, 60)


def test_a_client_finds_what_the_index_finds():
    index = BM25.build(PASSAGES)

    async def main(address, server):
        client = RemoteRetriever(address)
        found = await client.asearch(QUERIES, 2)
        return found, await asyncio.to_thread(fingerprint, client), await asyncio.to_thread(client.search, QUERIES, 3)

    two, known, three = serving(main, index)
    assert two == index.search(QUERIES, 2)
    assert three == index.search(QUERIES, 3)
    assert [[hit.passage.id for hit in hits] for hits in two] == [["p3"], ["p1"], ["p2"], [], []]
    assert known == index.fingerprint


def test_what_search_r1_reads():
    async def main(address, server):
        return await post(address, topk=1), await post(address, topk=1, return_scores=True)

    bare, scored = serving(main)
    document = {**PASSAGES[0]._asdict(), "contents": '"Danube"\nThe Danube flows through Vienna.'}
    score = BM25.build(PASSAGES).search(["Vienna"], 1)[0][0].score
    assert bare.json() == {"result": [[document]]}
    assert scored.json() == {"result": [[{"document": document, "score": pytest.approx(score)}]]}


@pytest.mark.at_once
def test_queries_that_come_together_are_one_batch():
    held = Held()

    async def main(address, server):
        first = asyncio.create_task(post(address, queries=["a"]))
        await until(held.began)
        others = [asyncio.create_task(post(address, queries=[name, "b"])) for name in "cde"]
        while server.searching.waiting < 7:
            await asyncio.sleep(0.001)
        held.let.set()
        return [answer.status_code for answer in await asyncio.gather(first, *others)]

    assert serving(main, held) == [200] * 4
    assert held.batches == [["a"], ["b", "c", "d", "e"]]


@pytest.mark.at_once
def test_more_than_it_can_take_is_refused_until_there_is_room_again():
    held = Held()

    async def main(address, server):
        first = asyncio.create_task(post(address, queries=["a", "b"]))
        await until(held.began)
        refused = await post(address, queries=["c", "d"])
        fits = asyncio.create_task(post(address, queries=["c"]))
        while server.searching.waiting < 3:
            await asyncio.sleep(0.001)
        held.let.set()
        answers = [await first, await fits, await post(address, queries=["c", "d"])]
        return refused, [each.status_code for each in answers], server.searching.waiting

    refused, codes, waiting = serving(main, held, waiting=3)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert refused.json() == {"error": "2 queries wait already; ask again in a second."}
    assert (codes, waiting) == ([200] * 3, 0)


def test_more_clients_than_it_can_take_are_sent_away():
    async def main(address, server):
        async with httpx.AsyncClient() as client:
            kept = await client.get(f"{address}/healthz")
            other = await post(address)
        while server._open:
            await asyncio.sleep(0.001)
        return kept.status_code, other, (await post(address)).status_code

    kept, other, later = serving(main, connections=1)
    assert (kept, other.status_code, later) == (200, 503, 200)
    assert other.headers["Retry-After"] == "1"
    assert other.headers["Connection"] == "close"


def test_health_says_what_is_served():
    async def main(address, server):
        async with httpx.AsyncClient() as client:
            return (await client.get(f"{address}/healthz?x=1")).json()

    index = BM25.build(PASSAGES)
    health = {"status": "ok", "passages": 3, "fingerprint": index.fingerprint, "waiting": 0}
    assert serving(main, index) == health
    assert serving(main, Held()) == {"status": "ok", "fingerprint": "held", "waiting": 0}


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("GET", "/", b"", 404, "there is nothing here; ask POST /retrieve or GET /healthz."),
        ("GET", "/retrieve", b"", 405, "/retrieve is asked with POST."),
        ("POST", "/healthz", b"{}", 405, "/healthz is asked with GET."),
        ("POST", "/retrieve", b"{", 400, 'the body is no JSON; send {"queries": ["..."], "topk": 5}.'),
        ("POST", "/retrieve", b'{"queries": ["a"], "topk": 99}', 400, "'topk' is at most 9 here, not 99."),
        ("POST", "/retrieve", b"x" * 999, 413, "the body is longer than 500 bytes; send fewer queries at once."),
    ],
)
def test_what_cannot_be_answered_gets_one_sentence(method, path, body, status, said):
    async def main(address, server):
        async with httpx.AsyncClient() as client:
            return await client.request(method, address + path, content=body), await post(address)

    answer, after = serving(main, k=9, body_bytes=500)
    assert (answer.status_code, answer.json()) == (status, {"error": said})
    assert after.status_code == 200


def test_a_head_is_answered_without_a_body():
    async def main(address, server):
        async with httpx.AsyncClient() as client:
            return [await client.request(method, f"{address}/healthz") for method in ("HEAD", "GET")]

    head, whole = serving(main)
    assert (head.status_code, head.headers["Allow"], head.content) == (405, "GET", b"")
    assert whole.status_code == 200


def test_a_body_in_pieces_is_counted_as_it_comes():
    async def pieces(size):
        for _ in range(size):
            yield b" " * 100

    async def main(address, server):
        async with httpx.AsyncClient() as client:
            return [(await client.post(f"{address}/retrieve", content=pieces(n))).status_code for n in (4, 400)]

    assert serving(main, body_bytes=500) == [400, 413]


@pytest.mark.parametrize(
    "sent",
    [
        b"rubbish\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"POST /retrieve HTTP/1.1\r\nHost: h\r\nContent-Length: many\r\n\r\n",
        b"POST /retrieve HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",  # no host
        b"GET / HTTP/1.1\r\nHost: h\r\nX: " + b"x" * 100_000,
    ],
)
def test_what_is_no_http_gets_one_sentence_too(sent):
    async def main(address, server):
        return await talk(address, sent), (await post(address)).status_code

    answer, after = serving(main)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith((b"HTTP/1.1 400 Bad Request\r\n", b"HTTP/1.1 431 "))
    assert json.loads(body)["error"].startswith("this is no HTTP request: ")
    assert b"Connection: close" in head
    assert after == 200


WHOLE = [
    b'POST /retrieve HTTP/1.1\r\nHost: h\r\nContent-Length: 19\r\n\r\n{"queries": ["Po"]}',
    b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n",
    b"POST /retrieve HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
    b'13\r\n{"queries": ["Po"]}\r\n0\r\n\r\n',
    b"CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nxyz",
    b"HEAD /healthz HTTP/1.0\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]


def spoil(request, dice):
    """The request with some bytes changed, taken out or put in."""
    spoilt = bytearray(request * dice.choice((1, 1, 2)))
    for _ in range(dice.choice((0, 1, 1, 2, 5))):
        place, other = dice.randrange(len(spoilt)), bytes(dice.randrange(256) for _ in range(dice.randrange(4)))
        spoilt[place : place + dice.randrange(4)] = other or b"x"
    return bytes(spoilt)


def test_nothing_that_is_sent_confuses_it():
    dice, complaints = random.Random(0), []

    async def main(address, server):
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        sent = [spoil(dice.choice(WHOLE), dice) for _ in range(300)]
        answers = [await asyncio.gather(*[talk(address, each) for each in sent[at::6]]) for at in range(6)]
        while server._open:
            await asyncio.sleep(0.001)
        return [answer for some in answers for answer in some], (await post(address)).status_code

    answers, after = serving(main)
    assert complaints == []
    assert all(answer == b"" or answer.startswith(b"HTTP/1.1 ") for answer in answers)
    assert {answer[9:12] for answer in answers} >= {b"200", b"400", b"404", b"405"}
    assert after == 200


def test_a_client_that_goes_in_the_middle_leaves_nothing_behind():
    whole = b'POST /retrieve HTTP/1.1\r\nHost: h\r\nContent-Length: 19\r\n\r\n{"queries": ["Po"]}'

    async def main(address, server):
        cut = [await talk(address, whole[:size]) for size in (0, 1, 30, len(whole) - 1)]
        while server._open:
            await asyncio.sleep(0.001)
        return cut, await talk(address, whole), await talk(address, whole * 2)

    cut, one, two = serving(main)
    assert cut[0] == b""
    assert all(answer == b"" or answer.startswith(b"HTTP/1.1 400") for answer in cut)
    assert one.count(b"HTTP/1.1 200 OK") == 1
    assert two.count(b"HTTP/1.1 200 OK") == 2


def test_a_request_that_does_not_go_on_is_ended():
    async def main(address, server):
        return await talk(address, b"POST /retrieve HTTP/1.1\r\nHost: h\r\n", end=False)

    assert b"HTTP/1.1 408 Request Timeout" in serving(main, patience=0.05)


def test_a_search_that_fails_tells_its_operator_and_nobody_else(capsys):
    class Broken:
        fingerprint = "broken"

        def search(self, queries, k):
            raise RuntimeError("disk on fire\nat sector 5")

    async def main(address, server):
        return await post(address), server.searching.waiting

    answer, waiting = serving(main, Broken())
    assert answer.status_code == 500
    assert answer.json() == {"error": "the search failed; the server's own error output says why."}
    assert capsys.readouterr().err == "multihop: the search failed: RuntimeError: disk on fire at sector 5\n"
    assert waiting == 0


@pytest.mark.at_once
def test_it_answers_what_it_has_taken_before_it_ends():
    held = Held()

    async def main():
        server = IndexServer(held)
        async with httpx.AsyncClient() as idle:
            async with server.listen("127.0.0.1", 0) as address:
                await idle.get(f"{address}/healthz")
                asked = asyncio.create_task(post(address))
                await until(held.began)
                asyncio.get_running_loop().call_later(0.01, held.let.set)
            assert held.let.is_set()
            with pytest.raises(RunFailed, match="cannot be reached"):
                await RemoteRetriever(address, attempts=1).asearch(["a"], 1)
            return await asked

    answer = asyncio.run(asyncio.wait_for(main(), 60))
    assert answer.status_code == 200
    assert answer.headers["Connection"] == "close"


def test_it_waits_for_what_is_under_way_no_longer_than_it_should():
    held = Held()

    async def main(address, server):
        asked = asyncio.create_task(post(address))
        await until(held.began)
        return asked

    async def work():
        server = IndexServer(held, ServerLimits(patience=0.05))
        async with server.listen("127.0.0.1", 0) as address:
            asked = await main(address, server)
        with pytest.raises(httpx.HTTPError):
            await asked
        held.let.set()

    asyncio.run(asyncio.wait_for(work(), 60))


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        async def main():
            async with IndexServer(Held()).listen("127.0.0.1", port):
                pass

        with pytest.raises(InputError, match=f"^cannot serve at 127.0.0.1:{port}: .*; choose another --host or --port"):
            asyncio.run(main())
