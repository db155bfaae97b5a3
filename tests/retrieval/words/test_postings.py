import subprocess
import sys
from itertools import pairwise

import bm25s
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from Stemmer import Stemmer

from multihop.base import DamagedFileError
from multihop.retrieval.words import postings
from multihop.retrieval.words.postings import highest_scores, read_postings, score_terms, write_scored_terms
from multihop.retrieval.words.term_counts import TermCounts

BUILD = """
import sys
sys.path.insert(0, sys.argv[1])
from multihop import BM25, Passage
BM25.build([Passage(id="a", title="Ada", text="Ada wrote it.")], folder=sys.argv[2])
print("bm25s" in sys.modules, "jax" in sys.modules)
import jax
"""


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
    return counts.stems, score_terms(counts, k1=k1, b=b)


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
    stems, whole = build(texts, block)
    with pytest.MonkeyPatch.context() as patch, (folder / "waiting").open("w+b") as file:
        patch.setattr(postings, "_AT_ONCE", at_once)
        write_scored_terms(count(texts, block, file), folder, k1=1.2, b=0.75)
        parts = score_terms(count(texts, block), k1=1.2, b=0.75)
    written, highest = read_postings(folder, len(stems))
    for ours in (written, parts):
        assert [array.tobytes() for array in ours] == [array.tobytes() for array in whole]
        assert [array.dtype for array in ours] == [array.dtype for array in whole]
    numpy.save(folder / "plain.npy", whole.data)
    assert (folder / "plain.npy").read_bytes() == (folder / postings.DATA).read_bytes()
    columns = [whole.data[start:end] for start, end in pairwise(whole.indptr.tolist())]
    assert highest.tolist() == [column.max() for column in columns]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        (postings.DATA, numpy.zeros(3)),
        (postings.INDICES, numpy.zeros(3, numpy.int64)),
        (postings.INDPTR, numpy.array([0, 3, 2], numpy.int64)),
        (postings.INDPTR, numpy.array([0, 2], numpy.int64)),
        (postings.INDPTR, numpy.array([-1, 2, 3], numpy.int64)),
        ("highest.npy", numpy.zeros(1, numpy.float32)),
        ("highest.npy", numpy.zeros((2, 1), numpy.float32)),
    ],
)
def test_arrays_that_do_not_fit_together_are_damage(tmp_path, name, wrong):
    write_scored_terms(count(["lake river", "river"], 1), tmp_path, k1=1.2, b=0.75)
    numpy.save(tmp_path / name, wrong)
    with pytest.raises(DamagedFileError, match=r"indptr\.csc\.index\.npy is not as it was written"):
        read_postings(tmp_path, 2)


def test_an_index_is_built_without_starting_jax(tmp_path):
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("print('started')")
    run = [sys.executable, "-c", BUILD, str(tmp_path), str(tmp_path / "index")]
    assert subprocess.check_output(run, text=True).split() == ["True", "False", "started"]


def test_a_term_that_no_passage_holds_has_no_highest_score():
    data = numpy.array([0.5, 2, 1, 3], numpy.float32)
    assert highest_scores(data, numpy.array([0, 0, 2, 2, 4, 4])).tolist() == [0, 2, 0, 3, 0]
    assert highest_scores(data[2:], numpy.array([2, 2, 3, 4])).tolist() == [0, 1, 3]
    assert highest_scores(data[:0], numpy.array([0, 0])).tolist() == [0]
    assert highest_scores(data[:0], numpy.array([0])).tolist() == []
