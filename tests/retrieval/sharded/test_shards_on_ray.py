"""Indexes in shards on a Ray cluster of two nodes: importlib.util.find_spec("ray") says whether they can be tested."""

import pickle
from itertools import islice

import pytest
from ray_nodes import needs_ray, start_nodes

from multihop.base import DamagedFileError, InputError
from multihop.data import open_corpus, open_questions
from multihop.encoder import open_encoder
from multihop.retrieval import Hybrid, Sharded, open_index
from multihop.retrieval.sharded.index import open_shards_with
from multihop.retrieval.sharded.on_ray import builders_on, shards_on
from multihop.retrieval.sharded.ray_cluster import join_cluster

pytestmark = [needs_ray, pytest.mark.seconds]


@pytest.fixture(scope="module")
def cluster():
    with start_nodes(2) as nodes, join_cluster(nodes.address) as joined:
        yield joined


@pytest.fixture(scope="module")
def corpus():
    return list(islice(open_corpus("world"), 1500))


@pytest.fixture(scope="module")
def queries():
    return [*(question.question for question in islice(open_questions("world"), 40)), " "]


def test_built_and_searched_by_actors_it_ranks_as_on_one_machine_to_the_last_bit(
    cluster, corpus, queries, tmp_path, tiny_encoder_folder
):
    encoder, home = open_encoder(tiny_encoder_folder), tmp_path / "index"
    whole = Hybrid.build(corpus, encoder=encoder)
    with open_shards_with(shards_on(cluster)):
        made = Sharded.build(
            corpus, folder=home, shards=2, retriever="hybrid", encoder=encoder, builders=builders_on(cluster)
        )
    assert made.fingerprint == whole.fingerprint
    assert made.search(queries, 10) == whole.search(queries, 10)
    assert made._both[0].search(queries, 10) == whole._both[0].search(queries, 10)
    assert made._both[1].search(queries, 10) == whole._both[1].search(queries, 10)
    here = open_index(home)  # without Ray
    assert here.search(queries, 10) == whole.search(queries, 10)
    for actor in made._both[0]._view.shards._actors:  # a shard that dies is opened again elsewhere
        cluster.ray.kill(actor, no_restart=False)
    assert pickle.loads(pickle.dumps(made)).search(queries, 10) == whole.search(queries, 10)


def test_what_is_damaged_or_out_of_sight_is_said_in_a_sentence(cluster, corpus, tmp_path, monkeypatch):
    home = tmp_path / "index"
    Sharded.build(corpus[:9], folder=home, shards=2, block=2)
    (home / "shard-0001/words/vocab.index.json").unlink()
    with (
        open_shards_with(shards_on(cluster)),
        pytest.raises(DamagedFileError, match="shard-0001/words is damaged, vocab.index.json is missing"),
    ):
        open_index(home)
    monkeypatch.setattr("multihop.retrieval.sharded.on_ray.Path.resolve", lambda path: path / "elsewhere")
    with pytest.raises(InputError, match=r"is no folder on .*; an index of shards lies in a folder that every node"):
        Sharded.build(corpus[:9], folder=tmp_path / "other", shards=1, builders=builders_on(cluster))
