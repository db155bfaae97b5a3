import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from multihop import Passage
from multihop.programs.shared.evidence import Evidence, agree, distinct_passages, fitting, nearest_first


def passage(name, text="words"):
    return Passage(name, "", text)


@given(st.lists(st.text(alphabet="ab ", min_size=1), max_size=6), st.integers(1, 12))
def test_what_fits_is_a_prefix_and_never_nothing(texts, tokens):
    kept = fitting(texts, tokens)
    assert kept == texts[: len(kept)]
    assert bool(kept) == bool(texts)


def test_passages_come_once_in_order():
    pool = [Evidence("", (passage("a"), passage("b"))), Evidence("", (passage("b"), passage("c")))]
    assert [p.id for p in distinct_passages(pool)] == ["a", "b", "c"]


def test_evidence_near_the_answer_comes_first():
    far, near = Evidence("It is Rome.", (passage("a"),)), Evidence("It is New York.", (passage("b"),))
    assert nearest_first([far, near], "New York") == [near, far]
    assert nearest_first([far, near], "") == [far, near]


def test_agreement_is_of_whole_words():
    assert agree("Paris", "It is Paris!")
    assert not agree("art", "Paris is a party")
    assert not agree("", "")


def test_vectors_sort_evidence_where_there_are_any():
    pool = [Evidence("", (passage("a", "one"),)), Evidence("", (passage("b", "two"),)), Evidence("", ())]
    vectors = {"text": (1.0, 0.0), str(pool[0]): (0.0, 1.0), str(pool[1]): (0.6, 0.8), "": (0.6, 0.8)}
    seen = []

    def embed(texts):
        seen.append(list(texts))
        return np.array([vectors[text] for text in texts])

    assert nearest_first(pool, "text", embed) == [pool[1], pool[2], pool[0]]  # equals stay in their order
    assert seen == [["text", *map(str, pool)]]
    assert nearest_first([], "text", embed) == []
