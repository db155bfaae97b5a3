from reviewing import reviewed, reviewing, run
from shelf import Shelf, by_field, shown

from multihop import Budget, ChainOfReviews


def read(*names):
    """The paragraphs as one piece of evidence shows them, as those of a tree."""
    return [f"Paragraph: {text}" for text in shown(*names)]


def test_the_chain_reviews_everything_retrieved_so_far():
    shelf = Shelf(q="a b", next="b c")
    lm = reviewing({"a b": "more", "a b c": "It is C."}, {"a b": "next"})
    prediction, prompts = run(shelf, lm, ChainOfReviews)
    assert shelf.batches == [(["q"], 5), (["next"], 5)]
    assert reviewed(prompts) == ["a b", "a b c"]
    assert prompts[-1].inputs["evidence"] == ["\n".join(["Assertion: It is C.", *read("a", "b", "c")])]
    assert prediction.cost["calls_by_role"] == {"review": 2, "read": 1}
    assert [passage.id for passage in prediction.passages] == ["a", "b", "c"]


def test_the_chain_ends_without_a_query_and_within_its_budget():
    assert run(Shelf(q="a"), reviewing({"a": "more"}), ChainOfReviews)[0].cost["calls"] == 2
    never = reviewing({"a": "more"}, {"a": "q"})
    budget = run(Shelf(q="a"), never, ChainOfReviews, stops=(), budget=Budget(calls=2))[0]
    assert (budget.cost["calls"], budget.over_budget) == (2, True)


def test_what_is_not_relevant_ends_the_chain_and_all_that_was_found_is_read():
    shelf = Shelf(q="a b", next="c d")
    for verdicts, found in (({"a b": "no"}, "ab"), ({"a b": "more", "a b c d": "no"}, "abcd")):
        prediction, prompts = run(shelf, reviewing(verdicts, {"a b": "next", "a b c d": "next"}), ChainOfReviews)
        assert prediction.cost["calls_by_role"] == {"review": len(verdicts), "read": 1}
        assert prompts[-1].inputs["evidence"] == ["\n".join(read(*found))]
        assert "".join(passage.id for passage in prediction.passages) == found
        assert prediction.evidence[0]["analysis"] == ""


def test_enough_of_what_is_not_relevant_is_rejected():
    review = {"relevant": False, "enough": True, "analysis": "It is B.", "query": "next"}
    prediction, prompts = run(Shelf(q="a", next="b"), by_field(relevant=review, answer="x"), ChainOfReviews)
    assert prompts[-1].inputs["evidence"] == read("a")
    assert prediction.counts["rounds"] == 1


def test_steps_named_in_reason_think_before_they_write():
    for reason in ((), ("review",), ("read",), ("review", "read")):
        _, prompts = run(Shelf(q="a"), reviewing({"a": "It is A."}), ChainOfReviews, reason=reason)
        written = [[field.name for field in each.output_fields] for each in prompts]
        thought = {step: ["reasoning"] if step in reason else [] for step in ("review", "read")}
        review = [*thought["review"], "relevant", "enough", "analysis", "query"]
        assert written == [review, [*thought["read"], "answer"]]
