import pytest
import ujson
from json_server import JsonServer
from small_corpus import ROWS

from multihop.retrieval import BM25, Passage

pytestmark = pytest.mark.usefixtures("tiny_encoder")

INDEX = BM25.build([Passage(row["id"], row["title"], row["text"]) for row in ROWS])


def reply(asked):
    if asked.method == "GET":
        return {"fingerprint": INDEX.fingerprint}
    rankings = INDEX.search(asked.json["queries"], asked.json["topk"])
    return {"result": [[{"document": hit.passage._asdict(), "score": hit.score} for hit in hits] for hits in rankings]}


@pytest.fixture
def server():
    with JsonServer(reply) as server:
        yield server


@pytest.fixture
def questions(tmp_path):
    asked = [("q1", "When was Jerzy Kowal born?", "1922"), ("q2", "On which river is Torun?", "Vistula")]
    rows = [{"id": name, "question": question, "answer": answer} for name, question, answer in asked]
    (tmp_path / "dev.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in rows))
    return tmp_path / "dev.jsonl"


def test_a_run_over_a_server_goes_on_over_its_index(run, server, questions, corpus, tmp_path):
    def evaluate(place, limit):
        options = ("--questions", questions, "--lm", "local", "--limit", limit, "--out", tmp_path / "run")
        return run("evaluate", "one-step", "--corpus", place, *options)

    code, _, err = evaluate(f"http://ada:secret@{server.host}", 1)
    assert code == 0
    assert "secret" not in err
    assert run("index", corpus, "--to", tmp_path / "index")[0] == 0
    assert evaluate(tmp_path / "index", 2)[0] == 0
    rows = [ujson.loads(line) for line in (tmp_path / "run" / "questions.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert not [path for path in (tmp_path / "run").rglob("*") if path.is_file() and "secret" in path.read_text()]


def test_a_compiled_program_remembers_the_corpus_and_not_the_address(run, server, questions, corpus, tmp_path):
    address = f"http://ada:secret@{server.host}"
    sets = ("--train", questions, "--dev", questions, "--variants", "zero-shot", "--lm", "local")
    saved = tmp_path / "p.json"
    code, _, err = run("compile", "one-step", *sets, "--corpus", address, "--to", saved)
    assert code == 0, err
    assert server.host not in saved.read_text()
    assert "secret" not in saved.read_text()
    code, _, err = run("ask", "When was Jerzy Kowal born?", "--program", saved)
    assert code == 2
    assert "names no corpus" in err
    for place in (address, corpus):
        code, out, err = run("ask", "When was Jerzy Kowal born?", "--program", saved, "--corpus", place, "--json")
        assert (code, err) == (0, "")
        assert ujson.loads(out)["passages"][0]["id"] == "p2"


def test_references_need_all_passages_which_a_server_does_not_give(run, server, questions, tmp_path):
    place = f"http://ada:secret@{server.host}"
    code, _, err = run(
        "evaluate", "one-step", "--questions", questions, "--corpus", place, "--lm", "local", "--references",
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert code == 2
    assert f"{server.url} is a server, which does not give all its passages" in err
    assert "secret" not in err


def test_a_server_that_is_down_ends_a_run_before_it_begins(run, questions, tmp_path):
    with JsonServer(reply) as server:
        url = server.url
    options = ("--questions", questions, "--lm", "local", "--out", tmp_path / "run")
    code, _, err = run("evaluate", "one-step", "--corpus", url, *options)
    assert code == 1
    assert f"{url}/healthz cannot be reached" in err
