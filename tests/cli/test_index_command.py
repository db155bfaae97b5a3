import pytest
import ujson
from search_engine import SearchEngine
from small_corpus import ROWS
from tiny_sentences import write_tiny_sentences

from multihop.retrieval.index_folder import read_manifest


@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_an_index_of_meanings_is_built_and_asked(run, corpus, tmp_path, kind):
    code, out, err = run("index", corpus, "--retriever", kind, "--to", tmp_path / "index")
    assert (code, err) == (0, "")
    assert f"indexed {len(ROWS)} passages" in out
    code, out, _ = run("ask", "When was Jerzy Kowal born?", "--corpus", tmp_path / "index", "--program", "ranked-rag")
    assert code == 0
    assert "→ 1922" in out
    assert "label" in out


def test_an_index_of_named_fields_without_the_bad_records(run, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("pid,heading,body\np2,Jerzy Kowal,Jerzy Kowal was born in Torun in 1922.\np3,,\n")
    fields = ("--field", "id=pid", "--field", "title=heading", "--field", "text=body")
    code, out, said = run("index", path, *fields, "--skip-bad", 1, "--to", tmp_path / "index")
    assert code == 0
    assert "indexed 1 passage " in out
    assert f"multihop: {path}: 1 bad record was left out: {path}, line 3: neither title nor text" in said
    code, out, said = run("ask", "When was Jerzy Kowal born?", "--corpus", path, *fields, "--skip-bad", 1, "--json")
    assert code == 0
    assert ujson.loads(out)["answer"] == "1922"
    assert "1 bad record was left out" in said


def test_an_index_on_a_server_is_filled_and_asked(run, corpus):
    with SearchEngine() as engine:
        place = f"opensearch:http://ada:secret@{engine.host}/wiki"
        for _ in range(2):
            code, out, err = run("index", corpus, "--to", place, "--shards", 3, "--k1", 0.9)
            assert (code, err) == (0, "")
            assert out.startswith(f"indexed the passages in opensearch:{engine.url}/wiki (fingerprint opensearch-")
        ((_, index),) = engine.indexes.items()
        assert len(index["documents"]) == 3
        code, out, _ = run("ask", "Where is Torun?", "--corpus", place, "--json")
    assert code == 0
    assert ujson.loads(out)["passages"][0]["id"] == "p3"
    assert "secret" not in out


@pytest.mark.extra("encoders")
@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_an_index_by_a_sentence_encoder(kind, run, corpus, tmp_path):
    made = ("index", corpus, "--retriever", kind, "--to", tmp_path / "index", "--encoder")
    code, _, err = run(*made, tmp_path / "nowhere")
    assert (code, "nowhere holds no encoder: it is neither a folder nor" in err) == (2, True)
    folder = write_tiny_sentences(tmp_path / "e5")
    code, _, err = run(*made, folder, "--query-prefix", "query: ", "--passage-prefix", "passage: ")
    assert (code, err) == (0, "")
    assert read_manifest(tmp_path / "index").encoder_options == {
        "query_prefix": "query: ",
        "passage_prefix": "passage: ",
    }
    code, out, _ = run("ask", "Where is Torun?", "--corpus", tmp_path / "index", "--json")
    assert code == 0
    assert len(ujson.loads(out)["passages"]) == 3
