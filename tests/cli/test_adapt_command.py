import pytest
import ujson

from multihop.retrieval import Hybrid, Passage
from multihop.training.adapting import adapting
from multihop.training.adapting.worth import Worth

PAGES = [
    Passage(
        f"p{n}", f"House {n}", f"The boiler of house {n} was made by Maker{n} in {1900 + n} near Street{n}. {n} end."
    )
    for n in range(90)
]


@pytest.fixture
def index(tmp_path, tiny_encoder):
    Hybrid.build(PAGES, folder=tmp_path / "index")
    return tmp_path / "index"


def test_it_says_what_each_part_gains_and_forgets_on_request(index, run, monkeypatch):
    monkeypatch.setattr(adapting, "worth", lambda *_: Worth(9, 50.0, 60.0, 10.0, 1.0))
    code, out, err = run("adapt", index, "--questions", 80)
    assert (code, err) == (0, "")
    assert "judge       50.0      60.0" in out or "judge" in out
    assert "+10.0±1.0" in out
    assert "held back" in " ".join(out.split())
    assert f"undo: multihop adapt {index} --undo" in out.replace("\n", "")
    assert run("adapt", index, "--undo")[1] == f"{index} has forgotten what it had learned\n"
    assert run("adapt", index, "--undo")[1] == f"{index} had learned nothing\n"
    assert ujson.loads(run("adapt", index, "--undo", "--json")[1]) == {"index": str(index), "forgot": False}


def test_where_nothing_helps_it_says_so(index, run, monkeypatch):
    monkeypatch.setattr(adapting, "worth", lambda *_: Worth(9, 50.0, 50.0, 0.0, 1.0))
    code, out, _ = run("adapt", index, "--questions", 80)
    assert code == 0
    assert "nothing helps on the questions held back: nothing is written" in " ".join(out.split())
    code, out, _ = run("adapt", index, "--questions", 80, "--json")
    told = ujson.loads(out)
    assert (code, told["wrote"], told["kept"]) == (0, None, [])
    assert told["parts"]["judge"] == {"questions": 9, "before": 50.0, "after": 50.0, "gain": 0.0, "error": 1.0}


@pytest.mark.usefixtures("tiny_encoder")
def test_bad_input_is_one_sentence(tmp_path, run):
    Hybrid.build(PAGES[:5], folder=tmp_path / "few")
    for given, said in ((tmp_path / "few", "there are 5 passages"), (tmp_path / "none", "is not an index")):
        code, out, err = run("adapt", given)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err
