from shelf import Shelf, inputs, run, shown

from multihop import ClonedAgent, scripted


def agent(act, score="5"):
    def reply(prompt):
        given, fields = prompt.inputs, [field.name for field in prompt.output_fields]
        if "action" in fields:
            return act(given["history"])
        return {"reasoning": "r", "score": score} if "score" in fields else {"answer": "read"}

    return scripted(reply)


def test_it_acts_until_it_finishes_and_remembers_what_it_thought():
    act = lambda history: (  # noqa: E731
        {"thought": "Known.", "action": "finish", "answer": "done"}
        if history
        else {"thought": "First.", "action": "search", "query": "s1"}
    )
    prediction, prompts = run(ClonedAgent(Shelf(s1="a")), agent(act))
    assert prediction.answer == "done"
    assert prediction.cost["calls_by_role"] == {"plan": 2, "evaluate": 2}
    seen = ["Thought: First.", "search: s1 -> A", *shown("a")]
    assert [given["history"] for given in inputs(prompts, "action")] == [[], seen]
    assert [step["thought"] for step in prediction.evidence] == ["First.", "Known."]


def test_what_does_not_finish_is_read():
    search = lambda history: {"action": "search", "query": f"s{len(history)}"}  # noqa: E731
    prediction, prompts = run(ClonedAgent(Shelf(s0="a"), depth=2), agent(search))
    assert prediction.answer == "read"
    assert prompts[-1].inputs["passages"] == shown("a")
    assert "thought" not in prediction.evidence[0]
