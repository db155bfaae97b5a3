import pytest

from multihop import BM25, Passage
from multihop.retrieval.servers import milvus_layout
from multihop.retrieval.servers.milvus_layout import sparse_vectors, term_place
from multihop.retrieval.words.analyzer import words

PASSAGES = [Passage(f"p{i}", "", f"river {'town ' * (i % 3)} red{i % 4}" if i % 5 else "") for i in range(23)]


def test_each_passage_has_the_weights_of_its_terms(monkeypatch):
    monkeypatch.setattr(milvus_layout, "_PASSAGES_AT_ONCE", 6)
    index = BM25.build(PASSAGES)
    data, indices, indptr = index.postings
    expected = [{0: 1.0} for _ in PASSAGES]
    for term in range(len(index.stems)):
        for at in range(indptr[term], indptr[term + 1]):
            expected[indices[at]][term + 1] = float(data[at])
    assert list(sparse_vectors(index.postings, 23)) == expected
    assert list(sparse_vectors(index.postings, 23, first=9)) == expected[9:]
    assert expected[0] == {0: 1.0}


def test_the_weights_of_a_querys_terms_add_up_to_the_score_of_bm25():
    index = BM25.build(PASSAGES)
    vectors = list(sparse_vectors(index.postings, 23))
    query = "red3 town river river lake"
    places = [term_place(index.stems.index(word)) for word in words(query) if word in index.stems]
    hits = index.search([query], 23)[0]
    assert len(hits) == 18
    for hit in hits:
        vector = vectors[int(hit.passage.id[1:])]
        assert sum(vector.get(place, 0.0) for place in places) == pytest.approx(hit.score)
