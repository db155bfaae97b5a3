import pytest
import ujson
from small_corpus import ROWS


@pytest.mark.usefixtures("tiny_encoder")
def test_index_then_ask(run, corpus, tmp_path):
    code, out, _ = run("index", corpus, "--to", tmp_path / "index")
    assert code == 0
    assert "indexed 3 passages" in out
    code, out, _ = run("ask", "Where is Torun?", "--corpus", tmp_path / "index", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"][0]["id"] == "p3"


@pytest.mark.parametrize("kind", ["dense", "hybrid"])
def test_an_index_of_meanings_is_built_and_asked(run, corpus, tmp_path, kind):
    code, out, err = run("index", corpus, "--retriever", kind, "--to", tmp_path / "index")
    assert (code, err) == (0, "")
    assert f"indexed {len(ROWS)} passages" in out
    code, out, _ = run("ask", "When was Jerzy Kowal born?", "--corpus", tmp_path / "index", "--program", "efficientrag")
    assert code == 0
    assert "→ 1922" in out
    assert "label" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rerank", "5"], "a bm25 index takes no --rerank; it takes --k1, --b."),
        (["--retriever", "dense", "--k1", "1"], "a dense index takes no --k1; it takes --weights."),
        (["--retriever", "dense", "--weights", "nowhere"], "holds no encoder"),
    ],
)
def test_an_index_takes_the_options_of_its_kind(run, corpus, tmp_path, options, said):
    code, _, err = run("index", corpus, "--to", tmp_path / "index", *options)
    assert code == 2
    assert said in err
    assert not (tmp_path / "index").exists()


def test_an_index_of_named_fields_without_the_bad_records(run, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("pid,heading,body\np2,Jerzy Kowal,Jerzy Kowal was born in Torun in 1922.\np3,,\n")
    fields = ("--field", "id=pid", "--field", "title=heading", "--field", "text=body")
    code, out, said = run("index", path, *fields, "--skip-bad", 1, "--to", tmp_path / "index")
    assert code == 0
    assert "indexed 1 passages" in out
    assert f"multihop: {path}: 1 bad record was left out: {path}, line 3: neither title nor text" in said
    code, out, said = run("ask", "When was Jerzy Kowal born?", "--corpus", path, *fields, "--skip-bad", 1, "--json")
    assert code == 0
    assert ujson.loads(out)["answer"] == "1922"
    assert "1 bad record was left out" in said


def test_the_home_folder_where_the_shell_leaves_it(run, tmp_path, corpus, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("index", "~/corpus.jsonl", "--to=~/index")[0] == 0
    assert (tmp_path / "index" / "index.json").is_file()
    code, out, _ = run("ask", "Where is Torun?", "--corpus=~/index", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"][0]["id"] == "p3"
