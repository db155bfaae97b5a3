import math
from dataclasses import replace

import dspy
import pytest
from crowd import crowd
from in_turn import AtOnce, InTurn
from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import Budget, Replug
from multihop.lms import Scripted, as_lm
from multihop.programs.baselines.replug import answer_probability

pytestmark = pytest.mark.at_once


def combined(prediction):
    return next(step["outputs"] for step in prediction.trajectory if step["step"] == "combine")


def reader(**said):
    """An LM that answers by the passage it is shown: the readings are made at once."""
    return by_field(answer=lambda given: said[given["passages"][0][-1]])


def test_each_passage_is_read_alone_and_agreeing_answers_add_up():
    prediction, prompts = run(Replug(Shelf(q="a b c")), reader(a="A", b="b", c="B."))
    assert [prompt.inputs["passages"] for prompt in prompts] == InTurn(AtOnce(shown("a"), shown("b"), shown("c")))
    assert prediction.answer == "b"
    assert combined(prediction)["by"] == "votes"
    weights = [math.exp(score / 10) for score in (10, 9, 8)]
    assert combined(prediction)["answers"] == pytest.approx(
        {"a": weights[0] / sum(weights), "b": (weights[1] + weights[2]) / sum(weights)}
    )
    assert (prediction.cost["calls"], prediction.cost["chain"]) == (3, 1)


def test_with_one_vote_each_the_best_retrieved_passage_decides():
    assert run(Replug(Shelf(q="a b")), reader(a="first", b="second"))[0].answer == "first"


def test_a_reading_that_cannot_be_parsed_has_no_vote_and_without_any_all_passages_are_read():
    prediction, _ = run(Replug(Shelf(q="a b"), retries=0), reader(a=GARBAGE, b="B"))
    assert prediction.answer == "B"
    prediction, prompts = run(Replug(Shelf(q="a b"), retries=0), by_field(answer=[GARBAGE, GARBAGE, "C"]))
    assert prediction.answer == "C"
    assert prompts[-1].inputs["passages"] == shown("a", "b")


def test_with_no_passages_it_answers_all_the_same():
    assert run(Replug(Shelf()), by_field(answer="x"))[0].answer == "x"


def test_a_budget_cuts_the_readings():
    prediction, prompts = run(Replug(Shelf(q="a b c d e"), budget=Budget(calls=3)), by_field(answer="x"))
    assert (len(prompts), prediction.over_budget, prediction.answer) == (3, True, "x")


def test_readings_run_at_once():
    lm = crowd(lambda prompt: {"answer": "x"}, answer=10)
    prediction, _ = run(Replug(Shelf(q=" ".join("abcdefghij")), k=10), lm)
    assert (lm.engine.most_at_once, prediction.cost["calls"], prediction.cost["chain"]) == (10, 10, 1)


class Unsure(Scripted):
    """Answers with the passage's title, and reports a probability for each token of it, where it is asked."""

    supported_params = ("logprobs",)

    def __init__(self, probabilities):
        super().__init__(lambda prompt: {"answer": prompt.inputs["passages"][0].partition(" | ")[0]})
        self.probabilities = probabilities

    def complete(self, request):
        from dspy._vendor.lm15 import TokenLogprob

        response = super().complete(request)
        text = response.message.text
        answer = text.split("\n")[1]
        if answer not in self.probabilities or request.config.logprobs is None:
            return response
        start = text.index(answer)
        half = math.log(self.probabilities[answer]) / 2
        tokens = [(text[:start], -5.0), (answer[:1], half), (answer[1:], half), (text[start + len(answer) :], -5.0)]
        return replace(
            response, logprobs=tuple(TokenLogprob(token=t, logprob=p, bytes=None, top=()) for t, p in tokens)
        )


def test_token_probabilities_decide_where_the_lm_gives_them():
    prediction, _ = run(Replug(Shelf(q="aa bb")), as_lm(Unsure({"AA": 0.1, "BB": 0.9}), "unsure"))
    assert prediction.answer == "BB"
    assert combined(prediction)["by"] == "token probabilities"
    assert prediction.counts["by_probability"] == 1
    assert "logprobs" not in prediction.trajectory[1]["branches"][0][0]["outputs"]


def test_votes_count_where_a_reading_lacks_probabilities():
    prediction, _ = run(Replug(Shelf(q="aa bb")), as_lm(Unsure({"BB": 0.9}), "unsure"))
    assert prediction.answer == "AA"
    assert combined(prediction)["by"] == "votes"


def test_an_answer_that_its_tokens_do_not_spell_has_no_probability():
    assert answer_probability(dspy.Prediction(answer="x")) is None
