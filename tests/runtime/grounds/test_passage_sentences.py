from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.runtime.grounds.passage_sentences import sentences_of

TEXTS = st.text(alphabet=st.sampled_from("aB1. !?\n\t「。！न।؟é"), max_size=60)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("  It rains. It pours.\n", ["It rains.", "It pours."]),
        ("It rains\n\nit pours", ["It rains", "it pours"]),
        ("富士山は山だ。高い！", ["富士山は山だ。", "高い！"]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("هل جاء؟ نعم", ["هل جاء؟", "نعم"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_sentences_end_where_each_script_ends_them(text, sentences):
    assert [text[start:end] for start, end in sentences_of(text)] == sentences


@given(TEXTS)
def test_sentences_are_exact_stretches_in_order_and_lose_nothing_but_blanks(text):
    spans = sentences_of(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
