"""An index behind HTTP."""

import asyncio
import threading

import pytest
from time_limit import LIMIT, in_loop, until
from web_service import web_index

from multihop.retrieval import BM25, Hit, Passage, RemoteRetriever, fingerprint

PASSAGES = [
    Passage("p1", "Danube", "The Danube flows through Vienna."),
    Passage("p2", "", 'He said "no" | twice.'),
    Passage("p3", "Po", "The Po is a river of Italy, \ud83d and 😀 long."),
]
QUERIES = ["river of Italy", "Vienna", "what he said twice", "nothing at all", ""]
INDEX = BM25.build(PASSAGES)


@pytest.fixture(scope="module")
def web():
    with web_index(INDEX, queries=3, k=9, hits=15) as web:
        yield web


class Held:
    """A retriever that searches when it is let."""

    fingerprint = "held"

    def __init__(self):
        self.let, self.batches, self.began = threading.Event(), [], threading.Event()

    def search(self, queries, k):
        self.batches.append(sorted(queries))
        self.began.set()
        assert self.let.wait(LIMIT)
        return [[Hit(PASSAGES[0], 1.0)] for _ in queries]


async def post(web, *queries):
    async with web.new_client() as client:
        return await client.post("/retrieve", json={"queries": queries or ["Vienna"]})


def test_a_client_finds_what_the_index_finds():
    with web_index(INDEX) as web:
        client = RemoteRetriever(web.url)
        two, three, known = client.search(QUERIES, 2), client.search(QUERIES, 3), fingerprint(client)
    assert two == INDEX.search(QUERIES, 2)
    assert three == INDEX.search(QUERIES, 3)
    assert [[hit.passage.id for hit in hits] for hits in two] == [["p3"], ["p1"], ["p2"], [], []]
    assert known == INDEX.fingerprint


def test_what_search_r1_reads(web):
    asked = {"queries": ["Vienna"], "topk": 1}
    bare, scored = (web.client.post("/retrieve", json=asked | more) for more in ({}, {"return_scores": True}))
    other = web.client.post("/retrieve", json={"query": "Vienna", "k": 1})  # as others write it
    document = {**PASSAGES[0]._asdict(), "contents": '"Danube"\nThe Danube flows through Vienna.'}
    score = INDEX.search(["Vienna"], 1)[0][0].score
    assert bare.json() == other.json() == {"result": [[document]]}
    assert scored.json() == {"result": [[{"document": document, "score": pytest.approx(score)}]]}


@pytest.mark.at_once
def test_queries_that_come_together_are_one_batch_and_more_than_can_wait_are_refused_until_there_is_room():
    held = Held()

    async def main(web):
        first = asyncio.create_task(post(web, "a"))
        await until(held.began.is_set)
        others = [asyncio.create_task(post(web, name, "b")) for name in "cde"]
        await until(lambda: web.service.waiting == 7)
        refused = await post(web, "f", "g")
        held.let.set()
        answers = [await first, *[await other for other in others], await post(web, "f", "g")]
        return refused, [each.status_code for each in answers], web.service.waiting

    with web_index(held, waiting=8) as web:
        refused, codes, waiting = in_loop(lambda: main(web))
    assert held.batches == [["a"], ["b", "c", "d", "e"], ["f", "g"]]
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert refused.json() == {"error": "7 queries wait already; ask again in a second."}
    assert (codes, waiting) == ([200] * 5, 0)


@pytest.mark.at_once
def test_more_clients_than_it_can_take_are_sent_away():
    held = Held()

    async def main(web):
        asking = asyncio.create_task(post(web))
        await until(held.began.is_set)
        other = await post(web)
        held.let.set()
        kept = await asking
        await until(lambda: not web.server.server_state.connections)
        return [each.status_code for each in (kept, other, await post(web))]

    with web_index(held, connections=1) as web:
        assert in_loop(lambda: main(web)) == [200, 503, 200]


def test_it_tells_what_is_served_and_what_it_understands_and_nothing_else_is_there(web):
    health = {"status": "ok", "passages": 3, "fingerprint": INDEX.fingerprint, "waiting": 0}
    assert web.client.get("/healthz?x=1").json() == health
    assert web.client.head("/healthz").status_code == 200
    assert [web.client.get(path).status_code for path in ("/", "/retrieve")] == [404, 405]
    paths = web.client.get("/openapi.json").json()["paths"]
    assert {path: list(methods) for path, methods in paths.items()} == {"/retrieve": ["post"], "/healthz": ["get"]}


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        (b"", 422, "the body cannot be used: Field required."),
        (b'{"queries": []}', 422, "'queries' of the body cannot be used: List should have at least 1 item"),
        (b'{"queries": ["a", 5]}', 422, "'queries.1' of the body cannot be used: Input should be a valid string."),
        (b'{"queries": ["a", "b", "c", "d"]}', 413, "4 queries are too many at once; send at most 3."),
        (b'{"queries": ["a", "b"], "topk": 9}', 413, "2 queries with 9 hits each are more than 15 hits; ask for fewer"),
        (b'{"queries": ["a"], "topk": 0}', 422, "'topk' of the body cannot be used: Input should be greater than"),
        (b'{"queries": ["a"], "topk": true}', 422, "'topk' of the body cannot be used: Input should be a valid int"),
        (b'{"queries": ["a"], "topk": 10}', 422, "'topk' is at most 9 here, not 10."),
    ],
)
def test_what_cannot_be_answered_gets_one_sentence(web, body, status, sentence):
    answer = web.client.post("/retrieve", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["error"].startswith(sentence)


def test_a_search_that_takes_too_long_is_ended():
    held = Held()
    with web_index(held, seconds=0.01) as web:
        answer = web.client.post("/retrieve", json={"queries": ["Vienna"]})
        held.let.set()
        assert web.service.waiting == 0
    assert (answer.status_code, answer.json()) == (504, {"error": "the search took longer than 0.01 s."})


class Broken:
    fingerprint = "broken"

    def search(self, queries, k):
        raise SystemExit(3) if queries == ["end"] else RuntimeError("disk on fire\nat sector 5")


def test_a_search_that_fails_tells_its_operator_and_nobody_else_and_ends_itself_alone():
    with web_index(Broken()) as web:
        answer = in_loop(lambda: post(web))
        assert web.service.waiting == 0
        assert [line["reason"] for line in web.events()] == ["RuntimeError: disk on fire at sector 5"]
        codes = [in_loop(lambda: post(web, "end")).status_code, web.client.get("/healthz").status_code]
    assert answer.status_code == 500
    assert answer.json() == {"error": "the search failed; the server's log says why."}
    assert codes == [500, 200]
