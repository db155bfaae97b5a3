"""What a command asks and searches where nothing is named; a corpus of one's own wants questions of one's own."""

import pytest
import ujson

from multihop.__main__ import main
from multihop.evaluation.journal import read_header

pytestmark = pytest.mark.usefixtures("tiny_encoder")


def run(capsys, *arguments):
    code = main([str(each) for each in arguments])
    return code, capsys.readouterr().err


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("text\nThe Po is a river.\n")
    return path


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


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("evaluate", "one-step", "--out", "run"), "-q"),
        (("compile", "one-step", "--to", "one.json"), "--train"),
        (("clone", "mzqa", "--from-gold", "--out", "clones"), "-q"),
    ],
)
def test_a_corpus_of_ones_own_wants_questions_of_ones_own(command, option, own, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    told = f"own.csv is searched, and no questions are given: name them with {option} FILE"
    assert run(capsys, *command, "-c", own.name) == (2, f"multihop: {told} (a CSV of question,answer will do).\n")
    assert [path.name for path in tmp_path.iterdir()] == ["own.csv"]


def test_a_saved_program_that_searches_a_corpus_of_its_own_wants_them_too(own, tmp_path, capsys):
    saved = tmp_path / "one.json"
    asked = ("--train", "little:dev", "--variants", "zero-shot", "--to", saved)
    own.write_text("id,text\n" + "".join(f"{n},page {n}\n" for n in range(3)))
    code, err = run(capsys, "compile", "one-step", "-c", own, *asked)
    assert code == 0, err
    code, err = run(capsys, "evaluate", saved, "--out", tmp_path / "run")
    assert (code, "own.csv is searched, and no questions are given" in err) == (2, True)


def test_questions_that_decide_need_others_to_learn_from(capsys):
    code, err = run(capsys, "compile", "one-step", "--dev", "little:dev", "--to", "one.json")
    assert code == 2
    assert "--dev little:dev is given and nothing to learn from: name training questions with --train FILE." in err
