from in_turn import AtOnce, InTurn
from shelf import Shelf, by_field, inputs, run, scripted_search, shown

from multihop import TreeOfThoughtsBreadthFirst, TreeOfThoughtsDepthFirst


def test_breadth_first_scores_every_child_and_grows_the_best():
    score = {"s1": "3", "s2": "8"}
    lm = scripted_search(score=lambda history: score[history[-1].partition(" ")[0]])
    prediction, prompts = run(TreeOfThoughtsBreadthFirst(Shelf(s1="a", s2="b"), depth=2, stops=()), lm)
    assert [given["history"] for given in inputs(prompts, "sub_questions")] == [[], ["s2 -> about s2"]]
    assert prompts[-1].inputs["history"] == ["s2 -> about s2", "s2 -> about s2"]
    assert prediction.cost["calls_by_role"] == {"propose": 2, "answer": 4, "evaluate": 4, "read": 1}
    assert prediction.cost["chain"] == 2 * 3 + 1


def test_depth_first_backs_off_below_its_threshold():
    score = {("s1",): "9", ("s2",): "6", ("s2", "s1"): "7"}
    lm = scripted_search(score=lambda h: score.get(tuple(step.partition(" ")[0] for step in h), "0"))
    prediction, prompts = run(TreeOfThoughtsDepthFirst(Shelf(), depth=2, stops=()), lm)
    grown = [given["history"] for given in inputs(prompts, "sub_questions")]
    assert grown == [[], ["s1 -> about s1"], ["s2 -> about s2"]]
    assert prompts[-1].inputs["history"] == ["s2 -> about s2", "s1 -> about s1"]
    assert prediction.counts == {"nodes": 6}


def thinking(thoughts, scores):
    """An LM that thinks on by the last thought of its history, and values it by its last thought."""

    def last(given):
        return next((line for line in reversed(given["history"]) if " | " not in line), "")

    return by_field(
        thoughts=lambda given: thoughts.get(last(given), []),
        score=lambda given: scores.get(last(given), "0"),
        answer="read",
    )


LINES = {"": ["It is a.", "It is b."], "It is b.": ["So the answer is x.", "It is c."]}
VALUES = {"It is a.": "3", "It is b.": "8", "So the answer is x.": "9", "It is c.": "2"}


def test_sentences_are_proposed_and_valued_and_one_that_gives_the_answer_ends_its_path():
    lm = thinking(LINES, VALUES)
    prediction, prompts = run(TreeOfThoughtsBreadthFirst(thought="sentence", retrieval=False, candidates=2), lm)
    assert inputs(prompts, "thoughts") == [
        {"history": history, "number": 2, "question": "q"} for history in ([], ["It is b."])
    ]
    assert [given["history"] for given in inputs(prompts, "score")] == InTurn(
        AtOnce(["It is a."], ["It is b."]), AtOnce(["It is b.", "So the answer is x."], ["It is b.", "It is c."])
    )
    assert prompts[-1].inputs == {"history": ["It is b.", "So the answer is x."], "question": "q"}
    assert prediction.cost["calls_by_role"] == {"propose": 2, "evaluate": 4, "read": 1}
    assert [step["sub_question"] for step in prediction.evidence] == ["It is b.", "So the answer is x."]
    assert prediction.passages == []


def test_sentences_are_searched_for_where_there_is_a_retriever():
    shelf = Shelf(**{"It is a.": "a", "It is b.": "b c"})
    program = TreeOfThoughtsDepthFirst(shelf, thought="sentence", candidates=2, depth=2, k=2)
    prediction, prompts = run(program, thinking(LINES, VALUES))
    assert inputs(prompts, "thoughts")[1]["history"] == ["It is b.", *shown("b", "c")]
    assert prompts[-1].inputs["history"] == ["It is b.", *shown("b", "c"), "So the answer is x."]
    assert [passage.id for passage in prediction.passages] == ["b", "c"]
    assert sorted(shelf.asked) == ["It is a.", "It is b.", "It is c.", "So the answer is x."]


def test_a_search_over_sentences_has_no_planner_and_no_steps_that_it_does_not_use():
    program = TreeOfThoughtsBreadthFirst(thought="sentence", retrieval=False)
    assert (program.planner, program.steps) == ("", ["propose", "evaluate", "read"])
    assert TreeOfThoughtsBreadthFirst(retrieval=False).planner == "plan"
    assert program.most_calls() == 1 + 4 * (1 + 5)
