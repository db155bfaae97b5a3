import asyncio
import copy
import threading

import pytest
from json_server import JsonServer

from multihop.base import InputError, RunFailed
from multihop.retrieval import Passage, RemoteRetriever, Retriever, find, fingerprint

PO, ETNA = Passage("p1", "Po", "A river."), Passage("p2", "Etna", "A volcano.")
DOCUMENTS = [each._asdict() for each in (PO, ETNA)]
HITS = [(PO, 2.5), (ETNA, 1.0)]
BY_RANK = [(PO, 1.0), (ETNA, 0.5)]


def scored(documents):
    return [{"document": each, "score": score} for each, score in zip(documents, (2.5, 1.0), strict=True)]


def search(answer, queries=("a", "b"), k=5):
    with JsonServer(lambda asked: answer) as server:
        return RemoteRetriever(server.url).search(list(queries), k), server.asked


def test_what_is_asked():
    rankings, (asked,) = search({"result": [scored(DOCUMENTS), []]})
    assert rankings == [HITS, []]
    assert (asked.method, asked.path) == ("POST", "/retrieve")
    assert asked.json == {"queries": ["a", "b"], "topk": 5, "return_scores": True}


CONTENTS = [{"id": "p1", "contents": '"Po"\nA river.'}, {"id": "p2", "contents": '"Etna"\nA volcano.'}]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"result": [scored(CONTENTS)] * 2}, HITS),
        ({"results": [scored(CONTENTS)] * 2}, HITS),
        ([scored(CONTENTS)] * 2, HITS),
        ({"result": [DOCUMENTS] * 2}, BY_RANK),
        ([CONTENTS] * 2, BY_RANK),
        ([[CONTENTS] * 2, [[2.5, 1.0]] * 2], HITS),
        ({"result": [[CONTENTS] * 2, [[2.5, 1.0]] * 2]}, HITS),
        ({"result": [[{**each, "score": score} for each, score in zip(DOCUMENTS, (2.5, 1), strict=True)]] * 2}, HITS),
    ],
)
def test_the_usual_forms_of_an_answer(answer, expected):
    assert search(answer)[0] == [expected, expected]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [({"result": DOCUMENTS}, BY_RANK), ({"result": scored(DOCUMENTS)}, HITS), ([DOCUMENTS, [2.5, 1.0]], HITS)],
)
def test_one_query_may_be_answered_without_a_list_around_its_hits(answer, expected):
    assert search(answer, ["a"])[0] == [expected]


def test_a_text_may_stand_for_a_document():
    (hits,), _ = search({"result": [[{"document": "Po | A river.", "score": 3}]]}, ["a"])
    assert [(hit.passage.title, hit.passage.text, hit.score) for hit in hits] == [("Po", "A river.", 3.0)]


def test_no_more_than_k_hits_are_taken():
    assert search({"result": [scored(DOCUMENTS)] * 2}, k=1)[0] == [HITS[:1]] * 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"result": [[]]}, "returned 1 rankings for 2 queries"),
        ({"error": "no index"}, "returned a dict for 2 queries"),
        ({"result": [["x"], [5]]}, "returned the int 5 as a hit"),
        ({"result": [["x"], None]}, "returned None for a query"),
        ("hello", "returned a str for 2 queries"),
    ],
)
def test_an_answer_that_cannot_be_read_fails_with_the_place(answer, said):
    with JsonServer(lambda asked: answer) as server, pytest.raises(RunFailed) as failed:
        RemoteRetriever(f"http://ada:secret@{server.host}").search(["a", "b"], 5)
    assert str(failed.value).startswith(f"{server.url}/retrieve {said}")


@pytest.mark.at_once
def test_many_queries_go_in_several_requests_at_once():
    first = threading.Barrier(3, timeout=30)  # all three are under way before one is answered

    def reply(asked):
        first.wait()
        return {"result": [[{"text": query, "id": query}] for query in asked.json["queries"]]}

    queries = [f"q{number}" for number in range(150)]
    with JsonServer(reply) as server:
        rankings = RemoteRetriever(server.url).search(queries, 1)
    assert [hits[0].passage.id for hits in rankings] == queries
    assert sorted(len(asked.json["queries"]) for asked in server.asked) == [22, 64, 64]


def test_the_first_failure_ends_the_others():
    def reply(asked):
        return (400, {"error": "no."}) if "q0" in asked.json["queries"] else {"result": []}

    with JsonServer(reply) as server, pytest.raises(RunFailed):
        RemoteRetriever(server.url).search([f"q{number}" for number in range(150)], 1)


@pytest.mark.at_once
def test_what_is_found_at_once_is_one_request():
    with JsonServer(lambda asked: {"result": [[{"text": q}] for q in asked.json["queries"]]}) as server:
        retriever = RemoteRetriever(server.url + "/search")

        async def main():
            return await asyncio.gather(*[find(retriever, query, 1) for query in "abc"])

        found = asyncio.run(asyncio.wait_for(main(), 30))
    assert [hits[0].passage.text for hits in found] == ["a", "b", "c"]
    assert [(asked.path, sorted(asked.json["queries"])) for asked in server.asked] == [("/search", ["a", "b", "c"])]


def test_no_queries_ask_nothing_and_bad_ones_are_refused():
    retriever = RemoteRetriever("http://127.0.0.1:1")
    assert retriever.search([], 1) == []
    with pytest.raises(InputError, match="k must be at least 1"):
        retriever.search(["a"], 0)
    with pytest.raises(InputError, match="a list of queries"):
        retriever.search("a", 1)


def test_it_is_a_retriever_that_is_not_copied():
    retriever = RemoteRetriever("http://ada:secret@here:80")
    assert isinstance(retriever, Retriever)
    assert copy.deepcopy(retriever) is retriever
    assert repr(retriever) == "RemoteRetriever(http://here:80/retrieve)"


@pytest.mark.parametrize("answer", [(404, b""), b"ok", {"status": "ok"}, ["ok"], {"fingerprint": 5}])
def test_a_server_that_does_not_say_what_it_searches_is_known_by_its_place(answer):
    with JsonServer(lambda asked: answer) as server:
        one, other = (fingerprint(RemoteRetriever(f"http://{who}@{server.host}")) for who in ("ada:x", "bob:y"))
    assert one == other
    assert one.startswith("RemoteRetriever-")
    assert [asked.path for asked in server.asked] == ["/healthz", "/healthz"]


def test_a_server_that_says_it_is_known_by_that_and_asked_once():
    with JsonServer(lambda asked: {"fingerprint": "bm25-1"}) as server:
        retriever = RemoteRetriever(server.url)
        assert fingerprint(retriever) == fingerprint(retriever) == "bm25-1"
    assert len(server.asked) == 1
