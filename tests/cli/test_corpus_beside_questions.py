"""Questions that lie beside their corpus in a folder, as BEIR's and HippoRAG's do: commands take both from it."""

import json

import pytest

from multihop.cli.data_options import CorpusOptions

pytestmark = pytest.mark.usefixtures("tiny_encoder")

PASSAGES = [
    {"_id": "d1", "title": "Dusk", "text": "Dusk is a novel by Rosa Tiel."},
    {"_id": "d2", "title": "Rosa Tiel", "text": "Rosa Tiel was born in Torun."},
]
QUESTION = "Where was the author of Dusk born?"


def beir(folder):
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(each) + "\n" for each in PASSAGES))
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": QUESTION, "metadata": {"answer": "Torun"}}))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t1\n")
    return folder


def hipporag(folder):
    folder.mkdir()
    corpus = [{"title": each["title"], "text": each["text"]} for each in PASSAGES]
    contexts = [{**each, "is_supporting": True} for each in corpus]
    (folder / "dusk_corpus.json").write_text(json.dumps(corpus))
    question = {"id": "q1", "question": QUESTION, "reference": ["Torun"], "contexts": contexts}
    (folder / "dusk.json").write_text(json.dumps([question]))
    return folder


def evaluated(run, tmp_path, *arguments):
    code, out, err = run("evaluate", "one-step", "--lm", "local", "--out", tmp_path / "run", "--json", *arguments)
    assert code == 0, err
    return json.loads(out)["one-step"]["metrics"], err


def test_a_folder_of_beir(run, tmp_path):
    folder = beir(tmp_path / "beir")
    metrics, err = evaluated(run, tmp_path, "-q", folder)
    assert f"no --corpus, so the one in {folder} is searched." in err
    assert metrics["recall@5"]["mean"] == 1.0


def test_an_index_of_its_corpus_for_the_questions_of_a_split(run, tmp_path):
    folder = beir(tmp_path / "beir")
    assert run("index", folder, "--to", tmp_path / "index")[0] == 0
    metrics, _ = evaluated(run, tmp_path, "-q", folder / "qrels" / "test.tsv", "-c", tmp_path / "index")
    assert metrics["recall@5"]["mean"] == 1.0


def test_a_folder_of_hipporag(run, tmp_path):
    metrics, err = evaluated(run, tmp_path, "-q", hipporag(tmp_path / "hipporag"))
    assert "hipporag is searched." in err
    assert metrics["recall@5"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("given", "plain", "other"),
    [
        ({}, True, False),
        ({"corpus": "mine"}, True, True),
        ({"retriever": "dense"}, False, True),
        ({"rerank_with": "mine"}, False, True),
        ({"corpus": "mine", "rerank_with": "mine"}, False, True),
    ],
)
def test_what_a_saved_program_may_name_and_what_takes_its_place(given, plain, other):
    options = CorpusOptions(**given)
    assert options.is_plain == plain
    assert (options.opener("mine", saved=object()) is not None) == other
