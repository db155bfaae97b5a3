"""An experiment: a table of a paper, or another one, as rows to run and figures to set beside them."""

from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, ConfigDict, Field, PositiveInt, with_config

from ..data import Selection

MEAN = "mean"
"""In the place of a column's question set: the mean of its measure over all sets."""
NONE = "–"
"""The mark in a file for a figure that the paper does not give."""
Published = Annotated[float | None, BeforeValidator(lambda figure: None if figure == NONE else figure)]
AS_WRITTEN = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""A file has no other keys than these, and no value of another type."""

OWN = "own"
"""The training set of a row's weights where that is each set that is asked."""


@with_config(AS_WRITTEN)
@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """A question set that an experiment asks."""

    name: str
    """The short name in the file, such as "hotpotqa"."""
    title: str
    questions: str
    """The source of its questions, as `open_questions` takes it."""
    corpus: str | None = None
    """The source of its passages, as `open_corpus` takes it; None for the questions' own paragraphs."""
    train: str | None = None
    """The source of its training questions, for rows that learn; None where they are given with --train alone."""
    over: str | None = None
    """The set whose corpus it is asked of, as `multihop data get` names it: any other is refused, and the share of
    questions whose gold is not in it stands beside every figure. None where any corpus will do."""
    rules: str = "hotpotqa"
    limit: PositiveInt | None = None
    """The number of selected questions that are asked, from the first; None for all."""
    offset: int = 0
    """The number of first questions that are passed over."""
    sample: int | None = None
    """The number of the others that are drawn, by their ids; None for all."""
    sample_seed: int = 0
    skip_bad: int = 0
    """The number of its questions that may be unusable, such as repeated ones, and are left out."""
    asking: tuple[str, ...] = ()
    """The questions that are asked, word for word, for cases that a paper shows; empty for all that are selected."""
    titles: bool = True
    """True if passages are found by the words of their titles as well."""
    size: PositiveInt | None = None
    """The number of questions in the set, so that a study can be priced before it is opened."""

    @property
    def asked(self) -> int | None:
        """The number of questions asked, if that is known before the set is opened; else None."""
        if self.asking:
            return self.selection.count(len(self.asking), self.limit)
        if self.size is not None:
            return self.selection.count(self.size, self.limit)
        return min((number for number in (self.sample, self.limit) if number is not None), default=None)

    @property
    def selection(self) -> Selection:
        """The selection of questions that are asked, before the limit."""
        return Selection(self.offset, self.sample, self.sample_seed)


class Measure(NamedTuple):
    """One figure of a run."""

    metric: str
    """The name of the measure; `figures` lists them."""
    hops: int | None = None


@with_config(AS_WRITTEN)
@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of the published table."""

    set: str
    """The question set by its short name, or "mean" for the mean over all sets."""
    metric: str
    hops: int | None = None
    lm: str | None = None
    """The LM behind the published figures, where it is not the experiment's or the row's."""
    title: str = ""


@with_config(AS_WRITTEN)
@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of the published table: a program, how it is set, and the figures."""

    name: str
    program: str = ""
    """The program, as `multihop evaluate` takes it; empty for published figures alone, of what nothing here runs."""
    settings: dict[str, Any] = field(default_factory=dict)
    settings_on: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Further settings on one question set, by its short name."""
    step_lms: dict[str, str] = field(default_factory=dict)
    """For each step that has an LM of its own, the experiment's name for that LM."""
    cloned: tuple[str, ...] = ()
    """The steps of these whose LM is fine-tuned on decisions of the program; they are shown no demonstrations, since
    they were shown none when they were trained."""
    limit: PositiveInt | None = None
    """The number of each set's questions that are asked, from the first; for a row that takes longer than others."""
    repeats: PositiveInt | None = None
    """The number of times the row is asked, each with another seed; None if the experiment gives it for all rows."""
    shots: int | None = None
    """Demonstrations that the paper shows a step; None where the experiment says it for all rows."""
    compile: str | None = None
    """The variant by which the row's program is compiled on training questions, as `multihop compile` names it; None
    for the program as it is."""
    by_steps: bool = False
    """True if each step is compiled alone, on what gold says it should answer, as by `multihop compile --steps`."""
    training: PositiveInt | None = None
    """The number of training questions of a row that learns, where it is not the experiment's."""
    weights: str | None = None
    """The question set, by its short name, on which the networks in the row's setting `weights` are trained, "own" for
    the one that is asked; a study is given their folders. None where there is no such setting."""
    search: str | None = None
    """The retriever that searches in this row, by name, where rows differ in that; "gold" finds the gold passages and
    nothing else, "mixed" all of them among what the study's retriever finds."""
    lm: str | None = None
    metrics: dict[str, str] = field(default_factory=dict)
    """Measures taken here in place of a column's, by the column's."""
    published: tuple[Published, ...] = ()
    """The published figures, one for each column; None where there is none."""
    against: tuple[str, ...] = ()
    """The rows that it is tested against, question by question."""
    note: str = ""
    differs: str = ""


@with_config(AS_WRITTEN)
@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A table or a figure, as it was published and as it is run here."""

    name: str
    title: str = ""
    """The subject of the table, in a line."""
    paper: str = ""
    """The paper, or whose table it is."""
    place: str = ""
    """The table or figure of the paper."""
    sets: Annotated[dict[str, QuestionSet], Field(min_length=1)]
    """The question sets by their short names."""
    columns: Annotated[tuple[TableColumn, ...], Field(min_length=1)]
    rows: Annotated[tuple[TableRow, ...], Field(min_length=1)]
    preset: str | None = None
    """The preset whose values the rows have, under their own; None where the rows say all."""
    varies: tuple[str, ...] = ()
    """The settings that the table itself varies, and "shots": a row that sets them is as in the paper."""
    lm: str | None = None
    retriever: str | None = None
    corpus: str | None = None
    questions: str | None = None
    decoding: dict[str, Any] = field(default_factory=dict)
    """The decoding of LMs, as parameters of `dspy.LM`."""
    shots: int = 0
    training: int = 60
    """Training questions that demonstrations are made from, and that rows are compiled on; the first of each set."""
    runs: int = 1
    """The number of runs behind the paper's means; every row is asked as often, each time with another seed."""
    judge: str | None = None
    """The LM that judges answers behind the published figures, where one does."""
    curve: tuple[str, ...] = ()
    """The two measures of the curves that the rows make, the one below first; empty for none. Rows whose names are the
    same up to a comma are points of one curve."""
    differs: tuple[str, ...] = ()
    """The differences between what is run here and what the paper describes."""

    def row(self, name: str) -> TableRow | None:
        """The row of that name."""
        return next((row for row in self.rows if row.name == name), None)

    def lm_behind(self, row: TableRow, column: TableColumn) -> str | None:
        """The LM behind a published figure."""
        return row.lm or column.lm or self.lm

    def lms_behind(self, row: TableRow) -> list[str | None]:
        """The LMs behind a row's published figures, each once; None for figures of which it is not known."""
        return list(dict.fromkeys(self.lm_behind(row, column) for column in self.columns))

    @property
    def published_lms(self) -> list[str]:
        """The LMs behind all published figures, each once."""
        return list(
            dict.fromkeys(lm for row in self.rows if row.program for lm in self.lms_behind(row) if lm is not None)
        )

    @property
    def lm_names(self) -> list[str]:
        """The names under which an LM can be given: those behind figures, and those of single steps."""
        steps = (lm for row in self.rows for lm in row.step_lms.values())
        return list(dict.fromkeys([*self.published_lms, *steps]))

    @property
    def main_lm(self) -> str | None:
        """The LM behind the table: its own, or the only one behind its columns; None where these differ."""
        behind = {column.lm or self.lm for column in self.columns}
        return behind.pop() if len(behind) == 1 else self.lm

    def repeats(self, row: TableRow) -> int:
        """The number of times a row is asked."""
        return self.runs if row.repeats is None else row.repeats

    def shots_of(self, row: TableRow) -> int:
        """The demonstrations that the paper shows a step in a row."""
        return self.shots if row.shots is None else row.shots

    def measure(self, row: TableRow, column: TableColumn) -> Measure:
        """The measure taken here for a cell."""
        return Measure(row.metrics.get(column.metric, column.metric), column.hops)

    def settings(self, row: TableRow, question_set: str) -> dict[str, Any]:
        """A row's settings on one question set."""
        return {**row.settings, **row.settings_on.get(question_set, {})}
