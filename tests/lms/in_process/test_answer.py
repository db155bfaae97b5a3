import math

import numpy as np
import pytest
from fake_llama import END, FakeModel

from multihop.base.own_time import current_asker
from multihop.lms.in_process.answer import Call, Wanted, share_out


def started(**wanted):
    told = []
    call = Call(FakeModel(), np.array([1], np.int32), Wanted(**{"max_tokens": 20, **wanted}), told.append)
    return call, told


def logits(*likely):
    values = np.zeros(END + 1, np.float32)
    for rank, token in enumerate(likely):
        values[token] = 5.0 - rank
    return values


def write(call, tokens):
    return [call.accept(logits(token)) for token in tokens]


def test_the_likeliest_token_is_taken_and_told_at_once():
    call, told = started()
    assert write(call, [0, 6, END]) == [False, False, True]
    assert told == [" the", " Po"]
    answer = call.future.result()
    assert (answer.text, answer.finish, answer.tokens_out, answer.chosen) == (" the Po", "stop", 2, None)


def test_an_answer_ends_at_its_most_tokens():
    call, told = started(max_tokens=2)
    assert write(call, [0, 1]) == [False, True]
    assert call.future.result().finish == "length"
    assert "".join(told) == " the of"


def test_an_answer_ends_before_a_stop_text_which_is_never_told():
    call, told = started(stop=("of a",))
    assert write(call, [0, 1, 2]) == [False, False, True]
    answer = call.future.result()
    assert (answer.text, answer.finish) == (" the ", "stop")
    assert "".join(told) == " the "


def test_what_could_be_the_beginning_of_a_stop_text_is_told_once_it_is_none():
    call, told = started(stop=("of the",))
    write(call, [1, 2])
    assert "".join(told) == " "[: len("".join(told))]
    write(call, [END])
    assert "".join(told) == " of a"


def test_letters_of_several_bytes_come_whole(monkeypatch):
    call, told = started()
    halves = {0: "é".encode()[:1], 1: "é".encode()[1:]}
    monkeypatch.setattr(call.model, "piece", lambda token: halves[token])
    write(call, [0, 1, END])
    assert told == ["é"]


def test_the_same_seed_draws_the_same_and_another_seed_others():
    def drawn(seed):
        call, _ = started(temperature=1.0, seed=seed, max_tokens=30)
        for _ in range(29):
            call.accept(np.array([1.0] * END + [-np.inf], np.float32))
        return call.tokens

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize(("limit", "allowed"), [({"top_k": 2}, {0, 1}), ({"top_p": 0.6}, {0, 1}), ({}, {0, 1, 2})])
def test_what_is_drawn_is_among_the_likeliest(limit, allowed):
    values = np.full(END + 1, -np.inf, np.float32)
    values[:3] = np.log([0.5, 0.3, 0.2])
    call, _ = started(temperature=1.0, seed=0, max_tokens=400, **limit)
    for _ in range(399):
        call.accept(values)
    assert set(call.tokens) == allowed


def test_probabilities_are_those_of_the_model():
    call, _ = started(logprobs=2)
    values = np.full(END + 1, -np.inf, np.float32)
    values[[2, 5, 7]] = np.log([0.2, 0.7, 0.1])
    call.accept(values)
    (chosen,) = call.chosen
    assert (chosen.token, [each.token for each in chosen.likeliest]) == (5, [5, 2])
    assert math.exp(chosen.logprob) == pytest.approx(0.7)
    assert [math.exp(each.logprob) for each in chosen.likeliest] == pytest.approx([0.7, 0.2])


def test_a_cancelled_call_may_still_finish():
    call, _ = started(max_tokens=1)
    call.future.cancel()
    assert write(call, [0]) == [True]


class Allowing:
    """A grammar that allows some tokens, and notes when it went through all of them."""

    reserve = 0

    def __init__(self, *allowed):
        self.allowed, self.masked = allowed, 0

    def allows(self, token):
        return token in self.allowed

    def which(self, tokens):
        return np.isin(tokens, self.allowed)

    def mask(self, values):
        self.masked += 1
        return np.where(np.isin(np.arange(len(values)), self.allowed), values, -np.inf).astype(np.float32)

    def accept(self, token):
        pass


@pytest.mark.parametrize(("allowed", "masked"), [((5, 7), 0), ((2, 7), 1)])
def test_the_likeliest_are_those_that_the_grammar_allows_with_the_probabilities_of_the_model(allowed, masked):
    call, _ = started(logprobs=2)
    call.grammar = Allowing(*allowed)
    values = np.full(END + 1, -np.inf, np.float32)
    values[[2, 5, 7]] = np.log([0.2, 0.7, 0.1])
    call.accept(values)
    (chosen,) = call.chosen
    assert (chosen.token, [each.token for each in chosen.likeliest]) == (allowed[0], list(allowed))
    assert math.exp(chosen.likeliest[1].logprob) == pytest.approx(0.1)
    assert call.grammar.masked == masked  # all tokens are gone through only where the likeliest is not allowed


def test_a_text_that_goes_on_and_on_is_ended(monkeypatch):
    monkeypatch.setattr("multihop.lms.in_process.answer.LONGEST_TEXT", 10)
    call, _ = started(max_tokens=200)
    call.grammar = Allowing(*range(END))
    call.grammar.closing = lambda: 6
    write(call, [0, 1, 2])  # " the of a"
    assert call.tokens == [0, 1, 2]
    write(call, [2, 2])
    assert call.tokens == [0, 1, 2, 2, 6]


@pytest.mark.parametrize("passage", [[0], [0, 1, 2], list(range(5)) * 3 + [6], [0, *[1, 2] * 20]])
def test_an_answer_that_only_repeats_itself_is_ended(passage):
    call, told = started(max_tokens=1024)
    tokens = ([3, 4, 5] + passage * 1024)[:1024]
    written = next(place for place, token in enumerate(tokens, 1) if call.accept(logits(token)))
    assert written <= 3 + max(128, 4 * len(passage)) + 16
    answer = call.future.result()
    assert answer.tokens_out == written
    assert answer.finish == "length"
    assert answer.text == "".join(told)


def test_a_passage_that_comes_back_a_few_times_or_slightly_otherwise_ends_nothing():
    call, _ = started(max_tokens=2000)
    thrice = [3, *[0, 1, 2, 4, 5] * 12]
    counted = [token for number in range(20) for token in (0, 1, 2, number % 7, number // 7)]
    many = [token for each in range(10) for token in [each % 7, *thrice]]
    assert not any(write(call, thrice + counted + many))


def test_a_text_held_to_a_form_that_only_repeats_itself_is_closed():
    call, _ = started(max_tokens=1024)
    call.grammar = Allowing(*range(END))
    call.grammar.closing = lambda: 6
    write(call, [0, 1] * 100)
    assert call.tokens.index(6) == 128
    assert call.tokens.count(6) == 1


def test_a_step_is_shared_by_questions_and_each_call_takes_what_its_question_does():
    def calls_of(question, count):
        before = current_asker.set(question)
        try:
            return [started()[0] for _ in range(count)]
        finally:
            current_asker.reset(before)

    one, two = calls_of("one", 2), calls_of("two", 1)
    alone, unknown = calls_of("three", 1), calls_of(None, 2)
    share_out(8.0, [one[0], one[1], one[1], *two])
    assert [call.seconds for call in [*one, *two]] == [6.0, 6.0, 2.0]
    share_out(5.0, alone)
    share_out(4.0, unknown)
    assert [call.seconds for call in [*alone, *unknown]] == [5.0, 2.0, 2.0]
