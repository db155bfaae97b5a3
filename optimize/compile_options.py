"""The options of a compile, and what it says of itself while it goes on."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import dspy

from ..data import Question
from ..evaluation.row import Row
from ..runtime import Scope
from .demonstrations import Demonstrations

LearnFrom = Literal["gold", "runs", "both"]


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
    """An estimate of the LM calls it will take; None where it is not known yet."""
    calls: Callable[[], int] = lambda: 0
    """LM calls that the stage has taken until now; answers from a cache are none."""


WatchStage = Callable[[Stage, Row | None, bool], None]
"""Called with a stage and None as it begins; then with every row it scores, and whether that is from an earlier run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """The options of a compile."""

    demos: Demonstrations | str | os.PathLike[str] | None = None
    """Demonstrations of your own, by step, or the JSON file that holds them, see `with_demonstrations`; with them, the
    variant `given` is one of the variants."""
    steps: bool = False
    """Compile each step alone on what gold says it should answer, instead of runs of the whole program."""
    rules: str = "hotpotqa"
    """The set whose official rules score the answers."""
    teacher: dspy.LM | None = None
    """The LM that makes demonstrations, where it is not the configured one."""
    writer: dspy.LM | None = None
    """The LM that writes instructions, where it is not the configured one."""
    validation: Sequence[Question] = ()
    """Questions by which optimizers choose that take such, apart from those that they learn from."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Arguments of DSPy's optimizers, by the name of the variant."""
    finetune: str | None = None
    """The model that the variant `finetuned` starts from, trained on this machine; without it the LM itself is trained
    at its host, where that does so."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of that training, see `finetune`."""
    learn_from: LearnFrom = "gold"
    """The source of the rows that it learns: "gold", what gold says is right at each step; "runs", the program's runs
    on the training questions that came out right, with the teacher's LM where one is given; "both"."""
    most_rows: int | None = None
    """Rows to learn at most, spread over the steps."""
    seeds: int = 1
    """Times that each variant is compiled, with a seed of its own, to see how much depends on the draw."""
    max_calls: int | None = None
    """LM calls at most, in all invocations of this compile; then the best of what is finished is saved."""
    corpus: str | None = None
    """The corpus that the retriever was opened from, for the saved program to open again."""
    concurrency: int = 32
    """Questions in flight at once."""
    seed: int = 0
    """Draws the demonstrations that are made from gold, and is that of the optimizers."""
    cache: Scope | None = None
    """The kept answers that are used, see `caching`."""
    tell: Callable[[str], None] = lambda line: None
    """Called with a line for every stage, and for every variant's score."""
    watch: WatchStage = lambda stage, row, earlier: None
    """Called with every `Stage` as it begins, and with every row that it scores; see `WatchStage`."""
