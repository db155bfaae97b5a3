"""Our own rows: what they may hold, and that what is written is read back."""

import gzip
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.data import Question, SubQuestion, open_questions, write_questions
from multihop.data.own_rows import read_row
from multihop.data.question import content_id
from multihop.data.record import Record
from multihop.retrieval import Passage

from .layouts import ROW


def read(**fields):
    return read_row(Record({**ROW, **fields}, "mine.jsonl, line 5"))


def test_a_row_with_its_paragraphs():
    novel = {"title": "Dusk", "text": "Dusk is a novel. By Rosa."}
    dusk, rosa = content_id(**novel), content_id("", "Rosa was born in Kelmar.")
    question = read(
        paragraphs=[
            {**novel, "sentences": ["Dusk is a novel.", " By Rosa."], "is_supporting": True, "supporting_sents": [1]},
            {"title": "", "text": "Rosa was born in Kelmar.", "sentences": ["Rosa was born in Kelmar."]},
            {**novel, "sentences": ["again"], "is_supporting": True},
        ],
        decomposition=[
            {"question": "Who wrote Dusk?", "answer": "Rosa", "paragraph": 2},
            {"question": "Where was #1 born?", "answer": "Kelmar", "paragraph": 1},
        ],
    )
    assert question.passages == (Passage(dusk, *novel.values()), Passage(rosa, "", "Rosa was born in Kelmar."))
    assert question.sentences == (("Dusk is a novel.", " By Rosa."), ("Rosa was born in Kelmar.",))
    assert question.supporting == (dusk,)
    assert question.supporting_sents == ((dusk, 1),)
    assert question.decomposition == (
        SubQuestion("Who wrote Dusk?", "Rosa", dusk),
        SubQuestion("Where was Rosa born?", "Kelmar", rosa),
    )


def test_a_row_with_titles_and_triples():
    question = read(
        supporting_titles=[["Dusk", 0], ["Rosa", 1], ["Dusk", 2]],
        decomposition=[{"triple": ["Dusk", "author", "Rosa"]}, {"triple": ["Rosa", "place of birth", "Kelmar"]}],
    )
    assert question.supporting == ("Dusk", "Rosa")
    assert question.supporting_sents == (("Dusk", 0), ("Rosa", 1), ("Dusk", 2))
    assert question.decomposition[1] == SubQuestion("", "Kelmar", "", ("Rosa", "place of birth", "Kelmar"))
    by_title = {"question": "Who wrote Dusk?", "answer": "Rosa", "title": "Dusk"}
    by_id = {"question": "Where was #1 born?", "answer": "Kelmar", "paragraph": "p7", "title": "Rosa"}
    assert [hop.passage for hop in read(decomposition=[by_title, by_id]).decomposition] == ["Dusk", "p7"]


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
FILLED = TEXT.filter(str.strip)
PASSAGES = st.lists(st.builds(Passage, FILLED, TEXT, TEXT), max_size=3, unique_by=lambda passage: passage.id)
HOPS = st.builds(
    SubQuestion,
    question=TEXT | st.just("who is #1 of #2"),
    answer=TEXT | st.just("#1"),
    passage=TEXT,
    triple=st.none() | st.tuples(TEXT, TEXT, TEXT),
)
QUESTIONS = st.builds(
    Question,
    id=FILLED,
    question=FILLED,
    answers=st.lists(FILLED, unique=True, max_size=3).map(tuple),
    supporting=st.lists(TEXT, max_size=2).map(tuple),
    supporting_sents=st.lists(st.tuples(TEXT, st.integers(0, 9)), max_size=2).map(tuple),
    passages=PASSAGES.map(tuple),
    context_ids=st.lists(TEXT, max_size=2).map(tuple),
    decomposition=st.lists(HOPS, max_size=3).map(tuple),
    type=TEXT,
    level=TEXT,
    hops=st.integers(0, 4),
    gold=st.sampled_from(["given", "derived"]),
    answerable=st.booleans(),
)


@given(questions=st.lists(QUESTIONS, min_size=1, max_size=3, unique_by=lambda question: question.id), data=st.data())
def test_what_is_written_is_read_back(tmp_path_factory, questions, data):
    sentences = st.lists(TEXT, max_size=2).map(tuple)
    questions = [
        replace(question, sentences=tuple(data.draw(sentences) for _ in question.passages)) if index % 2 else question
        for index, question in enumerate(questions)
    ]
    path = tmp_path_factory.getbasetemp() / "round.jsonl"
    assert write_questions(path, questions) == len(questions)
    assert list(open_questions(path)) == questions


def test_a_name_in_gz_is_packed_the_same_each_time_and_a_failure_leaves_what_was_there(tmp_path):
    question = Question(id="old", question="Who?", answers=("Ada",))
    for name in ("one.jsonl.gz", "two.jsonl.gz", "plain.jsonl"):
        write_questions(tmp_path / name, [question])
    zipped, again, plain = ((tmp_path / name).read_bytes() for name in ("one.jsonl.gz", "two.jsonl.gz", "plain.jsonl"))
    assert zipped == again
    assert gzip.decompress(zipped) == plain
    with pytest.raises(ZeroDivisionError):
        write_questions(tmp_path / "one.jsonl.gz", (replace(question, hops=1 // left) for left in (1, 0)))
    assert list(open_questions(tmp_path / "one.jsonl.gz")) == [question]
    assert len(list(tmp_path.iterdir())) == 3
