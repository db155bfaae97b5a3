"""The stages of a compile: their names, the LM calls taken so far, and every question that is scored."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ...evaluation.journal.row import Row
from .spending import Spending


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a compile, from the moment it begins."""

    what: str
    """The stage's work, in a line."""
    variant: str | None = None
    """The variant that is compiled or scored; None in what comes before all of them."""
    questions: int = 0
    """Dev questions that the stage scores; 0 where it scores none."""
    expected: int | None = None
    """An estimate of the LM calls it will take; None where nobody knows yet."""
    _spending: Spending = field(default_factory=Spending, repr=False)
    _before: int = field(default=0, repr=False)

    @property
    def calls(self) -> int:
        """LM calls that the stage has taken until now; answers from a cache are none."""
        return self._spending.calls - self._before


WatchStage = Callable[[Stage, Row | None, bool], None]
"""Called with a stage and None as it begins; then with every row it scores, and whether that is from an earlier run."""
Tell = Callable[[str], None]
"""Called with a line for people."""


class Stages:
    """Announces the stages of one compile to whoever listens."""

    def __init__(self, spending: Spending, tell: Tell | None, watch: WatchStage | None) -> None:
        self.spending = spending
        self.tell: Tell = tell or (lambda line: None)
        self._watch: WatchStage = watch or (lambda stage, row, earlier: None)

    def begin(
        self, what: str, *, variant: str | None = None, questions: int = 0, expected: int | None = None
    ) -> Callable[[Row, bool], None]:
        """A stage begins; what is returned is to be called with every row it scores."""
        stage = Stage(what, variant, questions, expected, self.spending, self.spending.calls)
        self.tell(what)
        self._watch(stage, None, False)
        return lambda row, earlier: self._watch(stage, row, earlier)
