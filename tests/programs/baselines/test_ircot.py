import pytest
from shelf import Shelf, by_field, run, shown

from multihop import InterleavedThought


def test_each_thought_retrieves_for_the_next_one():
    shelf = Shelf(q="a b", **{"A leads to C.": "b c"})
    lm = by_field(
        thought=[{"thought": "A leads to C.", "enough": False}, {"thought": "C is it.", "enough": True}],
        answer="x",
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
    lm = by_field(thought=[last], answer="x")
    prediction, prompts = run(InterleavedThought(Shelf(q="a")), lm)
    assert len(prompts) == 2
    assert prediction.counts["rounds"] == 1


def test_so_many_retrievals_are_made_whatever_a_thought_says():
    shelf = Shelf(q="a", **{"So the answer is: B.": "b", "It is C.": "c"})
    lm = by_field(
        thought=[{"thought": "So the answer is: B.", "enough": True}, {"thought": "It is C.", "enough": True}],
        answer="x",
    )
    prediction, prompts = run(InterleavedThought(shelf, least_turns=2), lm)
    assert shelf.asked == ["q", "So the answer is: B."]
    assert prompts[-1].inputs == {"passages": shown("a", "b"), "question": "q"}
    assert prediction.cost["calls_by_role"] == {"think": 2, "read": 1}


def test_those_found_first_stay_where_passages_are_bounded():
    """Each of three retrievals finds twenty others; so many passages are shown to each thought and to the reader."""
    shelf = Shelf(**{query: " ".join(f"{query}{n}" for n in range(20)) for query in ("q", "on", "further")})
    for settings, seen in (({"k": 15}, [15, 30, 45]), ({"k": 10, "max_passages": 15}, [10, 15, 15])):
        thoughts = [{"thought": thought, "enough": False} for thought in ("on", "further")]
        prediction, prompts = run(InterleavedThought(shelf, **settings), by_field(thought=thoughts, answer="x"))
        assert [len(prompt.inputs["passages"]) for prompt in prompts] == seen
        assert [str(passage) for passage in prediction.passages] == prompts[-1].inputs["passages"]
    assert prompts[-1].inputs["passages"] == shown(*(f"q{n}" for n in range(10)), *(f"on{n}" for n in range(5)))
