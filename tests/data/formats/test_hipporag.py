"""HippoRAG's files: a corpus without ids beside its questions, in a folder or each by its name."""

import json

import pytest

from multihop.base import InputError
from multihop.data import open_corpus, open_questions

CORPUS = [
    {"title": "Dusk", "text": "Dusk is a novel by Rosa Tiel.", "idx": 0},
    {"title": "Rosa Tiel", "text": "Rosa Tiel was born in Torun.", "idx": 1},
    {"title": "Emma", "text": "Emma is a novel by Jane Austen.", "idx": 2},
]
CONTEXTS = [{"title": each["title"], "text": each["text"], "is_supporting": each["idx"] == 1} for each in CORPUS]
NQ = {"id": "n1", "question": "where was rosa tiel born", "reference": ["Torun", "Thorn"], "contexts": CONTEXTS}
POPQA = {
    "id": 7,
    "question": "In what city was Rosa Tiel born?",
    "obj": "Torun",
    "possible_answers": '["Torun", "Thorn"]',
    "o_wiki_title": "Toruń",
    "o_aliases": '["Thorn"]',
    "contexts": CONTEXTS,
}
MUSIQUE = {
    "question": "Where was the author of Dusk born?",
    "answer": "Torun",
    "paragraphs": [{"title": each["title"], "paragraph_text": each["text"], "is_supporting": True} for each in CORPUS],
}


def write(folder, name, questions):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(questions))
    (folder / f"{name}_corpus.json").write_text(json.dumps(CORPUS))
    return folder


@pytest.mark.parametrize(
    ("row", "identifier", "answers"),
    [(NQ, "n1", ("Torun", "Thorn")), (POPQA, "7", ("Torun", "Thorn", "Toruń"))],
)
def test_sets_with_contexts(tmp_path, row, identifier, answers):
    (question,) = open_questions(write(tmp_path / "set", "set", [row]))
    assert (question.id, question.answers) == (identifier, answers)
    assert [passage.title for passage in question.passages] == ["Dusk", "Rosa Tiel", "Emma"]
    gold = {passage.id: passage.title for passage in open_corpus(tmp_path / "set")}
    assert [gold[each] for each in question.supporting] == ["Rosa Tiel"], "ids are those of the corpus"


def test_its_sample_which_has_no_ids(tmp_path):
    folder = write(tmp_path / "set", "sample", [MUSIQUE])
    (question,) = open_questions(folder / "sample.json")
    assert question.answers == ("Torun",)
    assert set(question.supporting) == {passage.id for passage in open_corpus(folder / "sample_corpus.json")}


def test_paragraphs_may_have_their_text_under_either_name(tmp_path):
    row = {**MUSIQUE, "paragraphs": [{**each, "is_supporting": True} for each in CORPUS]}
    (question,) = open_questions(write(tmp_path / "set", "set", [row]))
    assert question.passages[1].text == "Rosa Tiel was born in Torun."


def test_a_folder_with_several_sets(tmp_path):
    write(tmp_path, "a", [NQ])
    write(tmp_path, "b", [POPQA])
    for open_source in (open_questions, open_corpus):
        with pytest.raises(InputError, match=r"has several sets; give the files of one: .*a\.json, .*b\.json"):
            list(open_source(tmp_path))


def test_a_corpus_alone_is_a_folder_like_any_other(tmp_path):
    write(tmp_path, "a", [NQ])
    (tmp_path / "a.json").unlink()
    assert [passage.title for passage in open_corpus(tmp_path)] == ["Dusk", "Rosa Tiel", "Emma"]
