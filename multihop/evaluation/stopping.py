"""The end of a run that should not go on: all fails in the same way, or the money is spent."""

import os
import re
from collections.abc import Iterable

from ..base import RunFailed
from ..runtime import RunBudget, show_usd
from .row import Failure, Row, cause_of

FIRST_FAILURES = 10
"""So many equal failures, before anything of this call went well, end a run."""
FAILURES_IN_A_ROW = 20
"""So many equal failures, one after the other, end a run anywhere."""
LAST_FAILURES = 3
"""So many equal failures, after which nothing went well any more, are no result."""


class Streak:
    """Equal failures, one after the other."""

    def __init__(self, several: str) -> None:
        self.several = several
        self.last: Failure | None = None
        self.count, self._kind, self._before = 0, "", False

    def after(self, failure: Failure | None) -> str | None:
        """Say how often it failed in the same way, once that is too often; None is a question that did not fail."""
        kind = "" if failure is None else f"{failure['type']} {kind_of_error(failure['message'])}"
        if kind != self._kind:
            self._before |= self._kind != ""
            self._kind, self.count = kind, 0
        if failure is None:
            self._before = True
            return None
        self.last = failure
        self.count += 1
        if not self._before and self.count >= FIRST_FAILURES:
            return f"The first {self.count} {self.several} all failed in this way"
        if self.count >= FAILURES_IN_A_ROW:
            return f"{self.count} {self.several}, one after the other, failed in this way"
        return None

    @property
    def ending(self) -> tuple[str, str] | None:
        """The cause, and how often it failed in this way up to the end; None if that is no reason to speak of it."""
        if self.last is None or self.count < LAST_FAILURES or self.last["type"] == "TimeoutError":
            return None  # those that take too long are the last ones anyway
        return cause_of(self.last), f"The last {self.count} {self.several} all failed in this way"


class Stopping:
    """Watches the rows of one call as they come in: questions that fail, and metrics that fail on answers."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = folder
        self.streaks = {"": Streak("questions")}
        """The streaks of failures: of the questions under the empty name, of each metric under its own."""

    def after(self, row: Row) -> RunFailed | None:
        """The error to stop with after this row; None to go on."""
        failed, stop = row.get("unmeasured", {}), None
        outcomes = {"": row.get("error")}
        for name, number in row["metrics"].items():
            if number is not None or name in failed:  # else it does not apply
                outcomes[name] = failed.get(name)
        for name, failure in outcomes.items():
            streak = self.streaks.setdefault(name, Streak(f"answers that {name} was to measure"))
            how_often = streak.after(failure)
            if how_often is not None and failure is not None and stop is None:
                cause = f"{name} has no number: {cause_of(failure)}" if name else cause_of(failure)
                stop = self._failure(cause, how_often)
        return stop

    def _failure(self, cause: str, how_often: str) -> RunFailed:
        place = _place(self.folder)
        go_on = "give it a folder to be able to go on" if self.folder is None else "the same command goes on with it"
        return RunFailed(f"{as_sentence(cause)} {how_often}; the run{place} was stopped, {go_on}.")


def check_ending(rows: Iterable[Row], folder: str | os.PathLike[str]) -> None:
    """Refuse to call a run finished whose last few questions failed alike: the server was gone before its end."""
    watched = Stopping(folder)
    for row in rows:
        watched.after(row)
    for streak in watched.streaks.values():
        if (ending := streak.ending) is not None:
            cause, how_often = ending
            raise RunFailed(f"{as_sentence(cause)} {how_often}; the same command asks them again for {folder}.")


def budget_spent(budget: RunBudget, folder: str | os.PathLike[str] | None) -> RunFailed:
    """The error of a run that has no money for another question."""
    return RunFailed(
        f"the budget of {show_usd(budget.usd)} is spent: {show_usd(budget.paid)} are paid; what was in flight is "
        f"finished and the run{_place(folder)} was stopped, the same command with a higher budget goes on with it."
    )


def as_sentence(cause: str) -> str:
    """The cause with a full stop."""
    return cause if cause.endswith((".", "!", "?")) else f"{cause}."


def _place(folder: str | os.PathLike[str] | None) -> str:
    return "" if folder is None else f" in {folder}"


def kind_of_error(message: str) -> str:
    """A message without what differs from call to call: numbers, ids, and what is in quotes."""
    message = re.sub(r"\"[^\"]*\"|'[^']*'", "…", message[:1000])
    return re.sub(r"\S*\d\S*", "#", message)
