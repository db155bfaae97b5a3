"""`multihop reproduce`: a paper's table, run here, our figures beside the published ones."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..terminal.amounts import AtMost, BudgetCount
from ..terminal.options import ApiBase, CacheScope, InFlight, LMSettings, QuestionLimit, RetrieverName

Rows = Annotated[list[str] | None, Parameter(negative=(), consume_multiple=True)]
Several = Annotated[list[str] | None, Parameter(negative=())]


def reproduce_command(
    name: str,
    /,
    *,
    out: Path | None = None,
    lm: str | None = None,
    other_lm: Several = None,
    judge_lm: str | None = None,
    api_base: ApiBase = None,
    lm_set: LMSettings = None,
    rows: Rows = None,
    questions: Annotated[list[str] | None, Parameter(alias="-q", negative=())] = None,
    corpus: Annotated[list[str] | None, Parameter(alias="-c", negative=())] = None,
    data: Path | None = None,
    train: Several = None,
    retriever: RetrieverName = None,
    rules_for_all: Annotated[str | None, Parameter(name="--rules")] = None,
    limit: QuestionLimit = None,
    budget_calls: BudgetCount = None,
    max_calls: AtMost = None,
    concurrency: InFlight = 32,
    seed: int = 0,
    cache: CacheScope = None,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Run a paper's table and print ours beside the published figures, with what sets them apart in the first line.

    Every row on every question set is a run folder of its own; the same command again does only what is missing. A row
    that was made with other settings, another LM, retriever or data is refused, never joined.

    For example:

        multihop reproduce resp-table-1 --lm lexical --questions world --limit 3 --out runs/resp-1
        multihop reproduce tor-table-2 --lm openai/gpt-4o-mini --dry-run
        multihop reproduce tor-table-3 --lm openai/gpt-4o-mini -q world --rows Evidence --limit 3 --out runs/tor-3

    Parameters
    ----------
    name
        An experiment's name (`multihop experiments` lists them), or a TOML file of your own.
    out
        The study's folder: experiment.toml, table.md, table.json, and a run folder for each row; by default runs/NAME.
    lm
        What answers, as `evaluate` takes it; "local" by default.
    other_lm
        An LM that the experiment names for single steps, as NAME=LM; --lm answers in its place where it is not given.
    judge_lm
        What judges answers, where a table shows judged accuracy; without it nothing is judged.
    rows
        The rows to run; all by default. Rows that were run before are in the table as well.
    questions
        Other questions than the experiment's, for all sets ("world", a file) or for one, as SET=SOURCE.
    corpus
        Another corpus or index, likewise; for other questions their own paragraphs by default.
    data
        A folder with the files that the experiment names.
    train
        Training questions that demonstrations are made from, for all sets or as SET=SOURCE; without them none are
        shown.
    rules_for_all
        Whose official rules score the answers; each set's own by default.
    budget_calls
        LM calls a question at most.
    max_calls
        LM calls that all invocations may make together; the study stops there, and the questions under way are asked
        again when it goes on.
    seed
        Another seed draws anew: answers kept from runs with other seeds are not used again.
    dry_run
        Say what would be asked, and ask nothing.
    """
    from rich.console import Console

    from ..evaluation.progress import Progress
    from ..experiments import open_experiment
    from ..experiments.asking import asked_sets, parse_sources
    from ..experiments.planning import chosen_rows, plan_runs
    from ..experiments.pricing import price
    from ..experiments.study import check_numbers, reproduce
    from ..terminal.lm_choice import DEFAULT
    from ..terminal.own_code import importable_from_here
    from ..terminal.sources import open_lm_named
    from ..terminal.study_lms import lm_maker, other_lms, server_of
    from ..terminal.studying import show_prices, show_reproduction

    check_numbers(limit=limit, concurrency=concurrency, budget_calls=budget_calls, max_calls=max_calls)
    importable_from_here(retriever, "own:program" if name.endswith(".toml") else None)
    experiment = open_experiment(name)
    folder = out or Path("runs") / experiment.name
    asked = parse_sources("--questions", questions or (), experiment.sets)
    searched = parse_sources("--corpus", corpus or (), experiment.sets)
    console = Console()
    if dry_run:
        wanted = chosen_rows(experiment, rows)
        sets = asked_sets(experiment, questions=asked, corpus=searched, data=data, rules=rules_for_all, limit=limit)
        plan = [run for run in plan_runs(experiment, sets) if run.row.name in wanted]
        show_prices([price(run, folder) for run in plan], console)
        return
    judge = None if judge_lm is None else open_lm_named(judge_lm, None, api_base=server_of(judge_lm, api_base))
    try:
        table = reproduce(
            name,
            out=folder,
            lm=lm_maker(lm or DEFAULT, experiment, lm_set, api_base, seed),
            lms=other_lms(other_lm, experiment, lm_set, api_base, seed),
            judge=judge,
            rows=rows,
            questions=asked,
            corpus=searched,
            data=data,
            search=retriever,
            train=parse_sources("--train", train or (), experiment.sets),
            rules=rules_for_all,
            limit=limit,
            budget_calls=budget_calls,
            max_calls=max_calls,
            concurrency=concurrency,
            seed=seed,
            cache=cache,
            shows=Progress,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; {folder} keeps what is finished, the same command goes on.") from None
    show_reproduction(table, str(folder), console)
