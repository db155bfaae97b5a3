"""The LMs of a study: which of them answers in which columns of the published table."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import dspy

from ..base import InputError, unknown
from ..lms.lm_by_name import split_address
from .aliases import is_published_lm
from .experiment import Experiment, TableRow
from .opening import LOCAL, StudyLM
from .planning import PlannedRun


@dataclass(frozen=True, slots=True)
class Answering:
    """The LMs of a study by what they answer for, as `answering` finds it."""

    experiment: Experiment
    """The experiment."""
    by_name: Mapping[str, StudyLM]
    """The LM for each of the experiment's names that has one: of columns, of rows, and of steps."""
    beside: StudyLM | None
    """An LM that is none of the published ones: it answers rows with figures of others, and is shown beside those."""

    def lm_for(self, planned: PlannedRun) -> StudyLM | None:
        """The LM that a run is asked with; None where it is not asked."""
        if planned.lm is not None:
            return self.by_name.get(planned.lm)
        return None if all(name in self.by_name for name in self.experiment.lms_behind(planned.row)) else self.beside

    def check(self, plan: Iterable[PlannedRun], rows: Collection[str]) -> None:
        """Refuse LMs that leave a row that was named, or all of them, without one.

        Args:
            plan: All runs, those beside the table as well.
            rows: The rows that were named; none where all are meant.

        Raises:
            InputError: They do; the message says which LMs could be given.
        """
        answered = {planned.row.name for planned in plan if self.lm_for(planned) is not None}
        for name in rows:
            if name not in answered:
                found = [row for row in self.experiment.rows if row.name == name]
                raise InputError(f"no LM is given for row '{name}'; {self._alternatives(found)}.")
        if not answered:
            raise InputError(
                f"no LM is given for any row of {self.experiment.name}; {self._alternatives(self.experiment.rows)}."
            )

    def _alternatives(self, rows: Iterable[TableRow]) -> str:
        names = dict.fromkeys(lm for row in rows for lm in self.experiment.lms_behind(row) if lm is not None)
        by_name = f", or one by name: {', '.join(names)}" if names else ""
        return f"give one for all rows{by_name}"


def answering(experiment: Experiment, lm: StudyLM | None, lms: Mapping[str, StudyLM]) -> Answering:
    """The LMs of a study, from the one that is given for all rows and those that are given by name.

    An LM for all rows fills the columns that are its own, under whichever of its names; where it is none of the
    published ones, it stands for the LM of the table if that is one, and else is shown beside the columns, unless all
    of a row's have an LM by name.

    Args:
        experiment: The experiment.
        lm: The LM for all rows; None where all are given by name.
        lms: LMs by the experiment's names for them.

    Raises:
        InputError: The experiment has no LM of a name, or the LM for all rows has none to answer.

    Examples:
        >>> from multihop.experiments import open_experiment
        >>> from multihop.experiments.answering import answering
        >>> table = open_experiment("tor-table-1")
        >>> answering(table, "openai/gpt-4-1106-preview", {}).by_name["GPT-4-Turbo"]
        'openai/gpt-4-1106-preview'
        >>> answering(table, "openai/gpt-5", {}).beside
        'openai/gpt-5'
    """
    for name in lms:
        if name not in experiment.lm_names:
            raise unknown(f"LM of {experiment.name}", name, experiment.lm_names)
    found: dict[str, StudyLM] = {LOCAL: LOCAL, **lms}
    if lm is None:
        return Answering(experiment, found, None)
    own = [name for name in experiment.lm_names if name not in lms and is_published_lm(name, name_of(lm))]
    found |= dict.fromkeys(own, lm)
    is_published = any(name in experiment.published_lms for name in own)
    if not is_published and experiment.main_lm is not None and experiment.main_lm not in lms:
        found[experiment.main_lm] = lm
        own.append(experiment.main_lm)
    if not own and all(name in found for row in experiment.rows for name in experiment.lms_behind(row)):
        raise InputError(f"{name_of(lm)} has no row of {experiment.name} to answer: LMs are given for all by name.")
    is_unknown = any(None in experiment.lms_behind(row) for row in experiment.rows)
    return Answering(experiment, found, lm if is_unknown or not is_published else None)


def name_of(lm: StudyLM) -> str:
    """The name of an LM that may not be open yet; that of a function is its own."""
    if isinstance(lm, str):
        return split_address(lm)[0]
    return str(lm.model) if isinstance(lm, dspy.BaseLM) else str(getattr(lm, "model", getattr(lm, "__name__", "")))
