import asyncio

import dspy
import pytest
from dspy.utils.exceptions import LMError
from shelf import slow

from multihop import Question, scripted
from multihop.evaluation.metrics import Judged, Unmeasured
from multihop.programs import Direct

QUESTION = Question(id="q", question="When?", answers=("20 March 851", "851"))


def test_verdicts_are_awaited_side_by_side():
    judge = Judged(slow(scripted(lambda prompt: {"correct": "851" in prompt.inputs["answer"]}), 0.05))

    async def all_at_once():
        started = asyncio.get_running_loop().time()
        said = [dspy.Prediction(answer=f"in the year {850 + i}") for i in range(20)]
        verdicts = await asyncio.gather(*(judge.ameasure(QUESTION, prediction) for prediction in said))
        return verdicts, asyncio.get_running_loop().time() - started

    verdicts, seconds = asyncio.run(all_at_once())
    assert verdicts == [0.0, 1.0] + [0.0] * 18
    assert seconds < 0.05 * 20 / 2


def test_as_a_dspy_metric_it_asks_once_and_leaves_no_trace():
    lm = scripted([{"correct": False}])
    with dspy.context(lm=scripted([{"answer": "in 850"}]), trace=[]):
        prediction = Direct()(question="When?")
        before = len(dspy.settings.trace)
        score = Judged(lm)(QUESTION.to_example(), prediction)
        assert len(dspy.settings.trace) == before
    assert score.score == 0.0
    assert not score
    assert score.feedback == 'Expected "20 March 851" (also accepted: 851); the answer was "in 850".'
    assert len(lm.engine.prompts) == 1
    assert prediction.cost["calls"] == 1


def test_the_judge_is_asked_of_all_answers_that_are_not_empty():
    lm = scripted([{"correct": True}, {"correct": False}, "no idea", {"correct": True}, "no", "no"])
    judge, question = Judged(lm), Question(id="q", question="word0?", answers=("word0",))
    assert judge.measure(question, dspy.Prediction(answer="")) == 0.0
    assert lm.engine.prompts == []
    assert judge.measure(question, dspy.Prediction(answer="the word")) == 1.0
    assert judge.measure(question, dspy.Prediction(answer="another")) == 0.0
    assert lm.engine.prompts[0].inputs == {"question": "word0?", "accepted": ["word0"], "answer": "the word"}
    assert judge.measure(question, dspy.Prediction(answer="third")) == 1.0  # after a completion that says nothing
    with pytest.raises(Unmeasured, match="no verdict"):  # twice neither yes nor no
        judge.measure(question, dspy.Prediction(answer="fourth"))
    assert judge.measure(Question(id="q", question="?", answers=()), dspy.Prediction(answer="x")) is None


def test_a_failing_judge_is_not_a_wrong_answer():
    judge = Judged(scripted([RuntimeError("the judge is down")]))
    with pytest.raises(LMError, match="the judge is down"):
        judge.measure(QUESTION, dspy.Prediction(answer="in 850"))
