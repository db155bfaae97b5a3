import gc
from concurrent.futures import CancelledError

import numpy as np
import pytest
from fake_llama import END, WORDS, FakeLlama, FakeModel, answer_to
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import InputError, RunFailed
from multihop.lms.gguf_engine import worker as module
from multihop.lms.gguf_engine.worker import Room, Worker
from multihop.lms.in_process.answer import Call, Wanted


@pytest.fixture
def llama(monkeypatch):
    fake = FakeLlama()
    monkeypatch.setattr(module, "llama", lambda: fake)
    return fake


def call(model, prompt, most=6, **wanted):
    return Call(model, np.array(prompt, np.int32), Wanted(max_tokens=most, **wanted))


def text(tokens):
    return "".join(WORDS[token] for token in tokens)


def answers(worker, prompts, most=6):
    calls = [call(worker.model, prompt, most) for prompt in prompts]
    for each in calls:
        worker.submit(each)
    return calls, [each.future.result(timeout=20) for each in calls]


def test_an_answer_is_that_of_the_model_and_tells_its_tokens(llama):
    worker = Worker(FakeModel(), Room(chunk=4))
    _, (answer,) = answers(worker, [[1, 2, 3, 4, 5, 6]])
    tokens = answer_to([1, 2, 3, 4, 5, 6], 6)
    assert (answer.text, answer.tokens_in, answer.tokens_out, answer.cached) == (text(tokens), 6, len(tokens), 0)
    assert answer.finish == ("length" if len(tokens) == 6 else "stop")
    assert llama.steps[:2] == [4, 2]
    worker.close()
    assert llama.freed == ["batch", "context"]


def test_a_prompt_that_begins_like_an_earlier_one_computes_the_rest_alone(llama):
    worker = Worker(FakeModel(), Room())
    beginning = [number % END for number in range(50)]
    answers(worker, [[*beginning, 1, 1]], most=1)
    before = llama.computed
    _, (answer,) = answers(worker, [[*beginning, 2, 2]], most=1)
    assert (answer.cached, llama.computed - before) == (48, 4)
    worker.close()


def test_of_calls_that_begin_alike_one_computes_the_beginning(llama):
    llama.gate.clear()
    worker = Worker(FakeModel(), Room(at_once=4, chunk=16))
    beginning = [number % END for number in range(64)]
    calls = [call(worker.model, [*beginning, number], most=1) for number in range(6)]
    for each in calls:
        worker.submit(each)
    llama.gate.set()
    found = [each.future.result(timeout=20) for each in calls]
    assert sorted(answer.cached for answer in found) == [0, 64, 64, 64, 64, 64]
    assert llama.computed == 64 + 6
    worker.close()


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=40), min_size=1, max_size=9),
    st.integers(1, 3),
    st.integers(0, 4),
    st.integers(1, 9),
)
def test_answers_are_the_same_however_calls_share_the_context(prompts, at_once, kept, chunk):
    fake = FakeLlama()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "llama", lambda: fake)
        worker = Worker(FakeModel(), Room(context=64, at_once=at_once, kept=kept, chunk=chunk))
        _, found = answers(worker, prompts)
        worker.close()
    assert [answer.text for answer in found] == [text(answer_to(prompt, 6)) for prompt in prompts]
    assert all(answer.cached < len(prompt) for answer, prompt in zip(found, prompts, strict=True))


def test_a_call_takes_its_share_of_the_steps_in_which_it_is_computed(llama, monkeypatch):
    monkeypatch.setattr(module, "monotonic", lambda: float(llama.computed))  # a token takes a second
    llama.gate.clear()
    worker = Worker(FakeModel(), Room(at_once=3, chunk=4))
    calls = [call(worker.model, [number, *range(5)]) for number in range(5)]
    for each in calls:
        worker.submit(each)
    llama.gate.set()
    found = [each.future.result(timeout=20) for each in calls]
    ended = [answer.finish == "stop" for answer in found]  # by a token that is chosen and not computed
    assert [each.seconds for each in calls] == pytest.approx(
        [6 + answer.tokens_out - (not end) for answer, end in zip(found, ended, strict=True)]
    )
    assert sum(each.seconds for each in calls) == pytest.approx(llama.computed)
    worker.close()


def test_what_is_kept_makes_room_for_what_is_asked(llama):
    worker = Worker(FakeModel(), Room(context=40, at_once=1, kept=8))
    for first in range(6):
        _, (answer,) = answers(worker, [[first] * 20], most=2)
        assert answer.text == text(answer_to([first] * 20, 2))
    worker.close()


def test_a_cancelled_call_ends_and_the_others_go_on(llama):
    llama.gate.clear()
    worker = Worker(FakeModel(), Room(at_once=2))
    left, stays = call(worker.model, [1, 2, 3]), call(worker.model, [4, 5, 6])
    worker.submit(left)
    worker.submit(stays)
    assert left.future.cancel()
    llama.gate.set()
    assert stays.future.result(timeout=20).text == text(answer_to([4, 5, 6], 6))
    with pytest.raises(CancelledError):
        left.future.result()
    worker.close()


def test_a_closed_worker_refuses_calls_and_fails_those_it_has(llama):
    llama.gate.clear()
    worker = Worker(FakeModel(), Room())
    waiting = call(worker.model, [1, 2, 3], most=1)
    worker.submit(waiting)
    worker._closed = True
    llama.gate.set()
    worker.close()
    with pytest.raises(RunFailed, match=r"fake.gguf was closed\."):
        waiting.future.result(timeout=20)
    with pytest.raises(RunFailed, match=r"fake.gguf is closed\."):
        worker.submit(call(worker.model, [1]))


def test_an_error_of_the_library_fails_the_calls_under_way(llama, monkeypatch):
    worker = Worker(FakeModel(), Room())
    monkeypatch.setattr(llama, "llama_decode", lambda context, batch: -3)
    asked = call(worker.model, [1, 2])
    worker.submit(asked)
    with pytest.raises(RunFailed, match=r"llama\.cpp failed with -3 while it computed fake\.gguf\."):
        asked.future.result(timeout=20)
    worker.close()


@pytest.mark.parametrize(
    ("room", "sentence"),
    [
        ({"context": 0}, "context is a whole number from 1 on, not 0."),
        ({"at_once": True}, "at_once is a whole number from 1 on, not True."),
        ({"kept": -1}, "kept is a whole number from 0 on, not -1."),
        ({"threads": 1.5}, "threads is a whole number from 1 on, not 1.5."),
    ],
)
def test_impossible_rooms_are_refused(room, sentence):
    with pytest.raises(InputError) as caught:
        Room(**room)
    assert str(caught.value) == sentence


def test_without_memory_for_the_context_it_says_so(llama, monkeypatch):
    monkeypatch.setattr(llama, "llama_init_from_model", lambda model, parameters: None)
    with pytest.raises(InputError, match="no memory for a context of 9,000 tokens; take a smaller one"):
        Worker(FakeModel(), Room(context=9000))
    gc.collect()
