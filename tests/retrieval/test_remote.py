import copy
import gzip
import itertools
import pickle
import threading

import pytest
from json_server import JsonServer

from multihop.base import InputError, RunFailed
from multihop.data import open_corpus, open_retriever
from multihop.optimize.artefact import stored_corpus
from multihop.retrieval import Passage, RemoteRetriever, Retriever, fingerprint
from multihop.retrieval.remote import Address, is_address, pause

PO, ETNA = Passage("p1", "Po", "A river."), Passage("p2", "Etna", "A volcano.")
DOCUMENTS = [PO._asdict(), ETNA._asdict()]
CONTENTS = [{"id": "p1", "contents": '"Po"\nA river.'}, {"id": "p2", "contents": '"Etna"\nA volcano.'}]
HITS = [(PO, 2.5), (ETNA, 1.0)]
BY_RANK = [(PO, 1.0), (ETNA, 0.5)]
BUSY = (503, {"error": "busy."}, {"Retry-After": "7"})


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """No test waits between two attempts; what would have been waited for is here."""
    waited = []
    monkeypatch.setattr("multihop.retrieval.remote.pause", lambda *asked: waited.append(asked) or 0.0)
    return waited


def scored(documents):
    return [{"document": each, "score": score} for each, score in zip(documents, (2.5, 1.0), strict=True)]


def test_what_is_asked():
    with JsonServer(lambda asked: {"result": [scored(DOCUMENTS), []]}) as server:
        place = f"http://ada:x@{server.host}/r?key=1"
        assert RemoteRetriever(place, headers={"X-Key": "k"}).search(["a", "b"], 5) == [HITS, []]
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/r?key=1")
    assert asked.json == {"queries": ["a", "b"], "topk": 5, "return_scores": True}
    sent = {name.lower(): value for name, value in asked.headers.items()}
    assert sent["authorization"] == "Basic YWRhOng="
    assert (sent["x-key"], sent["content-type"]) == ("k", "application/json")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"result": [scored(CONTENTS)] * 2}, HITS),
        ({"result": [DOCUMENTS] * 2}, BY_RANK),
        ([[CONTENTS] * 2, [[2.5, 1.0]] * 2], HITS),
        ({"result": [[], []]}, []),
    ],
)
def test_the_usual_forms_of_an_answer(answer, expected):
    with JsonServer(lambda asked: answer) as server:
        retriever = RemoteRetriever(server.url)
        assert retriever.search(["a", "b"], 5) == [expected, expected]
        assert retriever.search(["a", "b"], 1) == [expected[:1]] * 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"result": [[]]}, "returned 1 rankings for 2 queries"),
        (b'[["x"], [{"id": %s, "text": "t"}]]' % (b"9" * 5000), ""),
        ("hello", "returned a str for 2 queries"),
        ((401, {"detail": "who?"}), 'answered 401 Unauthorized: {"detail": "who?"}.'),
        ((500, b""), "answered 500 Internal Server Error: nothing."),
        (b"<html>hello</html>", "answered with what is no JSON: <html>hello</html>."),
        ((307, b"", {"Location": "/elsewhere"}), "answered 307 Temporary Redirect: nothing."),
    ],
)
def test_an_answer_that_cannot_be_read_is_one_sentence_and_not_asked_for_again(answer, said):
    with JsonServer(lambda asked: answer) as server, pytest.raises(RunFailed) as failed:
        RemoteRetriever(f"http://ada:secret@{server.host}/retrieve?key=secret").search(["a", "b"], 5)
    assert str(failed.value).startswith(f"{server.url}/retrieve {said}")
    assert len(server.asked) == 1


def test_a_server_that_asks_for_an_hour_is_asked_again_in_half_a_minute():
    assert 30 <= pause(1, "3600") < 31
    assert pause(1, "soon") < 1


def test_a_busy_server_is_asked_again_after_the_time_it_asks_for(pauses):
    rest = [BUSY, (429, {}), None, {"result": [[]]}]  # None drops the connection
    with JsonServer(lambda asked: rest.pop(0)) as server:
        assert RemoteRetriever(server.url).search(["a"], 1) == [[]]
    assert len(server.asked) == 4
    assert pauses == [(1, "7"), (2, ""), (3, "")]


def test_one_that_stays_busy_or_is_silent_or_down_is_given_up():
    with JsonServer(lambda asked: BUSY) as server:
        with pytest.raises(RunFailed, match='/retrieve answered 503 Service Unavailable: {"error": "busy."}.$'):
            RemoteRetriever(server.url, attempts=2).search(["a"], 1)
        assert len(server.asked) == 2
    with pytest.raises(RunFailed, match=r"cannot be reached \(.*refused; asked 3 times\); is the server running") as it:
        RemoteRetriever(f"http://ada:secret@{server.host}", attempts=3).search(["a"], 1)
    assert "secret" not in str(it.value)
    over = threading.Event()
    with JsonServer(lambda asked: over.wait(30) and {}) as silent:
        with pytest.raises(RunFailed, match=r"cannot be reached \(timed out; asked 1 time\)"):
            RemoteRetriever(silent.url, timeout=0.05, attempts=1).search(["a"], 1)
        over.set()
    for limits in ({"timeout": 0}, {"timeout": float("nan")}, {"attempts": 0}):
        with pytest.raises(InputError, match="more than 0 seconds and 1 attempt"):
            RemoteRetriever("http://h", **limits)


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


def test_it_is_a_retriever_that_is_pickled_and_not_copied():
    with JsonServer(lambda asked: {"result": [[]]}) as server:
        retriever = RemoteRetriever(f"http://ada:secret@{server.host}", headers={"X": "y"})
        again = pickle.loads(pickle.dumps(retriever))
        assert retriever.search(["a"], 1) == again.search(["a"], 1) == [[]]
        assert server.asked[-1].headers.keys() == server.asked[0].headers.keys()
        assert (again.search([], 1), len(server.asked)) == ([], 2)
    assert isinstance(retriever, Retriever)
    assert copy.deepcopy(retriever) is retriever
    assert repr(again) == f"RemoteRetriever({server.url}/retrieve)"


@pytest.mark.parametrize(
    "answer", [(404, b""), b"ok", ["ok"], *({"fingerprint": each} for each in (5, "x" * 200, "a\nb"))]
)
def test_a_server_that_does_not_say_what_it_searches_in_a_short_line_is_known_by_its_place(answer):
    with JsonServer(lambda asked: answer) as server:
        place = f"{server.host}/a"
        logins = (f"http://ada:x@{place}?k=1", f"http://bob:y@{place}/?k=1")
        one, other = (fingerprint(RemoteRetriever(each)) for each in logins)
        others = [fingerprint(RemoteRetriever(f"http://{each}")) for each in (f"{place}?k=2", f"{place}b?k=1")]
    assert one == other
    assert one.startswith("RemoteRetriever-")
    assert len({one, *others}) == 3
    assert {asked.path for asked in server.asked} == {"/healthz"}


def test_a_server_that_says_it_is_known_by_that_and_asked_once():
    with JsonServer(lambda asked: {"fingerprint": "bm25-1"}) as server:
        retriever = RemoteRetriever(server.url)
        assert fingerprint(retriever) == fingerprint(retriever) == "bm25-1"
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("text", "kind", "url", "login"),
    [
        ("HTTP://Here:8000/", "", "http://here:8000", None),
        ("opensearch:https://a%40b:p%3Aw@here.org/wiki/", "opensearch", "https://here.org/wiki", ("a@b", "p:w")),
        ("http://[::1]:8893/api/search", "", "http://[::1]:8893/api/search", None),
        ("https://ada@here.org", "", "https://here.org", ("ada", "")),
    ],
)
def test_an_address_is_taken_apart(text, kind, url, login):
    address = Address.read(text)
    assert (address.kind, address.url, address.login) == (kind, url, login)
    assert (str(address), repr(address)) == (url, f"Address({url})")


@pytest.mark.parametrize("text", ["corpus.jsonl", "hub:hotpotqa", "little", "ftp://here", "C:/corpus.jsonl"])
def test_other_sources_are_no_addresses(text):
    assert not is_address(text)
    with pytest.raises(InputError, match="is no address of a server; write it like http://localhost:8000"):
        Address.read(text)


@pytest.mark.parametrize("after", ["@:80", "@h:99999", "@h h/", "/y?z@h/a"])
def test_an_impossible_address_is_refused_without_its_password(after):
    with pytest.raises(InputError, match="is no address of a server") as refused:
        Address.read(f"http://ada:secret{after}")
    assert "secret" not in str(refused.value)


def test_an_address_is_opened_where_a_corpus_is(tmp_path):
    assert repr(open_retriever("http://h:8000")) == "RemoteRetriever(http://h:8000/retrieve)"
    assert stored_corpus("http://ada:x@h", tmp_path / "p.json") is None  # a saved program holds no address
    with pytest.raises(InputError, match="^http://h is an address"):
        open_corpus("http://ada:x@h")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("opensearhc:http://h", "unknown kind of server 'opensearhc'"),
        ("https://h/a/corpus.tsv.gz", "^https://h/a/corpus.tsv.gz is an address; download the file first"),
    ],
)
def test_what_no_server_answers_at_is_refused(address, said):
    with pytest.raises(InputError, match=said):
        open_retriever(address)


HOSTILE = {
    "answered with more than 67,108,864 bytes; ask for fewer hits.": (200, gzip.compress(bytes(65 << 20)), "gzip"),
    "answered in the encoding 'br'; it was asked for gzip or none.": (200, b"{}", "br"),
    "answered in the encoding 'gzip, gzip'; it was": (500, gzip.compress(gzip.compress(b"{}")), "gzip, gzip"),
    "was still answering after 300 seconds; it was given up.": (200, b"{}", "identity"),
    "cannot be reached (Error -3": (200, b"no gzip", "gzip"),
}


@pytest.mark.parametrize("said", HOSTILE)
def test_an_answer_without_end_is_given_up(said, monkeypatch):
    clock = itertools.count(0, 301 if "still" in said else 0)
    monkeypatch.setattr("multihop.retrieval.remote.monotonic", lambda: next(clock))
    status, content, encoding = HOSTILE[said]
    reply = status, content, {"Content-Encoding": encoding}
    with JsonServer(lambda asked: reply) as server, pytest.raises(RunFailed) as failed:
        RemoteRetriever(server.url, attempts=1).search(["a"], 5)
    assert str(failed.value).startswith(f"{server.url}/retrieve {said}")


def test_of_many_hits_those_that_were_asked_for_are_read():
    ids = [[1], "2", 10**400, "x" * 99]
    hits = [{"id": id_, "text": "t", "score": id_} for id_ in ids] + ["x"] * 10_000
    with JsonServer(lambda asked: {"result": [hits]}) as server:
        (found,) = RemoteRetriever(server.url).search(["a"], 4)
    scores = [1.0, 2.0, 1 / 3, 0.25]
    assert [(hit.passage.id, hit.score) for hit in found] == list(zip(map(str, ids), scores, strict=True))
