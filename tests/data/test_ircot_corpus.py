"""The corpora that IRCoT's authors search, made of their files, and other sets that are in a folder of one's own."""

import bz2

import pytest
import ujson

from multihop.base import InputError
from multihop.data import fetch_set, known_set, open_corpus, open_questions
from multihop.data.question import content_id

from .layouts import EMPTY

PAGES = {"Emma": ["Emma is a novel.", " By Jane Austen."], "Jane Austen": ["She was born in Steventon."]}
FILM, NOVEL = ["Emma", ["Emma is a film."]], ["Emma", ["Emma is a novel.", "By Jane Austen."]]
PARAGRAPHS = [
    {"idx": 0, "title": "Emma", "paragraph_text": "A novel.", "is_supporting": True},
    {"idx": 1, "title": "Emma", "paragraph_text": "A film."},
]


def lines(*records):
    return "".join(f"{ujson.dumps(record)}\n" for record in records)


def write(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def got(tmp_path, name, identifier, gold, raw):
    """The gold paragraphs and the corpus of a set from its makers' files, which lie as after IRCoT's downloads."""
    row = {
        "question_id": identifier,
        "dataset": name,
        "question_text": "Where was the author of Emma born?",
        "answers_objects": [{**EMPTY, "spans": ["Steventon"]}],
        "contexts": [{"title": title, "paragraph_text": text, "is_supporting": True} for title, text in gold],
    }
    asked = {f"processed_data/{name}/{split}_subsampled.jsonl": lines(row) for split in ("dev", "test")}
    write(tmp_path / "ircot", asked | {f"raw_data/{name}/{file}": content for file, content in raw.items()})
    folder = tmp_path / "to"
    fetch_set(f"ircot-{name}", folder, copy=tmp_path / "ircot")
    (question,) = open_questions(folder / "test.jsonl")
    assert list(open_questions(folder / "dev.jsonl")) == [question]
    return question.supporting, list(open_corpus(folder / "corpus.jsonl"))


@pytest.mark.parametrize("differs", [False, True])
def test_hotpotqa_with_the_pages_of_the_dump_which_keep_the_ids_that_questions_have_for_their_titles(tmp_path, differs):
    dump = {
        f"wikpedia-paragraphs/A{number}/wiki_00.bz2": bz2.compress(lines({"title": title, "text": text}).encode())
        for number, (title, text) in enumerate(PAGES.items())
    }
    pages = [(title, " ".join(each.strip() for each in text)) for title, text in PAGES.items()]
    gold = [(title, text.rstrip("." if differs else "")) for title, text in pages]
    supporting, corpus = got(tmp_path, "hotpotqa", "5a0001", gold, dump)
    assert supporting == tuple(passage.id for passage in corpus) == ("Emma", "Jane Austen")
    assert [(passage.title, passage.text) for passage in corpus] == pages


def test_2wiki_with_the_paragraphs_of_all_its_questions(tmp_path):
    raw = {
        "dev.json": ujson.dumps([{"_id": "a", "answer": "x", "context": [FILM]}]),
        "test.json": ujson.dumps([{"_id": "b", "context": [NOVEL]}, {"_id": "d", "context": [FILM, NOVEL]}]),
        "train.json": ujson.dumps([{"_id": "c", "answer": "", "context": [["Ada", ["A."]]]}]),
        "id_aliases.json": lines({"Q_id": "Q1", "aliases": []}),
    }
    gold = [("Emma", "Emma is a novel. By Jane Austen.")]
    supporting, corpus = got(tmp_path, "2wikimultihopqa", "0" * 32, gold, raw)
    assert supporting == ("Emma",)
    assert corpus == [
        ("Emma", "Emma", "Emma is a novel. By Jane Austen."),  # the one that the question means by this id
        ("Ada", "Ada", "A."),
        (content_id("Emma", "Emma is a film."), "Emma", "Emma is a film."),
    ]


def test_musique_with_and_without_answers(tmp_path):
    answered = {"id": "2hop__1_2", "question": "Who?", "answer": "Ada", "answerable": True, "paragraphs": PARAGRAPHS}
    raw = {
        "musique_ans_v1.0_dev.jsonl": lines(answered),
        "musique_full_v1.0_test.jsonl": lines({"id": "2hop__3_4", "paragraphs": PARAGRAPHS[::-1]}),
    }
    supporting, corpus = got(tmp_path, "musique", "2hop__1_2", [("Emma", "A novel.")], raw)
    assert [passage.id for passage in corpus] == [content_id("Emma", "A novel."), content_id("Emma", "A film.")]
    assert supporting == (content_id("Emma", "A novel."),)


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
    with pytest.raises(InputError, match=f"holds no .*; give --from a copy of {known.elsewhere} as it is there"):
        fetch_set(name, tmp_path / "to", copy=tmp_path)


def test_the_passages_of_december_2021(tmp_path):
    row = {"id": "7", "title": "Emma", "section": "Plot", "text": "Emma plays."}
    write(tmp_path / "atlas", {"text-list-100-sec.jsonl": lines(row)})
    fetch_set("wiki21", tmp_path / "to", copy=tmp_path / "atlas")
    assert list(open_corpus(tmp_path / "to" / "corpus.jsonl")) == [("7", "Emma", "Emma plays.")]
