import time
from pathlib import Path

import nursery
import pytest
import ujson
from tiny_colbert import write_tiny_colbert

from multihop.retrieval import is_index

pytestmark = pytest.mark.extra("colbert")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return write_tiny_colbert(tmp_path_factory.mktemp("late") / "tiny")


@pytest.fixture
def index(run, corpus, checkpoint, tmp_path):
    code, out, err = run(
        "index", corpus, "--retriever", "colbert", "--checkpoint", checkpoint, "--to", tmp_path / "index"
    )
    assert (code, err) == (0, "")
    assert f"indexed 3 passages in {tmp_path / 'index'} (fingerprint colbert-" in out
    return tmp_path / "index"


def test_an_index_is_built_asked_and_measured(run, index, tmp_path):
    code, out, _ = run("ask", "Where is Torun?", "--corpus", index, "--lm", "local", "--json")
    assert code == 0
    assert ujson.loads(out)["passages"][0]["id"] == "p3"
    questions = tmp_path / "dev.jsonl"
    questions.write_text(
        '{"id": "q", "question": "When was Jerzy Kowal born?", "answer": "1922", "supporting": ["p2"]}\n'
    )
    command = ("evaluate", "one-step", "-q", questions, "--corpus", index, "--set", "k=1", "--lm", "local")
    assert run(*command, "--out", tmp_path / "run")[0] == 0
    row = ujson.loads((tmp_path / "run" / "questions.jsonl").read_text())
    assert [name for name, _ in row["passages"]] == ["p2"]
    header = ujson.loads((tmp_path / "run" / "run.json").read_text())
    assert "colbert-" in ujson.dumps(header)


def test_hits_of_another_retriever_are_ordered_anew(run, corpus, checkpoint, tmp_path):
    asked = ("ask", "When was Jerzy Kowal born?", "--corpus", corpus, "--lm", "local", "--set", "k=3", "--json")
    code, out, _ = run(*asked, "--rerank-with", checkpoint)
    assert code == 0
    assert ujson.loads(out)["passages"][0]["id"] == "p2"
    code, _, err = run(*asked, "--rerank-with", tmp_path / "nowhere")
    assert code == 2
    assert f"{tmp_path / 'nowhere'} holds no checkpoint" in err


@pytest.mark.seconds
def test_killed_while_it_is_built_it_is_not_there(checkpoint, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"id": str(number), "text": f"passage {number} about rivers " * 20} for number in range(5000)]
    corpus.write_text("".join(ujson.dumps(row) + "\n" for row in rows))
    folder = tmp_path / "index"
    process = nursery.start(
        nursery.run_command,
        "index",
        str(corpus),
        "--retriever",
        "colbert",
        "--checkpoint",
        str(checkpoint),
        "--to",
        str(folder),
    )
    while process.is_alive() and not any(Path(tmp_path).glob("index/anew-*/passages.offsets")):
        time.sleep(0.05)
    assert process.is_alive()
    process.kill()
    process.join()
    assert not is_index(folder)
