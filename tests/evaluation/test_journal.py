import errno
import json
import os
import re
from unittest import mock

import pytest
import ujson
from written_runs import COST, plain_row

from multihop.base import DamagedFileError, InputError
from multihop.evaluation.journal import Journal, read_header, read_rows

IDENTITY = {"program": {"name": "one-step", "settings": {"k": 5}}, "lm": {"answer": {"model": "m"}}}


def row(number, status="ok", **fields):
    return plain_row(f"q{number}", status, answer=f"answer {number} é", **fields)


def write(folder, *rows):
    with Journal(folder, IDENTITY) as journal:
        journal.append(rows)
    return folder


def test_rows_are_on_disk_and_what_is_finished_is_not_done_again_and_errors_are(tmp_path):
    folder, rows = tmp_path / "runs" / "a", [row(1), row(2, "error"), row(3, "over_budget")]
    write(folder, *rows)
    header = read_header(folder)
    assert (header["status"], header["identity"]) == ("finished", IDENTITY)
    assert list(read_rows(folder)) == rows
    with Journal(folder, IDENTITY) as journal:
        assert journal.finished == {"q1", "q3"}
        journal.append([row(2)])
        assert journal.finished == {"q1", "q2", "q3"}


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_last_line_is_dropped_and_its_question_redone(tmp_path, cut):
    write(tmp_path, row(1), row(2))
    rows = tmp_path / "questions.jsonl"
    rows.write_bytes(rows.read_bytes()[:-cut])
    with Journal(tmp_path, IDENTITY) as journal:
        assert journal.finished == {"q1"}
        journal.append([row(2)])
    assert list(read_rows(tmp_path)) == [row(1), row(2)]


@pytest.mark.parametrize("line", [b"{not json}\n", b"[]\n", b'{"id": "x"}\n', b"\xff\xfe\n"])
def test_a_damaged_line_in_the_middle_is_named(tmp_path, line):
    write(tmp_path, row(1))
    rows = tmp_path / "questions.jsonl"
    rows.write_bytes(line + rows.read_bytes())
    refused(tmp_path, "line 1 is damaged, or is not a row of a run")


def taken(*steps):
    return {"trajectory": list(steps)}


FIND = {"step": "find", "query": "Ada", "k": 5, "hits": [{"id": "p", "title": "", "score": 1, "by": "bm25"}]}
OWN = {"step": "vote", "outputs": ["Ada"], "query": ["Ada", "Bob"], "tree": 3}


def test_steps_of_a_program_of_ones_own_are_read_as_they_are(tmp_path):
    predictor = {"step": "filter", "inputs": {"question": "Who?"}, "outputs": {"kept": [1]}}
    steps = [FIND, OWN, {"step": "branches", "branches": [[OWN, FIND]]}, predictor, {"step": "note"}]
    write(tmp_path, row(1, **taken(*steps)))
    assert [each["trajectory"] for each in read_rows(tmp_path)] == [steps]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"cost": None}, "cost: input should be an object"),
        ({"cost": COST | {"seconds": float("inf")}}, "cost.seconds: input should be a finite number"),
        ({"cost": COST | {"tokens": {"m": {"in": "8"}}}}, "cost.tokens.m.in: input should be a valid integer"),
        ({"metrics": {"em": "high"}}, "metrics.em: input should be a valid number"),
        ({"status": "fine"}, "status: input should be 'ok', 'over_budget' or 'error'"),
        ({"status": "error", "error": "boom"}, "error: input should be an object"),
        ({"status": "error", "error": None}, "it has no error"),
        ({"unmeasured": {"f1": {"type": "E", "message": "m"}}}, "it has no returned"),
        (taken({"query": "x"}), "trajectory.0.step: field required"),
        (taken({"step": "find", "k": 5}), "trajectory: a step 'find' lacks 'query'"),
        (taken({**FIND, "hits": [{"id": "p"}]}), "trajectory.0.hits.0.title: field required"),
        (taken({"step": "branches", "branches": [[{"step": "stop"}]]}), "trajectory: a step 'stop' lacks 'why'"),
        (taken({"step": "branches", "branches": [3]}), "trajectory.0.branches.0: input should be a valid array"),
        (taken({"step": "tree", "tree": {"chosen": True}}), "trajectory.0.tree.children: field required"),
        (
            taken({"step": "tree", "tree": {"action": "search", "children": [{"children": []}]}}),
            "trajectory: a node of a tree lacks 'action'",
        ),
        (taken(OWN, {"step": "label", "labels": [3]}), "trajectory.0.outputs: input should be an object"),
    ],
)
def test_what_a_row_cannot_have_is_said_before_anybody_reads_it(tmp_path, broken, reason):
    write(tmp_path, row(1))
    with open(tmp_path / "questions.jsonl", "a") as file:
        file.write(json.dumps(row(2, **broken)).replace("Infinity", "1e999") + "\n")
    said = f"is not a row of a run: {reason}; remove that line to go on."
    with pytest.raises(DamagedFileError, match=re.escape(said)):
        list(read_rows(tmp_path))


def test_a_row_of_no_question_of_the_run_is_refused(tmp_path):
    write(tmp_path, row(1), row(2))
    with Journal(tmp_path, IDENTITY) as journal:
        journal.check_questions(iter(["q1", "q2", "q3"]))
        with pytest.raises(DamagedFileError, match=r"jsonl has a row of question 'q2', which is none of the"):
            journal.check_questions(iter(["q1", "q3"]))


def refused(folder, said, identity=IDENTITY):
    with pytest.raises(InputError, match=said), Journal(folder, identity):
        pass


def test_a_changed_identity_is_refused_with_what_changed_and_the_lock_is_free_again(tmp_path):
    write(tmp_path, row(1))
    changed = {**IDENTITY, "program": {"name": "one-step", "settings": {"k": 8}}}
    refused(tmp_path, r"made with program\.settings\.k = 5, and now it is 8", changed)
    assert list(read_rows(tmp_path)) == [row(1)]
    write(tmp_path, row(2))


def test_two_at_once_are_refused(tmp_path):
    with Journal(tmp_path, IDENTITY):
        refused(tmp_path, "another process is working on")


def test_a_full_disk_leaves_a_valid_journal(tmp_path):
    full = OSError(errno.ENOSPC, "No space left on device")
    refusal = pytest.raises(InputError, match=r"No space left on device; 1 finished questions are safe")
    with Journal(tmp_path, IDENTITY) as journal:
        journal.append([row(1)])
        with mock.patch.object(os, "fsync", side_effect=full), refusal:
            journal.append([row(2), row(3)])
    assert list(read_rows(tmp_path)) == [row(1)]


def test_an_interrupted_run_says_so(tmp_path):
    with pytest.raises(KeyboardInterrupt), Journal(tmp_path, IDENTITY):
        raise KeyboardInterrupt
    assert read_header(tmp_path)["status"] == "interrupted"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 1, "identity": 3}'])
def test_a_damaged_header_is_refused(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(InputError, match="is not the header of a run"):
        read_header(tmp_path)


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a run"):
        read_header(tmp_path)
    (tmp_path / "questions.jsonl").write_text(ujson.dumps(row(1)) + "\n")
    refused(tmp_path, r"no run\.json")
