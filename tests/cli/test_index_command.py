"""`index`: an index is built of every kind and asked, on a server too, and follows what is added or removed."""

import pytest
import ujson
from search_engine import SearchEngine
from small_corpus import ROWS
from tiny_colbert import write_tiny_colbert
from tiny_sentences import write_tiny_sentences

from multihop.retrieval import BM25, Passage, open_index
from multihop.retrieval.index_folder import read_manifest

RIVERS = [Passage("a", "Po", "A river of Italy."), Passage("b", "Inn", "A river.")]
ETNA = Passage("c", "Etna", "A volcano of Italy.")


def found_first(run, question, *options):
    """The passages that `ask` answers from, the best first."""
    code, out, err = run("ask", question, "--lm", "local", "--json", *options)
    assert code == 0, err
    return [passage["id"] for passage in ujson.loads(out)["passages"]]


@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_an_index_of_meanings_is_built_and_asked(run, corpus, tmp_path, kind):
    code, out, err = run("index", corpus, "--retriever", kind, "--to", tmp_path / "index")
    assert (code, err) == (0, "")
    assert f"indexed {len(ROWS)} passages in {tmp_path / 'index'} (fingerprint {kind}-" in out
    assert found_first(run, "When was Jerzy Kowal born?", "--corpus", tmp_path / "index")[0] == "p2"


def test_an_index_of_named_fields_without_the_bad_records(run, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("pid,heading,body\np2,Jerzy Kowal,Jerzy Kowal was born in Torun in 1922.\np3,,\n")
    fields = ("--field", "id=pid", "--field", "title=heading", "--field", "text=body", "--skip-bad", 1)
    code, out, said = run("index", path, *fields, "--to", tmp_path / "index")
    assert (code, "indexed 1 passage " in out) == (0, True)
    assert f"multihop: {path}: 1 bad record was left out: {path}, line 3: neither title nor text" in said
    assert run("index", path, *fields, "--to", tmp_path / "other", "--quiet")[2] == ""
    assert found_first(run, "When was Jerzy Kowal born?", "--corpus", path, *fields) == ["p2"]


def test_an_index_on_a_server_is_filled_and_asked(run, corpus):
    with SearchEngine() as engine:
        place = f"opensearch:http://ada:secret@{engine.host}/wiki"
        for _ in range(2):
            code, out, err = run("index", corpus, "--to", place, "--shards", 3, "--k1", 0.9)
            assert (code, err) == (0, "")
            assert out.startswith(f"indexed the passages in opensearch:{engine.url}/wiki (fingerprint opensearch-")
        ((_, index),) = engine.indexes.items()
        assert len(index["documents"]) == 3
        assert found_first(run, "Where is Torun?", "--corpus", place)[0] == "p3"


@pytest.mark.extra("encoders")
@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_an_index_by_a_sentence_encoder(kind, run, corpus, tmp_path):
    made = ("index", corpus, "--retriever", kind, "--to", tmp_path / "index", "--encoder")
    code, _, err = run(*made, tmp_path / "nowhere")
    assert (code, "nowhere holds no encoder: it is neither a folder nor" in err) == (2, True)
    folder = write_tiny_sentences(tmp_path / "e5")
    code, _, err = run(*made, folder, "--query-prefix", "query: ", "--passage-prefix", "passage: ")
    assert (code, err) == (0, "")
    prefixes = {"query_prefix": "query: ", "passage_prefix": "passage: "}
    assert read_manifest(tmp_path / "index").encoder_options == prefixes
    assert len(found_first(run, "Where is Torun?", "--corpus", tmp_path / "index")) == 3


@pytest.mark.extra("colbert")
def test_a_colbert_index_is_built_asked_and_orders_the_hits_of_another(run, corpus, tmp_path):
    checkpoint = write_tiny_colbert(tmp_path / "tiny")
    late = ("--retriever", "colbert", "--checkpoint", checkpoint)
    code, out, err = run("index", corpus, *late, "--to", tmp_path / "index")
    assert (code, err) == (0, "")
    assert f"indexed 3 passages in {tmp_path / 'index'} (fingerprint colbert-" in out
    assert found_first(run, "Where is Torun?", "--corpus", tmp_path / "index")[0] == "p3"
    born = "When was Jerzy Kowal born?"
    assert found_first(run, born, "--corpus", corpus, "--set", "k=3", "--rerank-with", checkpoint)[0] == "p2"


@pytest.fixture
def index(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    BM25.build(RIVERS, folder="index")
    (tmp_path / "new.jsonl").write_text(ujson.dumps(ETNA._asdict()) + "\n")
    return tmp_path / "index"


def test_passages_come_and_go(index, run):
    added = BM25.build([*RIVERS, ETNA])
    told = f"index has 3 passages, and had 2 (fingerprint {added.fingerprint})\n"
    assert run("index", "add", "index", "new.jsonl") == (0, told, "")
    left = BM25.build([RIVERS[1], ETNA])
    told = {"index": "index", "passages": 2, "before": 3, "fingerprint": left.fingerprint}
    assert ujson.loads(run("index", "remove", "index", "a", "--json")[1]) == told
    assert run("index", "update", "index", "new.jsonl")[0] == 0
    assert "name a file of paragraphs after the index" in run("index", "add", "index")[2]
    assert open_index(index).search(["Italy"], 3) == left.search(["Italy"], 3)


def test_an_index_follows_a_folder_of_documents(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/po.md").write_text("# Po\nA river of Italy.")
    (tmp_path / "docs/x.png").write_text("")
    _, out, err = run("index", "docs", "--to", "index")
    assert out.startswith("indexed 1 passage in index (fingerprint bm25-")
    assert out.endswith("); documents: 1 added, 0 changed, 0 removed\n")
    assert err == "multihop: left out 1 file of other kinds or linked: x.png\n"
    (tmp_path / "docs/inn.txt").write_text("A river of Tyrol.")
    told = ujson.loads(run("index", "docs", "--to", "index", "--json")[1])
    assert (told["passages"], told["added"], told["changed"], told["removed"]) == (2, ["inn.txt"], [], [])
    code, _, err = run("index", "remove", "index", "inn.txt#1")
    assert (code, "index follows a folder of documents: change those" in err) == (2, True)
