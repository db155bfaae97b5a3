from itertools import pairwise

import bm25s
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from Stemmer import Stemmer

from multihop.retrieval.words import postings
from multihop.retrieval.words.postings import (
    highest_scores,
    read_highest,
    read_occurrences,
    read_postings,
    score_terms,
    write_postings,
    write_scored_terms,
)
from multihop.retrieval.words.term_counts import TermCounts

TEXTS = st.lists(
    st.lists(st.sampled_from("the red rivers river ran running lake Σοφία x 1789".split())).map(" ".join), min_size=1
)


def count(texts, block, file=None):
    counts = TermCounts(file)
    for start in range(0, len(texts), block):
        counts.add(texts[start : start + block])
    return counts


def build(texts, block, k1=1.2, b=0.75):
    counts = count(texts, block)
    return counts.stems, score_terms(counts, k1=k1, b=b)[0]


@settings(max_examples=50)
@given(TEXTS, st.integers(1, 4), st.sampled_from([0.0, 0.9, 1.2]), st.sampled_from([0.0, 0.4, 0.75, 1.0]))
def test_every_column_is_that_of_bm25s_to_the_last_bit(texts, block, k1, b):
    stems, ours = build(texts, block, k1, b)
    tokens = bm25s.tokenize(texts, stemmer=Stemmer("english"), show_progress=False)
    if not tokens.vocab:  # bm25s cannot index nothing but stop words
        assert (stems, len(ours.data), ours.indptr.tolist()) == ({}, 0, [0])
        return
    raw = bm25s.BM25(k1=k1, b=b, method="lucene")
    raw.index(tokens, show_progress=False)
    assert stems.keys() == raw.vocab_dict.keys() - {""}
    for stem, term in stems.items():
        mine = slice(*ours.indptr[term : term + 2])
        theirs = slice(*raw.scores["indptr"][raw.vocab_dict[stem] :][:2])
        assert ours.indices[mine].tolist() == raw.scores["indices"][theirs].tolist()
        assert ours.data[mine].tobytes() == raw.scores["data"][theirs].tobytes()


def test_the_types_are_those_of_bm25s():
    _, postings = build(["red river"], 1)
    assert [array.dtype for array in postings] == [numpy.float32, numpy.int32, numpy.int64]


@pytest.mark.parametrize("times", [255, 256, 70_000])
def test_counts_too_large_for_narrow_integers(times):
    texts = ["lake " * times, "river"]
    tokens = bm25s.tokenize(texts, stemmer=Stemmer("english"), show_progress=False)
    raw = bm25s.BM25(k1=1.2, b=0.75)
    raw.index(tokens, show_progress=False)
    _, ours = build(texts, 2)
    assert sorted(ours.data.tolist()) == sorted(raw.scores["data"].tolist())


def test_many_passages_in_one_block():
    texts = ["lake"] * 300 + ["river"]
    _, postings = build(texts, 400)
    assert postings.indices.tolist() == list(range(301))


@settings(max_examples=50)
@given(TEXTS, st.integers(1, 4), st.integers(1, 6))
def test_part_by_part_and_through_files_it_comes_out_the_same(tmp_path_factory, texts, block, at_once):
    folder = tmp_path_factory.mktemp("postings")
    _, whole = build(texts, block)
    with pytest.MonkeyPatch.context() as patch, (folder / "waiting").open("w+b") as file:
        patch.setattr(postings, "_AT_ONCE", at_once)
        write_scored_terms(count(texts, block, file), folder, k1=1.2, b=0.75)
        parts, occurrences = score_terms(count(texts, block), k1=1.2, b=0.75)
    for ours in (read_postings(folder), parts):
        assert [array.tobytes() for array in ours] == [array.tobytes() for array in whole]
        assert [array.dtype for array in ours] == [array.dtype for array in whole]
    written = {file.name: file.read_bytes() for file in folder.iterdir() if file.name != "waiting"}
    write_postings(whole, occurrences, folder)
    assert {name: (folder / name).read_bytes() for name in written} == written
    numpy.save(folder / "plain.npy", whole.data)
    assert (folder / "plain.npy").read_bytes() == written[postings.DATA]
    columns = [whole.data[start:end] for start, end in pairwise(whole.indptr.tolist())]
    assert read_highest(folder).tolist() == [column.max() for column in columns]


@pytest.mark.parametrize(("times", "kind"), [(255, "uint8"), (256, "uint16"), (70_000, "uint32")])
def test_the_counts_are_kept_as_narrow_as_they_allow(tmp_path, times, kind):
    texts = ["lake river lake", "lake " * times, "river"]
    counts = count(texts, 1)
    _, (held, lengths) = score_terms(counts, k1=1.2, b=0.75)
    assert (held.tolist(), lengths.tolist(), held.dtype.name) == ([2, times, 1, 1], [3, times, 1], kind)
    write_scored_terms(counts, tmp_path, k1=1.2, b=0.75)
    assert [array.tolist() for array in read_occurrences(tmp_path)] == [held.tolist(), lengths.tolist()]
    assert read_occurrences(tmp_path / "older") is None


def test_a_term_that_no_passage_holds_has_no_highest_score():
    data = numpy.array([0.5, 2, 1, 3], numpy.float32)
    assert highest_scores(data, numpy.array([0, 0, 2, 2, 4, 4])).tolist() == [0, 2, 0, 3, 0]
    assert highest_scores(data[2:], numpy.array([2, 2, 3, 4])).tolist() == [0, 1, 3]
    assert highest_scores(data[:0], numpy.array([0, 0])).tolist() == [0]
    assert highest_scores(data[:0], numpy.array([0])).tolist() == []
