import pickle
import shutil

import numpy as np
import pytest
from tiny_encoder import write_tiny_encoder

from multihop.base import MismatchError
from multihop.encoder import Encoder
from multihop.encoder.maps import Maps, write_maps
from multihop.programs import RankedRAG
from multihop.retrieval import BM25, Dense, Hybrid, Passage, open_index
from multihop.retrieval.adapted_folder import ADAPTED, encoder_of

TOWNS = [Passage(f"p{n}", f"Town {n}", f"Town {n} lies on river {n % 7}.") for n in range(30)]
QUERY = ["a town on river 5"]


def learn(index, maps=None):
    """Maps in the folder of an index, over the encoder that made it."""
    base = Encoder.load()
    maps = maps or Maps(query=-np.eye(16, dtype=np.float32))
    write_maps(index / ADAPTED, maps, base=base.folder, over=base.fingerprint, about={})


@pytest.fixture(params=[Dense, Hybrid])
def folder(request, tmp_path, tiny_encoder):
    request.param.build(TOWNS, folder=tmp_path / "index")
    return tmp_path / "index"


def found(index):
    return [hit.passage.id for hit in index.search(QUERY, 9)[0]]


def test_an_index_is_asked_by_what_it_has_learned(folder):
    before = open_index(folder)
    learn(folder)
    after = open_index(folder)
    assert after.fingerprint != before.fingerprint
    assert found(after) != found(before)
    assert after.encoder.is_mapped
    assert encoder_of(after) is after.encoder
    assert encoder_of(before) is Encoder.load() is encoder_of(BM25.build(TOWNS))
    copied = pickle.loads(pickle.dumps(after))
    assert (copied.fingerprint, found(copied)) == (after.fingerprint, found(after))
    shutil.rmtree(folder / ADAPTED)
    again = open_index(folder)
    assert (again.fingerprint, found(again)) == (before.fingerprint, found(before))


def test_what_it_has_learned_outlives_changes_of_the_corpus(folder):
    learn(folder)
    index = open_index(folder)
    index.add([Passage("new", "Town 99", "Town 99 lies on river 5.")])
    index.remove(["p1"])
    index.compact()
    opened = open_index(folder)
    assert opened.encoder.is_mapped
    assert (opened.fingerprint, found(opened)) == (index.fingerprint, found(index))
    shutil.rmtree(folder / ADAPTED)
    assert not open_index(folder).encoder.is_mapped


def test_maps_over_another_encoder_are_refused(folder, tmp_path):
    other = Encoder.load(write_tiny_encoder(tmp_path / "other", seed=1))
    other.manifest["files"]["embed.onnx"] = "f" * 32
    write_maps(folder / ADAPTED, Maps(judge=np.ones(5)), base=other.folder, over=other.fingerprint, about={})
    with pytest.raises(MismatchError, match="forget what it has learned with `multihop adapt INDEX --undo`"):
        open_index(folder)


def test_a_program_judges_by_it_unless_it_has_weights_of_its_own(folder, tiny_encoder_folder):
    plain = RankedRAG(open_index(folder))
    learn(folder, Maps(judge=np.array([1.0, 0, 0, 0, 2.0])))
    index = open_index(folder)
    program = RankedRAG(index)
    assert program.encoder is index.encoder
    assert program.fingerprints != plain.fingerprints
    assert RankedRAG(index, weights=str(tiny_encoder_folder)).encoder is Encoder.load()
    assert RankedRAG(index, weights=str(folder / ADAPTED)).fingerprints == program.fingerprints
    assert found(index) == found(plain.retriever)
