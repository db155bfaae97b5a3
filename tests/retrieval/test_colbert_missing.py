import sys

import pytest

from multihop import BM25, ColBERT, MissingExtraError, Passage, Reranked
from multihop.base import InputError
from multihop.data import open_retriever
from multihop.retrieval import colbert_encoder
from multihop.retrieval.corpus_index import write_passages
from multihop.retrieval.index_folder import seal

PASSAGES = [Passage("p1", "Po", "A river in Italy.")]


def test_one_sentence_says_what_installs_it(tmp_path, monkeypatch):
    monkeypatch.setattr(colbert_encoder, "_ready", False)
    monkeypatch.setitem(sys.modules, "colbert", None)  # as if colbert-ai were not installed
    settings = {"titles": True, "checkpoint": "c", "checkpoint_place": "c"}
    seal(tmp_path, {"kind": ColBERT.kind, "format": ColBERT.format, **write_passages(tmp_path, PASSAGES), **settings})
    for needing, what in (
        (lambda: ColBERT.build(PASSAGES, checkpoint="mine", folder=tmp_path / "new"), "a ColBERT index"),
        (lambda: ColBERT.load(tmp_path), f"{tmp_path}, a ColBERT index,"),
        (lambda: Reranked(BM25.build(PASSAGES), "mine"), "reranking by ColBERT"),
    ):
        with pytest.raises(MissingExtraError) as caught:
            needing()
        assert str(caught.value).startswith(f"{what} needs the extra [colbert] (")
        assert str(caught.value).endswith("): pip install 'multihop[colbert]'.")
        assert caught.value.extra == "colbert"
    assert not (tmp_path / "new").exists()


def test_a_corpus_alone_is_not_searched_by_it():
    with pytest.raises(InputError, match="a ColBERT index needs a checkpoint and a folder; build it with `multihop in"):
        open_retriever("little", "colbert")


def test_hits_to_order_are_one_or_more():
    with pytest.raises(InputError, match="depth is a number of hits, 1 or more, not 0"):
        Reranked(BM25.build(PASSAGES), "mine", depth=0)
