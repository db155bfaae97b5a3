"""`multihop export`: a run's rankings for the tools that read TREC's formats."""

from pathlib import Path

from ..options.single import AsJSON


def export_command(run: Path, /, *, to: Path, json: AsJSON = False) -> None:
    """Write a run's rankings as TREC's tools read them.

    `run.trec` has the passages of each question, best first, and `qrels.trec` its gold passages.

    For example:

        multihop export runs/dev --to results

    Parameters
    ----------
    run
        The run's folder.
    to
        The folder to write to.
    """
    from ...evaluation import write_trec
    from ..showing.output import tell_written

    tell_written(write_trec(run, to), json=json)
