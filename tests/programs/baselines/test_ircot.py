import pytest
from shelf import Shelf, by_field, run, shown

from multihop import InterleavedThought


def test_each_thought_retrieves_for_the_next_one():
    shelf = Shelf(q="a b", **{"A leads to C.": "b c"})
    lm = by_field(
        thought=[{"thought": "A leads to C.", "enough": False}, {"thought": "C is it.", "enough": True}],
        reasoning={"reasoning": "r", "answer": "x"},
    )
    prediction, prompts = run(InterleavedThought(shelf), lm)
    assert shelf.batches == [(["q"], 5), (["A leads to C."], 5)]
    assert [prompt.inputs for prompt in prompts] == [
        {"passages": shown("a", "b"), "thoughts": [], "question": "q"},
        {"passages": shown("a", "b", "c"), "thoughts": ["A leads to C."], "question": "q"},
        {"passages": shown("a", "b", "c"), "question": "q"},
    ]
    assert prediction.cost["calls_by_role"] == {"think": 2, "read": 1}
    assert prediction.evidence == [{"analysis": "A leads to C. C is it.", "passages": ["a", "b", "c"]}]


@pytest.mark.parametrize(
    "last", [{"thought": "t", "enough": True}, {"thought": "So the answer is: X.", "enough": False}]
)
def test_a_thought_that_gives_the_answer_ends_the_chain(last):
    lm = by_field(thought=[last], reasoning={"reasoning": "r", "answer": "x"})
    prediction, prompts = run(InterleavedThought(Shelf(q="a")), lm)
    assert len(prompts) == 2
    assert prediction.counts["rounds"] == 1


def test_it_keeps_fifteen_passages():
    shelf = Shelf(q=" ".join(f"p{n}" for n in range(10)), on=" ".join(f"r{n}" for n in range(10)))
    lm = by_field(thought={"thought": "on", "enough": False}, reasoning={"reasoning": "r", "answer": "x"})
    prediction, prompts = run(InterleavedThought(shelf, k=10), lm)
    assert len(prompts[-1].inputs["passages"]) == len(prediction.passages) == 15
    assert [passage.id for passage in prediction.passages][9:11] == ["p9", "r0"]
