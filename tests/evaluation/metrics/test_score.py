"""A metric as DSPy's optimizers use it: its score is a truth value, and its feedback is read."""

import copy
import pickle

import dspy
import pytest
from toys import words

from multihop import Passage, Question, scripted
from multihop.evaluation.metrics import F1, ExactMatch, Recall, Score

GOLD = Question(
    id="q",
    question="Who?",
    answers=("Ada",),
    supporting=("p1", "p2"),
    passages=(Passage("p1", "Ada Lovelace", "..."), Passage("p2", "Charles Babbage", "...")),
)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda score: pickle.loads(pickle.dumps(score))])
def test_only_a_full_score_is_true_unless_told_otherwise_and_copies_are_as_true_as_the_original(copied):
    assert [bool(Score(score=score, feedback="")) for score in (0.0, 0.99, 1.0)] == [False, False, True]
    for score in (0.7, 0.8):
        twin = copied(Score(score=score, feedback="why", accept=0.75))
        assert (twin.score, twin.feedback, bool(twin)) == (score, "why", score >= 0.75)


def test_feedback_names_the_missing_passages_by_their_titles():
    came = [Passage("p1", "Ada Lovelace", "..."), Passage("p9", "Alan Turing", "...")]
    feedback = ExactMatch()(GOLD, dspy.Prediction(answer="Alan", passages=came)).feedback
    assert feedback == 'Expected "Ada"; the answer was "Alan". Missing 1 of 2 gold passages: Charles Babbage.'
    assert Recall(5)(GOLD, dspy.Prediction(answer="Alan", passages=came)).feedback in feedback
    unknown = Question(id="q", question="Who?", answers=("Ada",), supporting=("p2",))
    assert Recall(5)(unknown, dspy.Prediction(passages=came)).feedback == "Missing 1 of 1 gold passages: p2."


EXAMPLES = [question.to_example() for question in words(8)]


def half_right(prompt):
    word = prompt.inputs["question"]
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
