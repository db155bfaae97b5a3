"""`multihop plot`: pictures for papers, from run folders."""

from pathlib import Path
from typing import Literal

from ..options.single import AsJSON


def plot_command(
    *runs: Path,
    of: str = "frontier",
    to: Path | None = None,
    metric: str | None = None,
    cost: Literal["calls", "tokens"] = "calls",
    json: AsJSON = False,
) -> None:
    """Draw runs: quality over cost, a score by a setting, or the curve of a study.

    Every mark has its 95 % interval. It takes the extra [plot].

    For example:

        multihop plot runs/tor runs/resp runs/one-step
        multihop plot runs/tor runs/resp runs/one-step --cost tokens --to frontier.pdf
        multihop plot runs/k1 runs/k5 runs/k20 --of k --metric recall@5 --to k.svg
        multihop plot runs/efficientrag-figure-2 --of curve --to recall.svg

    Parameters
    ----------
    runs
        The runs' folders; one that holds repeats, or a compile's variants, stands for all of these.
    of
        "frontier", quality over cost, joined along the runs that none beats in both; or a setting that differs between
        the runs, such as k or depth: runs that differ in nothing else are one line. "curve" is that of a study, such as
        F1 over tokens: give the folder of `multihop reproduce` alone.
    to
        The picture: FILE.svg, FILE.png or FILE.pdf; by default OF.svg. A curve over several question sets is one for
        each, FILE-SET.svg.
    metric
        The score; by default F1, or what else the runs share.
    cost
        What the frontier counts.
    json
        Print the figures as JSON instead; with --to, draw as well.
    """
    from ...base import InputError
    from ...view.plots import plot_runs, plot_study, write_plot
    from ..showing.output import print_json, tell_written

    if not runs:
        raise InputError("give the folders of runs, such as: multihop plot runs/first runs/second")
    file = to or Path(f"{of}.svg")
    if of != "curve":
        plots = {file: plot_runs(runs, of, metric=metric or "", cost=cost)}
    elif len(runs) != 1:
        raise InputError(f"a curve is drawn of one study, the folder of `multihop reproduce`, not of {len(runs)}.")
    else:
        curves = plot_study(runs[0])
        plots = {file.with_stem(f"{file.stem}-{name}") if len(curves) > 1 else file: curves[name] for name in curves}
    paths = [] if json and to is None else [write_plot(plot, path) for path, plot in plots.items()]
    if json:
        print_json([point._asdict() for plot in plots.values() for point in plot.points])
    else:
        tell_written(paths, json=False)
