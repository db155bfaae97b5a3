import pytest

from multihop.base import InputError
from multihop.data.files.record import Record
from multihop.data.formats import hotpotqa
from multihop.data.formats.known_formats import format_of
from multihop.retrieval import Passage

OFFICIAL = {
    "_id": "5a0001",
    "answer": "Ostrava",
    "question": "In which city was the composer of The Glass Orchard born?",
    "type": "bridge",
    "level": "medium",
    "supporting_facts": [["The Glass Orchard", 1], ["Ilona Marek", 0]],
    "context": [
        ["Orchard", ["An orchard is a planting of trees."]],
        ["The Glass Orchard", ["The Glass Orchard is an opera.", " Its composer is Ilona Marek."]],
        ["Ilona Marek", ["Ilona Marek was born in Ostrava.", " She studied in Brno."]],
    ],
}


def hub_layout(row):
    return {
        **{name: row[name] for name in ("question", "answer", "type", "level")},
        "id": row["_id"],
        "supporting_facts": {
            "title": [title for title, _ in row["supporting_facts"]],
            "sent_id": [sent for _, sent in row["supporting_facts"]],
        },
        "context": {
            "title": [title for title, _ in row["context"]],
            "sentences": [sentences for _, sentences in row["context"]],
        },
    }


@pytest.mark.parametrize("row", [OFFICIAL, hub_layout(OFFICIAL)], ids=["official", "hub"])
def test_a_question(row):
    record = Record(row, "dev.json, item 1")
    question = hotpotqa.read(record)
    assert format_of(record) is hotpotqa.FORMAT
    assert question.id == "5a0001"
    assert question.question == OFFICIAL["question"]
    assert question.answers == ("Ostrava",)
    assert question.supporting == ("The Glass Orchard", "Ilona Marek")
    assert question.supporting_sents == (("The Glass Orchard", 1), ("Ilona Marek", 0))
    assert question.passages[1] == Passage(
        "The Glass Orchard", "The Glass Orchard", "The Glass Orchard is an opera. Its composer is Ilona Marek."
    )
    assert question.sentences[2] == ("Ilona Marek was born in Ostrava.", " She studied in Brno.")
    assert (question.type, question.level, question.hops) == ("bridge", "medium", 2)
    assert question.decomposition == ()
    assert question.answerable
    assert question.gold == "given"


def test_fullwiki_may_miss_a_gold_paragraph():
    question = hotpotqa.read(Record({**OFFICIAL, "context": OFFICIAL["context"][:2]}, "test"))
    assert "Ilona Marek" in question.supporting
    assert len(question.passages) == 2


def test_the_blind_test_file_has_no_answers():
    row = {name: OFFICIAL[name] for name in ("_id", "question", "context")}
    record = Record(row, "test")
    question = hotpotqa.read(record)
    assert format_of(record) is hotpotqa.FORMAT
    assert question.answers == question.supporting == ()
    assert question.hops == 0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"question": ""}, "dev.json, item 4: 'question' is empty"),
        ({"_id": None}, "dev.json, item 4: no field '_id' or 'id'"),
        ({"answer": ["Ostrava"]}, "'answer' must be text, but is a list"),
        ({"supporting_facts": [["Ilona Marek"]]}, r"'supporting_facts\[0\]' must be \[title, sent_id\]"),
        ({"supporting_facts": [["Ilona Marek", "0"]]}, r"supporting_facts\[0\]: 'sent_id' must be a whole number"),
        ({"context": [["Ilona Marek", "She."]]}, r"context\[0\]: 'sentences' must be a list, but is text"),
    ],
)
def test_bad_questions(change, problem):
    with pytest.raises(InputError, match=problem):
        hotpotqa.read(Record({**OFFICIAL, **change}, "dev.json, item 4"))
