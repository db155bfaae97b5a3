from urllib.parse import parse_qs, urlsplit

import pytest
from json_server import JsonServer

from multihop.base import RunFailed
from multihop.retrieval import Hit, Passage, fingerprint, open_server


def found(query):
    return {"query": query, "topk": [{"text": f"Po | {query}?", "pid": 7, "rank": 1, "score": 21.5, "prob": 0.6}]}


def asked_with(asked):
    return {name: value for name, (value,) in parse_qs(urlsplit(asked.path).query).items()}


def test_it_asks_with_get_one_query_at_a_time():
    with JsonServer(lambda asked: found(asked_with(asked)["query"])) as server:
        rankings = open_server(f"colbert:{server.url}/api/search?key=1").search(["a&b", "ü"], 3)
    assert rankings == [[Hit(Passage("7", "Po", f"{query}?"), 21.5)] for query in ("a&b", "ü")]
    assert {asked.method for asked in server.asked} == {"GET"}
    assert sorted(asked_with(asked)["query"] for asked in server.asked) == ["a&b", "ü"]
    assert {next(iter(asked_with(asked).items())) for asked in server.asked} == {("key", "1")}
    assert {asked_with(asked)["k"] for asked in server.asked} == {"3"}


def test_a_server_that_takes_no_get_is_asked_with_post():
    def reply(asked):
        return (405, {"detail": "Method Not Allowed"}) if asked.method == "GET" else found(asked.json["query"])

    with JsonServer(reply) as server:
        retriever = open_server(f"colbert:{server.url}")
        for query in ("a", "b"):
            assert retriever.search([query], 2)[0][0].passage.text == f"{query}?"
    assert [(asked.method, urlsplit(asked.path).path) for asked in server.asked] == [
        ("GET", "/api/search"),
        ("POST", "/api/search"),
        ("POST", "/api/search"),
    ]
    assert server.asked[-1].json == {"query": "b", "k": 2}


@pytest.mark.parametrize("answer", [[], {"result": []}, {"topk": None}])
def test_another_kind_of_server_is_named(answer):
    with JsonServer(lambda asked: answer) as server, pytest.raises(RunFailed) as failed:
        open_server(f"colbert:http://ada:secret@{server.host}").search(["a"], 1)
    place = f"{server.url}/api/search"
    assert str(failed.value) == f"{place} answered without 'topk'; is it a server of ColBERTv2?"


def test_it_is_known_by_its_place():
    one, other = (fingerprint(open_server(f"colbert:http://{place}")) for place in ("ada:x@h:1", "h:1"))
    assert one == other
    assert one.startswith("RemoteColBERT-")
