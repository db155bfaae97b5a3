"""Language agents that search: LATS, its agent cloned, and MZQA over their actions."""

import dspy
import pytest
from in_turn import AtOnce, InTurn
from shelf import GARBAGE, Shelf, by_field, inputs, learned_from, run, shown

from multihop import ActionMZQA, Budget, ClonedAgent, LanguageAgentTreeSearch


def agent(samples, scores):
    """An LM whose samples at a path, and whose score of it, depend on the path's actions; samples are used in turn."""
    left = {path: list(acts) for path, acts in samples.items()}

    def actions(given):
        return " ".join(line.partition(" -> ")[0] for line in given["history"] if " -> " in line)

    return by_field(
        action=lambda given: left[actions(given)].pop(),
        score=lambda given: scores.get(actions(given), "0"),
        reflection="Look elsewhere.",
        answer="read",
    )


def search(query, thought="t"):
    return {"thought": thought, "action": "search", "query": query}


def finish(answer):
    return {"thought": "I know.", "action": "finish", "answer": answer}


TWO_TRIALS = (
    {
        "": [search("s1"), search("s2"), search("s1"), search("s1")],
        "search: s1": [finish("x")] * 4,
        "search: s2": [finish("y")] * 4,
    },
    # worth 0.3 + 0.375 and 0.4 + 0.125: the first trial follows s1, which was sampled three times of four
    {"search: s1": "6", "search: s2": "8", "search: s1 finish: x": "3", "search: s2 finish: y": "10"},
)


def test_the_algorithm_of_the_paper_call_by_call():
    program = LanguageAgentTreeSearch(Shelf(s1="a b", s2="c"), candidates=4, k=2)
    prediction, prompts = run(program, agent(*TWO_TRIALS))
    one = ["Thought: t", "search: s1 -> A; B", *shown("a", "b")]
    two = ["Thought: t", "search: s2 -> C", *shown("c")]
    x, y = (["Thought: I know.", f"finish: {answer} -> {answer}"] for answer in "xy")
    lesson = "Thought: t\nsearch: s1 -> A; B\nThought: I know.\nfinish: x -> x\nWhat went wrong: Look elsewhere."
    asked = [
        ([field.name for field in p.output_fields][-1], p.inputs["history"], p.inputs.get("reflections"))
        for p in prompts
    ]
    sampled, scored = "answer", "score"
    assert asked == InTurn(
        AtOnce(*[(sampled, [], [])] * 4),
        AtOnce((scored, one, []), (scored, two, [])),
        AtOnce(*[(sampled, one, [])] * 4),
        (scored, [*one, *x], []),
        ("reflection", [*one, *x], None),
        AtOnce(*[(sampled, two, [lesson])] * 4),
        (scored, [*two, *y], [lesson]),
    )
    assert prediction.answer == "y"
    assert prediction.counts == {"nodes": 4, "trials": 2, "reward": 1.0}
    assert prediction.cost["calls_by_role"] == {"plan": 12, "evaluate": 4, "reflect": 1}
    assert [passage.id for passage in prediction.passages] == ["c"]
    assert [step.get("thought") for step in prediction.evidence] == ["t", "I know."]


def test_without_a_good_end_the_best_one_answers():
    scores = {**TWO_TRIALS[1], "search: s2 finish: y": "2"}
    prediction, prompts = run(
        LanguageAgentTreeSearch(Shelf(), candidates=4, iterations=6), agent(TWO_TRIALS[0], scores)
    )
    assert prediction.answer == "x"
    assert prediction.counts["trials"] == 6
    assert prediction.cost["calls_by_role"]["reflect"] == 2  # once for each end, however often a trial comes to it
    assert len(inputs(prompts, "action")) == 12


@pytest.mark.parametrize(("solved_at", "trials"), [(0.3, 1), (0.31, 2)])
def test_an_end_that_scores_enough_ends_the_search(solved_at, trials):
    program = LanguageAgentTreeSearch(Shelf(), candidates=4, solved_at=solved_at)
    assert run(program, agent(*TWO_TRIALS))[0].counts["trials"] == trials


def test_only_the_latest_reflections_are_shown():
    samples = {"": [finish("x"), finish("y"), finish("z")]}
    for reflections, seen in ((0, 0), (1, 1), (3, 3)):
        program = LanguageAgentTreeSearch(Shelf(), candidates=3, iterations=9, reflections=reflections)
        prediction, _ = run(program, agent(samples, {}))
        assert prediction.cost["calls_by_role"].get("reflect", 0) == (3 if reflections else 0)
        assert len(program.latest(["one", "two", "three"])) == seen
        assert program.latest(["one", "two", "three"]) == ["one", "two", "three"][3 - seen :]


def test_a_path_as_long_as_may_be_ends_and_is_read():
    samples = {"": [search("s1")], "search: s1": [search("s2")]}
    program = LanguageAgentTreeSearch(Shelf(s1="a", s2="b"), candidates=1, depth=2, iterations=1)
    prediction, prompts = run(program, agent(samples, {}))
    assert prediction.answer == "read"
    assert prompts[-1].inputs["passages"] == shown("a", "b")
    assert prompts[-1].inputs["history"] == ["search: s1 -> A", "search: s2 -> B"]


def test_what_cannot_be_read_is_no_sample():
    samples = {"": [GARBAGE, {"action": "wait"}, finish("x")]}
    prediction, _ = run(LanguageAgentTreeSearch(Shelf(), candidates=3, iterations=1, retries=0), agent(samples, {}))
    assert (prediction.answer, prediction.counts["nodes"]) == ("x", 1)
    nothing = {"": [GARBAGE] * 3}
    prediction, _ = run(LanguageAgentTreeSearch(Shelf(), candidates=3, retries=0), agent(nothing, {}))
    assert (prediction.answer, prediction.counts) == ("read", {"nodes": 0, "trials": 1, "reward": 0.0})


def test_samples_are_drawn_apart():
    lm = agent({"": [finish("x"), finish("y")]}, {"finish: x": "10", "finish: y": "10"})
    lm.kwargs["temperature"] = 0.0
    program = LanguageAgentTreeSearch(Shelf(), candidates=2)
    with dspy.context(lm=lm.copy(cache=True)):
        prediction = program(question="q")
    assert prediction.counts["nodes"] == 2  # the same request twice, and two answers


def test_samples_in_the_same_words_are_one_action():
    samples = {"": [search("Ada Lovelace"), search("ada  lovelace."), search("Ada")]}
    prediction, _ = run(LanguageAgentTreeSearch(Shelf(), candidates=3, depth=1, iterations=1), agent(samples, {}))
    assert prediction.counts["nodes"] == 2


def test_an_lm_that_always_says_the_same_goes_down_one_path():
    always = by_field(action=search("s"), score="5", reflection="f", answer="x")
    prediction, _ = run(LanguageAgentTreeSearch(Shelf(s="a"), depth=3, iterations=4, stops=()), always)
    assert prediction.counts["nodes"] == 3
    assert prediction.cost["calls_by_role"]["plan"] == 3 * 5


@pytest.mark.parametrize("calls", [1, 4, 6, 9])
def test_a_budget_that_ends_in_the_middle_reads_what_there_is(calls):
    program = LanguageAgentTreeSearch(Shelf(s1="a", s2="c"), candidates=4, budget=Budget(calls=calls), concurrency=1)
    prediction, _ = run(program, agent(*TWO_TRIALS))
    assert prediction.over_budget
    assert prediction.cost["calls"] <= calls
    assert prediction.answer in ("read", "x", "y")


def test_optimizers_learn_from_the_samples_that_made_the_chosen_path():
    learned = learned_from(LanguageAgentTreeSearch(Shelf(s1="a", s2="c"), candidates=4), agent(*TWO_TRIALS))
    assert [said.get("query") or said.get("answer") or said.score for _, said in learned] == ["s2", "y", 10]


def test_a_clone_is_taught_what_its_planner_will_be_asked():
    program = LanguageAgentTreeSearch(Shelf(s1="a", s2="c"), candidates=4)
    prediction, _ = run(program, agent(*TWO_TRIALS))
    first, second = program.decisions("q", prediction)
    assert first.outputs == {"thought": "t", "action": "search", "query": "s2", "answer": ""}
    assert second.outputs == {"thought": "I know.", "action": "finish", "query": "", "answer": "y"}

    planner = by_field(action=lambda given: second.outputs if given["history"] else first.outputs, score="5")
    _, prompts = run(ClonedAgent(Shelf(s1="a", s2="c")), planner)
    assert inputs(prompts, "action") == [first.inputs, second.inputs]


def test_a_cloned_agent_acts_until_it_finishes_and_remembers_what_it_thought():
    prediction, prompts = run(ClonedAgent(Shelf(s1="a")), by_field(action=[search("s1"), finish("done")], score="5"))
    assert prediction.answer == "done"
    assert prediction.cost["calls_by_role"] == {"plan": 2, "evaluate": 2}
    seen = ["Thought: t", "search: s1 -> A", *shown("a")]
    assert [given["history"] for given in inputs(prompts, "action")] == [[], seen]
    assert [step["thought"] for step in prediction.evidence] == ["t", "I know."]


def test_what_a_cloned_agent_does_not_finish_is_read():
    acts = [{"action": "search", "query": "s0"}, {"action": "search", "query": "s1"}]
    prediction, prompts = run(ClonedAgent(Shelf(s0="a"), depth=2), by_field(action=acts, score="5", answer="read"))
    assert prediction.answer == "read"
    assert prompts[-1].inputs["passages"] == shown("a")
    assert "thought" not in prediction.evidence[0]


def proposing(*actions, act, score):
    """An LM that always proposes the same actions, plans one, and reflects on each path by its length."""
    return by_field(
        actions=lambda given: list(actions),
        action=act,
        score=score,
        reflection=lambda given: f"lesson after {len(given['history'])}",
        answer="read",
    )


def test_mzqa_shows_the_passages_of_searches_and_a_finished_path_needs_no_reading():
    lm = proposing(
        "search: s1",
        "finish: early",
        act=finish("planned"),
        score=lambda given: "9" if given["history"][-1].startswith("finish: planned") else "6",
    )
    prediction, prompts = run(ActionMZQA(Shelf(s1="a b"), iterations=1), lm)
    assert inputs(prompts, "actions") == [{"history": [], "reflections": [], "number": 5, "question": "q"}]
    seen = ["search: s1 -> A; B", *shown("a", "b")]
    assert inputs(prompts, "action") == [{"history": seen, "reflections": [], "question": "q"}]
    assert {tuple(given["history"]) for given in inputs(prompts, "score")} == {
        ("finish: early -> early",),
        (*seen, "finish: planned -> planned"),
    }
    assert prediction.answer == "planned"
    assert prediction.cost["calls_by_role"] == {"propose": 1, "plan": 1, "evaluate": 2}
    assert [passage.id for passage in prediction.passages] == ["a", "b"]


def test_mzqa_reflects_on_failed_ends_and_shows_that_from_the_next_iteration_on():
    lm = proposing("search: s1", "finish: early", act=finish("planned"), score="2")
    prediction, prompts = run(ActionMZQA(Shelf(s1="a b"), iterations=2), lm)
    first, second = (given["reflections"] for given in inputs(prompts, "actions"))
    assert (first, sorted(second)) == ([], ["lesson after 1", "lesson after 4"])
    assert inputs(prompts, "action")[0]["reflections"] == []
    assert prediction.cost["calls_by_role"]["reflect"] >= 2
    without, _ = run(ActionMZQA(Shelf(), iterations=2, reflections=0), lm)
    assert "reflect" not in without.cost["calls_by_role"]


def test_a_path_of_mzqa_that_does_not_finish_is_read():
    program = ActionMZQA(Shelf(s1="a", s2="b"), iterations=1, depth=2)
    prediction, prompts = run(program, proposing("search: s1", act=search("s2"), score="5"))
    assert prediction.answer == "read"
    assert prompts[-1].inputs["passages"] == shown("a", "b")
