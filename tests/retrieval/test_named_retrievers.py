import pytest

from multihop.base import InputError
from multihop.retrieval import BM25, Passage, open_index
from multihop.retrieval.index_folder import find_home, seal


@pytest.fixture
def folder(tmp_path):
    BM25.build([Passage("p1", "Po", "A river in Italy.")], folder=tmp_path / "index")
    return tmp_path / "index"


def test_the_kind_decides_the_class(folder):
    retriever = open_index(folder)
    assert isinstance(retriever, BM25)
    assert [hit.passage.id for hit in retriever.search(["river"], 1)[0]] == ["p1"]


def test_a_kind_nobody_knows_lists_the_known_ones(folder):
    seal(find_home(folder), {"kind": "bm52", "format": 1})
    with pytest.raises(
        InputError,
        match=r"'bm52'; did you mean 'bm25'\? Valid: bm25, colbert, dense, hybrid, or MODULE:CLASS of your own$",
    ):
        open_index(folder)


def test_no_index(tmp_path):
    with pytest.raises(InputError, match="build one with `multihop index`"):
        open_index(tmp_path / "nowhere")


def test_indexes_of_earlier_versions_are_built_again(folder):
    seal(find_home(folder), {"kind": "sharded", "format": 1})
    with pytest.raises(InputError, match="is in shards, which are gone; rebuild it with `multihop index`"):
        open_index(folder)
