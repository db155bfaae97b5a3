"""The answers that are read off the logits of one passage."""

import numpy as np
import pytest
from tiny_encoder import write_tiny_encoder

from multihop.encoder import Answer, Encoder, Judgement, Pages, condense, read_together
from multihop.encoder.judgement import BETWEEN, LONGEST_ANSWER, _answers, reading
from multihop.encoder.layout import TOKENS, Window


def window_of(size):
    return Window([0] * size, 0, [(3 * place, 3 * place + 2) for place in range(size)], [])


@pytest.mark.parametrize("size", [0, 1, 2, 16, 17, 40])
def test_the_likeliest_stretches_are_those_of_all_stretches(size):
    logits = np.random.default_rng(size).standard_normal((size, len(TOKENS))).astype(np.float32)
    start, end = (logits[:, TOKENS.index(name)].astype(np.float64) for name in ("start", "end"))
    every = [
        (start[first] - np.logaddexp.reduce(start) + end[last] - np.logaddexp.reduce(end), first, last)
        for first in range(size)
        for last in range(first, min(size, first + LONGEST_ANSWER))
    ]
    best = sorted(every, reverse=True)[:3]
    said = _answers(window_of(size), logits)
    assert [(begin, stop) for begin, stop, _ in said] == [(3 * first, 3 * last + 2) for _, first, last in best]
    assert [score for _, _, score in said] == pytest.approx([score for score, _, _ in best])


TEXT = "Emma | A novel. It sold well. Jane Austen wrote it. It is long."


def mark(words):
    return (TEXT.index(words), TEXT.index(words) + len(words))


def test_of_a_text_in_few_words_marked_sentences_come_before_the_first_and_the_first_before_the_rest():
    assert condense(TEXT, []) == TEXT
    assert condense(TEXT, [mark("Jane Austen")], words=4) == "Jane Austen wrote it."
    assert condense(TEXT, [mark("Jane Austen")], words=8) == "Emma | A novel. Jane Austen wrote it."
    assert condense(TEXT, [], words=7) == "Emma | A novel. It sold well."
    assert condense("", []) == ""


EMMA, AUSTEN = "Emma | By Jane Austen.", "Jane Austen | Born in Bath."
QUESTION = "Where was the author of Emma born?"


def judged(*answers):
    return Judgement(0.9, 0.1, 0.7, 0.6, 0.2, 0.1, tuple(answers))


def test_an_answer_is_told_by_its_page_and_its_place_there():
    second = len(EMMA) + len(BETWEEN)
    place = second + AUSTEN.index("Bath")
    said = reading((EMMA, AUSTEN), judged(Answer(place, place + 4, -0.5), Answer(10, 21, -2.0)))
    assert [(EMMA, AUSTEN)[each.page][each.start : each.end] for each in said.answers] == ["Bath", "Jane Austen"]
    assert [(each.page, each.score) for each in said.answers] == [(1, -0.5), (0, -2.0)]
    assert (said.complete, said.holds, said.yes, said.no) == (0.7, 0.6, 0.2, 0.1)
    end = len(EMMA)  # what reaches over the end of a page or stands between two is no answer
    said = reading((EMMA, AUSTEN), judged(Answer(end - 7, end + 10, -0.1), Answer(end + 1, end + 6, -0.2)))
    assert said.answers == ()


def test_a_page_that_is_longer_than_what_is_read_together_is_read_with_the_first():
    assert read_together([EMMA, "word " * 400, AUSTEN]) == [(EMMA, "word " * 400), (EMMA, AUSTEN)]
    assert read_together(["word " * 400]) == [("word " * 400,)]
    assert read_together([]) == []


def test_how_likely_a_page_helps_is_what_its_words_say_on_the_mean():
    second = len(EMMA) + len(BETWEEN)
    words = (((0, 4), 0.9), ((7, 9), 0.5), ((len(EMMA) + 2, second - 2), 1.0), ((second, second + 4), 0.2))
    said = reading((EMMA, AUSTEN, ""), judged()._replace(words=words))
    assert said.helpful == (pytest.approx(0.7), 0.2, 0.0)  # what stands between two pages is of neither


def test_pages_are_one_input_with_their_border_as_one_token():
    tokens = Encoder.load()._tokenizer.encode(Pages("", (EMMA, AUSTEN)).pair().passage, add_special_tokens=False).tokens
    assert tokens.count("[SEP]") == 1
    assert tokens[tokens.index("[SEP]") + 1] == "jane"


def test_pages_that_are_longer_than_the_window_are_read_to_their_end():
    filler = "It rained all day and nobody came. " * 60
    (said,) = Encoder.load().read([Pages(QUESTION, (EMMA, filler, AUSTEN))])
    assert said.answers[0].page in (0, 2)
    assert max(each.page for each in said.answers) == 2


def test_what_was_read_is_remembered_and_without_a_reader_the_judge_reads(tmp_path, monkeypatch):
    judge = Encoder(write_tiny_encoder(tmp_path / "judge"))
    encoder = Encoder(write_tiny_encoder(tmp_path / "reader", own=("reader",)))
    asked = Pages(QUESTION, (EMMA, AUSTEN))
    (first,), (said,), (known,) = encoder.read([asked]), judge.read([asked]), judge.judge([asked.pair()])
    assert (said.complete, said.holds) == (known.enough, known.holds) != (first.complete, first.holds)
    assert judge.fingerprint == encoder.fingerprint[:-8]
    monkeypatch.setattr(encoder, "_reader", None)
    assert encoder.read([asked, asked]) == [first, first]
