"""Judged accuracy: an LM says whether the answer agrees with an accepted one."""

from typing import Any, ClassVar

import dspy
from dspy.utils.exceptions import AdapterParseError

from ...runtime import Gate, ask_alone, run_in_background
from ...runtime.cost.bill import JUDGING
from ...signatures import JudgeAnswer
from ..lm_identity import lm_identity
from .answer import AnswerMetric, answer_of, is_answered, refusal_score
from .metric import Unmeasured


class Judged(AnswerMetric):
    """1.0 where the LM finds that the answer says the same as an accepted one, else 0.0.

    The verdicts are the judge's calls, not the program's: they appear in no program's cost and in no trace, but on the
    run's bill, apart. They are kept like a program's answers. An empty answer is wrong without a call. A verdict
    that cannot be parsed is asked for once more.

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
        """A judge of answers.

        Args:
            lm: The LM that judges.
            concurrency: Answers judged at once at most.
        """
        self.lm = lm
        self._judge = dspy.Predict(JudgeAnswer)
        self._gate = Gate(concurrency)

    @property
    def identity(self) -> dict[str, Any]:
        """The version, the LM that judges, with its parameters where it has any."""
        decoding = lm_identity(self.lm)["decoding"]
        return {**super().identity, "lm": self.lm.model, **({"decoding": decoding} if decoding else {})}

    async def judge(self, gold: Any, prediction: Any) -> float | None:
        """1.0 or 0.0; None for a question whose answer is not known, or that is not answered.

        Where the question cannot be answered, a refusal is told by its words, without a call.

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

    async def ameasure(self, gold: Any, prediction: Any) -> float | None:
        """The same as `judge`."""
        return await self.judge(gold, prediction)

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """The same for synchronous callers."""
        return run_in_background(self.judge(gold, prediction))
