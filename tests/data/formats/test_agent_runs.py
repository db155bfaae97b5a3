"""What is read out of an agent's last message, and of files that lack something."""

import json

import pytest

from multihop.base import InputError
from multihop.data.formats.agent_runs import is_agent_run, read_agent_run


def answered(folder, output, **changed):
    folder.mkdir(exist_ok=True)
    steps = [{"type": "output_text", "output": output}]
    record = {"query_id": "1", "status": "completed", "result": steps, **changed}
    (folder / "run_1.json").write_text(json.dumps(record))
    return read_agent_run(folder)["1"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Explanation: so [3].\nExact Answer: Torun\nConfidence: 90%", "Torun"),
        ("**Exact Answer**: Torun [3][7]\n**Confidence**: 72.5 %", "Torun"),
        ("**Exact Answer:** **Torun**【3】\n**Confidence:** 100", "Torun"),
        ("exact answer: 1922 [3, 7]\nconfidence: 900%", "1922"),
        ("It is Torun.", "It is Torun."),
        ("", ""),
    ],
)
def test_the_answer(tmp_path, said, answer):
    assert answered(tmp_path / "run", said).answer == answer


@pytest.mark.parametrize(
    "changed",
    [{"status": "incomplete"}, {"result": []}, {"result": [{"type": "tool_call", "output": "[]"}]}],
)
def test_what_was_given_up_has_no_answer(tmp_path, changed):
    assert answered(tmp_path / "run", "Exact Answer: Torun", **changed).answer == ""


def test_pages_that_are_only_listed(tmp_path):
    found = answered(tmp_path / "run", "Torun", retrieved_docids=[7, "3"])
    assert [(passage.id, passage.text) for passage in found.passages] == [("7", ""), ("3", "")]
    assert (found.model, found.counts) == ("", {"tool_calls": 0})


def test_a_folder_and_a_damaged_file(tmp_path):
    assert not is_agent_run(tmp_path)
    (tmp_path / "run_1.json").write_text('{"query_id": "1", ')
    assert is_agent_run(tmp_path)
    with pytest.raises(InputError, match=r"run_1\.json, line 1: not JSON"):
        read_agent_run(tmp_path)
