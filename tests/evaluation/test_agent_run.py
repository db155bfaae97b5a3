"""Run folders of BrowseComp-Plus, evaluated like a program."""

import json

import pytest

from multihop import InputError, Question, evaluate
from multihop.evaluation import AgentRun

QUESTIONS = [
    Question(id="1", question="Where was the author of Dusk born?", answers=("Torun",), supporting=("3", "7")),
    Question(id="2", question="Who wrote Dusk?", answers=("Rosa Tiel",), supporting=("3",)),
    Question(id="3", question="Who wrote Emma?", answers=("Jane Austen",), supporting=("9",)),
]
FOUND = [{"docid": "3", "score": 9.1, "snippet": "Dusk is by"}, {"docid": "5", "score": 2.0, "snippet": "A bird."}]
STEPS = [
    {"type": "reasoning", "tool_name": None, "arguments": None, "output": ["I should search."]},
    {"type": "tool_call", "tool_name": "search", "arguments": '{"query": "Dusk"}', "output": json.dumps(FOUND)},
    {
        "type": "tool_call",
        "tool_name": "get_document",
        "arguments": '{"docid": "3"}',
        "output": json.dumps({"docid": "3", "text": "Dusk is by Rosa Tiel."}),
    },
    {"type": "tool_call", "tool_name": "search", "arguments": "{}", "output": "Error executing search: no query"},
]


def said(text):
    return {"type": "output_text", "tool_name": None, "arguments": None, "output": text}


RUNS = [
    {
        "metadata": {"model": "gpt-x", "max_tokens": 10000},
        "query_id": "1",
        "usage": {"input_tokens": 900, "output_tokens": 80, "total_tokens": 980},
        "tool_call_counts": {"search": 2, "get_document": 1},
        "status": "completed",
        "retrieved_docids": ["5", "7", "3"],
        "result": [*STEPS, said("Explanation: by her [3].\n**Exact Answer:** Torun [3, 7]\n**Confidence:** 85%")],
    },
    {
        "metadata": {"model": "gpt-x"},
        "query_id": 2,
        "status": "incomplete",
        "retrieved_docids": ["3"],
        "result": STEPS[:2],
    },
]


@pytest.fixture
def folder(tmp_path):
    home = tmp_path / "runs" / "gpt-x"
    home.mkdir(parents=True)
    for number, run in enumerate(RUNS):
        (home / f"run_2025010{number}T000000Z.json").write_text(json.dumps(run, indent=2))
    (home / "notes.json").write_text("[]")
    return home


def test_an_answer_with_its_pages(folder):
    prediction = AgentRun(QUESTIONS, run=str(folder))(question=QUESTIONS[0].question)
    assert prediction.answer == "Torun"
    assert [(passage.id, passage.text) for passage in prediction.passages] == [
        ("3", "Dusk is by Rosa Tiel."), ("5", "A bird."), ("7", "")
    ]  # fmt: skip
    assert prediction.counts == {"tool_calls": 3, "tokens_in": 900, "tokens_out": 80}
    assert prediction.cost["calls"] == 0


def test_evaluated_like_a_program(folder, tmp_path):
    found = evaluate(AgentRun(QUESTIONS, run=str(folder)), QUESTIONS, out=tmp_path / "run", progress=False)
    rows = {row["id"]: row for row in found.rows()}
    assert (rows["1"]["metrics"]["em"], rows["1"]["metrics"]["recall@2"]) == (1.0, 0.5)
    assert (rows["1"]["metrics"]["recall@K"], rows["1"]["metrics"]["K"]) == (1.0, 3.0)
    assert (rows["2"]["answer"], rows["2"]["metrics"]["em"]) == ("", 0.0), "given up, and so wrong"
    assert rows["3"]["error"]["type"] == "MismatchError"
    program = json.loads((tmp_path / "run" / "run.json").read_text())["identity"]["program"]
    assert program["name"] == "agent-run of gpt-x"
    assert program["settings"]["run"] != str(folder), "the answers decide, not the place"


def test_a_later_file_counts(folder):
    again = {**RUNS[1], "status": "completed", "result": [said("It is Rosa Tiel.")]}
    (folder / "run_20250109T000000Z.json").write_text(json.dumps(again))
    prediction = AgentRun(QUESTIONS, run=str(folder))(question=QUESTIONS[1].question)
    assert prediction.answer == "It is Rosa Tiel.", "all it says, where no answer is marked"


def test_bad_folders(folder, tmp_path):
    with pytest.raises(InputError, match=r"holds no answers of an agent: there is no run_\*\.json"):
        AgentRun(QUESTIONS, run=str(tmp_path))
    (folder / "run_9.json").write_text('{"status": "completed"}')
    with pytest.raises(InputError, match=r"run_9\.json, line 1: no field 'query_id'"):
        AgentRun(QUESTIONS, run=str(folder))
