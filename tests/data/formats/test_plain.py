import json

import pytest

from multihop.base import InputError
from multihop.data import Question, SubQuestion, open_questions
from multihop.data.files.record import Record
from multihop.data.formats import plain
from multihop.data.formats.known_formats import format_of

WHO = {"id": "q1", "question": "Who wrote Emma?"}


def read(**fields):
    record = Record({**WHO, **fields}, "mine.jsonl, line 3")
    assert format_of(record) is plain.FORMAT
    return plain.read(record)


def test_aliases_follow_the_answer():
    assert read(answer="Jane Austen", answer_aliases=["Austen", "Jane Austen"]).answers == ("Jane Austen", "Austen")


@pytest.mark.parametrize("empty", [{"answer": None}, {"output": []}, {"target": ""}, {"answers": None, "answer": ""}])
def test_an_empty_answer_says_that_there_is_none(empty):
    record = Record({**WHO, **empty}, "mine.jsonl, line 3")
    question = format_of(record).read(record)
    assert (question.answers, question.answerable) == ((), False)


def test_questions_alone():
    record = Record({**WHO, "type": "bridge", "supporting": ["p1"]}, "mine.jsonl, line 3")
    question = format_of(record).read(record)
    assert question == Question(id="q1", question=WHO["question"], answers=(), type="bridge", supporting=("p1",))
    with pytest.raises(InputError, match="not a question in a known layout. Its fields are id, question, resposta."):
        format_of(Record({**WHO, "resposta": "Jane Austen"}, "mine.jsonl, line 3"))


def test_what_our_own_rows_have_besides_counts_too():
    question = read(
        answer="Jane Austen",
        supporting=["p1", "p2"],
        decomposition=[{"question": "Who?", "answer": "Jane Austen"}],
        type="bridge",
        level="hard",
        hops=2,
    )
    assert question.supporting == ("p1", "p2")
    assert question.decomposition == (SubQuestion("Who?", "Jane Austen"),)
    assert (question.type, question.level, question.hops) == ("bridge", "hard", 2)


def test_fields_of_other_sets_with_names_of_ours_are_left_aside():
    question = read(
        answer=True, facts=["Emma is a novel."], decomposition=["Who?", "Where?"], level=5, hops="two", supporting=[3]
    )
    assert question == Question(id="q1", question="Who wrote Emma?", answers=("yes",))


def test_prose_under_the_name_of_hotpotqas_paragraphs():
    assert read(context="Emma is by Jane Austen.", answer="Jane Austen").answers == ("Jane Austen",)


def test_a_blank_question():
    with pytest.raises(InputError, match="mine.jsonl, line 3: 'question' is empty"):
        read(question=" ", answer="Ada")


def test_the_rows_of_bamboogle_on_the_hub(tmp_path):
    rows = [{"Question": "Who was president when it was founded?", "Answer": "James Monroe"}] * 2
    (tmp_path / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = open_questions(tmp_path / "test.jsonl")
    assert (first.question, first.answers) == (rows[0]["Question"], ("James Monroe",))
    assert second.id == f"{first.id}-2"
