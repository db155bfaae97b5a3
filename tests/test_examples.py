import json
import runpy
import sys
from itertools import islice
from pathlib import Path

import pytest
from anything import anything
from fastapi.testclient import TestClient
from scripts import load_script

from multihop import BM25, Little, create, save, scripted
from multihop.data import write_questions
from multihop.retrieval import Passage

EXAMPLES = Path(__file__).parents[1] / "examples"
CORPUS = [
    Passage("1", "Night Train (film)", "Night Train is a 1959 film directed by Jerzy Kowal."),
    Passage("2", "Jerzy Kowal", "Jerzy Kowal was born in Torun in 1922."),
]


def imported(name):
    return load_script(EXAMPLES / f"{name}.py")


@pytest.mark.parametrize(
    ("name", "says"),
    [("one_step_alone", "relevant: True"), ("own_retriever", "Torun"), ("new_method", "calls a question")],
)
def test_an_example_runs_as_it_stands(name, says, capsys, monkeypatch):
    questions = Little.questions
    monkeypatch.setattr(Little, "questions", lambda little: islice(questions(little), 4))
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert says in capsys.readouterr().out


def test_the_new_method_takes_no_more_than_it_promises():
    code = (EXAMPLES / "new_method.py").read_text().partition("class Guess(")[2].partition("if __name__")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 60


@pytest.fixture
def saved(tmp_path, monkeypatch):
    index = tmp_path / "index"
    save(create("resp", BM25.build(CORPUS, folder=index)), tmp_path / "resp.json", corpus=str(index))
    for name in ("CORPUS", "LM", "API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PROGRAM", str(tmp_path / "resp.json"))
    return tmp_path


def said(application, question):
    """The status and the content of an answer, and the same question's events as a stream."""
    with TestClient(application.app) as client:
        answer = client.get("/answer", params={"question": question})
        with client.stream("GET", "/steps", params={"question": question}) as stream:
            events = [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line]
    return answer.status_code, answer.json(), events


@pytest.mark.usefixtures("saved")
def test_the_web_application_answers_and_streams_the_steps_with_their_names_branches_and_searches():
    status, answer, (found, *steps, last) = said(imported("web_application"), "When was Jerzy Kowal born?")
    assert (status, answer["answer"], last["answer"]) == (200, "1922", "1922")
    assert answer["passages"][0]["title"] == "Jerzy Kowal"
    assert (found["step"], found["path"], found["query"]) == ("find", [], "When was Jerzy Kowal born?")
    assert [hit["title"] for hit in found["hits"]] == ["Jerzy Kowal", "Night Train (film)"]
    named = [step["step"] for step in steps]
    assert (named[:2], named[-1]) == (["summarize", "judge"], "read")
    assert steps[-1]["outputs"]["answer"] == "1922"
    assert {tuple(step["path"]) for step in steps} == {()}


def test_the_web_application_says_in_one_sentence_what_went_wrong(saved, monkeypatch):
    monkeypatch.setenv("LM", "server/m")
    monkeypatch.setenv("API_BASE", "http://127.0.0.1:9/v1")
    application = imported("web_application")
    status, answer, events = said(application, " ")
    assert (status, answer) == (422, {"error": "the question is empty."})
    assert events == [{"error": "the question is empty.", "status": 422}]

    for lm in application.program.lms.values():
        lm.num_retries = 0
    status, answer, (*_, last) = said(application, "Who?")
    assert status == 503
    assert answer["error"].startswith("the LM failed: [server/m] failed to connect to 127.0.0.1:9")
    assert last == {**answer, "status": 503}

    useless = dict.fromkeys(application.program.steps, scripted(lambda prompt: "nothing"))
    monkeypatch.setattr(application.program, "lms", useless)
    status, answer, _ = said(application, "Who?")
    assert status == 502
    assert answer["error"].startswith("the LM failed: ")


def test_the_web_application_takes_another_corpus_and_dies_in_one_sentence_without_one(saved, monkeypatch):
    (saved / "index").rename(saved / "moved")
    with pytest.raises(SystemExit, match=f"looked for {saved / 'index'}.*CORPUS"):
        imported("web_application")
    monkeypatch.setenv("CORPUS", str(saved / "moved"))
    assert imported("web_application").program.retriever.search(["Torun"], 1)[0][0].passage.id == "2"
    monkeypatch.delenv("PROGRAM")
    with pytest.raises(SystemExit, match="set PROGRAM to the file of a saved program"):
        imported("web_application")


def test_compiling_against_a_server(tmp_path, monkeypatch, capsys):
    questions = list(Little().questions())
    BM25.build(Little().passages(), folder=tmp_path / "index")
    write_questions(tmp_path / "train.jsonl", questions[:8])
    write_questions(tmp_path / "dev.jsonl", questions[20:22])
    module = imported("compile_against_a_server")
    monkeypatch.setattr(module, "open_lm", lambda name, **options: scripted(anything))
    arguments = {"server": "http://127.0.0.1:1/v1", "model": "server/m", "corpus": tmp_path / "index"}
    arguments |= {"train": tmp_path / "train.jsonl", "dev": tmp_path / "dev.jsonl", "to": tmp_path / "tor.json"}
    words = [word for name, value in arguments.items() for word in (f"--{name}", str(value))]
    monkeypatch.setattr(sys, "argv", ["example", *words])
    module.main()
    assert "is saved in" in capsys.readouterr().out
    assert (tmp_path / "tor.json").exists()
