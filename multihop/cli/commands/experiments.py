"""`multihop experiments`: the papers' tables that can be run here, and what each takes."""

from ..options.single import AsJSON


def experiments_command(name: str | None = None, /, *, json: AsJSON = False) -> None:
    """List the papers' tables that can be run here, or show one.

    For example:

        multihop experiments
        multihop experiments tor-table-2

    Parameters
    ----------
    name
        An experiment's name, or a TOML file of your own.
    """
    from dataclasses import asdict

    from ...base.terminal import Terminal
    from ...experiments import experiment_names, open_experiment
    from ..showing.output import print_json
    from ..showing.studying import experiments_in_short, show_experiment, show_experiments

    if name is None:
        experiments = [open_experiment(each) for each in experiment_names()]
        if json:
            print_json(experiments_in_short(experiments))
        else:
            show_experiments(experiments, Terminal())
    elif json:
        print_json(asdict(open_experiment(name)))
    else:
        show_experiment(open_experiment(name), Terminal())
