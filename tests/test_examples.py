import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from anything import anything

from multihop import BM25, create, save
from multihop.retrieval import Passage

EXAMPLES = Path(__file__).parents[1] / "examples"
CORPUS = [
    Passage("1", "Night Train (film)", "Night Train is a 1959 film directed by Jerzy Kowal."),
    Passage("2", "Jerzy Kowal", "Jerzy Kowal was born in Torun in 1922."),
]


def imported(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.seconds
@pytest.mark.parametrize(
    ("name", "says"),
    [("one_step_alone", "relevant: True"), ("own_retriever", "Torun"), ("new_method", "calls a question")],
)
def test_an_example_runs_as_it_stands(name, says):
    done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, check=True)
    assert says in done.stdout


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


@pytest.fixture
def client(saved):
    from fastapi.testclient import TestClient

    with TestClient(imported("web_application").app) as client:
        yield client


def events_of(client, question):
    with client.stream("GET", "/steps", params={"question": question}) as stream:
        return [json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line]


def test_the_web_application_answers(client):
    said = client.get("/answer", params={"question": "When was Jerzy Kowal born?"}).json()
    assert said["answer"] == "1922"
    assert said["passages"][0]["title"] == "Jerzy Kowal"


def test_the_web_application_refuses_what_is_no_question_in_one_sentence(client):
    said = client.get("/answer", params={"question": " "})
    assert (said.status_code, said.json()) == (422, {"error": "the question is empty."})
    assert events_of(client, " ") == [{"error": "the question is empty.", "status": 422}]


def test_the_web_application_streams_the_steps_with_their_names_branches_and_searches(client):
    *steps, last = events_of(client, "When was Jerzy Kowal born?")
    assert last["answer"] == "1922"
    found = steps[0]
    assert (found["step"], found["path"], found["query"]) == ("find", [], "When was Jerzy Kowal born?")
    assert [hit["title"] for hit in found["hits"]] == ["Jerzy Kowal", "Night Train (film)"]
    named = [step["step"] for step in steps]
    assert (named[1:3], named[-1]) == (["summarize", "judge"], "read")
    assert steps[-1]["outputs"]["answer"] == "1922"
    assert {tuple(step["path"]) for step in steps} == {()}


def test_an_lm_that_is_gone_is_told_as_json(saved, monkeypatch):
    from fastapi.testclient import TestClient

    monkeypatch.setenv("LM", "server/m")
    monkeypatch.setenv("API_BASE", "http://127.0.0.1:9/v1")
    module = imported("web_application")
    for lm in module.program.lms.values():
        lm.num_retries = 0
    with TestClient(module.app) as client:
        said = client.get("/answer", params={"question": "Who?"})
        *_, last = events_of(client, "Who?")
    assert said.status_code == 503
    assert said.json()["error"].startswith("the LM failed: [server/m] failed to connect to 127.0.0.1:9")
    assert last == {"error": said.json()["error"], "status": 503}


def test_an_lm_that_answers_nothing_usable_is_a_bad_gateway(client, monkeypatch):
    from multihop import scripted

    module = sys.modules["web_application"]
    monkeypatch.setattr(module.program, "lms", dict.fromkeys(module.program.steps, scripted(lambda prompt: "nothing")))
    said = client.get("/answer", params={"question": "Who?"})
    assert said.status_code == 502
    assert said.json()["error"].startswith("the LM failed: ")


@pytest.mark.seconds
def test_the_web_application_takes_another_corpus_and_dies_in_one_sentence_without_one(saved, monkeypatch):
    (saved / "index").rename(saved / "moved")
    done = subprocess.run([sys.executable, EXAMPLES / "web_application.py"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"looked for {saved / 'index'}" in done.stderr
    assert "CORPUS" in done.stderr
    monkeypatch.setenv("CORPUS", str(saved / "moved"))
    assert imported("web_application").program.retriever.search(["Torun"], 1)[0][0].passage.id == "2"
    monkeypatch.delenv("PROGRAM")
    with pytest.raises(SystemExit, match="set PROGRAM to the file of a saved program"):
        imported("web_application")


def test_compiling_against_a_server(tmp_path, monkeypatch, capsys):
    from multihop import Little, scripted
    from multihop.data import write_questions

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
