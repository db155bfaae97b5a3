"""Caveats know models, encoders and corpora by all their names."""

import pytest
import ujson

from multihop import scripted
from multihop.experiments import open_experiment
from multihop.experiments.caveats import caveats
from multihop.experiments.plan import BegunRun, plan_runs
from multihop.experiments.study_inputs import StudyOptions, asked_sets


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
    begun = {
        each.folder: BegunRun(
            each, [], header, [{"n": experiment.sets[each.sets[0]].asked} for _ in range(each.repeats)]
        )
        for each in plan
    }
    return caveats(experiment, plan, begun, given)


def test_the_published_setting_has_none(tmp_path):
    corpus = index(tmp_path / "wiki18", encoder_folder="intfloat/e5-base-v2")
    model = "server/meta-llama/Meta-Llama-3-8B-Instruct"
    assert told("resp-table-1", "ReSP", model, corpus) == []


@pytest.mark.parametrize(
    ("described", "said"),
    [
        ({"encoder_folder": "facebook/contriever"}, "searched by dense with facebook/contriever, not E5-base-v2"),
        ({}, "searched by dense with the built-in encoder, not E5-base-v2"),
    ],
)
def test_a_dense_index_tells_its_encoder(described, said, tmp_path):
    corpus = index(tmp_path / "psgs_w100", **described)
    found = told("resp-table-1", "ReSP", "groq/llama3-8b-8192", corpus)
    assert found == ([] if said is None else [said])


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
