from shelf import Shelf, inputs, run, shown

from multihop import ActionMZQA, scripted


def agent(*, actions=("search: s1", "finish: early"), act=None, score="5"):
    act = act or {"thought": "t", "action": "finish", "answer": "planned"}

    def reply(prompt):
        given, fields = prompt.inputs, [field.name for field in prompt.output_fields]
        if "actions" in fields:
            return {"actions": list(actions)}
        if "action" in fields:
            return act(given["history"]) if callable(act) else act
        if "score" in fields:
            return {"reasoning": "r", "score": score(given["history"]) if callable(score) else score}
        return {"reflection": f"lesson after {len(given['history'])}"} if "reflection" in fields else {"answer": "read"}

    return scripted(reply)


def test_searches_show_their_passages_and_a_finished_path_needs_no_reading():
    score = lambda history: "9" if history[-1].startswith("finish: planned") else "6"  # noqa: E731
    prediction, prompts = run(ActionMZQA(Shelf(s1="a b"), iterations=1), agent(score=score))
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


def test_failed_ends_are_reflected_on_and_shown_from_the_next_iteration_on():
    prediction, prompts = run(ActionMZQA(Shelf(s1="a b"), iterations=2), agent(score="2"))
    shown_lessons = [given["reflections"] for given in inputs(prompts, "actions")]
    assert shown_lessons[0] == []
    assert sorted(shown_lessons[1]) == ["lesson after 1", "lesson after 4"]
    assert all(given["reflections"] == [] for given in inputs(prompts, "action")[:1])
    assert prediction.cost["calls_by_role"]["reflect"] >= 2


def test_without_reflections_nothing_is_reflected_on():
    _, prompts = run(ActionMZQA(Shelf(), iterations=2, reflections=0), agent(score="0"))
    assert inputs(prompts, "reflection") == []


def test_a_path_that_does_not_finish_is_read():
    act = {"thought": "t", "action": "search", "query": "s2"}
    program = ActionMZQA(Shelf(s1="a", s2="b"), iterations=1, depth=2)
    prediction, prompts = run(program, agent(actions=["search: s1"], act=act))
    assert prediction.answer == "read"
    assert prompts[-1].inputs["passages"] == shown("a", "b")
