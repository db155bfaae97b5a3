import gzip
import json
import subprocess
import sys
from itertools import islice

import datasets
import pyarrow
import pyarrow.parquet
import pytest

from multihop.base import InputError
from multihop.data import (
    Little,
    Question,
    bring_paragraphs,
    open_corpus,
    open_questions,
    open_retriever,
    write_questions,
)
from multihop.data.question import question_id
from multihop.data.record import LONGEST_TEXT
from multihop.data.sources import local_path
from multihop.retrieval import BM25, Passage

from .layouts import FLASHRAG_HOTPOTQA, HOTPOTQA, MUSIQUE, TWO_WIKI

MINE = {"id": "q1", "question": "Who wrote Dusk?", "answers": ["Rosa Tiel"]}


def save(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("row", [FLASHRAG_HOTPOTQA, HOTPOTQA, MUSIQUE, TWO_WIKI, MINE])
@pytest.mark.parametrize("array", [True, False])
def test_files_are_recognised_by_their_fields(tmp_path, row, array):
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([row]) if array else json.dumps(row))
    (question,) = open_questions(str(path))
    assert question.id == (row.get("_id") or row["id"])
    assert question.answers


def test_the_limit(tmp_path):
    path = save(tmp_path / "q.jsonl", *({**MINE, "id": number} for number in range(5)), {"broken": True})
    assert [question.id for question in open_questions(path, limit=3)] == ["0", "1", "2"]
    with pytest.raises(InputError, match="the limit must be at least 1, not 0"):
        open_questions(path, limit=0)


def test_a_bad_question_is_named_with_its_line(tmp_path):
    path = save(tmp_path / "q.jsonl", MINE, {**MINE, "id": "q2", "question": ""})
    with pytest.raises(InputError, match=r"q\.jsonl, line 2: 'question' is empty"):
        list(open_questions(path))


def test_the_layout_of_the_first_record_goes_for_all(tmp_path):
    path = save(tmp_path / "q.jsonl", HOTPOTQA, MUSIQUE)
    assert len(list(open_questions(path))) == 2
    path = save(tmp_path / "q.jsonl", MUSIQUE, {"question": "Who?"})
    with pytest.raises(InputError, match=r"q\.jsonl, line 2: no field 'id'"):
        list(open_questions(path))


def test_a_question_id_that_comes_twice(tmp_path):
    path = save(tmp_path / "q.jsonl", MINE, {**MINE, "id": "q2"}, MINE)
    with pytest.raises(InputError, match=r"line 3: the question id 'q1' is already used at .*line 1\."):
        list(open_questions(path))


def test_nothing_in_the_file(tmp_path):
    with pytest.raises(InputError, match="holds no questions"):
        list(open_questions(save(tmp_path / "q.jsonl")))
    with pytest.raises(InputError, match="holds no passages"):
        list(open_corpus(save(tmp_path / "c.jsonl")))


def test_sources_that_are_nothing(tmp_path):
    with pytest.raises(InputError, match="'litle' is neither 'little', nor a file, nor a name that begins with 'hub:'"):
        list(open_questions("litle"))
    with pytest.raises(InputError, match=r"missing\.jsonl does not exist"):
        list(open_questions(tmp_path / "missing.jsonl"))
    with pytest.raises(InputError, match="unknown question set 'musiqe'; did you mean 'musique'"):
        list(open_corpus("hub:musiqe"))


def test_a_corpus_file(tmp_path):
    path = save(tmp_path / "c.jsonl", {"id": 1, "title": "Emma", "text": "A novel."})
    assert list(open_corpus(path)) == [Passage("1", "Emma", "A novel.")]
    assert next(iter(open_corpus(path, fields={"id": "title"}))).id == "Emma"


def test_duplicates_in_a_corpus_file(tmp_path):
    path = save(tmp_path / "c.jsonl", {"id": 1, "text": "A."}, {"id": 1, "text": "B."})
    with pytest.raises(InputError, match="the id '1' is in an earlier record too"):
        list(open_corpus(path))


def test_the_paragraphs_of_questions_are_a_corpus(tmp_path):
    path = save(tmp_path / "q.jsonl", HOTPOTQA, {**HOTPOTQA, "_id": "other"})
    questions = list(open_questions(path))
    passages = list(open_corpus(path))
    assert passages == list(questions[0].passages)
    assert {*questions[0].supporting} <= {passage.id for passage in passages}


def test_questions_without_paragraphs_are_no_corpus(tmp_path):
    with pytest.raises(InputError, match="holds questions without paragraphs of their own; give a corpus"):
        list(open_corpus(save(tmp_path / "q.jsonl", MINE)))


def test_the_hub(monkeypatch):
    monkeypatch.setattr(datasets, "load_dataset", lambda name, config, **settings: [MUSIQUE])
    (question,) = open_questions("hub:musique:train", limit=5)
    assert question.id == MUSIQUE["id"]
    assert list(open_corpus("hub:dgslibisey/MuSiQue")) == list(question.passages)


def test_the_little_encyclopedia():
    assert list(open_questions("little")) == list(Little().questions())
    assert list(open_questions("little:dev", limit=7)) == list(islice(Little().questions("dev"), 7))
    assert list(open_corpus("little")) == list(open_corpus("little:dev")) == list(Little().passages())
    assert len(list(open_questions("little:train"))) == 24


@pytest.mark.parametrize("opened", [open_questions, open_corpus])
def test_the_generated_world_is_refused_with_what_there_is_instead(opened):
    with pytest.raises(InputError, match="the generated world is gone: 'little' names the little encyclo"):
        opened("world")


def test_imports_stay_light():
    heavy = {"dspy", "datasets", "pyarrow", "numpy", "pandas", "torch"}
    code = f"import sys, multihop.data; print(sorted({heavy} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


QA = [{"question": "Who wrote Emma?", "answer": "Jane Austen"}, {"question": "Who?", "answer": ["Ada", "Grace"]}]


def test_a_question_and_its_answer_are_enough(tmp_path):
    questions = list(open_questions(save(tmp_path / "q.jsonl", *QA, QA[0])))
    assert [question.answers for question in questions] == [("Jane Austen",), ("Ada", "Grace"), ("Jane Austen",)]
    made = [question_id(row["question"]) for row in QA]
    assert [question.id for question in questions] == [*made, f"{made[0]}-2"]
    assert [question.id for question in open_questions(save(tmp_path / "q.jsonl", QA[1], QA[0]))] == made[::-1]


@pytest.mark.parametrize("name", ["q.csv", "q.tsv", "q.json", "q.jsonl", "q.parquet", "q.csv.gz"])
def test_questions_in_every_kind_of_file(tmp_path, name):
    rows = [{"qid": "a", "query": "Who wrote Emma?", "target": "Jane Austen"}]
    path = tmp_path / name
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif name.endswith((".json", ".jsonl")):
        path.write_text(json.dumps(rows[0] if name.endswith("l") else {"data": rows}))
    else:
        sign = "\t" if "tsv" in name else ","
        table = f"{sign.join(rows[0])}\n{sign.join(rows[0].values())}\n".encode()
        path.write_bytes(gzip.compress(table) if name.endswith(".gz") else table)
    expected = Question(id="a", question="Who wrote Emma?", answers=("Jane Austen",))
    assert list(open_questions(path)) == [expected]


def test_fields_of_questions(tmp_path):
    row = {"key": 7, "prompt": "Who wrote Emma?", "reply": "Jane Austen", "answer": "long", "gold_ids": ["p1"]}
    path = save(tmp_path / "q.jsonl", row)
    fields = {"id": "key", "question": "prompt", "answer": "reply", "supporting": "gold_ids"}
    (question,) = open_questions(path, fields=fields)
    assert question == Question(id="7", question="Who wrote Emma?", answers=("Jane Austen",), supporting=("p1",))
    with pytest.raises(InputError, match="line 1: no field 'ask', to be read as 'question'; the fields are key"):
        list(open_questions(path, fields={"question": "ask"}))
    with pytest.raises(InputError, match="unknown field 'qestion'; did you mean 'question'"):
        open_questions(path, fields={"qestion": "prompt"})


def test_fields_of_known_layouts(tmp_path):
    row = {("ask" if name == "question" else name): value for name, value in HOTPOTQA.items()}
    fields = {"question": "ask"}
    path = save(tmp_path / "q.jsonl", row)
    assert list(open_questions(path, fields=fields)) == list(open_questions(save(tmp_path / "h.jsonl", HOTPOTQA)))
    assert len(list(open_corpus(path, fields=fields))) == len(HOTPOTQA["context"])


def test_fields_of_a_corpus(tmp_path):
    path = save(tmp_path / "c.jsonl", {"pid": 1, "heading": "Emma", "body": "A novel.", "question": "x", "answer": "y"})
    fields = {"id": "pid", "title": "heading", "text": "body"}
    assert list(open_corpus(path, fields=fields)) == [Passage("1", "Emma", "A novel.")]


def test_passages_with_a_question_and_an_answer_are_passages(tmp_path):
    row = {"id": 1, "text": "A novel.", "question": "What is Emma?", "answer": "A novel."}
    assert list(open_corpus(save(tmp_path / "c.jsonl", row))) == [Passage("1", "", "A novel.")]


def test_bad_questions_are_left_out_up_to_a_number(tmp_path):
    path = tmp_path / "q.jsonl"
    good = [{**MINE, "id": number} for number in range(3)]
    later = [{**MINE, "id": 1}, {**MINE, "id": 8, "question": ""}]
    path.write_text("\n".join(["{}", *map(json.dumps, good), '{"id": 9,', *map(json.dumps, later)]))
    questions = open_questions(path, skip_bad=4)
    for _ in range(2):
        assert [question.id for question in questions] == ["0", "1", "2"]
        assert questions.skipped.count == 4
        assert [reason.partition(":")[0] for reason in questions.skipped.reasons] == [
            f"{path}, line {number}" for number in (1, 5, 6)
        ]
    with pytest.raises(InputError, match=r"line 7: 'question' is empty\. That is one more than the 3 bad records"):
        list(open_questions(path, skip_bad=3))
    with pytest.raises(InputError, match="line 1: not a question in a known layout"):
        list(open_questions(path))


ANSWERLESS = {"id": "q2", "question": "Who wrote Night?"}


@pytest.mark.parametrize("place", [0, 1, 2])
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
    for _ in range(2):
        assert [(question.id, question.answers, question.answerable) for question in questions] == [
            ("q1", ("Rosa Tiel",), True),
            ("q3", (), False),
        ]
        assert questions.skipped.reasons == [wanted]


def test_a_file_of_questions_alone_is_gone_through_once_more_and_has_no_answers(tmp_path):
    path = save(tmp_path / "q.jsonl", ANSWERLESS, {"id": "q3", "question": "When?"})
    assert [(question.answers, question.answerable) for question in open_questions(path)] == [((), True)] * 2


def test_the_first_that_is_kept_decides_the_layout(tmp_path):
    ours = {**MINE, "paragraphs": [{"title": "Dusk", "text": "By Rosa Tiel.", "is_supporting": True}]}
    (question,) = open_questions(save(tmp_path / "q.jsonl", ANSWERLESS, ours), skip_bad=1)
    assert [passage.text for passage in question.passages] == ["By Rosa Tiel."]
    assert len(question.supporting) == 1


def test_bad_passages_are_left_out_up_to_a_number(tmp_path):
    row = {"id": 1, "text": "A novel."}
    path = save(tmp_path / "c.jsonl", {}, row, {"id": 2, "text": "x" * (LONGEST_TEXT + 1)}, row, {"id": 3, "text": " "})
    passages = open_corpus(path, skip_bad=4)
    assert list(passages) == [Passage("1", "", "A novel.")]
    assert passages.skipped.count == 4
    assert "line 3: 'text' has 10,000,001 characters, and at most 10,000,000 are read" in passages.skipped.reasons[1]
    with pytest.raises(InputError, match="line 1: no text field"):
        list(open_corpus(path))


def test_nothing_but_bad_records(tmp_path):
    with pytest.raises(InputError, match="holds no questions"):
        list(open_questions(save(tmp_path / "q.jsonl", {}, {}), skip_bad=5))
    with pytest.raises(InputError, match="holds no passages"):
        list(open_corpus(save(tmp_path / "c.jsonl", {}, {}), skip_bad=5))


@pytest.mark.parametrize("kind", ["file", "little"])
def test_sources_are_read_anew_each_time(tmp_path, kind):
    source = save(tmp_path / "q.jsonl", HOTPOTQA) if kind == "file" else "little"
    questions, passages = open_questions(source, limit=2), open_corpus(source)
    assert list(questions) == list(questions) != []
    assert list(passages) == list(passages) != []
    assert [question.id for question in open_questions(source, limit=1)] == [next(iter(questions)).id]


def test_a_file_that_changes_is_read_as_it_is(tmp_path):
    path = save(tmp_path / "q.jsonl", MINE)
    questions = open_questions(path)
    assert [question.id for question in questions] == ["q1"]
    save(path, {**MINE, "id": "q2"})
    assert [question.id for question in questions] == ["q2"]


def test_whether_questions_bring_paragraphs(tmp_path):
    assert bring_paragraphs(open_questions(save(tmp_path / "h.jsonl", HOTPOTQA)))
    assert not bring_paragraphs(open_questions(save(tmp_path / "m.jsonl", MINE)))
    assert not bring_paragraphs(open_questions("little"))


def test_real_files(shared_data):
    assert bring_paragraphs(open_questions(shared_data / "hotpotqa.train.jsonl.gz"))
    assert not bring_paragraphs(open_questions(shared_data / "hotpotqa.dev.jsonl.gz"))
    assert sum(1 for _ in open_questions(shared_data / "musique.dev.jsonl.gz")) == 354


EMMA = Passage("1", "Emma", "A novel by Jane Austen.")
DUSK = Passage("2", "Dusk", "A novel by Rosa Tiel.")
WHO = Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",))


@pytest.fixture
def folder(tmp_path):
    """Two passages in two files, among files and folders of other kinds."""
    home = tmp_path / "corpus"
    (home / "more").mkdir(parents=True)
    (home / "b.csv").write_text(f"id,title,text\n2,Dusk,{DUSK.text}\n")
    (home / "a.jsonl").write_text(json.dumps(EMMA._asdict()))
    (home / "README.md").write_text("# Two novels")
    (home / ".hidden.jsonl").write_text("broken")
    (home / "more" / "c.jsonl").write_text("broken")
    return home


def test_the_files_of_a_folder_in_the_order_of_their_names(folder):
    assert list(open_corpus(folder)) == [EMMA, DUSK]
    assert open_retriever(folder).search(["Rosa Tiel"], k=1)[0][0].passage == DUSK


def test_questions_in_a_folder(tmp_path):
    write_questions(tmp_path / "b.jsonl", [WHO])
    write_questions(tmp_path / "a.jsonl.gz", [Question(id="q0", question="Who?", answers=("Ada",))])
    assert [question.id for question in open_questions(tmp_path)] == ["q0", "q1"]


def test_ids_must_be_unique_in_the_whole_folder(folder):
    (folder / "c.jsonl").write_text(json.dumps(EMMA._asdict()))
    with pytest.raises(InputError, match=r"c\.jsonl, line 1: the id '1' is in an earlier record too"):
        list(open_corpus(folder))


def test_a_folder_without_files_to_read(tmp_path):
    with pytest.raises(InputError, match=r"is a folder without a file that can be read: \.json, "):
        list(open_corpus(tmp_path))


def test_an_index_folder_stays_an_index(tmp_path):
    made = BM25.build([EMMA, DUSK], folder=tmp_path / "index")
    assert list(open_corpus(tmp_path / "index")) == [EMMA, DUSK]
    assert open_retriever(tmp_path / "index").fingerprint == made.fingerprint
    with pytest.raises(InputError, match="is an index; give it as the corpus"):
        list(open_questions(tmp_path / "index"))


@pytest.mark.parametrize("address", ["https://here.org/a.jsonl", "http://here.org/a.tsv.gz", "s3://bucket/a.jsonl"])
@pytest.mark.parametrize("open_source", [open_questions, open_corpus, open_retriever])
def test_addresses(open_source, address):
    with pytest.raises(InputError, match=f"^{address} is an address; download the file first and give its path.$"):
        open_source(address)


def test_the_home_folder(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder.parent))
    BM25.build([EMMA], folder="~/index")
    write_questions("~/q.jsonl", [WHO])
    assert local_path("~/corpus") == folder
    assert list(open_corpus("~/corpus/b.csv")) == [DUSK]
    assert list(open_corpus("~/index")) == [EMMA]
    assert list(open_questions("~/q.jsonl")) == [WHO]
    assert open_retriever("~/index").search(["Emma"], k=1)[0][0].passage == EMMA
