import asyncio
from itertools import count

import dspy
import pytest
from ear import Ear
from openai_server import OpenAIServer
from toys import ask

from multihop import InputError, open_lm
from multihop.lms import scripted
from multihop.programs import Direct
from multihop.runtime import Bill, Budget, caching, total_paid
from multihop.runtime.cache import address_of, key_of


def key(text="Who?", model="openai/m", settings=None, **options):
    """The key of a call: of what is said, the settings of the call, and the LM that is opened so."""
    return key_of(dspy.LM(model, **options), [{"role": "user", "content": text}], settings or {})


def test_whatever_changes_the_answer_changes_the_key(monkeypatch):
    keys = [
        key(),
        key("What?"),
        key("\ud83d"),  # half a character
        key("\ude00"),
        key(model="openai/n"),
        key(api_base="http://127.0.0.1:1/v1"),
        key(base_url="http://127.0.0.1:2/v1"),
        key(temperature=0.5),
        key(settings={"temperature": 0.6}),
        key(settings={"rollout_id": 1}),
        key(model_type="responses"),
    ]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:3/v1/")
    assert address_of(dspy.LM("openai/m")) == "http://127.0.0.1:3/v1"
    assert len({*keys, key()}) == 12


def test_what_changes_no_answer_changes_no_key():
    assert key(api_key="a", timeout=3, num_retries=1) == key(api_key="b") == key(settings={"cache": True}) == key()


def test_an_unknown_scope_and_no_lm_are_refused():
    with pytest.raises(InputError, match="unknown cache 'none'.*Valid: off, run, shared"), caching("none"):
        pass
    with pytest.raises(InputError, match="no LM is configured"):
        ask(Direct(), None)


@pytest.fixture
def server():
    with OpenAIServer(lambda prompt: {"answer": f"answer to {prompt.inputs['question']}"}) as server:
        yield server


def asked(server, question="q", program=None, **options):
    return ask(program or Direct(), open_lm("server/m", api_base=server.url, **options), question)


@pytest.mark.parametrize("usage", [True, False])
def test_the_same_call_costs_the_same_from_the_cache_and_is_not_paid_again(server, usage):
    server.usage = usage
    with caching("shared"):
        first, second = asked(server), asked(server)
    assert server.requests == 1
    assert first.answer == second.answer == "answer to q"
    assert first.cost["tokens"] == second.cost["tokens"] == first.cost["paid_tokens"]
    if usage:
        assert first.cost["tokens"]["server/m"] == {"in": server.tokens["in"], "out": server.tokens["out"]}
    assert first.cost.get("estimated") == second.cost.get("estimated") == (0 if usage else 1)
    assert (first.cost["cached"], second.cost["cached"]) == (0, 1)
    assert second.cost["paid_tokens"] == {}
    assert (first.cost["calls"], second.cost["calls"]) == (1, 1)


@pytest.mark.parametrize(
    ("scope", "options", "paid"), [("off", {}, 3), ("shared", {}, 1), ("run", {}, 1), (None, {"cache": False}, 3)]
)
def test_each_scope_pays_what_it_says(server, scope, options, paid):
    with caching(scope):
        for _ in range(3):
            asked(server, f"{scope} {server.url}", **options)
    assert server.requests == paid


def test_a_server_of_ones_own_is_cached_for_the_run_alone(server, tmp_path):
    for name, requests in (("a", 1), ("a", 1), ("b", 2)):
        (tmp_path / name).mkdir(exist_ok=True)
        with Bill(tmp_path / name) as bill, caching(bill=bill):
            asked(server)
        assert server.requests == requests
    assert total_paid(tmp_path / "a") == total_paid(tmp_path / "b")
    assert total_paid(tmp_path / "a")["calls"] == 1


def test_another_draw_asks_anew_and_the_same_draw_does_not(server):
    for draw in (0, 1, 0, 1):
        with caching("shared", draw=draw):
            asked(server)
    assert server.requests == 2


def test_what_could_not_be_parsed_is_not_served_but_its_cost_is_told(server):
    server.fault = {0: "unparseable"}.get
    with caching("shared"):
        first, second = asked(server), asked(server)
    assert server.requests == 2  # the unparseable completion, and the one that was parsed
    assert first.cost["parse_failures"] == second.cost["parse_failures"] == 1
    assert first.cost["calls"] == second.cost["calls"] == second.cost["cached"] == 2
    assert first.cost["tokens"] == second.cost["tokens"]
    with caching("shared"):  # which is not skipped where no attempt would follow
        assert asked(server, program=Direct(retries=0)).answer == "answer to q"
    assert server.requests == 3


def test_what_failed_for_good_is_asked_again_and_succeeds(server):
    server.fault = lambda number: "unparseable" if number < 3 else None
    with caching("shared"):
        with pytest.raises(dspy.utils.exceptions.AdapterParseError):
            asked(server)
        again = asked(server)
    assert server.requests == 4
    assert again.cost["parse_failures"] == 0
    assert again.answer == "answer to q"


def asked_at_once(server, programs):
    async def crowd():
        with caching("shared"), dspy.context(lm=open_lm("server/m", api_base=server.url)):
            return await asyncio.gather(*(program.acall(question="q") for program in programs))

    return asyncio.run(asyncio.wait_for(crowd(), 60))


def test_calls_that_are_the_same_and_made_at_once_are_paid_once(server):
    predictions = asked_at_once(server, [Direct() for _ in range(8)])
    assert server.requests == 1
    assert sum(prediction.cost["cached"] for prediction in predictions) == 7
    assert len({str(prediction.cost["tokens"]) for prediction in predictions}) == 1


def test_the_same_calls_do_not_block_each_other_when_seats_are_few_and_one_must_ask_again(server):
    server.fault = {0: "unparseable"}.get
    predictions = asked_at_once(server, [Direct(concurrency=1)] * 4)
    assert [prediction.cost["parse_failures"] for prediction in predictions] == [1] * 4
    assert server.requests == 2


class Growing(Direct):
    """Asks what it was answered, so that it asks something new each time."""

    async def aforward(self, question):
        while (said := await self.attempt(self.ask(self.answer, question=question))) is not None:
            question = f"{question} {said.answer}"
        return await self.ask(self.answer, question=question)


def test_a_budget_of_tokens_ends_at_the_same_call_from_the_cache():
    numbers = count()
    with OpenAIServer(lambda prompt: {"answer": f"{next(numbers)}"}) as server, caching("shared"):
        cold, warm = (asked(server, program=Growing(budget=Budget(tokens=1200))) for _ in range(2))
    assert warm.cost["cached"] == warm.cost["calls"] == cold.cost["calls"]
    assert (cold.over_budget, warm.over_budget) == (True, True)
    assert 2 < cold.cost["calls"] < 20
    assert warm.answer == cold.answer


def test_engine_objects_of_one_name_do_not_answer_for_each_other():
    with caching("shared"):
        a, b = (scripted([{"answer": name}, {"answer": "second"}], cache=True) for name in "ab")
        assert [ask(Direct(), each).answer for each in (a, b, a)] == ["a", "b", "a"]
        assert [len(each.engine.prompts) for each in (a, b)] == [1, 1]
        dummy = dspy.utils.DummyLM([{"answer": "a"}, {"answer": "b"}])
        assert [ask(Direct(), dummy).answer for _ in range(2)] == ["a", "b"], "DSPy's own says its next answer"


def test_dspy_hears_of_cached_calls_as_of_others(server):
    ear, made = Ear(), open_lm("server/m", api_base=server.url)
    with caching("shared"), dspy.context(callbacks=[ear]), dspy.track_usage() as used:
        for _ in range(2):
            ask(Direct(), made)
    assert [event for event in ear.events if event in ("asks", "answers")] == ["asks", "answers"] * 2
    assert [entry["outputs"] for entry in made.history] == [made.history[0]["outputs"]] * 2
    assert used.get_total_tokens()["server/m"]["prompt_tokens"] == server.tokens["in"]  # paid once
