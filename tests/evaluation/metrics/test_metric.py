import dspy
import pytest

from multihop import Question, scripted
from multihop.evaluation.metrics import F1, ExactMatch, Judged, Unmeasured

QUESTIONS = [Question(id=f"q{i}", question=f"word{i}?", answers=(f"word{i}",)) for i in range(8)]
EXAMPLES = [question.to_example() for question in QUESTIONS]


def half_right(prompt):
    word = prompt.inputs["question"].rstrip("?")
    return {"answer": word if int(word[-1]) % 2 else "wrong"}


def test_bootstrap_learns_only_from_what_a_metric_accepts():
    with dspy.context(lm=scripted(half_right)):
        compiled = dspy.BootstrapFewShot(metric=F1(), max_bootstrapped_demos=3, max_labeled_demos=0).compile(
            dspy.Predict("question -> answer"), trainset=EXAMPLES
        )
    assert [demo["answer"] for demo in compiled.demos] == ["word1", "word3", "word5"]


def test_gepa_reads_score_and_feedback():
    def reflect(prompt):
        return {field.name: "Answer with the word in the question." for field in prompt.output_fields}

    reflection = scripted(reflect)
    with dspy.context(lm=scripted(half_right)):
        optimizer = dspy.GEPA(
            metric=ExactMatch(),
            max_metric_calls=24,
            reflection_lm=reflection,
            reflection_minibatch_size=4,
            num_threads=1,
        )
        compiled = optimizer.compile(dspy.Predict("question -> answer"), trainset=EXAMPLES, valset=EXAMPLES)
    assert isinstance(compiled, dspy.Predict)
    read = str([prompt.inputs for prompt in reflection.engine.prompts])
    assert 'Expected "word0"; the answer was "wrong".' in read.replace("\\", "")


def test_the_judge_is_asked_of_all_answers_that_are_not_empty():
    lm = scripted([{"correct": True}, {"correct": False}, "no idea", {"correct": True}, "no", "no"])
    judge, question = Judged(lm), QUESTIONS[0]
    assert judge.measure(question, dspy.Prediction(answer="")) == 0.0
    assert lm.engine.prompts == []
    assert judge.measure(question, dspy.Prediction(answer="the word")) == 1.0
    assert judge.measure(question, dspy.Prediction(answer="another")) == 0.0
    assert lm.engine.prompts[0].inputs == {"question": "word0?", "accepted": ["word0"], "answer": "the word"}
    assert judge.measure(question, dspy.Prediction(answer="third")) == 1.0  # after a completion that says nothing
    with pytest.raises(Unmeasured, match="no verdict"):  # twice neither yes nor no
        judge.measure(question, dspy.Prediction(answer="fourth"))
    assert judge.measure(Question(id="q", question="?", answers=()), dspy.Prediction(answer="x")) is None
