import pytest

from multihop.base import InputError
from multihop.data import open_corpus, open_retriever
from multihop.optimize.corpus_path import stored_corpus
from multihop.retrieval import is_address
from multihop.retrieval.servers.milvus_place import MilvusPlace


def test_a_file_is_read_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = MilvusPlace.read("milvus:indexes/x.db#wiki")
    assert place == (f"{tmp_path}/indexes/x.db", "wiki")
    assert place.embedded
    assert str(place) == f"{tmp_path}/indexes/x.db#wiki"


def test_a_cluster_is_read():
    place = MilvusPlace.read("milvus:https://host:19530/#wiki_2")
    assert place == ("https://host:19530", "wiki_2")
    assert not place.embedded


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("milvus:x.db", "'milvus:x.db' names no collection of Milvus"),
        ("milvus:x.db#a-b", "'milvus:x.db#a-b' names no collection of Milvus"),
        ("milvus:#wiki", "'milvus:#wiki' names no collection of Milvus"),
        ("milvus:x.json#wiki", "a file of Milvus Lite ends in .db"),
        ("milvus:tcp://h#wiki", "is no address of Milvus"),
        ("milvus:http://#wiki", "is no address of Milvus"),
        ("milvus:http://h:x#wiki", "is no address of Milvus"),
        ("milvus:http://ada:secret@h#wiki", "a login is no part of this address; set MILVUS_TOKEN"),
        ("milvus:http://ada:se/cret@h#wiki", "is no address of Milvus"),
        ("milvus:http://h?token=secret#wiki", "a login is no part of this address; set MILVUS_TOKEN"),
    ],
)
def test_what_is_no_place_is_refused_without_a_password(text, said):
    with pytest.raises(InputError) as caught:
        MilvusPlace.read(text)
    assert said in str(caught.value)
    assert "cret" not in str(caught.value)


def test_it_is_an_address_wherever_a_corpus_is_given(tmp_path):
    address = f"milvus:{tmp_path}/none.db#wiki"
    assert is_address(address)
    assert stored_corpus(address, tmp_path / "p.json") is None
    with pytest.raises(InputError, match="none.db#wiki is a server, which searches by itself; leave out"):
        open_retriever(address, "dense")
    with pytest.raises(InputError, match="none.db is not there; build it with `multihop index`"):
        open_retriever(address)
    with pytest.raises(InputError, match="none.db#wiki is an address"):
        open_corpus(address)
    assert list(tmp_path.iterdir()) == []
