import json

import pytest

from multihop.base import InputError
from multihop.data import open_questions
from multihop.data.files.record import Record
from multihop.data.formats import two_wiki
from multihop.data.formats.known_formats import format_of

OFFICIAL = {
    "_id": "aa01",
    "type": "bridge_comparison",
    "question": "Are the directors of Slow Harbour and North Ferry from the same country?",
    "context": [
        ["Slow Harbour", ["Slow Harbour is a film.", "It was directed by Petra Lund."]],
        ["Petra Lund", ["Petra Lund is a Danish director."]],
    ],
    "entity_ids": "Q1_Q2_Q3_Q4",
    "supporting_facts": [["Slow Harbour", 1], ["Petra Lund", 0], ["North Ferry", 0], ["Olav Dahl", 0]],
    "evidences": [
        ["Slow Harbour", "director", "Petra Lund"],
        ["North Ferry", "director", "Olav Dahl"],
        ["Petra Lund", "country of citizenship", "Denmark"],
        ["Olav Dahl", "country of citizenship", "Norway"],
    ],
    "evidences_id": [],
    "answer": "no",
    "answer_id": "Q35",
}
COLUMNS = {
    **OFFICIAL,
    "context": {
        "title": ["Slow Harbour", "Petra Lund"],
        "sentences": [sentences for _, sentences in OFFICIAL["context"]],
    },
    "supporting_facts": {
        "title": [title for title, _ in OFFICIAL["supporting_facts"]],
        "sent_id": [sent for _, sent in OFFICIAL["supporting_facts"]],
    },
    "evidences": {
        "fact": [triple[0] for triple in OFFICIAL["evidences"]],
        "relation": [triple[1] for triple in OFFICIAL["evidences"]],
        "entity": [triple[2] for triple in OFFICIAL["evidences"]],
    },
}
AS_TEXT = {**OFFICIAL, **{name: json.dumps(OFFICIAL[name]) for name in ("context", "supporting_facts", "evidences")}}
AS_OBJECTS = {
    **OFFICIAL,
    "context": [{"title": title, "content": sentences} for title, sentences in OFFICIAL["context"]],
    "supporting_facts": [{"title": title, "sent_id": sent} for title, sent in OFFICIAL["supporting_facts"]],
    "evidences": [{"fact": s, "relation": r, "entity": o} for s, r, o in OFFICIAL["evidences"]],
}


@pytest.mark.parametrize(
    "row", [OFFICIAL, COLUMNS, AS_TEXT, AS_OBJECTS], ids=["official", "columns", "text", "objects"]
)
def test_every_layout_gives_the_same_question(row):
    record = Record(row, "test")
    question = two_wiki.read(record)
    assert format_of(record) is two_wiki.FORMAT
    assert question == two_wiki.read(Record(OFFICIAL, "test"))
    assert question.id == "aa01"
    assert question.answers == ("no",)
    assert question.supporting == ("Slow Harbour", "Petra Lund", "North Ferry", "Olav Dahl")
    assert question.passages[0].text == "Slow Harbour is a film. It was directed by Petra Lund."
    assert question.sentences[0][1] == "It was directed by Petra Lund."
    assert [hop.triple for hop in question.decomposition] == [tuple(triple) for triple in OFFICIAL["evidences"]]
    assert question.decomposition[0].answer == "Petra Lund"
    assert question.decomposition[0].question == ""
    assert (question.type, question.hops) == ("bridge_comparison", 4)


def test_newer_rows_say_id():
    assert two_wiki.read(Record({**OFFICIAL, "_id": None, "id": "bb02"}, "test")).id == "bb02"


@pytest.mark.parametrize(("kind", "hops"), [("compositional", 2), ("inference", 2), ("comparison", 2), ("new", 0)])
def test_hops_by_type(kind, hops):
    assert two_wiki.read(Record({**OFFICIAL, "type": kind}, "test")).hops == hops


def test_blank_answers_of_the_test_file():
    question = two_wiki.read(Record({**OFFICIAL, "answer": "", "evidences": [], "supporting_facts": []}, "test"))
    assert question.answers == question.supporting == question.decomposition == ()


def test_a_triple_of_two_parts():
    with pytest.raises(InputError, match=r"'evidences\[0\]' must be \[fact, relation, entity\], but is a list"):
        two_wiki.read(Record({**OFFICIAL, "evidences": [["Slow Harbour", "director"]]}, "test"))


@pytest.fixture
def files(tmp_path):
    questions, aliases = tmp_path / "dev.json", tmp_path / "id_aliases.json"
    questions.write_text(json.dumps([{**OFFICIAL, "answer": "Denmark"}, {**OFFICIAL, "_id": "2", "answer_id": ""}]))
    aliases.write_text(
        '{"Q_id": "Q35", "aliases": ["Kingdom of Denmark", "Denmark"], "demonyms": ["Danish"]}\n'
        '{"Q_id": "Q20", "aliases": [], "demonyms": ["Norwegian"]}\n'
    )
    return questions, aliases


def test_aliases_are_read(files):
    assert two_wiki.read_aliases(files[1]) == {
        "Q35": ("Kingdom of Denmark", "Denmark", "Danish"),
        "Q20": ("Norwegian",),
    }


def test_aliases_become_accepted_answers(files):
    first, second = open_questions(files[0], aliases=files[1])
    assert first.answers == ("Denmark", "Kingdom of Denmark", "Danish")
    assert second.answers == ("no",)


def test_without_aliases_only_the_answer_counts(files):
    assert next(iter(open_questions(files[0]))).answers == ("Denmark",)


def test_aliases_need_answer_ids(files):
    files[0].write_text(json.dumps([{name: value for name, value in OFFICIAL.items() if name != "answer_id"}]))
    with pytest.raises(InputError, match="aliases need questions with 'answer_id'"):
        next(iter(open_questions(files[0], aliases=files[1])))


def test_aliases_go_with_this_set_only(files, tmp_path):
    other = tmp_path / "mine.jsonl"
    other.write_text('{"id": 1, "question": "Who?", "answers": ["Ada"]}')
    with pytest.raises(InputError, match=r"mine\.jsonl, line 1: aliases go with .* but this is this library's rows"):
        next(iter(open_questions(other, aliases=files[1])))


def test_an_empty_alias_file(files):
    files[1].write_text("")
    with pytest.raises(InputError, match="holds no aliases"):
        next(iter(open_questions(files[0], aliases=files[1])))
