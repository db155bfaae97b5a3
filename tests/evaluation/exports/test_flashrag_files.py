import csv
import json

import pytest

from multihop import InputError, Passage
from multihop.evaluation import write_flashrag
from multihop.evaluation.exports.flashrag_files import token_scores

from .conftest import PASSAGES


def lines(path):
    return {name: float(value) for name, _, value in (line.partition(": ") for line in path.read_text().splitlines())}


def test_the_metrics_by_value_with_the_error_as_wrong(finished_run, tmp_path):
    metrics, _, row = write_flashrag(finished_run, tmp_path, task="hotpotqa")
    # q1: right; q2: two of six words, all of the answer's; q3: "yes in torun" beside "yes"; q4: an error
    assert lines(metrics) == pytest.approx(
        {"em": 1 / 4, "f1": (1 + 0.5 + 0) / 4, "acc": 3 / 4, "precision": (1 + 2 / 6) / 4, "recall": 2 / 4}
    )
    (cells,) = csv.DictReader(row.open())
    assert cells == {
        "method": "one-step",
        "model": "multihop/scripted",
        "dataset": "hotpotqa",
        "questions": "4",
        "errors": "1",
        "em": "25.0",
        "f1": "37.5",
        "acc": "75.0",
        "precision": "33.33",
        "recall": "50.0",
    }


def test_what_is_said_of_retrieval_needs_the_corpus(finished_run, tmp_path):
    metrics, data, _ = write_flashrag(finished_run, tmp_path, passages=PASSAGES, k=1)
    # "yes" is in no passage, and the question that failed has none
    assert lines(metrics)["retrieval_recall_top1"] == 2 / 4
    assert lines(metrics)["retrieval_precision_top1"] == 2 / 4
    found = {item["id"]: item["output"]["retrieval_result"] for item in json.loads(data.read_text())}
    assert found["q1"] == [{"id": "p1", "contents": '"Dusk"\nDusk is a novel by Rosa Tiel.'}]
    assert found["q4"] == []


def test_the_items(finished_run, tmp_path):
    _, data, _ = write_flashrag(finished_run, tmp_path)
    items = json.loads(data.read_text())
    assert [item["id"] for item in items] == ["q1", "q2", "q3", "q4"]
    assert items[0] == {
        "id": "q1",
        "question": "Who wrote Dusk?",
        "golden_answers": ["Rosa Tiel", "Tiel"],
        "output": {
            "pred": "Rosa Tiel",
            "retrieval_result": [{"id": "p1"}],
            "metric_score": {"em": 1.0, "f1": 1.0, "acc": 1.0, "precision": 1.0, "recall": 1.0},
        },
        "metadata": {"type": "a", "hops": 1, "supporting": ["p1"]},
    }
    assert items[3]["output"]["pred"] == ""


def test_another_corpus_is_refused(finished_run, tmp_path):
    with pytest.raises(
        InputError, match=r"3 passages of .*dev-1 are not in the corpus, such as 'p1'; give --corpus the"
    ):
        write_flashrag(finished_run, tmp_path, passages=[Passage("x", "X", "Nothing.")])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("prediction", "answers", "expected"),
    [
        ("", ["Torun"], (0.0, 0.0)),
        ("Torun", [], (0.0, 0.0)),
        ("the the", ["a"], (0.0, 0.0)),
        ("no", ["No."], (1.0, 1.0)),
        ("no way", ["no"], (0.0, 0.0)),
        ("New York City", ["New York", "City of New Orleans"], (2 / 3, 1.0)),
    ],
)
def test_precision_and_recall_of_tokens(prediction, answers, expected):
    assert token_scores(prediction, answers) == expected
