from in_turn import AtOnce, InTurn
from shelf import Shelf, inputs, run, scripted_search

from multihop import ReasoningViaPlanning, TreeOfThoughtsBreadthFirst, TreeOfThoughtsDepthFirst


def test_breadth_first_scores_every_child_and_grows_the_best():
    score = {"s1": "3", "s2": "8"}
    lm = scripted_search(score=lambda history: score[history[-1].partition(" ")[0]])
    prediction, prompts = run(TreeOfThoughtsBreadthFirst(Shelf(s1="a", s2="b"), depth=2), lm)
    assert [given["history"] for given in inputs(prompts, "sub_questions")] == [[], ["s2 -> about s2"]]
    assert prompts[-1].inputs["history"] == ["s2 -> about s2", "s2 -> about s2"]
    assert prediction.cost["calls_by_role"] == {"propose": 2, "answer": 4, "evaluate": 4, "read": 1}
    assert prediction.cost["chain"] == 2 * 3 + 1


def test_depth_first_backs_off_below_its_threshold():
    score = {("s1",): "9", ("s2",): "6", ("s2", "s1"): "7"}
    lm = scripted_search(score=lambda h: score.get(tuple(step.partition(" ")[0] for step in h), "0"))
    prediction, prompts = run(TreeOfThoughtsDepthFirst(Shelf(), depth=2), lm)
    assert [given["history"] for given in inputs(prompts, "sub_questions")] == [
        [],
        ["s1 -> about s1"],
        ["s2 -> about s2"],
    ]
    assert prompts[-1].inputs["history"] == ["s2 -> about s2", "s1 -> about s1"]
    assert prediction.counts == {"nodes": 6}


def test_rap_answers_from_memory_and_rewards_a_path_by_the_mean_of_its_ratings():
    lm = scripted_search(proposals=["s1"], plan="p", score=lambda history: "10" if len(history) == 1 else "5")
    prediction, prompts = run(ReasoningViaPlanning(iterations=1, depth=2), lm)
    assert prediction.counts["reward"] == 0.75
    assert [given["history"] for given in inputs(prompts, "score")] == InTurn(
        AtOnce(["s1 -> about s1"], ["s1 -> about s1", "p -> about p"])
    )
    assert prediction.passages == []
    assert all("passages" not in prompt.inputs for prompt in prompts)
