"""What a command asks and searches where nothing is named; a corpus of one's own wants questions of one's own."""

import pytest
import ujson

from multihop.__main__ import main
from multihop.evaluation.journal import read_header

pytestmark = pytest.mark.usefixtures("tiny_encoder")


def run(capsys, *arguments):
    code = main([str(each) for each in arguments])
    return code, capsys.readouterr().err


def test_evaluate_asks_the_little_encyclopedia_and_says_so_first(tmp_path, capsys):
    code, err = run(capsys, "evaluate", "one-step", "--limit", 3, "--out", tmp_path / "run")
    first, *_ = err.splitlines()
    assert (code, first) == (0, "multihop: no --questions, so 3 of 40 questions of the little encyclopedia are asked.")
    assert read_header(tmp_path / "run")["source"] == "little"
    code, err = run(capsys, "evaluate", "one-step", "--corpus", "little", "--limit", 3, "--out", tmp_path / "run")
    assert (code, err.splitlines()[0]) == (0, first)


def test_compile_takes_its_two_splits(tmp_path, capsys):
    some = ("--train-limit", 4, "--dev-limit", 3, "--variants", "zero-shot")
    code, err = run(capsys, "compile", "one-step", *some, "--to", tmp_path / "one.json")
    told = "no --train, so 4 questions of the little encyclopedia are learned from, and 3 others decide."
    assert (code, err.splitlines()[0]) == (0, f"multihop: {told}")
    work = tmp_path / "one.json.work"
    assert read_header(next(work.glob("**/run.json")).parent)["identity"]["data"]["questions"] == 3


def test_compile_halves_training_questions_where_no_others_decide(tmp_path, capsys):
    to = tmp_path / "one.json"
    code, _ = run(capsys, "compile", "one-step", "--train", "little:dev", "--variants", "zero-shot", "--to", to)
    assert code == 0
    assert ujson.loads(to.read_text())["metadata"]["multihop"]["about"]["dev"]["questions"] == 8
