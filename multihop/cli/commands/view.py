"""`multihop view`: runs as one HTML page that opens from disk, or as a picture for a paper."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ... import view
from ...base import InputError
from ..data_options import FileOptions
from ..output import print_line, tell_result
from ..shared_options import AsJSON, Switch


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ViewOptions:
    """The options of `view`."""

    to: Path | None = None
    """The file; by default page.html in the folder, FILE.html beside a file, and for several comparison.html beside the
    first. FILE.svg, FILE.png or FILE.pdf is a picture; of a curve over several question sets there is one for each,
    FILE-SET.svg."""
    corpus: Annotated[str | None, Parameter(alias="-c")] = None
    """The corpus or index that was searched, for the texts of the passages; without it they are shown by title. The
    page of a study takes it where it shows searches, those that a paper shows."""
    files: FileOptions = FileOptions()
    different_data: Switch = False
    """Go on even if the runs were made on different question sets."""
    of: str = "frontier"
    """For a picture: "frontier", quality over cost, joined along the runs that none beats in both; or a setting that
    differs between the runs, such as k or depth: runs that differ in nothing else are one line. "curve" is that of a
    study, such as F1 over tokens: give the folder of `multihop reproduce` alone."""
    metric: str | None = None
    """For a picture: the score; by default F1, or what else the runs share."""
    cost: Literal["calls", "tokens"] = "calls"
    """For a picture: what the frontier counts."""
    open_: Annotated[bool, Parameter(name="--open", negative=())] = False
    """Open what was written in the browser."""
    json: AsJSON = False


def view_command(*runs: Path, options: ViewOptions = ViewOptions()) -> None:
    """Write runs, or a reproduced table, as one HTML page or as a picture.

    The page holds all it needs: it opens from disk, asks no network, and can be sent as it is. On a picture (extra
    [plot]) every mark has its 95 % interval.

    For example:

        multihop view runs/first
        multihop view runs/first --corpus little --open
        multihop view runs/first runs/second --to compared.html
        multihop view runs/tor runs/resp runs/one-step --cost tokens --to frontier.pdf
        multihop view runs/k1 runs/k5 runs/k20 --of k --metric recall@5 --to k.svg
        multihop view runs/efficientrag-figure-2 --of curve --to recall.svg

    Parameters
    ----------
    runs
        A run's folder, or several; the others are compared with the first. A folder of `--repeats` stands for its runs,
        a compiled program's file for its variants on the dev split; that of `multihop reproduce` is
        shown as its table.
    """
    from ...view.plots import FORMATS

    if not runs:
        raise InputError("give the folder of a run, such as: multihop view runs/first")
    first = runs[0]
    page = first.with_suffix(".html") if first.is_file() else first / "page.html"
    target = options.to or (page if len(runs) == 1 else first.parent / "comparison.html")
    corpus = options.corpus
    passages = None if corpus is None else lambda: options.files.passages(corpus)
    if target.suffix in FORMATS:
        written = _draw(runs, target, options)
    elif len(runs) == 1 and view.is_study(runs[0]):
        written = [view.write_study_page(runs[0], target, corpus=passages)]
    else:
        written = [view.write_run_page(runs, target, corpus=passages, different_data=options.different_data)]
    told = f"wrote {', '.join(map(str, written))}"
    tell_result(options.json, lambda: {"wrote": written}, lambda _: print_line(told))
    if options.open_:
        webbrowser.open(written[0].resolve().as_uri())


def _draw(runs: tuple[Path, ...], file: Path, options: ViewOptions) -> list[Path]:
    """The pictures that were written: one, or one for each question set of a curve."""
    from ...view.plots import plot_runs, plot_study, write_plot

    if options.of != "curve":
        return [write_plot(plot_runs(runs, options.of, metric=options.metric or "", cost=options.cost), file)]
    if len(runs) != 1:
        raise InputError(f"a curve is drawn of one study, the folder of `multihop reproduce`, not of {len(runs)}.")
    curves = plot_study(runs[0])
    names = {name: file.with_stem(f"{file.stem}-{name}") if len(curves) > 1 else file for name in curves}
    return [write_plot(curves[name], names[name]) for name in curves]
