import pytest

from multihop.base import InputError
from multihop.data.files.record import Record
from multihop.data.formats import flashrag
from multihop.data.formats.format import content_id
from multihop.data.formats.known_formats import format_of


def row(**metadata):
    return {"id": "dev_3", "question": "Who wrote Dusk?", "golden_answers": ["Rosa Tiel", "Tiel"], "metadata": metadata}


def read(fields):
    record = Record(fields, "dev.jsonl, line 4")
    assert format_of(record) is flashrag.FORMAT
    return flashrag.read(record)


HOTPOTQA = row(
    type="bridge",
    level="hard",
    supporting_facts={"title": ["Dusk", "Rosa Tiel"], "sent_id": [0, 1]},
    context={"title": ["Dusk", "Rosa Tiel"], "sentences": [["Dusk is a novel."], ["A writer.", " She wrote Dusk."]]},
)
TWO_WIKI = row(
    type="compositional",
    supporting_facts={"title": ["Dusk"], "sent_id": [0]},
    context={"title": ["Dusk"], "content": [["Dusk is a novel.", "By Rosa Tiel."]]},
    evidences={"fact": ["Dusk"], "relation": ["author"], "entity": ["Rosa Tiel"]},
)
MUSIQUE = row(
    answerable=True,
    answer_aliases=[],
    question_decomposition=[
        {
            "id": 7,
            "question": "The film Dusk >> based on",
            "answer": "Dusk",
            "support_paragraph": {
                "idx": 9,
                "title": "Dusk (film)",
                "paragraph_text": "From Dusk.",
                "is_supporting": True,
            },
        },
        {
            "id": 8,
            "question": "#1 >> author",
            "answer": "Rosa Tiel",
            "support_paragraph": {"idx": 2, "title": "Dusk", "paragraph_text": "By Rosa Tiel.", "is_supporting": True},
        },
    ],
)


def test_hotpotqa():
    question = read(HOTPOTQA)
    assert (question.id, question.answers) == ("dev_3", ("Rosa Tiel", "Tiel"))
    assert question.supporting_sents == (("Dusk", 0), ("Rosa Tiel", 1))
    assert question.passages[1].text == "A writer. She wrote Dusk."
    assert (question.type, question.level, question.hops) == ("bridge", "hard", 2)


def test_two_wiki():
    question = read(TWO_WIKI)
    assert question.passages[0].text == "Dusk is a novel. By Rosa Tiel."
    assert question.decomposition[0].triple == ("Dusk", "author", "Rosa Tiel")
    assert (question.type, question.hops, question.answers) == ("compositional", 2, ("Rosa Tiel", "Tiel"))


def test_musique():
    question = read(MUSIQUE)
    film, novel = content_id("Dusk (film)", "From Dusk."), content_id("Dusk", "By Rosa Tiel.")
    assert question.supporting == (film, novel)
    assert [(hop.question, hop.passage) for hop in question.decomposition] == [
        ("The film Dusk >> based on", film),
        ("Dusk >> author", novel),
    ]
    assert (question.hops, question.answers) == (2, ("Rosa Tiel", "Tiel"))


def test_unanswerable_musique_accepts_no_answer():
    steps = [{**step, "support_paragraph": None} for step in MUSIQUE["metadata"]["question_decomposition"]]
    question = read(row(answerable=False, question_decomposition=steps))
    assert (question.id, question.answers, question.answerable) == ("dev_3#unanswerable", (), False)
    assert question.passages == ()


@pytest.mark.parametrize("metadata", [{}, {"answer_type": "span"}, None])
def test_other_sets_give_question_and_answers(metadata):
    question = read({**row(), "metadata": metadata})
    assert (question.question, question.answers) == ("Who wrote Dusk?", ("Rosa Tiel", "Tiel"))
    assert question.passages == ()


def test_null_fields_of_a_merged_table_count_as_absent():
    question = read(row(**{**HOTPOTQA["metadata"], "evidences": None, "question_decomposition": None}))
    assert question == read(HOTPOTQA)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({**row(), "metadata": "none"}, "'metadata' must be an object, but is text"),
        ({**row(), "golden_answers": {"start": 3}}, "'golden_answers' must be text or a list, or an object"),
        ({**row(), "golden_answers": ["A\0B"]}, r"'golden_answers\[0\]' holds a NUL character"),
        ({**row(), "question": ""}, "'question' is empty"),
    ],
)
def test_bad_rows(fields, problem):
    with pytest.raises(InputError, match=f"^dev.jsonl, line 4: {problem}"):
        flashrag.read(Record(fields, "dev.jsonl, line 4"))
