import dspy
import pytest

from multihop import BM25, OneStep, Passage, Question, evaluate, lexical, save, with_demonstrations

PASSAGES = [
    Passage("p1", "Night Train", "Night Train was directed by Ada Dahl."),
    Passage("p2", "Ada Dahl", "Born in Ulm."),
]
QUESTIONS = [
    Question(id="q1", question="Who directed Night Train?", answers=("Ada Dahl",), supporting=("p1",)),
    Question(id="q2", question="Where was Ada Dahl born?", answers=("Riga",), supporting=("p2",)),
]
SHOTS = {
    "answer": [{"passages": ["Emma | Emma is by Jane Austen."], "question": "Who wrote Emma?", "answer": "Austen"}]
}


@pytest.fixture
def questions():
    """Two, of which the second is answered wrong."""
    return QUESTIONS


@pytest.fixture
def program(tmp_path):
    index = BM25.build(PASSAGES, folder=tmp_path / "index")
    return with_demonstrations(OneStep(index, k=2), SHOTS)


@pytest.fixture
def path(program, tmp_path):
    """A saved program with a demonstration, whose corpus is a folder of this machine."""
    about = {"lm": "multihop/lexical@1", "optimizer": "given", "dev": {"questions": 2, "fingerprint": "abc"}}
    save(program, tmp_path / "films.json", corpus=tmp_path / "index", about=about)
    return tmp_path / "films.json"


@pytest.fixture
def run(program, tmp_path):
    """The folder of a finished run of that program."""
    with dspy.context(lm=lexical()):
        evaluate(program, QUESTIONS, out=tmp_path / "run", progress=False)
    return tmp_path / "run"
