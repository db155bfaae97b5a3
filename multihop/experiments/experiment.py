"""What an experiment is: a table of a paper, or of one's own, as rows to run and figures to set beside them."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..data import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """A question set that an experiment asks."""

    name: str
    """Its short name in the file, such as "hotpotqa"."""
    title: str
    """Its name in the table."""
    questions: str
    """Where its questions are, as `open_questions` takes it."""
    corpus: str | None = None
    """Where its passages are, as `open_corpus` takes it; None for the questions' own paragraphs."""
    rules: str = "hotpotqa"
    """Whose official rules score the answers."""
    limit: int | None = None
    """Only the first so many of the questions that are asked; None for all."""
    offset: int = 0
    """So many questions from the first on are passed over."""
    sample: int | None = None
    """So many of the others are drawn by their ids; None for all."""
    sample_seed: int = 0
    """The seed they are drawn with."""
    titles: bool = True
    """Whether passages are found by the words of their titles as well."""
    size: int | None = None
    """How many questions the set has, so that a study can be priced before it is opened."""

    @property
    def asked(self) -> int | None:
        """How many questions are asked, where that is known unopened."""
        if self.size is not None:
            return self.selection.count(self.size, self.limit)
        return min((number for number in (self.sample, self.limit) if number is not None), default=None)

    @property
    def selection(self) -> Selection:
        """Which of its questions are asked, before the limit."""
        return Selection(self.offset, self.sample, self.sample_seed)


class Measure(NamedTuple):
    """One figure of a run."""

    metric: str
    """What is measured; `figures` says what there is."""
    hops: int | None = None
    """Only over questions of so many hops; None for all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of the published table."""

    set: str
    """The question set's short name."""
    metric: str
    """What is measured."""
    hops: int | None = None
    """Only over questions of so many hops; None for all."""
    lm: str | None = None
    """The LM behind the published figures, where it is not the experiment's or the row's."""
    title: str = ""
    """What the table calls it, where that is not the measure's own name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of the published table: a program, how it is set, and the figures."""

    name: str
    """What the table calls it."""
    program: str
    """The program, as `multihop evaluate` takes it."""
    settings: dict[str, Any] = field(default_factory=dict)
    """The program's settings."""
    settings_on: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Further settings on one question set, by its short name."""
    step_lms: dict[str, str] = field(default_factory=dict)
    """For each step that has an LM of its own, what that LM is called here."""
    limit: int | None = None
    """Only the first so many questions of each set, where the row takes longer than the others."""
    repeats: int | None = None
    """How often the row is asked, each time with another seed; None where the experiment says it for all rows."""
    shots: int | None = None
    """Demonstrations that the paper shows a step; None where the experiment says it for all rows."""
    search: str | None = None
    """The retriever that searches in this row, by name, where rows differ in that; "gold" finds the gold passages and
    nothing else, "mixed" all of them among what the study's retriever finds."""
    lm: str | None = None
    """The LM behind this row's published figures, where it is not the experiment's."""
    metrics: dict[str, str] = field(default_factory=dict)
    """What is measured here in place of a column's metric, by that metric."""
    published: tuple[float | None, ...] = ()
    """The published figures, one for each column; None where there is none."""
    note: str = ""
    """What else the table says of the row."""
    differs: str = ""
    """How the row differs from the paper's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table or a figure, as it was published and as it is run here."""

    name: str
    """Its name on the command line."""
    title: str
    """What it shows, in a line."""
    paper: str
    """The paper, or whose table it is."""
    place: str
    """Which table or figure of it."""
    sets: dict[str, QuestionSet]
    """The question sets by their short names."""
    columns: tuple[TableColumn, ...]
    """The table's columns."""
    rows: tuple[TableRow, ...]
    """The table's rows."""
    lm: str | None = None
    """The LM behind the published figures."""
    retriever: str | None = None
    """The retriever behind the published figures."""
    corpus: str | None = None
    """The corpus behind the published figures, in words."""
    questions: str | None = None
    """Which questions the paper asks, in words."""
    decoding: dict[str, Any] = field(default_factory=dict)
    """How LMs decode, as parameters of `dspy.LM`."""
    shots: int = 0
    """Demonstrations that the paper shows a step."""
    runs: int = 1
    """Over how many runs the paper takes its means; every row is asked as often, each time with another seed."""
    judge: str | None = None
    """The LM that judges answers behind the published figures, where one does."""
    differs: tuple[str, ...] = ()
    """How what is run here differs from what the paper describes."""

    def row(self, name: str) -> TableRow | None:
        """The row of that name."""
        return next((row for row in self.rows if row.name == name), None)

    def lm_behind(self, row: TableRow, column: TableColumn) -> str | None:
        """The LM behind a published figure."""
        return row.lm or column.lm or self.lm

    def repeats(self, row: TableRow) -> int:
        """How often a row is asked."""
        return self.runs if row.repeats is None else row.repeats

    def measure(self, row: TableRow, column: TableColumn) -> Measure:
        """What is measured here for a cell."""
        return Measure(row.metrics.get(column.metric, column.metric), column.hops)

    def settings(self, row: TableRow, question_set: str) -> dict[str, Any]:
        """A row's settings on one question set."""
        return {**row.settings, **row.settings_on.get(question_set, {})}
