import json
import tracemalloc

import pytest

from multihop.base import InputError
from multihop.data import Question, gather_passages, open_corpus
from multihop.data.corpus import read_passages
from multihop.data.question import content_id
from multihop.data.record_files import read_records
from multihop.retrieval import Passage

EMMA = Passage("1", "Emma", "Emma is a novel.")


def corpus(tmp_path, *rows):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("row", "title", "text"),
    [
        ({"title": "Emma", "text": "A novel."}, "Emma", "A novel."),
        ({"_id": "1", "id": None, "text": "A novel.", "metadata": {"url": "..."}}, "", "A novel."),
        ({"id": 1, "title": "Emma", "contents": '"A"\nnovel.'}, "Emma", '"A"\nnovel.'),
        ({"title": "Emma", "paragraph_text": "A novel."}, "Emma", "A novel."),
        ({"title": "Emma", "text": ["A", " novel."]}, "Emma", "A novel."),
        ({"contents": "Emma\nA novel."}, "", "Emma\nA novel."),
        ({"contents": '"Emma"'}, "", '"Emma"'),
        ({"contents": '"Emma"\nLine one.\nLine two.'}, "Emma", "Line one.\nLine two."),
        ({"contents": '""The Office" (series)"\nA series.'}, '"The Office" (series)', "A series."),
        ({"contents": '"\nA quote.'}, "", '"\nA quote.'),
    ],
)
def test_every_layout_of_a_passage(tmp_path, row, title, text):
    assert list(open_corpus(corpus(tmp_path, {"id": "1"} | row))) == [Passage("1", title, text)]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            {"id": "2", "title": "Emma", "words": "A novel."},
            r"no text field\. The fields are id, title, words; a passage needs an id \(id, _id, .*\) and a text "
            r"\(text, contents, .*\), and may have a title\. .* --field text=NAME\.",
        ),
        ({"text": "A novel."}, "no field 'id' or '_id' or .*; the fields are text"),
        ({"id": "2", "text": "  "}, "neither title nor text"),
        ({"id": "1", "text": "Again."}, "the id '1' is in an earlier record too"),
    ],
)
def test_a_bad_record_is_named(tmp_path, row, problem):
    with pytest.raises(InputError, match=rf"corpus\.jsonl, line 2: {problem}"):
        list(open_corpus(corpus(tmp_path, {"id": "1", "text": "A novel."}, row)))


def test_ids_are_made_where_the_first_record_has_none_and_no_two_are_one(tmp_path, monkeypatch):
    rows = [{"text": text} for text in ("A.", "B.", "A.", "C.", "B.")]
    path = corpus(tmp_path, {"title": "Emma", "text": "A.", "idx": 0}, *rows)
    assert [passage.id for passage in open_corpus(path)] == [
        content_id("Emma", "A."), *(content_id("", text) for text in ("A.", "B.", "C."))
    ]  # fmt: skip
    monkeypatch.setattr("multihop.data.corpus.content_id", lambda title, text: "same")
    assert [(passage.id, passage.text) for passage in open_corpus(corpus(tmp_path, *rows))] == [
        ("same", "A."), ("same-2", "B."), ("same-3", "C.")
    ]  # fmt: skip


def test_sentences_by_their_titles(tmp_path):
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps({"Emma": ["Emma is", " a novel."], "Dusk": ["Dusk is not."]}, indent=2))
    assert list(open_corpus(path)) == [
        Passage("Emma", "Emma", "Emma is a novel."), Passage("Dusk", "Dusk", "Dusk is not.")
    ]  # fmt: skip


def test_memory_does_not_grow_with_the_corpus(tmp_path):
    path = corpus(tmp_path, *[{"id": 1, "text": "word " * 10_000}] * 300)
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_passages(read_records(path), "corpus", unique_ids=False)) == 300  # all of one id
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000 < path.stat().st_size / 10


def test_gathered_passages_come_once():
    other = Passage("2", "Jane", "A writer.")
    questions = [
        Question(id="a", question="Who?", answers=(), passages=(EMMA, other)),
        Question(id="b", question="Who?", answers=()),
        Question(id="c", question="Who?", answers=(), passages=(other, EMMA._replace(text="Another."))),
    ]
    assert list(gather_passages(questions)) == [EMMA, other]
