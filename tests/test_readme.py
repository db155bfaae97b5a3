import re
from pathlib import Path

import dspy
import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.S)


def test_the_ten_lines_do_what_they_say(capsys, monkeypatch):
    first = BLOCKS[0]
    assert len([line for line in first.splitlines() if line.strip()]) <= 10
    monkeypatch.setattr(dspy, "configure", lambda lm: monkeypatch.setitem(CONFIGURED, "lm", lm))
    code, ask = first.split("prediction = ", 1)
    names = {}
    exec(code, names)
    with dspy.context(lm=CONFIGURED["lm"]):
        exec(f"prediction = {ask}", names)
    answer, titles, cost = capsys.readouterr().out.splitlines()
    assert answer
    assert titles.count("'") >= 10
    assert cost == "1 LM call, 1 retrieval"


CONFIGURED = {}


def test_the_method_of_your_own_runs():
    from multihop import BM25, World, lexical

    names = {}
    exec(next(block for block in BLOCKS if "class TwoHops" in block), names)
    world = World(questions=3)
    program = names["TwoHops"](BM25.build(world.passages()), k=2)
    with dspy.context(lm=lexical()):
        prediction = program(question=next(world.questions()).question)
    assert prediction.cost["calls"] == prediction.cost["retrievals"] == 2
    with pytest.raises(ValueError, match="unknown setting of TwoHops 'depth'"):
        names["TwoHops"](None, depth=3)


def test_the_evaluation_in_python_runs(tmp_path):
    from multihop import Direct, evaluate, lexical, open_questions

    with dspy.context(lm=lexical()):
        run = evaluate(Direct(), open_questions("world", limit=5), out=tmp_path / "mine", concurrency=64)
    assert 0.0 <= run.summary["metrics"]["f1"]["mean"] <= 1.0


def test_compiling_in_python_runs(tmp_path, monkeypatch, capsys):
    from multihop import BM25, World
    from multihop.data import write_questions

    block = next(block for block in BLOCKS if "compile_variants" in block)
    assert len([line for line in block.splitlines() if line.strip()]) <= 8
    world = World(questions=12)
    questions = list(world.questions())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "indexes").mkdir()
    BM25.build(world.passages(), folder="indexes/w")
    write_questions("train.jsonl", questions[:6])
    write_questions("dev.jsonl", questions[6:])
    monkeypatch.setattr(dspy, "configure", lambda lm: monkeypatch.setitem(CONFIGURED, "lm", lm))
    before, after = block.split("program = ", 1)
    names = {}
    exec(before, names)
    with dspy.context(lm=CONFIGURED["lm"]):
        exec(f"program = {after}", names)
    assert capsys.readouterr().out.strip()
    assert (tmp_path / "resp.json").exists()
