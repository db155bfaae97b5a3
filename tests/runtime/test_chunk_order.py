from types import SimpleNamespace

from multihop.runtime.streaming import ChunkOrder


def chunk(text, end=False, step=1):
    return SimpleNamespace(predict_id=step, text=text, choices=[SimpleNamespace(finish_reason="stop" if end else None)])


def heard(turns, *said):
    return [each.text for call, value in said for each in turns.take(call, value)]


def test_one_call_after_the_other():
    said = [
        ("a", chunk("a1")),
        ("b", chunk("b1")),
        ("c", chunk("c1", end=True)),
        ("b", chunk("b2")),
        ("a", chunk("a2", end=True)),
        ("b", chunk("b3", end=True)),
        ("a", chunk("a3", end=True)),
    ]
    assert heard(ChunkOrder(), *said) == ["a1", "a2", "b1", "b2", "b3", "c1", "a3"]


def test_steps_do_not_wait_for_each_other():
    assert heard(ChunkOrder(), ("a", chunk("a1")), ("b", chunk("b1", step=2)), ("a", chunk("a2"))) == [
        "a1",
        "b1",
        "a2",
    ]


def test_what_is_no_chunk_of_an_answer_never_waits():
    message = SimpleNamespace(text="working")
    account = SimpleNamespace(predict_id=1, choices=[], text="usage")
    said = [("a", chunk("a1")), ("b", message), ("b", account), ("b", chunk("b1"))]
    assert heard(ChunkOrder(), *said) == ["a1", "working", "usage"]


def test_what_waits_behind_a_call_that_never_ended_is_not_lost():
    turns = ChunkOrder()
    assert heard(turns, ("a", chunk("a1")), ("b", chunk("b1")), ("c", chunk("c1")), ("b", chunk("b2"))) == ["a1"]
    assert [each.text for each in turns.rest()] == ["b1", "b2", "c1"]
    assert list(turns.rest()) == []
    assert heard(turns, ("d", chunk("d1"))) == ["d1"]
