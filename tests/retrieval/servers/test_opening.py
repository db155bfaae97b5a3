import pytest

from multihop.base import InputError
from multihop.data import open_corpus, open_retriever
from multihop.optimize.corpus_path import stored_corpus
from multihop.retrieval import RemoteRetriever, open_server


def test_what_stands_before_an_address_says_who_asks_there():
    assert type(open_server("http://h")) is RemoteRetriever
    with pytest.raises(InputError, match="unknown kind of server 'opensearhc'"):
        open_server("opensearhc:http://h")


def test_an_address_is_opened_where_a_corpus_is():
    assert repr(open_retriever("http://h:8000")) == "RemoteRetriever(http://h:8000/retrieve)"
    with pytest.raises(InputError, match="^http://h is a server, which searches by itself; leave out the retriever"):
        open_retriever("http://ada:x@h", "dense")


@pytest.mark.parametrize("path", ["corpus.jsonl", "a/corpus.tsv.gz"])
def test_the_address_of_a_file_is_no_server(path):
    with pytest.raises(InputError, match=f"^https://h/{path} is an address; download the file first"):
        open_retriever(f"https://h/{path}")


def test_the_passages_of_a_server_cannot_be_read():
    with pytest.raises(InputError, match="^http://h is an address"):
        open_corpus("http://ada:x@h")


def test_a_saved_program_holds_no_address(tmp_path):
    assert stored_corpus("http://ada:x@h", tmp_path / "p.json") is None
