"""EfficientRAG's training data, counted by hand: of one question with two hops and six paragraphs that mislead."""

import pytest
import ujson

from multihop.experiments import open_experiment, reproduce
from multihop.experiments.study_page import as_page
from multihop.view.study_page import describe_study

GOLD = [
    {"title": "Emma", "text": "Emma was directed by Douglas McGrath.", "is_supporting": True},
    {"title": "Douglas McGrath", "text": "Douglas McGrath was born in Midland.", "is_supporting": True},
]
NOISE = [
    {"title": f"Film {n}", "text": f"Film {n} was directed by Somebody.", "is_supporting": False} for n in range(6)
]
CHAIN = {
    "id": "q1",
    "question": "Where was the director of Emma born?",
    "answers": ["Midland"],
    "paragraphs": [*GOLD, *NOISE],
    "decomposition": [
        {"question": "Who directed Emma?", "answer": "Douglas McGrath", "paragraph": 0},
        {"question": "Where was #1 born?", "answer": "Midland", "paragraph": 1},
    ],
}
LABELER = (2 + 4) + (1 + 4)  # what helps and what does not: under the question, and under the query after the first hop
FILTER = 1


@pytest.fixture
def train(tmp_path):
    (tmp_path / "train.jsonl").write_text(f"{ujson.dumps(CHAIN)}\n")
    return str(tmp_path / "train.jsonl")


def test_the_training_data_is_made_of_gold_and_counted_beside_what_is_published(train, tmp_path):
    table = reproduce("efficientrag-table-1", out=tmp_path / "out", questions=train)
    rows = {row["set"]: row for row in table["rows"]}
    assert [(cell["measure"], cell["published"], cell["ours"], cell["difference"])
            for cell in rows["MuSiQue"]["cells"]] == [
        ("Labeler", 93_000.0, LABELER, LABELER - 93_000.0), ("Filter", 25_000.0, FILTER, FILTER - 25_000.0)
    ]  # fmt: skip
    assert (rows["MuSiQue"]["n"], rows["MuSiQue"]["paid_calls"], rows["MuSiQue"]["lms"]) == (1, 0, [])
    assert "labels follow from gold, where those of the paper are by Llama-3-70B-Instruct" in table["caveats"]
    assert "negatives found by bm25, not Contriever-MSMARCO" in table["caveats"]
    assert (tmp_path / "out" / "table.md").read_text() == as_page(table)
    assert (tmp_path / "out" / "experiment.toml").exists()
    assert describe_study(tmp_path / "out")["folders"] == []  # nothing is answered, so there is no run to view
    assert open_experiment("efficientrag-table-1").sets["hotpotqa"].asked == 90_447


def test_fewer_questions_than_a_set_has_are_told(train, tmp_path):
    (tmp_path / "mine.toml").write_text(
        f"""
        title = "Mine"
        paper = "mine"
        place = "here"
        retriever = "BM25"
        columns = [{{ set = "small", metric = "lessons:filter" }}]
        sets.small = {{ title = "Small", questions = "{train}", size = 5 }}
        rows = [{{ name = "data", program = "efficientrag", published = ["–"] }}]
        """
    )
    table = reproduce(tmp_path / "mine.toml", out=tmp_path / "out")
    assert [cell["ours"] for row in table["rows"] for cell in row["cells"]] == [FILTER]
    assert "1 question of Small, not 5" in table["caveats"]
