import asyncio

import dspy
from shuffling import shuffle_calls

from multihop import Direct, scripted


def arrivals(monkeypatch, seed):
    """In which order twenty questions asked at once reach the LM."""
    seen = []

    def reply(prompt):
        seen.append(prompt.inputs["question"])
        return {"answer": prompt.inputs["question"]}

    async def ask_all():
        program = Direct(concurrency=20)
        return await asyncio.gather(*(program.acall(question=f"q{number}") for number in range(20)))

    with monkeypatch.context() as patch, dspy.context(lm=scripted(reply)):
        shuffle_calls(patch, seed)
        answers = [prediction.answer for prediction in asyncio.run(ask_all())]
    assert answers == [f"q{number}" for number in range(20)]
    return seen


def test_calls_made_at_once_arrive_in_another_order_and_each_gets_its_own_answer(monkeypatch):
    in_order = [f"q{number}" for number in range(20)]
    first, second = arrivals(monkeypatch, 1), arrivals(monkeypatch, 2)
    assert sorted(first) == sorted(second) == sorted(in_order)
    assert [first, second] != [in_order, in_order]
