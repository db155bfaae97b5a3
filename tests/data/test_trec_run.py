import pytest
import ujson

from multihop import InputError, Passage, Question
from multihop.__main__ import main
from multihop.data import TrecRun
from multihop.evaluation import write_trec

CORPUS = [Passage("p 1", "Po", "A river."), Passage("p2", "Etna", "A volcano."), Passage("50%", "Half", "A share.")]
QUESTIONS = [
    Question(id="q 1", question="Which volcano?", answers=()),
    Question(id="q2", question="Which river?", answers=()),
]


def ranked(tmp_path, text):
    file = tmp_path / "theirs.trec"
    file.write_text(text)
    return TrecRun(file, QUESTIONS, CORPUS)


def test_scores_decide_and_not_ranks_and_of_equal_scores_the_last_id_comes_first(tmp_path):
    theirs = ranked(tmp_path, "q%201 Q0 p%201 1 0.5 x\nq%201 Q0 p2 2 0.5 x\n\nq%201 Q0 50% 3 0.9 x\n")
    hits, none = theirs.search(["Which volcano?", "Which river?"], 9)
    assert [(hit.passage.id, hit.score) for hit in hits] == [("50%", 0.9), ("p2", 0.5), ("p 1", 0.5)]
    assert none == []
    assert len(theirs.search(["Which volcano?"], 2)[0]) == 2
    assert theirs.fingerprint != ranked(tmp_path, "q2 Q0 p2 1 1 x\n").fingerprint


def test_what_is_no_run_of_these_questions_and_this_corpus_is_refused(tmp_path):
    refused = {
        "q2 0 p2 1\n": r"line 1 is not `question Q0 passage rank score name`: 'q2 0 p2 1'",
        "q2 Q0 p2 1 nan x\n": "line 1 is not",
        "": "ranks nothing",
        "q2 Q0 p2 1 1 x\nq2 Q0 p9 2 0 x\n": "ranks 2 passages, and 1 of them are not in the corpus, such as 'p9'",
        "other Q0 p2 1 1 x\n": "ranks for 1 question, such as 'other', and for none of those that are asked",
    }
    for text, why in refused.items():
        with pytest.raises(InputError, match=why):
            ranked(tmp_path, text)
    with pytest.raises(InputError, match="ranks for its own questions alone, and was asked 'Who\\?'"):
        ranked(tmp_path, "q2 Q0 p2 1 1 x\n").search(["Who?"], 1)


def test_a_run_of_ours_written_and_read_again_is_measured_the_same(tmp_path):
    asked = ["evaluate", "one-step", "-q", "little:dev", "-c", "little", "--set", "reads=false", "--set", "k=9"]
    assert main([*asked, "--metric", "ndcg@10", "--out", str(tmp_path / "a")]) == 0
    file, _ = write_trec(tmp_path / "a", tmp_path)
    assert main([*asked, "--metric", "ndcg@10", "--retriever", str(file), "--out", str(tmp_path / "b")]) == 0
    first, again = (ujson.loads((tmp_path / name / "summary.json").read_text())["metrics"] for name in "ab")
    assert first == again
    assert first["ndcg@10"]["mean"] > 0.5
