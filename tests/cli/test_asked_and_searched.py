"""What `evaluate` and `compile` ask and search: what is named, lies beside the questions, or is on a server."""

import json

import pytest
import ujson
from small_corpus import ROWS
from web_service import web_index

from multihop.evaluation.journal import read_header
from multihop.retrieval import BM25, Passage

pytestmark = pytest.mark.usefixtures("tiny_encoder")
QUESTION = "When was Jerzy Kowal born?"
ONE = ("--lm", "local", "--variants", "zero-shot")


def test_the_little_encyclopedia_is_asked_and_that_is_said_first(run, tmp_path):
    code, _, err = run("evaluate", "one-step", "--limit", 3, "--out", tmp_path / "run")
    told = "multihop: no --questions, so 3 of 40 questions of the little encyclopedia are asked."
    assert (code, err.splitlines()[0]) == (0, told)
    assert read_header(tmp_path / "run")["source"] == "little"


def test_compile_takes_its_two_splits_or_halves_the_training_questions(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    some = ("--train-limit", 4, "--dev-limit", 3)
    code, out, err = run("compile", "one-step", *ONE, *some, "--to", "~/one.json")
    told = "multihop: no --train, so 4 questions of the little encyclopedia are learned from, and 3 others decide."
    assert (code, err.splitlines()[0]) == (0, told)
    assert f"no answer of any variant is right: multihop view {tmp_path}/one.json shows them\n" in out
    assert "multihop: the built-in LM reads no demonstrations and no instructions: " in err
    assert "expects about 3 LM calls\nzero-shot: the program as it is\nzero-shot: scoring on 3 dev questions\n" in err
    assert ujson.loads((tmp_path / "one.json").read_text())["metadata"]["multihop"]["corpus"] == "little"
    to = tmp_path / "half.json"
    assert run("compile", "one-step", *ONE, "--train", "little:dev", "--to", to)[0] == 0
    assert ujson.loads(to.read_text())["metadata"]["multihop"]["about"]["dev"]["questions"] == 8


def test_an_interrupted_compilation_says_what_it_keeps(run, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("multihop.optimize.compile_variants", interrupted)
    code, _, err = run("compile", "mzqa", "--lm", "local", "--to", tmp_path / "made")
    kept = f"{tmp_path}/made.work keeps what is compiled and what is answered"
    assert (code, f"interrupted; {kept}, the same command goes on." in err) == (130, True)


def test_questions_with_paragraphs_are_their_own_corpus(run, tmp_path):
    path = tmp_path / "own.jsonl"
    paragraphs = [{"title": row["title"], "text": row["text"]} for row in ROWS]
    own = {"id": "q1", "prompt": QUESTION, "answers": ["1922"], "paragraphs": paragraphs}
    path.write_text(ujson.dumps(own) + "\n{}\n")
    given = ("-q", path, "--field", "question=prompt", "--skip-bad", 1, "--lm", "local")
    code, _, said = run("evaluate", "one-step", *given, "--out", tmp_path / "run")
    assert code == 0
    assert f"multihop: no --corpus, so the own paragraphs of the questions in {path} are searched.\n" in said
    assert f"multihop: {path}: 1 bad record was left out: {path}, line 2: no field" in said
    row = ujson.loads((tmp_path / "run" / "questions.jsonl").read_text())
    assert row["passages"][0][0].startswith("Jerzy Kowal#")


def test_the_corpus_that_lies_beside_its_questions_is_searched(run, tmp_path):
    folder = tmp_path / "set"
    folder.mkdir()
    corpus = [{"title": each["title"], "text": each["text"]} for each in ROWS]
    contexts = [{**corpus[1], "is_supporting": True}]
    asked = {"id": "q1", "question": QUESTION, "reference": ["1922"], "contexts": contexts}
    (folder / "kowal_corpus.json").write_text(json.dumps(corpus))
    (folder / "kowal.json").write_text(json.dumps([asked]))
    command = ("evaluate", "one-step", "--lm", "local", "--json", "-q", folder, "--out", tmp_path / "run")
    code, out, err = run(*command)
    assert code == 0, err
    assert f"no --corpus, so the one in {folder} is searched." in err
    assert json.loads(out)["one-step"]["metrics"]["recall@5"]["mean"] == 1.0


@pytest.fixture
def server():
    with web_index(BM25.build([Passage(**row) for row in ROWS])) as web:
        yield web


@pytest.fixture
def questions(tmp_path):
    asked = [("q1", QUESTION, "1922"), ("q2", "On which river is Torun?", "Vistula")]
    rows = [{"id": name, "question": question, "answer": answer} for name, question, answer in asked]
    (tmp_path / "dev.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in rows))
    return tmp_path / "dev.jsonl"


def test_a_run_over_a_server_goes_on_over_its_index(run, server, questions, corpus, tmp_path):
    def evaluate(place, *options):
        given = ("--questions", questions, "--lm", "local", "--out", tmp_path / "run", *options)
        return run("evaluate", "one-step", "--corpus", place, *given)

    place = server.url.replace("http://", "http://ada:secret@")
    code, _, err = evaluate(place, "--references")
    assert (code, "secret" in err) == (2, False)
    assert f"{server.url} is a server, which does not give all its passages" in err
    code, _, err = evaluate(place, "--limit", 1)
    assert (code, "secret" in err) == (0, False)
    assert run("index", corpus, "--to", tmp_path / "index")[0] == 0
    assert evaluate(tmp_path / "index", "--limit", 2)[0] == 0
    rows = [ujson.loads(line) for line in (tmp_path / "run" / "questions.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert not [path for path in (tmp_path / "run").rglob("*") if path.is_file() and "secret" in path.read_text()]


def test_a_compiled_program_remembers_the_corpus_and_not_the_address(run, server, questions, corpus, tmp_path):
    address, saved = server.url.replace("http://", "http://ada:secret@"), tmp_path / "p.json"
    sets = ("--train", questions, "--dev", questions)
    code, _, err = run("compile", "one-step", *sets, *ONE, "--corpus", address, "--to", saved)
    assert code == 0, err
    assert server.url.removeprefix("http://") not in saved.read_text()
    assert "secret" not in saved.read_text()
    code, _, err = run("ask", QUESTION, "--program", saved)
    assert (code, "names no corpus" in err) == (2, True)
    for place in (address, corpus):
        code, out, err = run("ask", QUESTION, "--program", saved, "--corpus", place, "--json")
        assert (code, err, ujson.loads(out)["passages"][0]["id"]) == (0, "", "p2")
