"""Questions and passages by the name of their source: what is read, what is refused, what is left out."""

import json

import pytest

from multihop.base import InputError
from multihop.data import Question, bring_paragraphs, open_corpus, open_questions, open_retriever, write_questions
from multihop.data.sources import local_path
from multihop.retrieval import BM25, Passage

from .layouts import HOTPOTQA, MUSIQUE

MINE = {"id": "q1", "question": "Who wrote Dusk?", "answers": ["Rosa Tiel"]}
ANSWERLESS = {"id": "q2", "question": "Who wrote Night?"}


def save(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_source_is_read_up_to_the_limit_and_anew_each_time(tmp_path):
    path = save(tmp_path / "q.jsonl", *({**MINE, "id": number} for number in range(5)), {"broken": True})
    questions = open_questions(path, limit=3)
    assert [question.id for question in questions] == ["0", "1", "2"]
    save(path, MINE)
    assert [question.id for question in questions] == ["q1"]
    with pytest.raises(InputError, match="the limit must be at least 1, not 0"):
        open_questions(path, limit=0)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([MUSIQUE, {"question": "Who?"}], "line 2: no field 'id'"),  # the layout of the first goes for all
        ([MINE, {**MINE, "id": "q2"}, MINE], r"line 3: the question id 'q1' is already used at .*line 1\."),
        ([MINE, {**MINE, "id": "q2", "question": ""}], "line 2: 'question' is empty"),
        ([MINE, {**MINE, "id": 1001 * "q"}], "line 2: a question id has at most 1,000 characters"),
        ([], "holds no questions"),
    ],
)
def test_bad_questions_are_named(tmp_path, rows, problem):
    with pytest.raises(InputError, match=problem):
        list(open_questions(save(tmp_path / "q.jsonl", *rows)))


@pytest.mark.parametrize(
    ("opened", "source", "problem"),
    [
        (open_questions, "litle", "there is no file, folder or index 'litle'; other names are 'little' and 'hub:NAME'"),
        (open_questions, "missing.jsonl", r"missing\.jsonl does not exist"),
        (open_corpus, "hub:musiqe", "unknown question set 'musiqe'; did you mean 'musique'"),
        (open_corpus, "s3://bucket/a.jsonl", "^s3://bucket/a.jsonl is an address; download the file first"),
        (open_retriever, "http://here.org/a.tsv.gz", "^http://here.org/a.tsv.gz is an address; download the file fi"),
    ],
)
def test_what_is_no_source_is_refused(opened, source, problem):
    with pytest.raises(InputError, match=problem):
        list(opened(source))


def test_the_paragraphs_of_questions_are_a_corpus(tmp_path):
    path = save(tmp_path / "h.jsonl", HOTPOTQA, {**HOTPOTQA, "_id": "other"})
    assert list(open_corpus(path)) == list(next(iter(open_questions(path))).passages)
    assert bring_paragraphs(open_questions(path))
    alone = save(tmp_path / "q.jsonl", MINE)
    assert not bring_paragraphs(open_questions(alone))
    with pytest.raises(InputError, match="holds questions without paragraphs of their own; give a corpus"):
        list(open_corpus(alone))
    asking = {"id": 1, "text": "A novel.", "question": "What is Emma?", "answer": "A novel."}
    assert list(open_corpus(save(tmp_path / "c.jsonl", asking))) == [Passage("1", "", "A novel.")]


def test_fields_of_other_names_can_be_told(tmp_path):
    row = {"key": 7, "prompt": "Who wrote Emma?", "reply": "Jane Austen", "answer": "long", "gold_ids": ["p1"]}
    path = save(tmp_path / "q.jsonl", row)
    fields = {"id": "key", "question": "prompt", "answer": "reply", "supporting": "gold_ids"}
    (question,) = open_questions(path, fields=fields)
    assert question == Question(id="7", question="Who wrote Emma?", answers=("Jane Austen",), supporting=("p1",))
    with pytest.raises(InputError, match="line 1: no field 'ask', to be read as 'question'; the fields are key"):
        list(open_questions(path, fields={"question": "ask"}))
    with pytest.raises(InputError, match="unknown field 'qestion'; did you mean 'question'"):
        open_questions(path, fields={"qestion": "prompt"})
    known = save(tmp_path / "h.jsonl", {("ask" if name == "question" else name): HOTPOTQA[name] for name in HOTPOTQA})
    assert [each.question for each in open_questions(known, fields={"question": "ask"})] == [HOTPOTQA["question"]]
    assert len(list(open_corpus(known, fields={"question": "ask"}))) == len(HOTPOTQA["context"])
    row = {"pid": 1, "heading": "Emma", "body": "A novel.", "question": "x", "answer": "y"}
    fields = {"id": "pid", "title": "heading", "text": "body"}
    assert list(open_corpus(save(tmp_path / "c.jsonl", row), fields=fields)) == [Passage("1", "Emma", "A novel.")]


def test_bad_questions_are_left_out_up_to_a_number(tmp_path):
    path = tmp_path / "q.jsonl"
    good = [{**MINE, "id": number} for number in range(3)]
    later = [{**MINE, "id": 1}, {**MINE, "id": 8, "question": ""}]
    path.write_text("\n".join(["{}", *map(json.dumps, good), '{"id": 9,', *map(json.dumps, later)]))
    questions = open_questions(path, skip_bad=4)
    assert [(one.id, other.id) for one, other in zip(questions, questions, strict=True)] == [(n, n) for n in "012"]
    assert str(questions.skipped).startswith(f"4 bad records were left out, the first: {path}, line 1: ")
    assert [reason.partition(":")[0][-6:] for reason in questions.skipped.reasons] == ["line 1", "line 5", "line 6"]
    with pytest.raises(InputError, match=r"line 7: 'question' is empty\. That is one more than the 3 bad records"):
        list(open_questions(path, skip_bad=3))
    with pytest.raises(InputError, match="holds no questions"):
        list(open_questions(save(path, {}, {}), skip_bad=5))
    with pytest.raises(InputError, match="must be 0 or more, not -1"):
        open_questions(path, skip_bad=-1)


@pytest.mark.parametrize("place", [0, 2])
def test_a_question_without_an_answer_among_others_is_refused_and_can_be_left_out(tmp_path, place):
    rows = [MINE, {**MINE, "id": "q3", "answers": []}]
    path = save(tmp_path / "q.jsonl", *rows[:place], ANSWERLESS, *rows[place:])
    wanted = (
        f'{path}, line {place + 1}: this question has no answer, and others have one; add it, or "answers": [] if it '
        "cannot be answered."
    )
    with pytest.raises(InputError) as caught:
        list(open_questions(path))
    assert str(caught.value) == wanted
    questions = open_questions(path, skip_bad=1)
    assert [(question.id, question.answerable) for question in questions] == [("q1", True), ("q3", False)]
    assert questions.skipped.reasons == [wanted]


def test_of_questions_alone_no_answer_is_known_and_the_first_that_is_kept_decides_the_layout(tmp_path):
    path = save(tmp_path / "q.jsonl", ANSWERLESS, {"id": "q3", "question": "When?"})
    assert [(question.answers, question.answerable) for question in open_questions(path)] == [((), True)] * 2
    ours = {**MINE, "paragraphs": [{"title": "Dusk", "text": "By Rosa Tiel.", "is_supporting": True}]}
    (question,) = open_questions(save(path, ANSWERLESS, ours), skip_bad=1)
    assert question.supporting == (question.passages[0].id,)


def test_bad_passages_are_left_out_up_to_a_number(tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.data.record.LONGEST_TEXT", 1000)
    row = {"id": 1, "text": "A novel."}
    path = save(tmp_path / "c.jsonl", {}, row, {"id": 2, "text": "x" * 1001}, row, {"id": 3, "text": " "})
    passages = open_corpus(path, skip_bad=4)
    assert list(passages) == [Passage("1", "", "A novel.")]
    assert passages.skipped.count == 4
    assert "line 3: 'text' has 1,001 characters, and at most 1,000 are read" in passages.skipped.reasons[1]
    with pytest.raises(InputError, match="line 1: no text field"):
        list(open_corpus(path))
    with pytest.raises(InputError, match="holds no passages"):
        list(open_corpus(save(path, {}, {}), skip_bad=5))


EMMA = Passage("1", "Emma", "A novel by Jane Austen.")
DUSK = Passage("2", "Dusk", "A novel by Rosa Tiel.")
WHO = Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",))


@pytest.fixture
def folder(tmp_path):
    """Two passages in two files, among files and folders of other kinds."""
    home = tmp_path / "corpus"
    (home / "more").mkdir(parents=True)
    (home / "b.csv").write_text(f"id,title,text\n2,Dusk,{DUSK.text}\n")
    save(home / "a.jsonl", EMMA._asdict())
    for name in ("README.md", ".hidden.jsonl", "more/c.jsonl"):
        (home / name).write_text("broken")
    return home


def test_the_files_of_a_folder_are_read_in_the_order_of_their_names(folder, tmp_path):
    assert list(open_corpus(folder)) == [EMMA, DUSK]
    assert open_retriever(folder).search(["Rosa Tiel"], k=1)[0][0].passage == DUSK
    save(folder / "c.jsonl", EMMA._asdict())
    with pytest.raises(InputError, match=r"c\.jsonl, line 1: the id '1' is in an earlier record too"):
        list(open_corpus(folder))
    with pytest.raises(InputError, match=r"is a folder without a file that can be read: \.json, "):
        list(open_questions(tmp_path))
    write_questions(tmp_path / "b.jsonl", [WHO])
    save(tmp_path / "a.jsonl", {**MINE, "id": "q0"})
    assert [question.id for question in open_questions(tmp_path)] == ["q0", "q1"]


def test_a_folder_or_a_file_of_documents_is_a_corpus(tmp_path):
    home = tmp_path / "docs"
    home.mkdir()
    for name, text in {"po.md": "A long river.", "b.csv": "km\n652\n", "bad.txt": b"\xff", "no.txt": ""}.items():
        (home / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    passages = open_corpus(home)
    assert [passage.id for passage in passages] == ["b.csv#row=2", "po.md#1"]
    assert str(passages.skipped).startswith("2 documents were left out: ")
    assert "bad.txt is not UTF-8; save it so, and try again." in str(passages.skipped)
    assert str(passages.skipped).endswith("no.txt has no text.")
    assert open_retriever(home).search(["river"], k=1)[0][0].passage.id == "po.md#1"
    assert list(open_corpus(home / "po.md")) == [Passage("po.md#1", "po", "A long river.")]
    assert list(open_corpus(save(home / "records.txt", EMMA._asdict()))) == [EMMA]
    with pytest.raises(InputError, match=r"bad\.txt has no text\. 1 document was left out: .*is not UTF-8"):
        list(open_corpus(home / "bad.txt"))


def test_an_index_folder_stays_an_index(tmp_path):
    made = BM25.build([EMMA, DUSK], folder=tmp_path / "index")
    assert list(open_corpus(tmp_path / "index")) == [EMMA, DUSK]
    assert open_retriever(tmp_path / "index").fingerprint == made.fingerprint
    with pytest.raises(InputError, match="is an index; give it as the corpus"):
        list(open_questions(tmp_path / "index"))


def test_the_home_folder(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder.parent))
    BM25.build([EMMA], folder="~/index")
    write_questions("~/q.jsonl", [WHO])
    assert local_path("~/corpus") == folder
    assert list(open_corpus("~/corpus/b.csv")) == [DUSK]
    assert list(open_corpus("~/index")) == [EMMA]
    assert list(open_questions("~/q.jsonl")) == [WHO]
    assert open_retriever("~/index").search(["Emma"], k=1)[0][0].passage == EMMA
