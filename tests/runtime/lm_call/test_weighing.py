from math import log

import dspy
import pytest
from pydantic import BaseModel
from toys import ask
from weighed import weighed

from multihop import lexical
from multihop.base import InputError
from multihop.lms import Engine, Scripted, as_lm, scripted
from multihop.runtime import Program
from multihop.runtime.lm_call.answering_lm import _plain
from multihop.runtime.lm_call.weighing import Place, expected_score, mean_logprob, probability_of_yes, read_places
from multihop.signatures import EvaluateHistory, JudgeMemories


def places(*written):
    """Places of a completion: a token alone, or the probabilities at its place, of which the first was written."""
    return [Place(each, {each: 1.0}) if isinstance(each, str) else Place(next(iter(each)), each) for each in written]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (['{"enough":', {" true": 0.6, " false": 0.2}, "}"], 0.75),  # JSON
        (['{"', "enough", '":', {" false": 0.9, " true": 0.1}, "}"], 0.1),
        (['{"enough"', {":true": 0.3, ":false": 0.1, ": ": 0.6}, "}"], 0.75),  # the token begins before the value
        (['{"enough": ', {'"yes': 0.5, "true": 0.25, '"no': 0.25}, '"}'], 0.75),
        (['{"enough": "', {"Yes": 0.5, "No": 0.5}, '"}'], 0.5),
        (["[[ ## enough ## ]]\n", {"True": 0.2, "true": 0.1, " YES": 0.1, "False": 0.1, "maybe": 0.5}], 0.8),
        (["[[ ##", " enough", " ## ]]", "\n", {"tr": 0.5, "fa": 0.5}, "ue"], 0.5),  # a piece of a word
        (["<enough>", {"true": 0.5, "not": 0.3, "none": 0.2}, "</enough>"], 1.0),  # "not" and "none" are no "no"
        (['{"reasoning": "\\"enough\\": false", "enough":', {" true": 1.0}, "}"], 1.0),  # quoted before
        (["<think>[[ ## enough ## ]] false</think>[[ ## enough ## ]]\n", {"true": 1.0}], 1.0),
        (['[[ ## reasoning ## ]]\nIs "enough": false?\n[[ ## enough ## ]]\n', {"true": 1.0}], 1.0),  # in a thought
        (["[[ ## enough ## ]]\n", {"true": 1.0}, "\n[[ ## enough ## ]]\nfalse"], 1.0),  # the first counts, as in DSPy
        (["[[ ## enough ## ]]\n", {"Perhaps": 0.6, "true": 0.4}], None),  # what was written is no verdict
        (["[[ ## enough ## ]]\n"], None),  # nothing was written
        (["[[ ## relevant ## ]]\n", {"true": 1.0}], None),  # another field
    ],
)
def test_the_probability_of_yes_is_read_where_the_value_begins(written, expected):
    assert probability_of_yes(places(*written), "enough") == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (['{"score":', {" 8": 0.5, " 10": 0.25, " 6": 0.25}, "}"], 8.0),
        (['{"score": ', {"7": 0.8, "0": 0.2}, "}"], 5.6),
        (
            ['{"score": ', {"1": 0.6, "2": 0.4}, {"0": 0.5, "}": 0.5}],
            0.3 * 10 + 0.3 * 1 + 0.4 * 2,
        ),  # "10" in two tokens
        (['{"score": ', {"1": 1.0}, {"}": 0.75, "0": 0.25}], 10 * 0.25 + 0.75),
        (['{"score": ', {"8": 0.6, "1": 0.4}, "}"], 8.8),  # nearer to 8 is 10
        (['{"score": ', {"3": 0.6, "1": 0.4}, "}"], 2.2),  # nearer to 3 is 1
        (["[[ ## score ## ]]\n", {"8/10": 0.5, "10/10": 0.5}], 9.0),
        (["[[ ## score ## ]]\n", {"**": 1.0}, {"4": 0.5, "6": 0.5}, "**"], 5.0),
        (["[[ ## score ## ]]\n", {"100": 0.5, "4": 0.5}], None),  # what was written is no score
        (["[[ ## score ## ]]\n", {"Score": 0.9, "4": 0.1}, ": 8"], None),
    ],
)
def test_the_expected_score_is_read_where_the_value_begins(written, expected):
    assert expected_score(places(*written), "score") == (expected if expected is None else pytest.approx(expected))


def test_probabilities_are_read_as_dspy_and_as_litellm_have_them():
    class Token(BaseModel):
        token: str
        logprob: float
        top_logprobs: list["Token"] = []

    class Logprobs(BaseModel):
        content: list[Token]

    top = {"token": "b", "logprob": -800.0, "top_logprobs": []}
    plain = {"content": [{"token": "a", "logprob": 0.0, "top_logprobs": [top]}]}
    assert read_places(plain) == read_places(Logprobs(**plain)) == [Place("a", {"a": 1.0, "b": 0.0})]
    assert _plain([{"text": "a", "logprobs": Logprobs(**plain)}]) == [{"text": "a", "logprobs": plain}]  # as it is kept
    assert read_places(None) == read_places({"content": []}) == []


class Judging(Program):
    """Judges, and scores after a thought."""

    retrieves = False
    weighs = ("judge", "evaluate")

    decide: str = "logprobs"
    """The source of both."""

    def set_up(self):
        self.judge = dspy.Predict(JudgeMemories)
        self.evaluate = dspy.ChainOfThought(EvaluateHistory)
        self.read = dspy.Predict("question -> answer")

    async def aforward(self, question):
        verdict = await self.ask(self.judge, evidence=[], pathway=[], question=question)
        score = await self.ask(self.evaluate, history=[], question=question)
        said = await self.ask(self.read, question=question)
        return dspy.Prediction(answer=said.answer, told=[each.get("expected") for each in (verdict, score, said)])


ANSWERS = [
    {"enough": {"false": 0.6, "true": 0.4}},
    {"reasoning": "So.", "score": {"6": 0.5, "8": 0.5}},
    {"answer": "x"},
]


def test_steps_that_weigh_tell_what_was_expected_and_the_record_has_it():
    prediction = ask(Judging(), weighed(ANSWERS))
    assert prediction.told == [{"enough": 0.4}, {"score": 7.0}, None]
    judged, scored, read = prediction.trajectory
    assert (judged["outputs"], judged["expected"]) == ({"enough": False}, {"enough": 0.4})
    assert (scored["outputs"], scored["expected"]) == ({"reasoning": "So.", "score": 6}, {"score": 7.0})
    assert "expected" not in read


def test_words_are_the_default_and_ask_for_no_probabilities():
    prediction = ask(Judging(decide="words"), weighed(ANSWERS))
    assert prediction.told == [None, None, None]
    assert all("expected" not in step for step in prediction.trajectory)


def test_a_trace_holds_neither_probabilities_nor_what_was_read_from_them():
    with dspy.context(lm=weighed(ANSWERS), trace=[]):
        Judging()(question="q")
        kept = [dict(outputs.items()) for _, _, outputs in dspy.settings.trace]
    assert kept == [{"enough": False}, {"reasoning": "So.", "score": 6}, {"answer": "x"}]


def test_a_rerun_reads_the_same_from_the_cache():
    lm = weighed(ANSWERS, cache=True)
    first, again = ask(Judging(), lm), ask(Judging(), lm)
    assert again.told == first.told == [{"enough": 0.4}, {"score": 7.0}, None]
    assert (again.cost["cached"], len(lm.engine.prompts)) == (3, 3)
    assert [step.get("expected") for step in again.trajectory] == again.told


def test_a_value_in_another_form_counts_as_certain():
    answers = [{"enough": {"1": 0.6, "0": 0.4}}, {"reasoning": "So.", "score": "Score: 9"}, {"answer": "x"}]
    assert ask(Judging(), weighed(answers)).told == [{"enough": 1.0}, {"score": 9.0}, None]


@pytest.mark.parametrize("lm", [scripted(ANSWERS), lexical(), dspy.LM("anthropic/claude-x", api_key="none")])
def test_an_lm_that_tells_no_probabilities_is_refused_before_anything_is_asked(lm):
    with pytest.raises(InputError, match=f'decide="logprobs" needs .*{lm.model} tells none; model files') as refused:
        ask(Judging(), lm)
    assert not hasattr(refused.value, "trajectory")
    if isinstance(lm.engine, Scripted):
        assert lm.engine.prompts == []


def test_the_lm_of_the_step_is_what_counts():
    program = Judging(lms={"judge": weighed(ANSWERS[:1]), "evaluate": weighed(ANSWERS[1:2])})
    assert ask(program, scripted([{"answer": "x"}])).told == [{"enough": 0.4}, {"score": 7.0}, None]


class Silent(Engine):
    """Says that it tells probabilities, and tells none."""

    supported_params = ("logprobs", "top_logprobs")

    def reply(self, prompt):
        return {"enough": True}


def test_an_lm_that_tells_none_though_asked_is_named():
    with pytest.raises(InputError, match="multihop/silent was asked for the probabilities of tokens and told none"):
        ask(Judging(), as_lm(Silent(), "silent"))


class Telling(Program):
    """Thinks, and answers."""

    retrieves = False

    def set_up(self):
        self.think = dspy.Predict("question -> thought")
        self.read = dspy.ChainOfThought("question, thought -> answer")

    async def aforward(self, question):
        thought = await self.ask(self.think, question=question)
        return dspy.Prediction(**await self.ask(self.read, question=question, thought=thought.thought))


TOLD = [{"thought": {"Hm": 0.5, "Ah": 0.5}}, {"reasoning": "Nice, so.", "answer": {"Nice": 0.25, "Lyon": 0.2}}]


def test_with_grounds_an_answer_comes_with_the_probability_of_its_tokens():
    prediction = ask(Telling(grounds=True), weighed(TOLD))
    thought, read = prediction.trajectory
    assert "logprob" not in thought
    assert read["logprob"] == prediction.signals["logprob"] == pytest.approx(log(0.25), abs=1e-6)
    assert "logprob" not in read["outputs"]
    assert "logprob" not in prediction
    assert (prediction.answer, prediction.reasoning) == ("Nice", "Nice, so.")


def test_without_grounds_no_request_differs():
    lm = weighed(TOLD)
    prediction = ask(Telling(), lm)
    assert all("logprob" not in step for step in prediction.trajectory)
    assert "logprob" not in prediction.signals


def test_an_lm_that_tells_no_probabilities_is_not_asked_for_them():
    prediction = ask(Telling(grounds=True), scripted([{"thought": "Hm"}, {"reasoning": "So.", "answer": "Nice"}]))
    assert prediction.answer == "Nice"
    assert "logprob" not in prediction.signals


def test_an_answer_in_other_letters_is_as_sure_as_all_that_was_written():
    told = {"content": [{"token": '"Caf', "logprob": -1.0}, {"token": '\\u00e9"', "logprob": -3.0}]}
    assert mean_logprob(told, "Café") == -2.0
    assert mean_logprob({"content": []}, "Café") is None
