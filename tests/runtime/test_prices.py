import random

import dspy
import pytest
from openai_server import OpenAIServer
from toys import Steps, ask

from multihop import Budget, Direct, InputError, caching, open_lm, priced_by, scripted
from multihop.runtime import Cost, PriceList, RunBudget, Tokens, current_prices

PRICES = {"server/m": {"input": 1.0, "output": 10.0, "cached": 0.1, "written": 2.0}}


def test_what_the_provider_had_in_its_cache_has_a_price_of_its_own():
    prices = PriceList(PRICES)
    counts = {"in": 1000, "out": 100, "prompt_cached": 600, "prompt_written": 300}
    assert prices.usd({"server/m": counts}) == (100 * 1 + 600 * 0.1 + 300 * 2 + 100 * 10) / 1e6
    assert PriceList({"m": {"input": 1, "output": 2}}).usd({"m": {"in": 10, "out": 0, "prompt_cached": 10}}) == 1e-5


def test_prices_come_with_dspy_for_models_with_and_without_the_name_of_their_provider():
    prices = PriceList()
    million = {"in": 1_000_000, "out": 1_000_000}
    assert prices.usd({"openai/gpt-4o-mini": million}) == prices.usd({"gpt-4o-mini": million}) == 0.75
    assert prices.usd({"anthropic/claude-sonnet-4-5": million}) == 18.0
    assert prices.usd({"azure/gpt-4o-mini": million}) is not None
    assert prices.usd({"groq/gpt-4o-mini": million}) is None, "another provider's price is no price"
    assert prices.usd({"openai/gpt-4o-mini": million, "openai/nobody-knows": {"in": 1, "out": 0}}) is None
    assert prices.usd({"multihop/local": million}) == 0
    with priced_by({"openai/gpt-4o-mini": {"input": 0, "output": 0}}) as own:
        assert own.usd({"openai/gpt-4o-mini": million}) == 0, "prices of one's own come first"
        assert own.usd({"openai/gpt-4.1": million}) == prices.usd({"openai/gpt-4.1": million}) > 0
    assert current_prices.get().usd({"openai/gpt-4o-mini": million}) == 0.75


def test_money_is_exact_in_whatever_order_calls_end():
    draw = random.Random(5)
    calls = [Tokens(draw.randrange(5000), draw.randrange(500), False, 7, 3) for _ in range(500)]
    exact = sum((t.into - 10) * 1_000_000 + 7 * 100_000 + 3 * 2_000_000 + t.out * 10_000_000 for t in calls)
    for _ in range(5):
        draw.shuffle(calls)
        cost = Cost()
        for tokens in calls:
            cost.add("read", "server/m", tokens, paid=True)
        with priced_by(PRICES):
            assert (cost.to_dict()["usd"], cost.to_dict()["paid_usd"]) == (exact / 10**12, exact / 10**12)


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ([1], "prices: input should be a valid dictionary; a price is"),
        ({"m": {"input": 1}}, "prices: m.output: field required"),
        ({"m": {"input": 1, "output": 1, "cashed": 1}}, "m.cashed: extra inputs are not permitted"),
        ({"m": {"input": -1, "output": 1}}, "m.input: input should be greater than or equal to 0"),
        ({"m": {"input": float("inf"), "output": 1}}, "m.input: input should be a finite number"),
    ],
)
def test_what_is_no_price_is_refused(prices, said):
    with pytest.raises(InputError, match=said):
        PriceList(prices)


def test_a_purse_is_dollars():
    for usd in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="a run's budget is a number of dollars above 0"):
            RunBudget(usd)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 64}},
        {"input_tokens": 100, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 64}},
        {"prompt_tokens": 100, "completion_tokens": 5, "cache_read_input_tokens": 64},
        {"prompt_tokens": 100, "completion_tokens": 5, "prompt_cache_hit_tokens": 64, "prompt_tokens_details": None},
    ],
)
def test_cached_prompts_are_understood_in_the_words_of_any_provider(usage):
    assert Tokens.from_usage(usage) == Tokens(100, 5, prompt_cached=64)


def test_a_question_is_priced_as_the_provider_bills_it_and_costs_nothing_when_it_is_kept(tmp_path):
    with OpenAIServer(lambda prompt: {"answer": "Po"}, prompt_cached=20) as server:
        lm = open_lm("server/m", api_base=server.url)
        with dspy.context(lm=lm), caching("run"), priced_by(PRICES):
            first, second = (Direct()(question="Which river runs longest in Italy?") for _ in range(2))
        into, out = server.tokens["in"], server.tokens["out"]
    usd = ((into - 20) * 1_000_000 + 20 * 100_000 + out * 10_000_000) / 10**12
    assert (first.cost["usd"], first.cost["paid_usd"]) == (usd, usd)
    assert (second.cost["usd"], second.cost["paid_usd"], second.cost["cached"]) == (usd, 0.0, 1)
    assert second.cost["tokens"]["server/m"] == {"in": into, "out": out, "prompt_cached": 20}
    assert f"${usd:.3g}" in repr(first).replace("0 ", " ")


def test_an_unknown_price_is_unknown_and_never_nothing():
    with OpenAIServer(lambda prompt: {"answer": "Po"}) as server:
        with dspy.context(lm=open_lm("server/m", api_base=server.url)), caching("off"):
            prediction = Direct()(question="Which river?")
            assert prediction.cost["usd"] is None
            assert "price unknown" in repr(prediction)
            made = server.requests
            with pytest.raises(InputError, match="needs the price of server/m, which is not known"):
                Direct(budget=Budget(usd=1.0))(question="Which river?")
        assert server.requests == made, "refused before anything was paid"
    with dspy.context(lm=scripted([{"answer": "Po"}])):
        prediction = Direct()(question="Which river?")
    assert prediction.cost["usd"] == 0
    assert "$" not in repr(prediction)


def test_a_question_stops_when_its_dollars_are_spent():
    with OpenAIServer(lambda prompt: {"answer": "Po"}) as server, priced_by(PRICES), caching("off"):
        lm = open_lm("server/m", api_base=server.url)

        def cost_within(usd):
            prediction = ask(Steps(rounds=10, budget=Budget(usd=usd)), lm)
            assert {"step": "over budget", "limit": f"{usd:g} dollars"} in prediction.trajectory
            return prediction.cost

        assert cost_within(0.0)["calls_by_role"] == {"read": 1}
        one = cost_within(1e-9)
        assert one["calls_by_role"] == {"guess": 1, "read": 1}
        guess = PriceList(PRICES).usd({"server/m": one["tokens_by_role"]["guess"]})
        for guesses in (3, 8):
            assert cost_within((guesses - 0.5) * guess)["calls_by_role"] == {"guess": guesses, "read": 1}
