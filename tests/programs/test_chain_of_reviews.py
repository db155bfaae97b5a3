from reviewing import Shelf, reviewed, reviewing, run

from multihop import Budget, ChainOfReviews


def test_the_chain_reviews_everything_retrieved_so_far():
    shelf = Shelf(q="a|b", next="b|c")
    lm = reviewing({"a b": "more", "a b c": "It is C."}, {"a b": "next"})
    prediction, prompts, _ = run(shelf, lm, ChainOfReviews)
    assert shelf.asked == [("q", 5), ("next", 5)]
    assert reviewed(prompts) == ["a b", "a b c"]
    assert prompts[-1].inputs["evidence"] == ["Assertion: It is C.", *(f"Title {x} | text of {x}" for x in "abc")]
    assert prediction.cost["calls_by_role"] == {"review": 2, "read": 1}
    assert [passage.id for passage in prediction.passages] == ["a", "b", "c"]


def test_the_chain_ends_after_its_turns_without_a_query_and_on_garbage():
    never = reviewing({"a": "more"}, {"a": "q"})
    assert run(Shelf(q="a"), never, ChainOfReviews)[0].cost["calls_by_role"] == {"review": 3, "read": 1}
    assert run(Shelf(q="a"), reviewing({"a": "more"}), ChainOfReviews)[0].cost["calls"] == 2
    garbage = run(Shelf(q="a"), reviewing({"a": "garbage"}), ChainOfReviews, retries=0)[0]
    assert garbage.cost["calls_by_role"] == {"review": 1, "read": 1}
    assert garbage.cost["parse_failures"] == 1
    budget = run(Shelf(q="a"), never, ChainOfReviews, budget=Budget(calls=2))[0]
    assert (budget.cost["calls"], budget.over_budget) == (2, True)
