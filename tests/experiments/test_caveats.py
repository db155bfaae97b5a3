"""Caveats know models, encoders and corpora by all their names."""

import pytest
import ujson

from multihop import scripted
from multihop.experiments import open_experiment
from multihop.experiments.caveats import caveats
from multihop.experiments.plan import BegunRun, plan_runs
from multihop.experiments.study_inputs import StudyOptions, asked_sets
from multihop.experiments.study_lms import is_published_corpus, is_published_lm, is_published_retriever


def index(folder, **described):
    folder.mkdir(parents=True)
    manifest = {"kind": "dense", "format": 2, "files": {}, **described}
    (folder / "index.json").write_text(ujson.dumps(manifest))
    return str(folder)


def told(name, row, model, corpus, retriever="dense-0123", **options):
    """The caveats of a study of which one row is run, on a given corpus."""
    experiment = open_experiment(name)
    given = StudyOptions(lm=model, corpus=corpus, **options)
    plan = [each for each in plan_runs(experiment, asked_sets(experiment, given)) if each.row.name == row]
    lm = {"read": {"model": model, "type": "chat", "decoding": {}}}
    header = {"identity": {"lm": lm, "retriever": retriever}}
    begun = {}
    for each in plan:
        summaries = [{"n": experiment.sets[each.sets[0]].asked}] * each.repeats
        begun[each.folder] = BegunRun(each, [], header, summaries)
    return caveats(experiment, plan, begun, given)


def test_the_published_setting_has_none(tmp_path):
    corpus = index(tmp_path / "wiki18", encoder_folder="intfloat/e5-base-v2")
    model = "server/meta-llama/Meta-Llama-3-8B-Instruct"
    assert told("resp-table-1", "ReSP", model, corpus) == []


def test_a_dense_index_tells_its_encoder(tmp_path):
    for described, encoder in (
        ({"encoder_folder": "facebook/contriever"}, "facebook/contriever"),
        ({}, "the built-in encoder"),
    ):
        corpus = index(tmp_path / encoder / "psgs_w100", **described)
        found = told("resp-table-1", "ReSP", "groq/llama3-8b-8192", corpus)
        assert found == [f"searched by dense with {encoder}, not E5-base-v2"]


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (None, ["no judge was given, so nothing is judged"]),
        ("openai/gpt-3.5-turbo-1106", []),
        ("openai/gpt-4.1", ["judged by openai/gpt-4.1, not GPT-3.5"]),
    ],
)
def test_the_judge_is_known_by_its_names(judge, said, tmp_path):
    corpus = index(tmp_path / "any", encoder_folder="facebook/contriever-msmarco")
    lm = scripted([])
    lm.model = judge
    found = told("efficientrag-table-3", "Direct", "groq/llama3-8b-8192", corpus, judge=lm if judge else None)
    assert [each for each in found if each.startswith(("judged by", "no judge"))] == said


@pytest.mark.parametrize(
    ("published", "same", "others"),
    [
        # A later model may have a like name.
        ("GPT-4-Turbo", ["openai/gpt-4-1106-preview"], ["openai/gpt-4-turbo", "openai/gpt-4"]),
        ("GPT-4", ["openai/gpt-4-0613"], ["openai/gpt-4o-mini"]),
        ("gpt-4-1106-preview", ["azure/gpt-4-1106-preview"], []),
        ("GPT-3.5-Turbo", ["openai/gpt-3.5-turbo", "openai/gpt-3.5-turbo-1106"], []),
        ("GPT-3.5-turbo-1106", ["openai/gpt-3.5-turbo-1106"], ["openai/gpt-3.5-turbo"]),
        (
            "Llama3-8B-Instruct",
            ["server/meta-llama/Meta-Llama-3-8B-Instruct@http://localhost:8000/v1", "groq/llama3-8b-8192"],
            ["openai/meta-llama/Meta-Llama-3-70B-Instruct"],
        ),
        ("Llama-3-8B-Instruct", ["groq/llama3-8b-8192"], ["server/meta-llama/Llama-3.1-8B-Instruct"]),
        ("local", ["multihop/local@3"], []),
        ("Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)", ["server/models/qwen2.5-coder-1.5b.gguf"], []),
    ],
)
def test_lms(published, same, others):
    assert [model for model in [*same, *others] if is_published_lm(published, model)] == same


@pytest.mark.parametrize(
    ("published", "same", "others"),
    [
        ("Contriever", ["facebook/contriever", "models/contriever-msmarco"], []),
        ("Contriever-MSMARCO", ["facebook/contriever-msmarco"], ["facebook/contriever"]),
        ("E5-base-v2", ["intfloat/e5-base-v2"], ["intfloat/e5-base"]),
        ("BM25", ["bm25"], []),
        ("BM25 (Elasticsearch)", ["opensearch"], ["bm25"]),
    ],
)
def test_retrievers(published, same, others):
    assert [retriever for retriever in [*same, *others] if is_published_retriever(published, retriever)] == same


def test_corpora():
    both = open_experiment("tor-table-1").corpus
    assert is_published_corpus(both, "indexes/wiki18", "hotpotqa")
    assert not is_published_corpus(both, "indexes/wiki18", "musique")
    assert is_published_corpus(both, "data/wiki21/corpus.jsonl.gz", "musique")
    ircot = open_experiment("mzqa-table-1").corpus
    assert is_published_corpus(ircot, "data/ircot-musique/corpus.jsonl", "musique")
    assert not is_published_corpus(ircot, "data/ircot-musique/corpus.jsonl", "hotpotqa")
    assert is_published_corpus("Wikipedia of December 2018", "psgs_w100.tsv", "2wikimultihopqa")
    assert not is_published_corpus("Wikipedia of December 2018", "corpus.jsonl", "hotpotqa")
