import asyncio

import pytest
from virtual_clock import run_on_virtual_clock

from multihop.base import ask_together
from multihop.base.own_time import current_asker, current_clock, queueing, timing

pytestmark = pytest.mark.at_once


def now():
    return asyncio.get_running_loop().time()


def on_clock(work):
    return run_on_virtual_clock(work())[0]


def test_what_waits_for_its_turn_takes_no_time_of_its_own():
    async def work():
        with timing(now) as clock:
            await asyncio.sleep(1)
            with queueing():
                await asyncio.sleep(5)
            await asyncio.sleep(2)
        return clock.seconds

    assert on_clock(work) == pytest.approx(3)


def test_parts_that_wait_at_once_wait_once():
    async def part(seconds):
        with queueing():
            await asyncio.sleep(seconds)

    async def work():
        with timing(now) as clock:
            await asyncio.gather(part(4), part(1))
            await asyncio.sleep(2)
        return clock.seconds

    assert on_clock(work) == pytest.approx(2)


def test_the_clock_around_leaves_out_the_same_waiting():
    async def work():
        with timing(now) as outer:
            with timing(now) as inner, queueing():
                await asyncio.sleep(5)
            await asyncio.sleep(1)
        return inner.seconds, outer.seconds

    assert on_clock(work) == (pytest.approx(1), pytest.approx(1))


def test_outside_of_measured_work_waiting_is_just_waiting():
    async def work():
        with queueing():
            await asyncio.sleep(1)
        return current_clock.get()

    assert on_clock(work) is None


def test_of_a_batch_everybody_has_the_share_that_their_question_would_have_asked_for_alone():
    """A batch takes a second for each item: one question asks for three of four, the other for the fourth."""

    async def answering(kind, items, context):
        await asyncio.sleep(len(items))
        return items

    async def ask(question, items):
        current_asker.set(question)

        async def one(item):
            with timing(now) as clock:
                await ask_together(answering, "", item, answering)
            return clock.seconds

        return await asyncio.gather(*map(one, items))

    async def work():
        return await asyncio.gather(
            asyncio.create_task(ask("first", "abc")), asyncio.create_task(ask("second", "d")), once_more()
        )

    async def once_more():
        await asyncio.sleep(0.5)  # while the first batch is answered
        return await asyncio.create_task(ask("third", "e"))

    async def in_one_go():
        current_asker.set("first")
        with timing(now) as clock:
            await asyncio.gather(*(ask_together(answering, "", item, answering) for item in "xyz"))
        return clock.seconds

    assert on_clock(in_one_go) == pytest.approx(3)
    first, second, third = on_clock(work)
    assert first == [pytest.approx(3)] * 3
    assert second == [pytest.approx(1)]
    assert third == [pytest.approx(1)]
