"""`multihop experiments`: the papers' tables that can be run here, and what each takes."""


def experiments_command(name: str | None = None, /) -> None:
    """List the papers' tables that can be run here, or show one: rows, settings, published figures, differences.

    For example:

        multihop experiments
        multihop experiments tor-table-2

    Parameters
    ----------
    name
        An experiment's name, or a TOML file of your own.
    """
    from rich.console import Console

    from ..experiments import experiment_names, open_experiment
    from ..terminal.studying import show_experiment, show_experiments

    if name is None:
        show_experiments([open_experiment(each) for each in experiment_names()], Console())
    else:
        show_experiment(open_experiment(name), Console())
