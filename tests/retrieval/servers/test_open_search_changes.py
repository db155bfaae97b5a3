"""Passages come and go in an index of OpenSearch."""

import pytest
from living import ETNA, RIVERS
from search_engine import SearchEngine

from multihop.base import InputError, MismatchError, RunFailed
from multihop.retrieval import BM25, OpenSearchIndex, Passage, fingerprint
from multihop.retrieval.servers import open_search_changes
from multihop.retrieval.servers.open_search_building import build_open_search

LAKE = Passage("p5", "Garda", "A lake in Italy, no river.")
QUERIES = ["a river in Italy", "the Danube", "volcano", "no river"]


@pytest.fixture
def engine():
    with SearchEngine() as engine:
        yield engine


def build(engine, passages=RIVERS):
    return build_open_search(passages, f"opensearch:{engine.url}/wiki")


def found(retriever, k=5):
    return [[(hit.passage, pytest.approx(hit.score)) for hit in hits] for hits in retriever.search(QUERIES, k)]


CHANGES = [
    ("add", [ETNA, LAKE], [*RIVERS, ETNA, LAKE]),
    ("update", [RIVERS[0]._replace(text="A river.")], [*RIVERS[1:], ETNA, LAKE, RIVERS[0]._replace(text="A river.")]),
    ("remove", ["p2", "p4"], [RIVERS[2], LAKE, RIVERS[0]._replace(text="A river.")]),
    ("add", [RIVERS[1]], [RIVERS[2], LAKE, RIVERS[0]._replace(text="A river."), RIVERS[1]]),
]


@pytest.mark.parametrize("at_once", [1, 4000])
def test_after_every_change_it_ranks_as_one_built_anew(engine, monkeypatch, at_once):
    monkeypatch.setattr(open_search_changes, "_CHANGED_AT_ONCE", at_once)
    index, known = build(engine), set()
    for verb, given, left in CHANGES:
        known.add(fingerprint(index))
        getattr(index, verb)(given)
        assert found(index) == found(BM25.build(left))
        assert index.count() == len(left)
        assert index.get([each.id for each in left]) == {each.id: each for each in left}
        other = OpenSearchIndex(f"opensearch:{engine.url}/wiki")
        assert found(other) == found(index)
        assert fingerprint(other) == fingerprint(index) not in known
    index.compact()
    assert engine.asked[-1].path == "/wiki/_forcemerge?only_expunge_deletes=true"


def test_who_has_it_open_sees_changes_once_it_reloads(engine):
    index = build(engine)
    other = OpenSearchIndex(f"opensearch:{engine.url}/wiki")
    before = found(other)
    index.add([ETNA])
    index.add([LAKE])
    assert other.reload() is True
    assert found(other) == found(index) != before
    assert other.reload() is False


@pytest.mark.parametrize(
    ("verb", "given", "said"),
    [
        ("add", [ETNA, RIVERS[0]], "^the index has a passage with the id 'p1' already"),
        ("add", [Passage("x" * 513, "", "y")], "passage 1 has an id of more than 512 bytes"),
        ("remove", ["p9"], "^the index has no passage with the id 'p9'"),
        ("remove", ["p1", "p2", "p3"], "^an index has one passage or more"),
        ("update", [ETNA], "^the index has no passage with the id 'p4'"),
        ("remove", "p1", "^ids are given as a list"),
    ],
)
def test_what_cannot_be_done_changes_nothing(engine, verb, given, said):
    index = build(engine)
    before = dict(engine.indexes["wiki"]["documents"])
    with pytest.raises(InputError, match=said):
        getattr(index, verb)(given)
    assert engine.indexes["wiki"]["documents"] == before
    assert found(index) == found(BM25.build(RIVERS))


@pytest.mark.parametrize("call", range(10))
def test_cut_short_at_any_call_it_is_the_old_or_the_new(engine, monkeypatch, call):
    index = build(engine)
    index.add([LAKE])
    calls, real = [], engine.serve

    def cut(asked):
        if (asked.method == "POST" and "_search" in asked.path) or asked.method == "GET":
            return real(asked)
        calls.append(asked.path)
        return real(asked) if len(calls) <= call else (500, {"error": {"reason": "gone"}})

    with monkeypatch.context() as patch:
        patch.setattr(engine, "reply", cut)
        with pytest.raises(RunFailed) if call < 9 else pytest.raises(AssertionError):
            index.exchange(["p1"], [ETNA])
            raise AssertionError
    other = OpenSearchIndex(f"opensearch:{engine.url}/wiki")
    assert found(other) in (found(BM25.build([*RIVERS, LAKE])), found(BM25.build([*RIVERS[1:], LAKE, ETNA])))
    other.add([Passage("p7", "", "no volcano")])
    left = [other.get([id_])[id_] for id_ in ("p1", "p2", "p3", "p5", "p4") if other.get([id_])]
    assert found(other) == found(BM25.build([*left, Passage("p7", "", "no volcano")]))
    assert len(engine.indexes["wiki"]["documents"]) == other.count()


def test_an_index_of_somebody_else_is_not_changed(engine):
    engine.indexes["mine"] = {"name": "mine", "mapping": {"properties": {}}, "documents": {}}
    with pytest.raises(MismatchError, match=r"/mine was not made by multihop, and is not written to"):
        OpenSearchIndex(f"opensearch:{engine.url}/mine").add([ETNA])
