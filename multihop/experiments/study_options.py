"""The options of a study."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import dspy

from ..evaluation.progress import Progress
from ..runtime import Scope
from .asking import Sources
from .opening import StudyLM


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """The options for the runs of a study."""

    lm: StudyLM | None = None
    """The LM that answers all rows; None where all are given by name."""
    lms: Mapping[str, StudyLM] = field(default_factory=dict)
    """LMs by the experiment's names for them: those behind its columns and rows, and those of single steps."""
    judge: dspy.LM | None = None
    """The LM that judges answers; nothing is judged without one."""
    search: str | None = None
    """The retriever's name; by default BM25, or the one that made the index."""
    train: Sources = field(default_factory=dict)
    """Training questions, from which demonstrations are made; without them, none are shown."""
    weights: Mapping[str, str] = field(default_factory=dict)
    """Folders of weights by the short name of the set that they are trained on, for rows that take such."""
    budget_calls: int | None = None
    """LM calls a question at most."""
    concurrency: int = 32
    """Questions in flight at once."""
    repeats: int | None = None
    """The number of times every row is asked, each with another seed; as the experiment says by default."""
    seed: int = 0
    """Another seed draws anew; that of the first time where a row is asked several times."""
    cache: Scope | None = None
    """The kept answers that are used."""
    shows: Callable[[str, int], Progress] | None = None
    """Makes the display of a run's progress, from its name and its number of questions; none by default."""
