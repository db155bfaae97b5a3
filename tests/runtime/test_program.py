import asyncio
import copy

import dspy
import pytest
from crowd import crowd
from dspy.utils.exceptions import AdapterParseError
from shelf import slow
from toys import FakeRetriever, Steps, ask, echo

from multihop.base import InputError
from multihop.lms import scripted
from multihop.programs import OneStep
from multihop.runtime import explore, keep, together
from multihop.runtime.question import LONGEST_QUESTION

pytestmark = pytest.mark.at_once


class Fan(Steps):
    """Guesses at several words of the question at once and keeps the branches that `good` names."""

    good: tuple[str, ...] = ("b",)

    async def aforward(self, question):
        branches = await explore(*(self.ask(self.guess, question=word) for word in question.split()))
        keep(branch for branch in branches if branch.result.answer in self.good)
        return dspy.Prediction(answer=" ".join(branch.result.answer for branch in branches))


def test_one_call_makes_one_prompt_and_the_whole_record():
    retriever = FakeRetriever()
    lm = scripted([{"answer": "A"}])
    prediction = ask(OneStep(retriever, k=2), lm, "Who?")
    assert retriever.batches == [(["Who?"], 2)]
    assert [prompt.inputs for prompt in lm.engine.prompts] == [
        {"passages": ["About Who? | text 0", "About Who? | text 1"], "question": "Who?"}
    ]
    assert prediction.answer == "A"
    assert [passage.id for passage in prediction.passages] == ["Who?-0", "Who?-1"]
    assert prediction.evidence == []
    hits = [{"id": f"Who?-{rank}", "title": "About Who?", "score": 2.0 - rank} for rank in range(2)]
    inputs = {"passages": ["Who?-0", "Who?-1"], "question": "Who?"}
    assert prediction.trajectory == [
        {"step": "find", "query": "Who?", "k": 2, "hits": hits},
        {"step": "answer", "inputs": inputs, "outputs": {"answer": "A"}},
    ]
    cost = prediction.cost
    assert (cost["calls"], cost["calls_by_role"], cost["retrievals"], cost["chain"]) == (1, {"answer": 1}, 1, 1)
    assert cost["tokens"]["multihop/scripted"]["in"] > cost["tokens"]["multihop/scripted"]["out"] > 0
    assert cost["tokens_by_role"]["answer"] == cost["tokens"]["multihop/scripted"]
    assert not prediction.over_budget


def test_nothing_of_a_question_stays_behind():
    program = Steps(rounds=2)
    before = set(vars(program))
    assert [len(ask(program, scripted(echo), question).trajectory) for question in "ab"] == [3, 3]
    assert set(vars(program)) == before


def test_what_is_not_a_question_is_refused_before_any_call():
    refused = {"": "empty", " \n": "empty", "a\0b": "NUL", "a\udc80b": "UTF-8", None: "NoneType"}
    lm = scripted([])
    for question, message in {**refused, "x" * (LONGEST_QUESTION + 1): "10,001 characters"}.items():
        with pytest.raises(InputError, match=message):
            ask(Steps(), lm, question)
    assert lm.engine.prompts == []


def test_an_unparseable_completion_is_asked_again_as_json_then_afresh():
    lm = scripted(["no fields", "still none", {"answer": "third"}])
    prediction = ask(OneStep(FakeRetriever(), k=1), lm)
    assert prediction.answer == "third"
    assert [prompt.style for prompt in lm.engine.prompts] == ["chat", "json", "chat"]
    assert (prediction.cost["calls"], prediction.cost["parse_failures"], prediction.cost["chain"]) == (3, 2, 3)


def test_retries_end_and_the_failure_is_on_record():
    lm = scripted(["garbage"] * 5)
    with pytest.raises(AdapterParseError) as failure:
        ask(OneStep(FakeRetriever(), k=1, retries=1), lm)
    assert len(lm.engine.prompts) == 2
    assert [step["step"] for step in failure.value.trajectory] == ["find", "answer"]
    assert failure.value.trajectory[1]["error"] == "AdapterParseError"
    assert failure.value.cost["calls"] == failure.value.cost["parse_failures"] == 2


def test_the_adapter_that_is_configured_is_used():
    lm = scripted(lambda prompt: {"answer": prompt.style})
    with dspy.context(adapter=dspy.JSONAdapter()):
        assert ask(Steps(rounds=0), lm).answer == "json"
    with dspy.context(adapter=dspy.ChatAdapter()):
        assert ask(Steps(rounds=0), scripted(["junk", {"answer": "json"}])).cost["parse_failures"] == 1


def ask_all(programs, lm, questions):
    async def many():
        with dspy.context(lm=lm):
            pairs = zip(programs, questions, strict=True)
            await asyncio.gather(*(program.acall(question=question) for program, question in pairs))

    asyncio.run(many())


def test_the_limit_on_calls_in_flight_spans_questions_and_copies():
    program = Fan(concurrency=3)
    for lm in (crowd(echo, answer=3), crowd(echo, answer=3)):  # each on a loop of its own
        ask_all([program, copy.deepcopy(program), program], lm, ["a b c d"] * 3)
        assert (lm.engine.most_at_once, len(lm.engine.prompts)) == (3, 12)


@pytest.mark.parametrize("concurrency", [1, 2, 64])
def test_the_record_does_not_depend_on_which_call_finished_first(concurrency):
    words = "a b c d e f".split()

    class Delayed(Fan):
        async def aforward(self, question):
            async def after(delay, word):
                await asyncio.sleep(delay)
                return (await self.ask(self.guess, question=word)).answer

            found = await together(*(after((6 - i) * 0.01, word) for i, word in enumerate(words)))
            return dspy.Prediction(answer=found)

    prediction = ask(Delayed(concurrency=concurrency), scripted(echo))
    assert prediction.answer == words
    assert [branch[0]["inputs"]["question"] for branch in prediction.trajectory[0]["branches"]] == words
    assert (prediction.cost["calls"], prediction.cost["chain"]) == (6, 1)


def test_only_the_branches_that_are_kept_reach_the_optimizers_trace():
    with dspy.context(trace=[]):
        ask(Fan(good=("b", "d")), scripted(echo), "a b c d")
        assert [inputs["question"] for _, inputs, _ in dspy.settings.trace] == ["b", "d"]


def test_a_failing_branch_cancels_its_siblings_and_leaves_no_task_behind():
    def reply(prompt):
        if prompt.inputs["question"] == "bad":
            raise ValueError("broken engine")
        return {"answer": "ok"}

    async def run():
        with dspy.context(lm=slow(scripted(reply), 0.02)), pytest.raises(Exception, match="broken engine"):
            await Fan().acall(question="good bad good")
        await asyncio.sleep(0)
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(run()) == []


def test_concurrent_finds_reach_the_retriever_as_one_batch():
    retriever = FakeRetriever()
    ask_all([OneStep(retriever, k=1)] * 20, scripted(echo), [f"q{number}" for number in range(20)])
    assert sum(len(queries) for queries, _ in retriever.batches) == 20
    assert len(retriever.batches) <= 3
