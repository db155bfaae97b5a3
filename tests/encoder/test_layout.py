from itertools import pairwise

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from multihop.base import InputError
from multihop.encoder import Encoder, Pair
from multihop.encoder.layout import KNOWN, OVERLAP, QUESTION, WINDOW, borders, layout

TOKENIZER = Encoder.load()._tokenizer
CLS, SEP = borders(TOKENIZER)


def tokens(text):
    return TOKENIZER.encode(text, add_special_tokens=False).ids


def test_a_short_pair_is_one_window_and_what_is_known_stands_between():
    ((window,),) = layout(TOKENIZER, [Pair("Who wrote Emma?", "Emma | A novel.")])
    assert window.ids == [CLS, *tokens("Who wrote Emma?"), SEP, *tokens("Emma | A novel."), SEP]
    assert window.ids[window.first :] == [*tokens("Emma | A novel."), SEP]
    assert "Emma | A novel."[slice(*window.offsets[0])] == "Emma"
    assert "Who wrote Emma?"[slice(*window.asked[1])] == "wrote"
    ((window,),) = layout(TOKENIZER, [Pair("Who?", "A novel.", ("It rains.", "It snows."))])
    known = [*tokens("It rains."), *tokens("It snows.")]
    assert window.ids == [CLS, *tokens("Who?"), SEP, *known, SEP, *tokens("A novel."), SEP]


def test_a_long_passage_becomes_windows_that_overlap_and_hold_every_word():
    passage = " ".join(f"word{number}" for number in range(400))
    (windows,) = layout(TOKENIZER, [Pair("Who wrote it?", passage)])
    assert len(windows) > 1
    assert all(len(window.ids) <= WINDOW for window in windows)
    held = {span for window in windows for span in window.offsets}
    assert held == set(TOKENIZER.encode(passage, add_special_tokens=False).offsets)
    for before, after in pairwise(windows):
        assert before.offsets[-OVERLAP:] == after.offsets[:OVERLAP]


def test_a_long_question_and_much_that_is_known_leave_room_for_the_passage():
    long = " ".join(["river"] * 500)
    ((window,),) = layout(TOKENIZER, [Pair(long, "A novel.", (long, long))])
    assert window.first == QUESTION + KNOWN + 3
    assert window.ids[window.first : -1] == tokens("A novel.")


@pytest.mark.parametrize("passage", ["", "   ", "\u200b"])
def test_an_empty_passage_is_a_window_without_words(passage):
    ((window,),) = layout(TOKENIZER, [Pair("Who?", passage)])
    assert window.offsets == []


def test_a_tokenizer_without_borders_is_refused():
    with pytest.raises(InputError, match="neither"):
        borders(Tokenizer(WordLevel({"a": 0}, unk_token="a")))
