import bz2

import pytest
import ujson

from multihop.base import InputError
from multihop.data import fetch_set, known_set, open_corpus, open_questions
from multihop.data.known_corpora import read_ircot_corpus
from multihop.data.question import content_id
from multihop.data.record import Record

PAGES = {"Emma": ["Emma is a novel.", " By Jane Austen."], "Jane Austen": ["She was born in Steventon."]}


def context(title, text, *, gold=True):
    return {"idx": 0, "title": title, "paragraph_text": text, "is_supporting": gold}


def asked(identifier, contexts, dataset):
    return {
        "question_id": identifier, "dataset": dataset, "question_text": "Where was the author of Emma born?",
        "answers_objects": [{"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": ["Steventon"]}],
        "contexts": contexts,
    }  # fmt: skip


def lines(records):
    return "".join(f"{ujson.dumps(record)}\n" for record in records)


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def questions(name, contexts, identifier):
    rows = lines([asked(identifier, contexts, name)])
    return {f"processed_data/{name}/{split}_subsampled.jsonl": rows for split in ("dev", "test")}


def got(tmp_path, name):
    """The set from its makers' files, as they lie in IRCoT's repository after its downloads."""
    fetch_set(f"ircot-{name}", tmp_path / "to", copy=tmp_path / "ircot")
    folder = tmp_path / "to"
    (question,) = open_questions(folder / "test.jsonl")
    assert [each.id for each in open_questions(folder / "dev.jsonl")] == [question.id]
    return question, list(open_corpus(folder / "corpus.jsonl"))


def test_hotpotqa_with_the_pages_of_the_dump(tmp_path):
    dump = [{"id": str(n), "url": "u", "title": title, "text": text} for n, (title, text) in enumerate(PAGES.items())]
    contexts = [context(title, " ".join(each.strip() for each in text)) for title, text in PAGES.items()]
    write(tmp_path / "ircot", questions("hotpotqa", contexts, "5a0001"))
    for number, page in enumerate(dump):
        name = f"raw_data/hotpotqa/wikpedia-paragraphs/A{number}/wiki_00.bz2"
        write(tmp_path / "ircot", {name: bz2.compress(lines([page]).encode())})
    question, corpus = got(tmp_path, "hotpotqa")
    assert question.supporting == ("Emma", "Jane Austen")
    assert corpus == [
        ("Emma", "Emma", "Emma is a novel. By Jane Austen."),
        ("Jane Austen", "Jane Austen", "She was born in Steventon."),
    ]


def test_2wiki_with_the_paragraphs_of_all_its_questions(tmp_path):
    film = ["Emma", ["Emma is a film."]]
    novel = ["Emma", ["Emma is a novel.", "By Jane Austen."]]
    write(
        tmp_path / "ircot",
        {
            **questions("2wikimultihopqa", [context("Emma", "Emma is a novel. By Jane Austen.")], "0" * 32),
            "raw_data/2wikimultihopqa/dev.json": ujson.dumps([{"_id": "a", "answer": "x", "context": [film, novel]}]),
            "raw_data/2wikimultihopqa/test.json": ujson.dumps([{"_id": "b", "context": [novel, film]}]),
            "raw_data/2wikimultihopqa/train.json": ujson.dumps(
                [{"_id": "c", "answer": "", "context": [["Ada", ["A."]]]}]
            ),
            "raw_data/2wikimultihopqa/id_aliases.json": lines([{"Q_id": "Q1", "aliases": []}]),
        },
    )
    question, corpus = got(tmp_path, "2wikimultihopqa")
    assert question.supporting == ("Emma",)
    assert sorted((passage.title, passage.text) for passage in corpus) == [
        ("Ada", "A."),
        ("Emma", "Emma is a film."),
        ("Emma", "Emma is a novel. By Jane Austen."),
    ]
    assert len({passage.id for passage in corpus}) == 3


def test_musique_with_and_without_answers(tmp_path):
    paragraphs = [
        {"idx": 0, "title": "Emma", "paragraph_text": "A novel.", "is_supporting": True},
        {"idx": 1, "title": "Emma", "paragraph_text": "A film."},
    ]
    with_answer = {"id": "2hop__1_2", "question": "Who?", "answer": "Ada", "answerable": True}
    write(
        tmp_path / "ircot",
        {
            **questions("musique", [context("Emma", "A novel.")], "2hop__1_2"),
            "raw_data/musique/musique_ans_v1.0_dev.jsonl": lines([{**with_answer, "paragraphs": paragraphs}]),
            "raw_data/musique/musique_full_v1.0_test.jsonl": lines(
                [{"id": "2hop__3_4", "paragraphs": paragraphs[::-1]}]
            ),
        },
    )
    question, corpus = got(tmp_path, "musique")
    assert [passage.id for passage in corpus] == [content_id("Emma", "A novel."), content_id("Emma", "A film.")]
    assert question.supporting == (content_id("Emma", "A novel."),)


def test_a_title_with_two_texts_has_two_ids():
    records = [Record({"context": [["Emma", [text]]]}, "here") for text in ("A novel.", "A film.", "A novel.")]
    assert [passage.id for passage in read_ircot_corpus(records)] == ["Emma", content_id("Emma", "A film.")]


@pytest.mark.parametrize("name", ["ircot-hotpotqa", "wiki21"])
def test_a_set_that_is_not_on_the_hub_wants_a_folder(tmp_path, name):
    with pytest.raises(InputError) as refused:
        fetch_set(name, tmp_path / "to")
    known = known_set(name)
    first = next(iter(known.files.values()))
    assert str(refused.value) == (
        f"the files of {name} are not on the hub: {known.elsewhere} tells where they are; give the folder that {first} "
        "is in with --from."
    )
    assert not (tmp_path / "to").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=f"holds no .*; give --from a copy of {known.elsewhere} as it is there"):
        fetch_set(name, tmp_path / "to", copy=tmp_path / "empty")


def test_the_passages_of_december_2021(tmp_path):
    row = {"id": "7", "title": "Emma", "section": "Plot", "text": "Emma plays."}
    write(tmp_path / "atlas", {"text-list-100-sec.jsonl": lines([row])})
    fetch_set("wiki21", tmp_path / "to", copy=tmp_path / "atlas")
    assert list(open_corpus(tmp_path / "to" / "corpus.jsonl")) == [("7", "Emma", "Emma plays.")]
