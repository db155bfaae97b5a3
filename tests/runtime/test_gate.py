import asyncio
import copy
import pickle

import pytest

from multihop.runtime import Gate

pytestmark = pytest.mark.at_once


async def visit(gate, log, seconds=0.001):
    async with gate.slot():
        log.append(1)
        await asyncio.sleep(seconds)
        log.append(-1)


def most_at_once(log):
    entered, most = 0, 0
    for change in log:
        entered += change
        most = max(most, entered)
    return most


def test_no_more_than_the_limit_are_seated():
    async def crowd():
        gate, log = Gate(3), []
        await asyncio.gather(*(visit(gate, log) for _ in range(20)))
        return log

    log = asyncio.run(crowd())
    assert len(log) == 40
    assert most_at_once(log) == 3


def test_seats_are_taken_in_order_of_arrival():
    async def crowd():
        gate, entered = Gate(2), []

        async def enter(number):
            async with gate.slot():
                entered.append(number)
                await asyncio.sleep(0)

        await asyncio.gather(*map(enter, range(7)))
        return entered

    assert asyncio.run(crowd()) == [*range(7)]


def test_those_who_give_up_waiting_leave_their_place():
    async def impatient():
        gate, log = Gate(1), []
        tasks = [asyncio.create_task(visit(gate, log, 0.02)) for _ in range(5)]
        await asyncio.sleep(0.005)
        for task in tasks[1:4]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await visit(gate, log)
        return log

    assert asyncio.run(impatient()) == [1, -1] * 3


def test_one_gate_serves_several_loops_in_turn():
    gate = Gate(1)
    for _ in range(3):
        log = []
        asyncio.run(visit(gate, log))
        assert log == [1, -1]


def test_copies_are_the_same_gate_and_pickles_keep_the_limit():
    gate = Gate(5)
    assert copy.deepcopy(gate) is gate
    assert pickle.loads(pickle.dumps(gate)).limit == 5
