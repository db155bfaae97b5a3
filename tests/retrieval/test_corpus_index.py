import pickle
import shutil

import pytest

from multihop.base import InputError
from multihop.retrieval import BM25, Dense, Hybrid, Passage

RIVERS = [
    Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
    Passage("p2", "Etna", "Etna is an active volcano in Sicily."),
    Passage("p3", "Inn", "The Inn joins the Danube at Passau."),
]
QUERIES = ["a river in Austria", "volcanoes"]


def again(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid])
@pytest.mark.parametrize("where", ["memory", "folder"])
def test_a_pickled_index_finds_the_same(kind, where, tmp_path):
    index = kind.build(iter(RIVERS), titles=False, folder=tmp_path / "index" if where == "folder" else None)
    index.search(QUERIES, 1)
    loaded = again(index)
    assert type(loaded) is kind
    assert loaded is not index
    assert loaded.fingerprint == index.fingerprint
    assert loaded.search(QUERIES, 3) == index.search(QUERIES, 3)
    assert list(loaded) == RIVERS
    assert repr(again(loaded)) == repr(index)


@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid])
def test_an_index_in_a_folder_is_pickled_as_its_path(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages = [Passage(f"p{number}", "Po", f"page {number} " * 50) for number in range(200)]
    pickled = pickle.dumps(kind.build(pages, folder="index"))
    assert len(pickled) < 1000 < len(pickle.dumps(kind.build(pages)))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert len(pickle.loads(pickled)) == 200


@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid])
def test_a_folder_that_is_gone_or_holds_another_index_is_refused(kind, tmp_path):
    pickled = pickle.dumps(kind.build(RIVERS, folder=tmp_path / "index"))
    kind.build(RIVERS[:2], folder=tmp_path / "index")
    with pytest.raises(InputError, match="now holds another index than the one that was saved"):
        pickle.loads(pickled)
    shutil.rmtree(tmp_path / "index")
    with pytest.raises(InputError, match="is not an index"):
        pickle.loads(pickled)


@pytest.mark.parametrize("folder", ["words", "meanings", "both"])
def test_a_hybrid_of_parts_in_folders_and_in_memory(folder, tmp_path):
    places = [tmp_path / part if folder in (part, "both") else None for part in ("words", "meanings")]
    index = Hybrid(BM25.build(RIVERS, folder=places[0]), Dense.build(RIVERS, folder=places[1]))
    loaded = again(index)
    assert loaded.fingerprint == index.fingerprint
    assert loaded.search(QUERIES, 3) == index.search(QUERIES, 3)
    assert list(loaded) == RIVERS
