"""`multihop plot`: pictures for papers, from run folders."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..options.single import AsJSON


def plot_command(
    *runs: str,
    of: str = "frontier",
    to: Path | None = None,
    metric: str | None = None,
    cost: Literal["calls", "tokens"] = "calls",
    different_data: Annotated[bool, Parameter(negative=())] = False,
    json: AsJSON = False,
) -> None:
    """Draw runs: quality over cost, or a score by a setting.

    Every mark has its 95 % interval; series are told apart by signs and strokes, so that it can be printed in black and
    white.

    For example:

        multihop plot runs/tor runs/resp runs/one-step
        multihop plot runs/tor runs/resp runs/one-step --cost tokens --to frontier.pdf
        multihop plot runs/k1 runs/k5 runs/k20 --of k --metric recall@5 --to k.svg
        multihop plot runs/efficientrag-figure-2 --of curve --to recall.svg
        multihop plot "MuSiQue=runs/musique-5" "MuSiQue=runs/musique-20" --of iterations --to iterations.svg

    Parameters
    ----------
    runs
        The runs' folders; as NAME=FOLDER under another name. A folder of `--repeats` is one run; a compiled program's
        file stands for its variants on the dev split.
    of
        "frontier", quality over cost; a setting, such as k, depth or iterations; or shots, the demonstrations shown.
        Runs that differ in nothing else are one line, and so are those with one NAME. "curve" is that of a study, such
        as F1 over tokens: give the folder of `multihop reproduce` alone.
    to
        The picture: FILE.svg, or, with the extra [plot], FILE.png or FILE.pdf; by default OF.svg. A curve over several
        question sets is one for each, FILE-SET.svg.
    metric
        The score; exact match by default.
    cost
        What the frontier counts.
    different_data
        Draw runs that were made on different question sets together; names that tell them apart do as well.
    json
        Print the figures as JSON instead; with --to, draw as well.
    """
    from ...base import InputError
    from ...view.plots import write_plot
    from ...view.plots.curve import CURVE, plot_study
    from ...view.plots.plotting import plot_runs
    from ..showing.output import print_json, tell_written

    file = to or Path(f"{of}.svg")
    if of == CURVE:
        if len(runs) != 1:
            raise InputError(f"a curve is drawn of one study, the folder of `multihop reproduce`, not of {len(runs)}.")
        curves = plot_study(runs[0])
        several = len(curves) > 1
        drawn = {file.with_stem(f"{file.stem}-{name}") if several else file: each for name, each in curves.items()}
    else:
        drawn = {file: plot_runs(runs, of, metric=metric, cost=cost, different_data=different_data)}
    paths = [] if json and to is None else [write_plot(each.plot, path) for path, each in drawn.items()]
    if json:
        print_json([value for each in drawn.values() for value in each.values])
    else:
        tell_written(paths, json=False)
