import pytest

from multihop.retrieval import BM25, Dense, Hybrid, Passage

OLD, NEW = Passage("1", "Po", "A river of Italy."), Passage("2", "Inn", "A river of Austria.")


def ids(index):
    return sorted(hit.passage.id for hit in index.search(["a river"], k=5)[0])


@pytest.mark.parametrize("kind", [BM25, Dense, Hybrid])
def test_the_latest_is_another_index_where_its_folder_has_changed(kind, tmp_path):
    before = kind.build([OLD], folder=tmp_path / "index")
    assert before.latest() is before
    kind.load(tmp_path / "index").add([NEW])
    latest = before.latest()
    assert (ids(before), ids(latest), type(latest)) == (["1"], ["1", "2"], kind)
    assert latest.fingerprint == kind.load(tmp_path / "index").fingerprint != before.fingerprint
    latest.remove(["1"])
    assert (ids(before), ids(latest), ids(before.latest())) == (["1"], ["2"], ["2"])


def test_an_index_in_memory_is_its_own_latest():
    index = BM25.build([OLD])
    assert index.latest() is index
