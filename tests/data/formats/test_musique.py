import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.data import open_questions
from multihop.data.files.record import Record
from multihop.data.formats import musique
from multihop.data.formats.format import content_id
from multihop.data.formats.known_formats import format_of

PARAGRAPHS = [
    {"idx": 0, "title": "Kelmar", "paragraph_text": "Kelmar is a town in Vossia.", "is_supporting": True},
    {"idx": 1, "title": "Kelmar", "paragraph_text": "Kelmar has a tram.", "is_supporting": False},
    {"idx": 2, "title": "Rosa Tiel", "paragraph_text": "Rosa Tiel was born in Kelmar.", "is_supporting": True},
    {"idx": 3, "title": "Dusk", "paragraph_text": "Dusk is a novel by Rosa Tiel.", "is_supporting": True},
]
ANSWERABLE = {
    "id": "3hop1__11_22_33",
    "paragraphs": PARAGRAPHS,
    "question": "In which country is the birthplace of the author of Dusk?",
    "question_decomposition": [
        {"id": 11, "question": "Dusk >> author", "answer": "Rosa Tiel", "paragraph_support_idx": 3},
        {"id": 22, "question": "#1 >> place of birth", "answer": "Kelmar", "paragraph_support_idx": 2},
        {"id": 33, "question": "Where is #2, home of #1?", "answer": "Vossia", "paragraph_support_idx": 0},
    ],
    "answer": "Vossia",
    "answer_aliases": ["Republic of Vossia", "Vossia"],
    "answerable": True,
}
UNANSWERABLE = {
    **ANSWERABLE,
    "paragraphs": [{**PARAGRAPHS[1], "idx": 0}, {**PARAGRAPHS[3], "idx": 1}],
    "question_decomposition": [
        {**ANSWERABLE["question_decomposition"][0], "paragraph_support_idx": 1},
        {**ANSWERABLE["question_decomposition"][1], "paragraph_support_idx": None},
        {**ANSWERABLE["question_decomposition"][2], "paragraph_support_idx": None},
    ],
    "answerable": False,
}


def paragraph_id(index):
    return content_id(PARAGRAPHS[index]["title"], PARAGRAPHS[index]["paragraph_text"])


def test_a_question():
    record = Record(ANSWERABLE, "dev.jsonl, line 1")
    question = musique.read(record)
    assert format_of(record) is musique.FORMAT
    assert question.id == "3hop1__11_22_33"
    assert question.answers == ("Vossia", "Republic of Vossia")
    assert question.supporting == (paragraph_id(0), paragraph_id(2), paragraph_id(3))
    assert [passage.id for passage in question.passages] == [paragraph_id(index) for index in range(4)]
    assert question.passages[1].title == "Kelmar"
    assert question.sentences == question.supporting_sents == ()
    assert [(hop.question, hop.answer, hop.passage) for hop in question.decomposition] == [
        ("Dusk >> author", "Rosa Tiel", paragraph_id(3)),
        ("Rosa Tiel >> place of birth", "Kelmar", paragraph_id(2)),
        ("Where is Kelmar, home of Rosa Tiel?", "Vossia", paragraph_id(0)),
    ]
    assert (question.type, question.hops) == ("3hop1", 3)
    assert question.answerable


def test_the_same_paragraph_has_the_same_id_in_every_question():
    first, second = musique.read(Record(ANSWERABLE, "")), musique.read(Record(UNANSWERABLE, ""))
    assert first.passages[3] == second.passages[1]


def test_an_unanswerable_twin():
    question = musique.read(Record(UNANSWERABLE, "full.jsonl, line 2"))
    assert question.id == "3hop1__11_22_33#unanswerable"
    assert not question.answerable
    assert question.answers == ()
    assert [hop.passage for hop in question.decomposition] == [paragraph_id(3), "", ""]


def test_the_twins_of_musique_full_stand_in_one_file(tmp_path):
    path = tmp_path / "musique_full_v1.0_dev.jsonl"
    path.write_text(f"{json.dumps(ANSWERABLE)}\n{json.dumps(UNANSWERABLE)}\n")
    assert [question.answerable for question in open_questions(path)] == [True, False]


def test_the_blind_test_file():
    row = {name: ANSWERABLE[name] for name in ("id", "question")}
    row["paragraphs"] = [{key: p[key] for key in ("idx", "title", "paragraph_text")} for p in PARAGRAPHS]
    record = Record(row, "test")
    question = musique.read(record)
    assert format_of(record) is musique.FORMAT
    assert question.answers == question.decomposition == question.supporting == ()
    assert (len(question.passages), question.hops) == (4, 3)


def test_ids_of_another_kind_take_hops_from_the_decomposition():
    question = musique.read(Record({**ANSWERABLE, "id": "mine"}, "test"))
    assert (question.type, question.hops) == ("", 3)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"question": " "}, "'question' is empty"),
        ({"answerable": "yes"}, "'answerable' must be true or false"),
        ({"paragraphs": [{"idx": 0, "title": "Kelmar"}]}, r"paragraphs\[0\]: no field 'paragraph_text'"),
        (
            {"paragraphs": PARAGRAPHS[:2]},
            r"question_decomposition\[0\]: 'paragraph_support_idx' is 3, but no paragraph",
        ),
    ],
)
def test_bad_questions(change, problem):
    with pytest.raises(InputError, match=f"^dev.jsonl, line 9.*{problem}"):
        musique.read(Record({**ANSWERABLE, **change}, "dev.jsonl, line 9"))


def test_references_to_later_hops_stay():
    assert musique.fill_references("#0, #1, #2 and #3", ["a", "b"]) == "#0, a, b and #3"


def test_answers_that_look_like_references_or_patterns_stay_as_they_are():
    assert musique.fill_references("#1 of #2", [r"#2\1", "b"]) == r"#2\1 of b"


@given(st.lists(st.text(alphabet="abc "), min_size=1, max_size=12))
def test_every_earlier_answer_can_be_referred_to(answers):
    question = " | ".join(f"#{number}" for number in range(1, len(answers) + 1))
    assert musique.fill_references(question, answers) == " | ".join(answers)
