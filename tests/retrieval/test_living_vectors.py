import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from living import ETNA, ON_RIVERS, RIVERS, Killed, assert_same, changing_corpora

from multihop.base import InputError
from multihop.encoder import Encoder
from multihop.retrieval import Dense, Hybrid, Passage, hybrid, living_index, open_index
from multihop.retrieval.living import changes_file


@settings(max_examples=12)
@given(changing_corpora(steps=4), st.sampled_from([0, 3, 1000]), st.booleans())
@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_vectors_rank_as_those_built_anew(kind, tiny_encoder_folder, corpus, least, one_vector):
    first, changes = corpus
    options = {"encoder": Encoder.load(tiny_encoder_folder), "one_vector": one_vector}
    index = kind.build(first, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(living_index, "LEAST", least)
        for verb, given_, current in changes:
            getattr(index, verb)(given_)
            assert_same(index, kind.build(current, **options))
        index.compact()
        assert_same(index, kind.build(current, **options))


@pytest.mark.parametrize("kind", [Dense, Hybrid])
def test_a_folder_of_vectors_changes_with_it(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(living_index, "LEAST", 2)
    folder = tmp_path / "index"
    kind.build(RIVERS, folder=folder)
    watching = kind.load(folder)
    lake = Passage("p5", "Garda", "A lake at the foot of the Alps.")
    for verb, given_, current in (
        ("add", [ETNA], [*RIVERS, ETNA]),
        ("update", [ETNA._replace(text="It erupts often.")], [*RIVERS, ETNA._replace(text="It erupts often.")]),
        ("remove", ["p1"], [*RIVERS[1:], ETNA._replace(text="It erupts often.")]),
        ("add", [lake], [*RIVERS[1:], ETNA._replace(text="It erupts often."), lake]),
    ):
        getattr(kind.load(folder), verb)(given_)
        assert_same(open_index(folder), kind.build(current), ON_RIVERS)
        assert_same(pickle.loads(pickle.dumps(kind.load(folder))), kind.build(current), ON_RIVERS)
    assert list(watching) == RIVERS
    assert watching.reload() is True
    assert_same(watching, kind.build(current), ON_RIVERS)
    watching.compact()
    assert_same(kind.load(folder), kind.build(current), ON_RIVERS)
    with pytest.raises(InputError, match="the index has no passage with the id 'p9'"):
        watching.remove(["p9"])
    with changes_file.only_writer(folder), pytest.raises(InputError, match="is being changed by another writer"):
        watching.add([RIVERS[0]])
    assert_same(kind.load(folder), kind.build(current), ON_RIVERS)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["write_gone", "share_passages", "publish"])
def test_both_indexes_change_or_none(tmp_path, monkeypatch, step, when):
    Hybrid.build(RIVERS, folder=tmp_path / "index")
    index = Hybrid.load(tmp_path / "index")
    module = living_index if step == "write_gone" else hybrid
    real = getattr(module, step)

    def killed(*arguments):
        if when == "after":
            real(*arguments)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, step, killed)
        patch.setattr(hybrid, "sweep", lambda *_: None)
        with pytest.raises(Killed):
            index._change(["p1"], [ETNA])
    left = [*RIVERS[1:], ETNA] if (step, when) == ("publish", "after") else RIVERS
    assert_same(Hybrid.load(tmp_path / "index"), Hybrid.build(left), ON_RIVERS)
    index.add([Passage("p5", "", "a lake")])
    assert_same(Hybrid.load(tmp_path / "index"), Hybrid.build([*left, Passage("p5", "", "a lake")]), ON_RIVERS)


def test_likely_candidates_are_exact_beside_what_came_later():
    index = Dense.build(RIVERS, approximate="hnsw")
    index._change(["p1"], [ETNA])
    exact = Dense.build([*RIVERS[1:], ETNA])
    assert index.search(ON_RIVERS, 3) == exact.search(ON_RIVERS, 3)
    index.compact()
    assert index.search(ON_RIVERS, 3) == exact.search(ON_RIVERS, 3)
    assert index.fingerprint == Dense.build([*RIVERS[1:], ETNA], approximate="hnsw").fingerprint
