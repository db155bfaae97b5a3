"""The maps of verdicts: how likely a passage of this corpus helps, given what the judge or the reader says of it.

Logistic regressions of "gold" on log odds, held near the verdict itself, so that few questions move it little.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ...data import Question
from ...encoder import Encoder, Judgement, Pages, Pair, condense, read_together
from ...encoder.maps import VERDICTS, Maps, log_odds, verdicts
from ...programs.shared.judged_chunks import DOUBT, RANK_DISCOUNT, SHOWN
from ...retrieval import Dense, Hybrid, Passage
from .query_map import asked_hits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POOL = 9
"""Pages of a search that are judged, as many as `ranked-rag` judges first."""
READ = 5
"""Of these, the likeliest that are read side by side."""
HELD = 20.0
"""How firmly the weights are held near those of the verdict itself: the precision with which they are expected."""
_ROUNDS = 30


class Pool(NamedTuple):
    """The pages that a search finds for a question, and what the judge says of each."""

    question: Question
    pages: list[Passage]
    judged: list[Judgement]

    @property
    def gold(self) -> list[bool]:
        """Whether each is gold."""
        return [page.id in self.question.supporting for page in self.pages]

    def judged_by(self, maps: Maps) -> "Pool":
        """The same with what maps make of the judge's verdicts."""
        return self._replace(judged=list(map(maps.judged, self.judged)))

    def ranked(self, promise: "NDArray[np.float64]") -> list[str]:
        """The ids of the pages, those first that promise most; behind them the pages of which nothing is said."""
        import numpy as np

        order = np.argsort(-promise, kind="stable").tolist()
        return [self.pages[place].id for place in [*order, *range(len(order), len(self.pages))]]

    def places(self) -> "NDArray[np.float64]":
        """The logarithm of what each page loses for its place in the search."""
        import numpy as np

        lost: NDArray[np.float64] = np.log(RANK_DISCOUNT) * np.arange(len(self.pages))
        return lost


def pools(index: Dense | Hybrid, encoder: Encoder, questions: Sequence[Question]) -> list[Pool]:
    """The pool of each question, judged by the encoder as it is."""
    made = []
    for question, hits in zip(questions, asked_hits(index, encoder, questions, POOL), strict=True):
        pages = [hit.passage for hit in hits]
        made.append(Pool(question, pages, encoder.judge([Pair(question.question, str(page)) for page in pages])))
    return made


class Verdict(Protocol):
    """What is said of the pages of a pool, as log odds."""

    usual: Sequence[float]
    """The weights that leave it as it is."""

    def features(self, pool: Pool) -> "NDArray[np.float64]":
        """The log odds of what is said of the first pages, a row for each."""
        ...

    def ranked(self, pool: Pool, odds: "NDArray[np.float64]") -> list[str]:
        """The pool as `ranked-rag` ranks it where these are the log odds that each page helps."""
        ...


class Judge:
    """The judge's verdict on each page alone."""

    usual: Sequence[float] = (1.0, 0.0, 0.0, 0.0)

    def features(self, pool: Pool) -> "NDArray[np.float64]":
        """The log odds of all that it says of each."""
        return log_odds([verdicts(judgement) for judgement in pool.judged]).reshape(-1, len(VERDICTS))

    def ranked(self, pool: Pool, odds: "NDArray[np.float64]") -> list[str]:
        """By the probability and the place in the search."""
        return pool.ranked(log_worth(odds) + pool.places()[: len(odds)])


JUDGE = Judge()


class Reader:
    """The reader's verdict on the first pages, which it sees side by side."""

    usual: Sequence[float] = (1.0,)

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def features(self, pool: Pool) -> "NDArray[np.float64]":
        """The log odds that each page helps, the highest of several readings."""
        shown = [
            condense(str(page), judgement.marks(), SHOWN)
            for page, judgement in zip(pool.pages[:READ], pool.judged, strict=False)
        ]
        groups = read_together(shown) if shown else []
        readings = self._encoder.read([Pages(pool.question.question, group) for group in groups])
        likely = dict.fromkeys(shown, 0.0)
        for group, reading in zip(groups, readings, strict=True):
            for text, helpful in zip(group, reading.helpful, strict=True):
                likely[text] = max(likely[text], helpful)
        return log_odds([likely[text] for text in shown]).reshape(-1, 1)

    def ranked(self, pool: Pool, odds: "NDArray[np.float64]") -> list[str]:
        """By the odds, the judge's probability and the place in the search."""
        judged = log_odds([judgement.relevant for judgement in pool.judged[: len(odds)]])
        return pool.ranked(odds + log_worth(judged) + pool.places()[: len(odds)])


def log_worth(odds: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The logarithm of the worth of pages that help with these odds: one that seems worthless keeps a tenth."""
    import numpy as np

    worth: NDArray[np.float64] = np.log(DOUBT + (1 - DOUBT) / (1 + np.exp(-odds)))
    return worth


def fit(features: "NDArray[np.float64]", gold: "NDArray[np.bool_]", usual: Sequence[float]) -> "NDArray[np.float64]":
    """The likeliest weights and bias, given that the usual weights were expected.

    Examples:
        >>> import numpy as np
        >>> from multihop.training.adapting.verdict_maps import fit
        >>> said = np.array([[2.0], [1.5], [1.0], [0.5]] * 50)
        >>> fit(said, said[:, 0] > 1.2, usual=[1.0]).round(1)
        array([ 2.1, -2.6])
    """
    import numpy as np

    columns = np.column_stack([features, np.ones(len(features))])
    held, around = np.diag([*[HELD] * len(usual), 1e-3]), np.array([*usual, 0.0])
    weights = around.copy()
    for _ in range(_ROUNDS):
        likely = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        bend = (columns * (likely * (1 - likely))[:, None]).T @ columns + held
        step = np.linalg.solve(bend, columns.T @ (gold - likely) - held @ (weights - around))
        weights = weights + np.clip(step, -1, 1)
        if abs(step).max() < 1e-8:
            break
    return weights
