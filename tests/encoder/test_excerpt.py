import re

import pytest

from multihop.encoder import Encoder, Pair
from multihop.encoder.excerpt import SEEN, tokens_seen
from multihop.encoder.layout import layout

TEXT = "Emma is a novel. Emma sold well. Emma pleased readers. Jane Austen wrote it."


def seen(text, asked, most):
    words = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    return " ".join(text[slice(*words[place])] for place in tokens_seen(text, asked, words, most))


def test_a_text_that_is_short_enough_is_seen_whole():
    assert seen(TEXT, "Who wrote Emma?", 14) == TEXT


def test_the_first_sentence_and_those_that_share_most_are_seen_in_their_order():
    assert seen(TEXT, "Who wrote Emma?", 8) == "Emma is a novel. Jane Austen wrote it."
    assert seen(TEXT, "Did it please readers?", 8) == "Emma is a novel. Emma pleased readers."


def test_a_word_that_many_sentences_have_counts_less_than_a_rare_one():
    text = "It rains. Emma Woodhouse sings. Emma Woodhouse reads. Emma Woodhouse sleeps. Harriet paints."
    assert seen(text, "Does Emma Woodhouse know Harriet?", 4) == "It rains. Harriet paints."


def test_of_sentences_that_share_as_much_the_earlier_is_seen():
    assert seen(TEXT, "Where is Bath?", 8) == "Emma is a novel. Emma sold well."


@pytest.mark.parametrize("text", ["Emma is a novel that has no second sentence at all.", ""])
def test_one_sentence_is_seen_whole(text):
    assert seen(text, "Who?", 2) == text


def test_a_long_first_sentence_is_seen_whole():
    assert seen("Emma is a very long novel. It sold.", "Who sold it?", 3) == "Emma is a very long novel."


def test_the_places_of_what_is_seen_are_those_in_the_whole_passage():
    filler = " ".join(["It rained all day."] * 60)
    passage = f"Emma | A novel. {filler} Jane Austen wrote it."
    tokenizer = Encoder.load()._tokenizer
    ((window,),) = layout(tokenizer, [Pair("Who wrote Emma?", passage)], seen=SEEN)
    start, end = window.offsets[-2][0], window.offsets[-2][1]
    assert len(window.offsets) <= SEEN
    assert (passage[start:end], start) == ("it", passage.rindex("it"))
    assert len(layout(tokenizer, [Pair("Who wrote Emma?", passage)])[0]) > 1


def test_what_is_known_counts_as_asked():
    filler = " ".join(["It rained all day."] * 60)
    passage = f"Emma | A novel. {filler} Bath is old."
    tokenizer = Encoder.load()._tokenizer
    ((window,),) = layout(tokenizer, [Pair("Who?", passage, ("She lived in Bath.",))], seen=SEEN)
    assert passage[window.offsets[-4][0] : window.offsets[-2][1]] == "Bath is old"
