import hashlib

import ujson
from huggingface_hub import ModelCard

from multihop.optimize.places.opening import open_place
from multihop.optimize.sharing.card import card
from multihop.optimize.sharing.measured import measured_run
from multihop.optimize.sharing.shareable import shareable


def read(path, run=None, licence=None):
    """The head as the hub's own library reads it, and the bytes that were shared."""
    shared = shareable("films.json", path.read_bytes())
    measured = None if run is None else measured_run(run, shared.saved)
    return ModelCard(card(open_place("hf://ada/films"), shared, measured, licence)).data, shared.file


def test_what_the_hub_lists(path):
    data, file = read(path, licence="cc-by-sa-4.0")
    assert (data.library_name, data.license, data.pipeline_tag) == ("multihop", "cc-by-sa-4.0", "question-answering")
    assert data.multihop == {
        "program": "one-step",
        "format": 1,
        "sha256": hashlib.sha256(file).hexdigest(),
        "compiled_for": "multihop/lexical@1",
        "retriever": data.multihop["retriever"],
    }
    assert data.eval_results is None


def test_scores_with_intervals_data_and_cost(path, run):
    data, _ = read(path, run)
    fingerprint = data.multihop["measured_on"]["fingerprint"]
    assert len(fingerprint) == 32
    assert data.multihop["measured"]["em"] == {"mean": 0.5, "interval": [0.0, 1.0], "questions": 2}
    assert data.multihop["cost"]["calls"] == 1.0
    assert data.multihop["cost"]["usd"] == 0.0
    scores = {each.metric_type: each for each in data.eval_results}
    assert list(scores) == ["exact_match", "f1", "recall@5", "all-recall@5"]
    assert scores["exact_match"].metric_value == 50.0
    assert scores["f1"].dataset_args["fingerprint"] == fingerprint


def test_the_hub_is_told_no_score_of_an_lm_that_knew_the_gold(path, run):
    header = ujson.loads((run / "run.json").read_text())
    (run / "run.json").write_text(ujson.dumps(header | {"simulated": True}))
    data, _ = read(path, run)
    assert data.eval_results is None
    assert data.multihop["simulated"] is True


def test_a_set_of_the_hub_is_named_as_the_hub_names_it(path, run):
    header = ujson.loads((run / "run.json").read_text())
    (run / "run.json").write_text(ujson.dumps(header | {"source": "hub:hotpotqa"}))
    data, _ = read(path, run)
    of_f1 = data.eval_results[1]
    assert (of_f1.dataset_type, of_f1.dataset_name) == ("hotpotqa/hotpot_qa", "hub:hotpotqa")
    assert (of_f1.dataset_config, of_f1.dataset_split) == ("distractor", "validation")
