"""Exact match and token F1 of the answer, by the official rules of each set, and accuracy as RAG toolkits count it.

Sources: hotpot_evaluate_v1.py (HotpotQA), 2wikimultihop_evaluate_v1.1.py (2WikiMultiHopQA), metrics/answer.py
(MuSiQue). All take the best over the accepted answers. They differ in F1 only:

- HotpotQA and 2WikiMultiHopQA: if either side is "yes", "no" or "noanswer" and the two differ, F1 is 0.
- MuSiQue: no such rule; but if either side has no tokens, F1 is 1 where both have none, else 0. (The other two give 0.)

Where a question cannot be answered, a refusal is the right answer, for all three.
"""

from collections import Counter
from typing import Any, ClassVar, Literal, get_args

import dspy
from dspy.utils.exceptions import AdapterParseError

from ...base import check_known
from ...base.english import normal_form, refuses
from ...runtime import Gate, ask_alone, run_in_background
from ...runtime.bill import JUDGING
from ...signatures import JudgeAnswer
from ..header import lm_identity
from .metric import Metric, Unmeasured
from .passages import explain_missing

Rules = Literal["hotpotqa", "2wikimultihopqa", "musique"]
"""The question sets whose official evaluation scripts can be followed."""
_CLOSED = {"yes", "no", "noanswer"}


def check_rules(rules: str) -> str:
    """The name of the set whose rules apply, if there is such a set."""
    check_known("set of answer rules", rules, get_args(Rules))
    return rules


def exact_match(prediction: str, gold: str) -> float:
    """1.0 if both have the same normal form, else 0.0."""
    return float(normal_form(prediction) == normal_form(gold))


def f1(prediction: str, gold: str, rules: str = "hotpotqa") -> float:
    """2PR / (P + R) over the tokens that both share, counted with repeats."""
    predicted, expected = normal_form(prediction), normal_form(gold)
    if rules != "musique" and predicted != expected and ({predicted, expected} & _CLOSED):
        return 0.0
    predicted_tokens, expected_tokens = predicted.split(), expected.split()
    if not predicted_tokens or not expected_tokens:
        return float(rules == "musique" and predicted_tokens == expected_tokens)
    shared = (Counter(predicted_tokens) & Counter(expected_tokens)).total()
    return 2 * shared / (len(predicted_tokens) + len(expected_tokens))


def answer_of(prediction: Any) -> str:
    """The prediction's answer as text; no answer is an empty one."""
    return "" if prediction.answer is None else str(prediction.answer)


def is_answered(prediction: Any) -> bool:
    """False where the program was told to retrieve and not to read, so that nothing can be said of an answer."""
    return bool(getattr(prediction, "reads", True))


def refusal_score(gold: object, answer: str) -> float | None:
    """1.0 or 0.0 where the question cannot be answered, for a refusal is then the right answer; else None."""
    return None if getattr(gold, "answerable", True) else float(refuses(answer))


class AnswerMetric(Metric):
    """A metric of the answer alone: the best score over the accepted answers, or that of a refusal."""

    def score(self, answer: str, accepted: str) -> float:
        """The score of an answer beside one that is accepted, between 0.0 and 1.0."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to score.")

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0; None for a question whose answer is not known, or that is not answered."""
        if not is_answered(prediction):
            return None
        answer = answer_of(prediction)
        if (refused := refusal_score(gold, answer)) is not None:
            return refused
        return max((self.score(answer, accepted) for accepted in gold.answers), default=None)

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The answers that were accepted and the one that came, and the gold passages that are missing."""
        answer = answer_of(prediction)
        if not getattr(gold, "answerable", True):
            return f'The question cannot be answered, and "{answer}" {"says so" if score else "is an answer"}.'
        if score == 1.0:
            return f'"{answer}" is right.'
        also = f" (also accepted: {', '.join(gold.answers[1:4])})" if len(gold.answers) > 1 else ""
        came = f'the answer was "{answer}"' if answer.strip() else "the answer was empty"
        near = f", which shares only some of its words (F1 {score:.2f})" if score else ""
        return f'Expected "{gold.answers[0]}"{also}; {came}{near}. {explain_missing(gold, prediction)}'.rstrip()


class ExactMatch(AnswerMetric):
    """The best exact match over the accepted answers; all three sets count it alike."""

    name = "em"

    def score(self, answer: str, accepted: str) -> float:
        """1.0 or 0.0."""
        return exact_match(answer, accepted)


class F1(AnswerMetric):
    """The best token F1 over the accepted answers.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import F1
        >>> question = Question(id="q", question="Who?", answers=("Ada Lovelace",))
        >>> F1()(question, dspy.Prediction(answer="Ada")).feedback
        'Expected "Ada Lovelace"; the answer was "Ada", which shares only some of its words (F1 0.67).'
    """

    name = "f1"
    accept = 0.75

    def __init__(self, rules: str = "hotpotqa") -> None:
        """By the rules of "hotpotqa", "2wikimultihopqa" or "musique"."""
        self.rules = check_rules(rules)

    @property
    def identity(self) -> dict[str, Any]:
        """The version, and whose rules apply."""
        return {**super().identity, "rules": self.rules}

    def score(self, answer: str, accepted: str) -> float:
        """A number between 0.0 and 1.0."""
        return f1(answer, accepted, self.rules)


class Accuracy(AnswerMetric):
    """1.0 where an accepted answer stands anywhere in the answer, both in their normal form; else 0.0.

    It is FlashRAG's `acc`: letters are compared, not words, so that "no" is in "nothing"; a long answer that names
    everything gets 1.0. EM and F1 are the stricter measures.
    """

    name = "acc"

    def score(self, answer: str, accepted: str) -> float:
        """1.0 or 0.0."""
        written, sought = normal_form(answer), normal_form(accepted)
        return float(sought in written if sought else sought == written)


class Judged(AnswerMetric):
    """1.0 where the LM finds that the answer says the same as an accepted one, else 0.0.

    Verdicts are in no program's cost and in no trace; they are on the run's bill, apart, and are cached like answers.
    An empty answer, and a refusal where the question cannot be answered, need no call. A verdict that cannot be parsed
    is asked for once more.

    Examples:
        >>> import dspy
        >>> from multihop import Question, scripted
        >>> from multihop.evaluation.metrics import Judged
        >>> question = Question(id="q", question="When?", answers=("20 March 851",))
        >>> judge = Judged(scripted([{"correct": True}]))
        >>> judge.measure(question, dspy.Prediction(answer="on March 20th, 851"))
        1.0
    """

    name = "judged"
    version: ClassVar[int] = 2

    def __init__(self, lm: dspy.LM, *, concurrency: int = 64) -> None:
        """Judge answers with the LM, so many at once at most."""
        self.lm = lm
        self._judge = dspy.Predict(JudgeAnswer)
        self._gate = Gate(concurrency)

    @property
    def identity(self) -> dict[str, Any]:
        """The version, the LM that judges, with its parameters where it has any."""
        decoding = lm_identity(self.lm)["decoding"]
        return {**super().identity, "lm": self.lm.model, **({"decoding": decoding} if decoding else {})}

    async def ameasure(self, gold: Any, prediction: Any) -> float | None:
        """1.0 or 0.0; None for a question whose answer is not known, or that is not answered.

        Raises:
            Unmeasured: No verdict could be parsed, twice.
        """
        if not is_answered(prediction):
            return None
        answer = answer_of(prediction)
        if (score := refusal_score(gold, answer)) is not None:
            return score
        if not gold.answers:
            return None
        if not answer.strip():
            return 0.0
        inputs = {"question": gold.question, "accepted": list(gold.answers), "answer": answer}
        with dspy.context(lm=self.lm, trace=None):
            try:
                verdict = await ask_alone(self._judge, inputs, role=JUDGING, gate=self._gate)
            except AdapterParseError:
                raise Unmeasured("the judge gave no verdict that can be read, twice.") from None
        return float(verdict.correct)

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """`ameasure` for synchronous callers."""
        return run_in_background(self.ameasure(gold, prediction))
