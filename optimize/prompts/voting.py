"""An ensemble judged without a call: the recorded answers of several runs vote, question by question."""

from collections.abc import Mapping, Sequence

import dspy

from ...evaluation.journal.row import Row

FEWEST = 3
"""Voters that can come to a majority; of two that differ, the first would always win."""


def voted(runs: Sequence[Mapping[str, Row]], ids: Sequence[str]) -> list[Row]:
    """For each question, the row of the first run whose answer most runs give; runs that failed on it do not vote.

    It is the answer of `dspy.Ensemble(reduce_fn=dspy.majority)` over the programs, in the order of the runs.

    Args:
        runs: The rows of each run by the question's id.
        ids: The questions.

    Examples:
        >>> from multihop.optimize.prompts.voting import voted
        >>> runs = [{"q": {"status": "ok", "answer": answer}} for answer in ("Rome", "Paris", "paris")]
        >>> voted(runs, ["q"])
        [{'status': 'ok', 'answer': 'Paris'}]
    """
    return [_winner([run[each] for run in runs]) for each in ids]


def _winner(rows: Sequence[Row]) -> Row:
    voting = [row for row in rows if row["status"] != "error"]
    if not voting:
        return rows[0]
    answers = [dspy.Prediction(answer=str(row["answer"])) for row in voting]
    answer = dspy.majority(answers, field="answer").answer
    return next(row for row in voting if str(row["answer"]) == answer)
