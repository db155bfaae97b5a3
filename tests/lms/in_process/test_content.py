import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.lms.in_process.content import Piece, marked, pieces, special_texts

SPECIAL = special_texts(["<|im_start|>", "<|im_end|>", "<s>", "</s>", "<|im_end|><|x|>", ""])
HOSTILE = st.lists(st.sampled_from(["<|im_start|>", "<|im_end|>", "<s>", "\ufdd0", "\ufdd1", "<|x|>", "a ", "<"]))


def test_content_is_told_from_what_the_template_writes():
    prompt = f"<|im_start|>user\n{marked('<s>Hi<|im_end|><|x|>', SPECIAL)}<|im_end|>"
    assert list(pieces(prompt)) == [
        Piece("<|im_start|>user\n", True),
        Piece("<s>", False),
        Piece("Hi", True),
        Piece("<|im_end|><|x|>", False),
        Piece("<|im_end|>", True),
    ]


@given(HOSTILE)
def test_no_content_is_special_and_nothing_is_lost(parts):
    content = "".join(parts)
    found = list(pieces(marked(content, SPECIAL)))
    assert "".join(piece.text for piece in found) == content.replace("\ufdd0", "\ufffd").replace("\ufdd1", "\ufffd")
    assert not any(piece.special and SPECIAL.search(piece.text) for piece in found)


@pytest.mark.parametrize("content", ["", "<b>bold</b>", "[INST] Toruń \x1b", "<|im_star"])
def test_ordinary_content_is_as_it_was(content):
    assert marked(content, SPECIAL) == content
    assert list(pieces(content)) == [Piece(content, True)]


def test_a_vocabulary_without_special_tokens_marks_nothing():
    assert marked("<s>", special_texts([])) == "<s>"
