"""F1 where a program is sure enough to answer, and a fixed credit where it is not: risk and coverage as a sum."""

from typing import Any

from ...base import InputError
from ...english.refusals import refuses
from .answer import F1, answer_of, is_answered
from .rules import MetricByRules


class F1IfSure(MetricByRules):
    """F1 from a confidence of `least` percent on, and `least` / 100 below it: "f1-if-sure@<least>".

    Optimizers add questions up, and F1 at a coverage is no sum. This is one, with the same aim: to answer is worth the
    more the likelier the answer is right, and exactly as much as not to where that is as likely as `least` says (Chow,
    1970). So sure wrong answers cost, unsure right ones gain little, and a program that never answers gets `least`.
    To aim at a coverage, take the confidence that the run's risk-coverage curve has there.

    A refusal counts as unsure. Where a question cannot be answered, to be unsure is right, 1, and an answer is 0. The
    settings of the program do not matter: an answer that `abstain_below` withheld is scored as any other.

    Examples:
        >>> import dspy
        >>> from multihop import Question
        >>> from multihop.evaluation.metrics import F1IfSure
        >>> metric, question = F1IfSure(40), Question(id="q", question="Who?", answers=("Ada",))
        >>> [
        ...     metric.measure(question, dspy.Prediction(answer=answer, confidence=confidence))
        ...     for answer, confidence in (("Ada", 0.9), ("Ada", 0.2), ("Charles", 0.2), ("Charles", 0.9))
        ... ]
        [1.0, 0.4, 0.4, 0.0]
    """

    needs = "an accepted answer and a confidence"

    def __init__(self, least: int = 50, rules: str = "hotpotqa") -> None:
        """Measure with so many percent of confidence as the least for an answer, by the rules of a set.

        Raises:
            InputError: The percentage is not a whole number from 1 to 99, or the rules are unknown.
        """
        super().__init__(rules)
        if isinstance(least, bool) or not isinstance(least, int) or not 1 <= least <= 99:
            raise InputError(f"a confidence is asked for as a whole percentage from 1 to 99, not {least!r}.")
        self.least, self.name = least, f"f1-if-sure@{least}"
        self._f1 = F1(rules)

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0; None without a confidence, or where no answer is known."""
        confidence, guess = getattr(prediction, "confidence", None), _guess(prediction)
        if confidence is None or not is_answered(prediction):
            return None
        sure = 100 * confidence >= self.least and not refuses(guess)
        if not getattr(gold, "answerable", True):
            return float(not sure)
        if not gold.answers:
            return None
        return max(self._f1.score(guess, accepted) for accepted in gold.answers) if sure else self.least / 100

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The confidence of the answer, with the right one beside it."""
        guess, confidence = _guess(prediction), prediction.confidence
        head = f'The confidence in "{guess}" was {confidence:.2f}, and {self.least / 100:.2f} are asked for'
        if not getattr(gold, "answerable", True):
            return f"{head}; the question cannot be answered."
        found = max(self._f1.score(guess, accepted) for accepted in gold.answers)
        return f'{head}; "{gold.answers[0]}" was expected (F1 {found:.2f}).'


def _guess(prediction: Any) -> str:
    """The answer, or that which was withheld."""
    return str(getattr(prediction, "best_guess", None) or answer_of(prediction))
