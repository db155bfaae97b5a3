import pytest
from json_server import JsonServer
from search_engine import SearchEngine

from multihop.base import InputError, MismatchError, RunFailed
from multihop.retrieval import BM25, OpenSearchIndex, Passage, fingerprint, open_server
from multihop.retrieval.servers.open_search_building import build_open_search

PASSAGES = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "", 'He said "no" twice, in Vienna.'),
    Passage("p/3", "Po", "The Po is the longest river of Italy, é\n and 😀."),
    Passage("p4", "Inn", "A river."),
    Passage("p5", "Inn", "A river."),
]
QUERIES = ["longest river of Italy", "Vienna", "a river", "nothing known", ""]


@pytest.fixture
def engine():
    with SearchEngine() as engine:
        yield engine


def build(engine, passages=PASSAGES, **options):
    return build_open_search(iter(passages), f"opensearch:{engine.url}/wiki", **options)


def documents(engine):
    return [document["id"] for document in engine.indexes["wiki"]["documents"].values()]


@pytest.mark.parametrize("titles", [True, False])
def test_it_finds_what_bm25_finds(engine, titles):
    made = build(engine, titles=titles)
    here = BM25.build(PASSAGES, titles=titles)
    for retriever in (made, open_server(f"elasticsearch:{engine.url}/wiki")):
        there = retriever.search(QUERIES, 2)
        assert [[hit.passage for hit in hits] for hits in there] == [
            [hit.passage for hit in hits] for hits in here.search(QUERIES, 2)
        ]
        assert there[2][0].score == pytest.approx(here.search(QUERIES, 2)[2][0].score, rel=0.2)
        assert [hit.passage.id for hit in there[2]] == ["p4", "p5"]


def test_what_a_search_sends(engine):
    build(engine)
    engine.asked.clear()
    OpenSearchIndex(f"opensearch:http://ada:x@{engine.host}/wiki").search(["Po"], 3)
    mapping, search = engine.asked
    assert (mapping.method, mapping.path) == ("GET", "/wiki/_mapping")
    assert (search.method, search.path) == ("POST", "/wiki/_msearch?search_type=dfs_query_then_fetch")
    assert search.headers["Authorization"] == "Basic YWRhOng="
    assert search.body.decode() == (
        '{}\n{"size":3,"query":{"match":{"contents":{"query":"Po"}}},"sort":["_score",{"place":"asc"}],'
        '"track_scores":true,"_source":["title","text","id"]}\n'
    )


def test_the_layout_has_our_terms(engine):
    build(engine, k1=0.9, b=0.4, shards=3)
    settings = engine.indexes["wiki"]["layout"]["settings"]
    assert settings["number_of_shards"] == 3
    assert settings["similarity"] == {"default": {"type": "BM25", "k1": 0.9, "b": 0.4}}
    assert settings["analysis"]["analyzer"]["multihop"] == {
        "type": "custom",
        "tokenizer": "words",
        "filter": ["lowercase", "stop_words", "stems"],
    }
    assert settings["analysis"]["tokenizer"]["words"] == {"type": "pattern", "pattern": r"(?U)\w\w+", "group": 0}
    assert len(settings["analysis"]["filter"]["stop_words"]["stopwords"]) == 33
    properties = engine.indexes["wiki"]["mapping"]["properties"]
    assert properties["title"] == properties["text"] == {"type": "text", "index": False, "copy_to": "contents"}
    assert properties["contents"] == {"type": "text", "analyzer": "multihop"}


def test_again_it_changes_nothing_and_another_corpus_takes_its_place(engine):
    first = fingerprint(build(engine))
    before = engine.indexes["wiki"]["mapping"]
    assert fingerprint(build(engine)) == first
    assert documents(engine) == [passage.id for passage in PASSAGES]
    assert engine.indexes["wiki"]["mapping"] == before
    assert not [asked for asked in engine.asked if asked.method == "DELETE"]
    assert fingerprint(build(engine, PASSAGES[1:3])) != first
    assert documents(engine) == ["p2", "p/3"]
    assert fingerprint(build(engine, k1=0.9)) != first
    assert [asked.path for asked in engine.asked if asked.method == "DELETE"] == ["/wiki"]
    assert first.startswith("opensearch-")


def test_one_that_was_interrupted_is_refused_and_then_finished(engine, monkeypatch):
    monkeypatch.setattr("multihop.retrieval.servers.open_search_building._BLOCK", 2)

    def cut_off():
        yield from PASSAGES[:3]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(engine, cut_off())
    assert documents(engine) == ["p1", "p2"]
    with pytest.raises(MismatchError, match=rf"^the index at {engine.url}/wiki was not built to its end; build it"):
        OpenSearchIndex(f"opensearch:{engine.url}/wiki").search(["Po"], 1)
    told = []
    build(engine, progress=told.append)
    assert told == [2, 4, 5]
    assert documents(engine) == [passage.id for passage in PASSAGES]


def test_what_finds_no_room_is_sent_again(engine, pauses):
    engine.full = 3
    build(engine)
    assert sorted(documents(engine)) == sorted(passage.id for passage in PASSAGES)
    sent = [asked.body.count(b"\n") // 2 for asked in engine.asked if asked.path == "/wiki/_bulk"]
    assert (sent, pauses) == ([5, 3], [(1, 0.0)])
    engine.full = 1000
    with pytest.raises(RunFailed, match="had no room for 5 passages, 4 times"):
        build(engine)


@pytest.mark.parametrize(
    ("passages", "options", "error", "said"),
    [
        ([], {}, InputError, "the corpus is empty"),
        ([PASSAGES[0]] * 2, {}, InputError, "holds 1 of 2 passages: ids must be unique"),
        ([Passage("x" * 513, "", "y")], {}, InputError, "passage 1 has an id of more than 512 bytes"),
        ([Passage("p", "", "refuse me")], {}, RunFailed, "passage 'p': failed to parse."),
        (["text"], {}, InputError, "passage 1 is 'text', not a Passage"),
        (PASSAGES, {"b": 2}, InputError, "b between 0 and 1"),
        (PASSAGES, {"shards": 0}, InputError, "shards at least 1"),
    ],
)
def test_what_cannot_be_indexed(engine, passages, options, error, said):
    with pytest.raises(error, match=said):
        build(engine, passages, **options)
    whole = [each["mapping"]["_meta"]["multihop"]["whole"] for each in engine.indexes.values()]
    assert not any(whole)


def make_foreign(engine):
    rows = {"1": {"heading": "Po", "body": "A river in Italy."}, "2": {"heading": None, "body": "Rivers of Italy."}}
    engine.indexes["mine"] = {"name": "mine", "mapping": {"properties": {}}, "documents": rows}
    for document in rows.values():
        document["heading"] = document["heading"] or ""


def test_an_index_of_somebody_else_is_searched_in_its_own_fields(engine):
    make_foreign(engine)
    retriever = open_server(f"opensearch:{engine.url}/mine?title=heading&text=body")
    (hits,) = retriever.search(["Po"], 5)
    assert [hit.passage for hit in hits] == [Passage("1", "Po", "A river in Italy.")]
    other = OpenSearchIndex(f"opensearch:{engine.url}/mine?text=body")
    assert fingerprint(retriever).startswith("OpenSearchIndex-")
    assert fingerprint(retriever) != fingerprint(other)


def test_an_index_of_somebody_else_is_never_written_to(engine):
    make_foreign(engine)
    with pytest.raises(MismatchError, match=r"/mine is there and was not made by multihop; choose another name"):
        build_open_search(PASSAGES, f"opensearch:{engine.url}/mine")
    assert {asked.method for asked in engine.asked} == {"GET"}


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"_shards": {"failed": 2}}, "searched only a part of the index (2 shards failed); ask again."),
        ({"timed_out": True}, "searched only a part of the index (0 shards failed); ask again."),
        ({"error": "boom"}, ": boom."),
        ({"hits": {}}, "answered a search without 'hits'"),
        ({"hits": {"hits": [5]}}, "returned the int 5 as a hit"),
        ({"hits": {"hits": [{"_id": "1", "_source": {}}]}}, "returned the dict"),
    ],
)
def test_a_part_of_a_ranking_is_no_ranking(engine, broken, said):
    retriever = build(engine)
    engine.broken = broken
    with pytest.raises(RunFailed) as failed:
        retriever.search(["Po"], 1)
    assert said in str(failed.value)


def test_what_the_engine_refuses_is_one_sentence(engine):
    with pytest.raises(RunFailed, match=r"/nowhere/_mapping answered 404 Not Found: no such index \[nowhere\]\.$"):
        open_server(f"opensearch:{engine.url}/nowhere").search(["a"], 1)
    with pytest.raises(RunFailed, match=r"/_msearch: Result window is too large\.$"):
        build(engine).search(["a"], 10_001)
    with JsonServer(lambda asked: {}) as other, pytest.raises(RunFailed, match="is it OpenSearch or Elasticsearch"):
        open_server(f"opensearch:{other.url}/wiki").search(["a"], 1)


@pytest.mark.parametrize("path", ["", "/", "/a/b"])
def test_an_address_names_an_index(path):
    with pytest.raises(InputError, match="names no index; write it like opensearch:https://localhost:9200/INDEX"):
        open_server(f"opensearch:http://ada:x@h{path}")
    with pytest.raises(InputError, match="size=...: only the fields title= and text="):
        open_server("opensearch:http://h/wiki?size=5")
