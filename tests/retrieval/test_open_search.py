import pickle
import sys

import pytest
from json_server import JsonServer
from search_engine import SearchEngine

from multihop.base import InputError, MismatchError, MissingExtraError, RunFailed
from multihop.retrieval import BM25, OpenSearchIndex, Passage, fingerprint, open_server
from multihop.retrieval.open_search import build_open_search

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


def ids(rankings):
    return [[hit.passage.id for hit in hits] for hits in rankings]


def test_words_find_what_bm25_finds(engine):
    made, here = build(engine), BM25.build(PASSAGES)
    for retriever in (made, open_server(f"opensearch:{engine.url}/wiki"), pickle.loads(pickle.dumps(made))):
        there = retriever.search(QUERIES, 2)
        assert ids(there) == ids(here.search(QUERIES, 2))
        assert there[0][0].passage == PASSAGES[2]
        retriever.close()


def test_what_a_search_sends(engine, monkeypatch):
    build(engine, k1=0.9, b=0.4, shards=3, titles=False)
    ((name, index),) = engine.indexes.items()
    assert name.startswith("wiki-")
    similarity = {"default": {"type": "BM25", "k1": 0.9, "b": 0.4}}
    assert index["settings"] == {"number_of_shards": 3, "similarity": similarity}
    assert [*index["mappings"]["properties"].items()] == [
        ("title", {"type": "text", "index": False}),
        ("text", {"type": "text", "index": False, "copy_to": "contents"}),
        ("contents", {"type": "text", "analyzer": "english"}),
    ]
    engine.asked.clear()
    monkeypatch.setenv("OPENSEARCH_USERNAME", "ada")
    monkeypatch.setenv("OPENSEARCH_PASSWORD", "x")
    OpenSearchIndex(f"opensearch:{engine.url}/wiki").search(["Po"], 3)
    OpenSearchIndex(f"opensearch:http://bob:y@{engine.host}/wiki", headers={"X-Key": "k"}).search(["Po"], 3)
    mapping, search, _, other = engine.asked
    assert (mapping.method, mapping.path) == ("GET", "/wiki/_mapping")
    assert (search.method, search.path) == ("POST", "/wiki/_msearch?search_type=dfs_query_then_fetch")
    assert search.body.decode() == (
        '{}\n{"size":3,"query":{"match":{"contents":{"query":"Po"}}},"_source":["title","text"]}\n'
    )
    sent = [{name.lower(): value for name, value in asked.headers.items()} for asked in (search, other)]
    assert [each["authorization"] for each in sent] == ["Basic YWRhOng=", "Basic Ym9iOnk="]
    assert sent[1]["x-key"] == "k"


def test_again_it_is_the_same_and_another_corpus_takes_its_place_at_once(engine):
    first = fingerprint(build(engine))
    assert first.startswith("opensearch-")
    assert fingerprint(build(engine)) == first
    others = [fingerprint(build(engine, PASSAGES[1:3])), fingerprint(build(engine, PASSAGES[1:3], k1=0.9))]
    assert len({first, *others}) == 3
    ((name, index),) = engine.indexes.items()  # those before it are deleted
    assert [*index["documents"]] == ["p2", "p/3"]
    assert engine.aliases == {"wiki": [name]}


def test_what_finds_no_room_is_sent_again(engine, monkeypatch):
    waited, told = [], []
    monkeypatch.setattr("time.sleep", lambda pause: pause < 1 or waited.append(pause))  # other threads sleep, too
    engine.full = 3
    build(engine, progress=told.append)
    ((_, index),) = engine.indexes.items()
    assert sorted(index["documents"]) == sorted(passage.id for passage in PASSAGES)
    sent = [asked.body.count(b"\n") // 2 for asked in engine.asked if asked.path == "/_bulk"]
    assert (sent, waited, told) == ([5, 3], [2], [5])


@pytest.mark.parametrize(
    ("passages", "options", "error", "said"),
    [
        ([], {}, InputError, "the corpus is empty"),
        ([PASSAGES[0]] * 2, {}, InputError, "took 1 of 2 passages: ids must be unique"),
        ([Passage("x" * 513, "", "y")], {}, RunFailed, "passage 'x+': id is too long, must be no longer than 512"),
        (PASSAGES, {"b": 2}, InputError, "b between 0 and 1"),
        (PASSAGES, {"shards": 0}, InputError, "shards at least 1"),
    ],
)
def test_what_cannot_be_indexed_leaves_the_old_index(engine, passages, options, error, said):
    old = build(engine, PASSAGES[:3])
    with pytest.raises(error, match=said):
        build(engine, passages, **options)
    assert len(engine.indexes) == 1
    assert ids(old.search(["Danube"], 1)) == [["p1"]]


def make_foreign(engine, meta=None):
    rows = {"1": {"heading": "Po", "body": "A river in Italy."}, "2": {"body": "Rivers of Italy."}}
    mappings = {"properties": {}, **({"_meta": meta} if meta else {})}
    engine.indexes["mine"] = {"settings": {}, "mappings": mappings, "documents": rows}
    return f"opensearch:{engine.url}/mine"


def test_an_index_of_an_earlier_version_is_built_again(engine):
    place = make_foreign(engine, {"multihop": {"layout": 2, "ranked_by": "dense"}})
    with pytest.raises(MismatchError, match="/mine was not built by this version of multihop; build it again"):
        open_server(place).search(["a"], 1)
    assert ids(build_open_search(PASSAGES, place).search(["Danube"], 1)) == [["p1"]]


def test_an_index_of_somebody_else_is_searched_in_its_own_fields_and_never_written_to(engine):
    place = make_foreign(engine)
    retriever = open_server(f"{place}?title=heading&text=body")
    (hits,) = retriever.search(["Italy"], 5)
    assert [hit.passage for hit in hits] == [
        Passage("2", "", "Rivers of Italy."),
        Passage("1", "Po", "A river in Italy."),
    ]
    assert fingerprint(retriever).startswith("OpenSearchIndex-")
    assert fingerprint(retriever) != fingerprint(OpenSearchIndex(f"{place}?text=body"))
    with pytest.raises(RunFailed, match="without hits that have the fields heading and text; name its own"):
        open_server(f"{place}?title=heading").search(["Po"], 1)
    with pytest.raises(MismatchError, match=r"/mine is there and was not made by multihop; choose another name"):
        build_open_search(PASSAGES, place)
    assert not [asked for asked in engine.asked if asked.method in ("PUT", "DELETE")]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"_shards": {"failed": 2}}, "searched only a part of the index; ask again."),
        ({"error": "boom"}, "refused a search: boom."),
        ({"hits": {}}, "answered a search without hits that have"),
    ],
)
def test_a_part_of_a_ranking_is_no_ranking(engine, broken, said):
    retriever = build(engine)
    engine.broken = broken
    with pytest.raises(RunFailed, match=said):
        retriever.search(["Po"], 1)


def test_what_the_server_refuses_is_one_sentence(engine, capsys):
    with pytest.raises(RunFailed, match=r"/nowhere answered 404: no such index \[nowhere\]\.$"):
        open_server(f"opensearch:{engine.url}/nowhere").search(["a"], 1)
    with pytest.raises(RunFailed, match=r"/Wiki answered 400: Invalid index name \[Wiki-\w+\]\.$"):
        build_open_search(PASSAGES, f"opensearch:{engine.url}/Wiki")
    with pytest.raises(RunFailed, match=r"/wiki refused a search: Result window is too large"):
        build(engine).search(["a"], 10_001)
    with JsonServer(lambda asked: {}) as other, pytest.raises(RunFailed, match="is it OpenSearch"):
        open_server(f"opensearch:{other.url}/wiki").search(["a"], 1)
    gone = f"opensearch:http://ada:secret@{other.host}/wiki"
    with pytest.raises(RunFailed, match=r"/wiki cannot be reached \(.*refused\); is the server running there\?$") as it:
        open_server(gone).search(["a"], 1)
    assert "secret" not in str(it.value)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("path", ["", "/", "/a/b"])
def test_an_address_names_an_index(path):
    with pytest.raises(InputError, match="names no index; write it like opensearch:https://localhost:9200/INDEX"):
        open_server(f"opensearch:http://ada:x@h{path}")
    with pytest.raises(InputError, match="size=...: only the fields title= and text="):
        open_server("opensearch:http://h/wiki?size=5")


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "opensearchpy", None)
    with pytest.raises(MissingExtraError, match=r"needs the extra \[opensearch\]"):
        open_server("opensearch:http://h/wiki").search(["a"], 1)
