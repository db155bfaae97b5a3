import asyncio

import pytest

from multihop.serve.admission import Admission
from multihop.serve.refusal import Refusal


async def hold(admission, order, number, let):
    async with admission.place().slot():
        order.append(number)
        await let.wait()


def test_who_came_first_is_let_in_first_and_no_more_than_there_is_place_for():
    async def main():
        admission, order, let = Admission(in_flight=2, queued=3), [], asyncio.Event()
        visits = [asyncio.create_task(hold(admission, order, number, let)) for number in range(5)]
        await asyncio.sleep(0.01)
        seen = admission.running, admission.waiting, list(order)
        with pytest.raises(Refusal) as caught:
            admission.place()
        let.set()
        await asyncio.gather(*visits)
        return seen, caught.value, order, (admission.running, admission.waiting)

    seen, refusal, order, after = asyncio.run(main())
    assert seen == (2, 3, [0, 1])
    assert (refusal.status, refusal.headers) == (429, {"Retry-After": "2"})
    assert refusal.sentence == "2 questions are being answered and 3 wait; ask again in 2 s."
    assert order == [0, 1, 2, 3, 4]
    assert after == (0, 0)


def test_who_leaves_while_waiting_leaves_its_place():
    async def main():
        admission, order, let = Admission(in_flight=1, queued=1), [], asyncio.Event()
        first, second = (asyncio.create_task(hold(admission, order, number, let)) for number in range(2))
        await asyncio.sleep(0.01)
        second.cancel()
        await asyncio.wait([second])
        third = asyncio.create_task(hold(admission, order, 2, let))
        let.set()
        await asyncio.gather(first, third)
        return order, admission.running, admission.waiting

    assert asyncio.run(main()) == ([0, 2], 0, 0)


def test_a_place_counts_from_the_moment_it_is_given_and_is_left_once():
    async def main():
        admission = Admission(in_flight=1, queued=0)
        place = admission.place()
        with pytest.raises(Refusal):
            admission.place()
        place.leave()
        place.leave()
        async with admission.place().slot():
            return admission.running, admission.waiting

    assert asyncio.run(main()) == (1, 0)
