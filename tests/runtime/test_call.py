import dspy
import pytest
from shelf import GARBAGE
from toys import Steps, ask

from multihop.lms import Scripted, as_lm
from multihop.runtime import caching


class Noting(Scripted):
    """A script that keeps the temperature and the seed of every request."""

    def __init__(self, answers):
        super().__init__(answers)
        self.temperatures, self.seeds = [], []

    def complete(self, request):
        self.temperatures.append(request.config.temperature)
        self.seeds.append(request.config.seed)
        return super().complete(request)


def test_each_further_answer_and_each_repeat_has_a_seed_of_its_own_that_follows_from_the_lms():
    def seeds_of(seed, draw):
        engine = Noting([GARBAGE, {"answer": "b"}])
        with caching("off", draw=draw):
            ask(Steps(rounds=0), as_lm(engine, "noting", seed=seed))
        return engine.seeds

    assert seeds_of(None, draw=3) == [None] * 2
    first, again = seeds_of(5, draw=0)
    assert first == 5
    drawn = [first, again, *seeds_of(5, draw=1), *seeds_of(6, draw=1)]
    assert len(set(drawn)) == 6
    assert seeds_of(5, draw=1) == seeds_of(5, draw=1)


@pytest.mark.parametrize(
    ("own", "asked_with"),
    [
        ({}, [None, 1.0, 1.0]),
        ({"temperature": 0.0}, [0.0, 1.0, 1.0]),  # at 0 an LM would say the same again
        ({"temperature": 0.3}, [0.3, 0.3, 0.3]),
    ],
)
def test_what_cannot_be_parsed_is_asked_again_at_a_temperature_at_which_the_lm_can_differ(own, asked_with):
    engine = Noting([GARBAGE, GARBAGE, {"answer": "x"}])
    assert ask(Steps(rounds=0, retries=2), as_lm(engine, "noting", **own)).answer == "x"
    assert engine.temperatures == asked_with


def test_a_further_attempt_is_not_answered_from_the_cache():
    engine = Noting([*[GARBAGE] * 3, {"answer": "x"}])
    assert ask(Steps(rounds=0, retries=3), as_lm(engine, "noting", cache=True)).answer == "x"
    assert engine.prompts[2] == engine.prompts[3]  # the third and fourth are word by word the same request
    assert engine.temperatures == [None, 1.0, 1.0, 1.0]


class Samples(Steps):
    """Answers with the words of several draws."""

    async def aforward(self, question):
        drawn = [await self.ask(self.guess, question=question, draw=draw) for draw in (1, 2, 0, 1)]
        return dspy.Prediction(answer=" ".join(each.answer for each in drawn))


def test_every_draw_is_an_answer_of_its_own_at_a_temperature_at_which_the_lm_can_differ():
    engine = Noting([{"answer": "a"}, GARBAGE, {"answer": "b"}, {"answer": "c"}])
    lm = as_lm(engine, "noting", cache=True, temperature=0.0)
    assert ask(Samples(retries=1), lm).answer == "a b c a"  # the first draw is known by then
    assert engine.temperatures == [1.0, 1.0, 1.0, 0.0]
