"""The LMs of a study, and the names of what papers name: which LM answers in which columns of the published table."""

import functools
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import dspy

from ..base import InputError, check_known
from ..data import Question
from ..lms.lm_by_name import split_address
from ..retrieval import Passage
from .experiment import Experiment, TableRow
from .plan import PlannedRun

LMMaker: TypeAlias = Callable[[Iterable[Question], Iterable[Passage]], dspy.LM]
"""Makes the LM for one question set; it is given the set's questions and passages."""
StudyLM: TypeAlias = dspy.LM | str | LMMaker
"""An LM, its name, or a function that makes one for each question set."""
LOCAL = "local"
"""The LM that an experiment may name and that need not be given."""


@dataclass(frozen=True, slots=True)
class StudyLMs:
    """The LMs of a study by what they answer for."""

    experiment: Experiment
    by_name: Mapping[str, StudyLM]
    """The LM for each of the experiment's names that has one: of columns, of rows, and of steps."""
    beside: StudyLM | None
    """An LM that is none of the published ones: it answers rows with figures of others, and is shown beside those."""

    @classmethod
    def given(cls, experiment: Experiment, lm: StudyLM | None, lms: Mapping[str, StudyLM]) -> "StudyLMs":
        """The LMs of a study, from the one for all rows, if there is one, and those by the experiment's names.

        An LM for all rows fills the columns that are its own, under any of its names. Where it is none of the published
        ones, it stands for the LM of the table if that is one, and else is shown beside the columns, unless all of a
        row's have an LM by name.
        """
        for name in lms:
            check_known(f"LM of {experiment.name}", name, experiment.lm_names)
        found: dict[str, StudyLM] = {LOCAL: LOCAL, **lms}
        if lm is None:
            return cls(experiment, found, None)
        own = [name for name in experiment.lm_names if name not in lms and is_published_lm(name, _name_of(lm))]
        found |= dict.fromkeys(own, lm)
        is_published = any(name in experiment.published_lms for name in own)
        if not is_published and experiment.main_lm is not None and experiment.main_lm not in lms:
            found[experiment.main_lm] = lm
            own.append(experiment.main_lm)
        if not own and all(name in found for row in experiment.rows for name in experiment.lms_behind(row)):
            raise InputError(
                f"{_name_of(lm)} has no row of {experiment.name} to answer: LMs are given for all by name."
            )
        is_unknown = any(None in experiment.lms_behind(row) for row in experiment.rows)
        return cls(experiment, found, lm if is_unknown or not is_published else None)

    def lm_for(self, planned: PlannedRun) -> StudyLM | None:
        """The LM that a run is asked with; None where it is not asked."""
        if planned.lm is not None:
            return self.by_name.get(planned.lm)
        return None if all(name in self.by_name for name in self.experiment.lms_behind(planned.row)) else self.beside

    def check(self, plan: Iterable[PlannedRun], rows: Collection[str]) -> None:
        """Refuse LMs that leave a row that was named, or all of them where none was named, without one."""
        answered = {planned.row.name for planned in plan if self.lm_for(planned) is not None}
        for name in rows:
            if name not in answered:
                raise InputError(f"no LM is given for row '{name}'; {self._alternatives([self.experiment.row(name)])}.")
        if not answered:
            raise InputError(
                f"no LM is given for any row of {self.experiment.name}; {self._alternatives(self.experiment.rows)}."
            )

    def _alternatives(self, rows: Iterable[TableRow | None]) -> str:
        names = {lm: None for row in rows if row is not None for lm in self.experiment.lms_behind(row) if lm}
        by_name = f", or one by name: {', '.join(names)}" if names else ""
        return f"give one for all rows{by_name}"


def _name_of(lm: StudyLM) -> str:
    """The name of an LM that may not be open yet; that of a function is its own."""
    if isinstance(lm, str):
        return split_address(lm)[0]
    return str(lm.model) if isinstance(lm, dspy.BaseLM) else str(getattr(lm, "model", getattr(lm, "__name__", "")))


def is_published_lm(published: str, model: str) -> bool:
    """True if the model, by the name it is asked under, is the published one under any of its names."""
    name = split_address(model)[0].removeprefix("multihop/").partition("@")[0]
    return _plain(name) in map(_plain, _aliases("lms").get(_plain(published), (published,)))


def is_published_retriever(published: str, name: str) -> bool:
    """True if the retriever is the published one: a dense one by its encoder's folder or name on the hub."""
    return _plain(name) in map(_plain, _aliases("retrievers").get(_plain(published), (published,)))


def is_known_lm(name: str) -> bool:
    """True if the name is that of a model which some paper used, and not one that is made, such as a cloned planner."""
    return _plain(name) in _aliases("lms")


def is_published_corpus(published: str, source: str, question_set: str) -> bool:
    """True if the source is the published corpus of the question set, by its file's or its folder's name."""
    known = _aliases("corpora").get(_plain(published), ())
    names = known.get(question_set, ()) if isinstance(known, dict) else known
    here = {_plain(part.partition(".")[0]) for part in Path(source).parts[-2:]}
    return not here.isdisjoint(map(_plain, names))


def _plain(name: str) -> str:
    """The last part of the name, in lower case, letters and digits alone."""
    last = name.rstrip("/").rpartition("/")[2]
    return "".join(character for character in last.lower() if character.isalnum())


@functools.cache
def _aliases(kind: str) -> dict[str, Any]:
    """The other names of one kind of thing, by the plain form of the published one."""
    content = tomllib.loads(Path(__file__).with_name("aliases.toml").read_text(encoding="utf-8"))
    return {_plain(name): names for name, names in content[kind].items()}
