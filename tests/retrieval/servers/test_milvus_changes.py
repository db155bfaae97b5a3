"""Passages come and go in a collection of Milvus."""

import pytest
from living import ETNA, RIVERS

from multihop.base import InputError
from multihop.retrieval import BM25, Dense, Hybrid, Milvus, Passage
from multihop.retrieval.servers import milvus_changes, server_changes
from multihop.retrieval.servers.milvus_calls import MilvusCalls
from multihop.retrieval.servers.milvus_terms import TermNote

pytest.importorskip("pymilvus")
pytest.importorskip("milvus_lite")

KINDS = {"bm25": BM25, "dense": Dense, "hybrid": Hybrid}
LAKE = Passage("p5", "Garda", 'A lake in Italy, "no" river.')
QUERIES = ["a river in Italy", "the Danube", "volcano lake", "no river no", "", "unheard"]


@pytest.fixture
def address(tmp_path):
    return f"milvus:{tmp_path}/x.db#wiki"


def expected(kind, left):
    return KINDS[kind].build(left) if kind == "bm25" else KINDS[kind].build(left, one_vector=True)


def found(retriever, k=5):
    return [
        [(hit.passage, pytest.approx(hit.score, abs=1e-5)) for hit in hits] for hits in retriever.search(QUERIES, k)
    ]


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize(("kind", "at_once"), [("bm25", 1), ("bm25", 4000), ("dense", 4000), ("hybrid", 4000)])
def test_after_every_change_it_ranks_as_one_built_anew(address, monkeypatch, kind, at_once):
    monkeypatch.setattr(server_changes, "AT_ONCE", at_once)
    index, known = Milvus.build(RIVERS, address, retriever=kind), set()
    other = Milvus.open(address)
    for verb, given, left in [
        ("add", [ETNA, LAKE], [*RIVERS, ETNA, LAKE]),
        ("update", [RIVERS[0]._replace(text="River.")], [*RIVERS[1:], ETNA, LAKE, RIVERS[0]._replace(text="River.")]),
        ("remove", ["p2", "p4"], [RIVERS[2], LAKE, RIVERS[0]._replace(text="River.")]),
        ("add", [RIVERS[1]], [RIVERS[2], LAKE, RIVERS[0]._replace(text="River."), RIVERS[1]]),
    ]:
        known.add(index.fingerprint)
        getattr(index, verb)(given)
        anew = expected(kind, left)
        assert found(index) == found(anew)
        assert len(index) == len(left)
        assert index.get([each.id for each in left]) == {each.id: each for each in left}
        assert other.reload() is True
        assert found(other) == found(index)
        assert other.fingerprint == index.fingerprint not in known
    index.compact()
    assert found(Milvus.open(address)) == found(anew)


def test_hits_and_scores_are_those_of_bm25_to_the_last_bit_where_more_are_asked_for_until_it_is_sure(address):
    towns = [Passage(f"p{n}", "", " ".join(["town"] * (1 + n % 3) + ["river"] * (n % 5))) for n in range(200)]
    index = Milvus.build(towns[:150], address)
    long = [Passage(f"q{n}", "", "river " + "hill " * 60) for n in range(30)]
    index.exchange([f"p{n}" for n in range(0, 150, 7)], [*towns[150:], *long])
    left = [each for n, each in enumerate(towns[:150]) if n % 7] + towns[150:] + long
    anew = BM25.build(left)
    for k in (1, 3, 10):
        for query in ("river", "town river", "hill town", "river river town"):
            scores = [hit.score for hit in anew.search([query], k)[0]]
            assert [hit.score for hit in index.search([query], k)[0]] == scores


@pytest.mark.parametrize(
    ("verb", "given", "said"),
    [
        ("add", [ETNA, RIVERS[0]], "^the index has a passage with the id 'p1' already"),
        ("add", [Passage("p7", "", "é" * 40_000)], "the text of passage 1 .* has 80,000 bytes"),
        ("remove", ["p9"], "^the index has no passage with the id 'p9'"),
        ("remove", ["p1", "p2", "p3"], "^an index has one passage or more"),
        ("remove", [1], "^1 is no id"),
    ],
)
def test_what_cannot_be_done_changes_nothing(address, verb, given, said):
    index = Milvus.build(RIVERS, address)
    with pytest.raises(InputError, match=said):
        getattr(index, verb)(given)
    assert found(index) == found(BM25.build(RIVERS))
    assert index._about.get("changes") is None


class Cut(Exception):
    """The end of the process."""


def test_cut_short_at_any_call_it_is_the_old_or_the_new(address, monkeypatch):
    Milvus.build(RIVERS, address).add([LAKE])
    old, real, outcomes = [*RIVERS, LAKE], MilvusCalls.ask, set()
    for last in range(30):
        calls = []

        def cut(self, call, *arguments, calls=calls, last=last, **options):
            calls.append(call)
            if len(calls) > last and call in ("upsert", "delete", "flush"):
                raise Cut
            return real(self, call, *arguments, **options)

        index = Milvus.open(address)
        with monkeypatch.context() as patch:
            patch.setattr(MilvusCalls, "ask", cut)
            try:
                index.exchange(["p1"], [ETNA])
                outcomes.add("whole")
            except Cut:
                outcomes.add("cut")
        index = Milvus.open(address)
        new = [*RIVERS[1:], LAKE, ETNA]
        is_new = len(index.get(["p4"])) == 1
        outcomes.add(is_new)
        assert found(index) == found(BM25.build(new if is_new else old))
        volcano = Passage("p7", "", "no volcano, no river in Italy")
        index.add([volcano])
        assert found(Milvus.open(address)) == found(BM25.build([*(new if is_new else old), volcano]))
        index.remove(["p7"])
        if is_new:
            index.remove(["p4"])
            index.exchange(["p2", "p3", "p5"], old)
        if "whole" in outcomes:
            break
    assert outcomes == {"whole", "cut", True, False}


def test_a_collection_of_an_earlier_version_takes_no_changes(address):
    index = Milvus.build(RIVERS, address)
    about = {name: value for name, value in index._about.items() if "length" not in name}
    index._notes.write_about(about)
    with pytest.raises(InputError, match="was built by an earlier version of multihop and takes no changes; build it"):
        Milvus.open(address).add([ETNA])


def test_notes_of_terms_are_read_as_they_are_written():
    for note in (TermNote(3, 5, 5), TermNote(3, 5, 6, 2, 5)):
        assert TermNote.read(note.write()) == note
    assert (TermNote(3, 5, 6, 2, 5).at(1), TermNote(3, 5, 6, 2, 5).at(2)) == (5, 6)
    assert milvus_changes.seen_filter({}) == ""
