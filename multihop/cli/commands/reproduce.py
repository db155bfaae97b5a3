"""`multihop experiments` and `multihop reproduce`: the papers' tables, and one of them run here."""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ... import experiments, runtime
from ..data_options import SelectionOptions
from ..lm_options import DEFAULT, LMOfStudy, LMOptions, LMs, split_lms, tell_same_answers
from ..process import heap_at_rest, importable_from_here, resumable
from ..shared_options import AsJSON, AskingOptions, AtMost, RetrieverName, Several, Switch, pick

Allowed = Annotated[
    Several, Parameter(help="A module of your own from which what the file names may be imported; may be repeated.")
]

if TYPE_CHECKING:
    from ...experiments import Experiment
    from ...experiments.study_table import StudyTable


def experiments_command(name: str | None = None, /, *, allow: Allowed = None, json: AsJSON = False) -> None:
    """List the papers' tables that can be run here, or show one.

    For example:

        multihop experiments
        multihop experiments tor-table-2

    Parameters
    ----------
    name
        An experiment's name, or a TOML file of your own.
    """
    from ..output import tell_result
    from ..show_experiments import experiments_in_short, show_experiment, show_experiments

    if name is None:
        listed = [experiments.open_experiment(each) for each in experiments.experiment_names()]
        tell_result(json, lambda: experiments_in_short(listed), partial(show_experiments, listed))
    else:
        importable_from_here(*(f"{module}:allowed" for module in allow or ()))
        experiment = experiments.open_experiment(name, allow=allow or ())
        tell_result(json, lambda: asdict(experiment), partial(show_experiment, experiment))


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(AskingOptions):
    """The options of `reproduce`."""

    out: Path | None = None
    """The study's folder: experiment.toml, table.md, table.json, and a run folder for each row; by default
    runs/NAME."""
    lm: Several = None
    """The LM of all rows, as `evaluate` takes it ("local" by default), or, as NAME=LM, under one of the experiment's
    names: in the columns or rows of that LM, or in single steps. Such as GPT-4-Turbo=openai/gpt-4-1106-preview, or
    Llama3-70B-Instruct=server/llama3-70b@ADDRESS on a server of your own; may be given more than once. An LM for all
    rows that is none of those behind the columns is shown beside them."""
    lms: LMOptions = LMOptions()
    rows: Annotated[list[str] | None, Parameter(negative=(), consume_multiple=True)] = None
    """The rows to run; all by default. Rows that were run before are in the table as well."""
    questions: Annotated[Several, Parameter(alias="-q")] = None
    """Other questions than the experiment's, for all sets ("little", a file) or for one, as SET=SOURCE."""
    corpus: Annotated[Several, Parameter(alias="-c")] = None
    """Another corpus or index, for all sets or as SET=SOURCE; for other questions their own paragraphs by default."""
    data: Path | None = None
    """A folder with the files that the experiment names."""
    train: Several = None
    """Training questions that demonstrations are made from, for all sets or as SET=SOURCE; without them none are
    shown."""
    weights: Several = None
    """The folder of what was trained on one of the sets (`multihop train --part labeler`, `--part filter`), as
    SET=FOLDER, for rows whose networks are trained on it; without it the built-in ones are used, which the first line
    says."""
    retriever: RetrieverName = None
    allow: Allowed = None
    selection: SelectionOptions = SelectionOptions()
    repeats: AtMost = None
    """Ask every row so many times, each time with another seed, whatever the experiment says."""
    max_calls: AtMost = None
    """LM calls that all invocations may make together; the study stops there, and the questions under way are asked
    again when it goes on."""
    dry_run: Switch = False
    """Say what would be asked, and ask nothing."""


def reproduce_command(name: str, /, *, options: ReproduceOptions = ReproduceOptions()) -> None:
    """Run a paper's table, and print ours beside the published one.

    Every row on every question set is a run folder of its own; the same command again does only what is missing. A row
    that was made with other settings, another LM, retriever or data is refused, never joined.

    For example:

        multihop reproduce resp-table-1 --questions little --limit 3 --out runs/resp-1
        multihop reproduce tor-table-2 --lm openai/gpt-4o-mini --dry-run
        multihop reproduce tor-table-3 --lm openai/gpt-4o-mini -q little --rows Evidence --limit 3 --out runs/tor-3

    Parameters
    ----------
    name
        An experiment's name (`multihop experiments` lists them), or a TOML file of your own.
    """
    from ...experiments.study import StudyRuns
    from ..output import tell_result
    from ..show_experiments import prices_in_short, show_prices, show_reproduction

    importable_from_here(options.retriever, *(f"{module}:allowed" for module in options.allow or ()))
    experiment = experiments.open_experiment(name, allow=options.allow or ())
    folder = options.out or Path("runs") / experiment.name
    lms = LMs(options.lms, experiment.decoding)
    given = _given(experiment, options, lms)
    if options.dry_run:
        expected = StudyRuns(experiment, folder, experiments.StudyOptions(**given)).prices()
        tell_result(options.json, lambda: prices_in_short(expected), partial(show_prices, expected))
        return
    with runtime.priced_by(lms.prices), heap_at_rest():
        table = _reproduced(name, folder, options, lms, given)
        tell_result(options.json, lambda: {"folder": folder, **table}, partial(show_reproduction, table, str(folder)))


def _given(experiment: "Experiment", options: ReproduceOptions, lms: LMs) -> dict[str, Any]:
    """The LMs, the rows, and the sources and questions that were given, as a study takes them."""
    from ...experiments.study_inputs import parse_sources

    (for_all, named), sources = split_lms(options.lm or [DEFAULT]), ("questions", "corpus", "train", "weights")
    return {
        "lm": None if for_all is None else LMOfStudy(for_all, lms),
        "lms": {name: LMOfStudy(lm, lms) for name, lm in named.items()},
        **{what: parse_sources(f"--{what}", getattr(options, what) or (), experiment) for what in sources},
        **asdict(options.selection),
        **pick(options, "rows", "data", "repeats"),
    }


def _reproduced(name: str, folder: Path, options: ReproduceOptions, lms: LMs, given: dict[str, Any]) -> "StudyTable":
    """The table, with what was missing asked."""
    from ...evaluation.progress import Progress

    judge = None if options.judge_lm is None else lms.open(options.judge_lm, alone=True)
    with resumable(f"{folder} keeps what is finished"):
        table = experiments.reproduce(
            name,
            out=folder,
            allow=options.allow or (),
            judge=judge,
            search=options.retriever,
            shows=Progress,
            **pick(options, "budget_calls", "max_calls", "concurrency", "seed", "cache"),
            **given,
        )
    repeats = max((row["repeats"] for row in table["rows"]), default=1)
    tell_same_answers(lms.greedy, seed=options.seed, repeats=repeats)
    return table
