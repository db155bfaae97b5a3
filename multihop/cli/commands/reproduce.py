"""`multihop reproduce`: a paper's table, run here, our figures beside the published ones."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.amounts import AtMost, BudgetCount
from ..options.lm import LMOptions
from ..options.selection import SelectionOptions
from ..options.single import AsJSON, CacheScope, InFlight, JudgeLM, PricesFile, Quiet

Rows = Annotated[list[str] | None, Parameter(negative=(), consume_multiple=True)]
Several = Annotated[list[str] | None, Parameter(negative=())]


def reproduce_command(
    name: str,
    /,
    *,
    out: Path | None = None,
    lm: Several = None,
    judge_lm: JudgeLM = None,
    lms: LMOptions = LMOptions(),
    rows: Rows = None,
    questions: Annotated[list[str] | None, Parameter(alias="-q", negative=())] = None,
    corpus: Annotated[list[str] | None, Parameter(alias="-c", negative=())] = None,
    data: Path | None = None,
    train: Several = None,
    weights: Several = None,
    retriever: str | None = None,
    rules_for_all: Annotated[str | None, Parameter(name="--rules")] = None,
    selection: SelectionOptions = SelectionOptions(),
    repeats: AtMost = None,
    budget_calls: BudgetCount = None,
    max_calls: AtMost = None,
    prices: PricesFile = None,
    concurrency: InFlight = 32,
    seed: int = 0,
    cache: CacheScope = None,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
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
    out
        The study's folder: experiment.toml, table.md, table.json, and a run folder for each row; by default runs/NAME.
    lm
        What answers all rows, as `evaluate` takes it ("local" by default), or, as NAME=LM, under one of the
        experiment's names: in the columns or rows of that LM, or in single steps. Such as
        GPT-4-Turbo=openai/gpt-4-1106-preview, or Llama3-70B-Instruct=server/llama3-70b@ADDRESS on a server of your own;
        may be given more than once. An LM for all rows that is none of those behind the columns is shown beside them.
    rows
        The rows to run; all by default. Rows that were run before are in the table as well.
    questions
        Other questions than the experiment's, for all sets ("little", a file) or for one, as SET=SOURCE.
    corpus
        Another corpus or index, likewise; for other questions their own paragraphs by default.
    data
        A folder with the files that the experiment names.
    train
        Training questions that demonstrations are made from, for all sets or as SET=SOURCE; without them none are
        shown.
    weights
        The folder of what was trained on one of the sets (`multihop train --part labeler`, `--part filter`), as
        SET=FOLDER, for rows whose networks are trained on it; without it the built-in ones are used, which the first
        line says.
    retriever
        The retriever, where the corpus is no index: bm25 (the default), dense, hybrid, one of an installed package,
        or MODULE:CLASS of your own.
    repeats
        Ask every row so many times, each time with another seed, in the place of what the experiment says.
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
    from dataclasses import asdict

    from ...base import InputError
    from ...base.terminal import Terminal
    from ...evaluation.progress import Progress
    from ...experiments import open_experiment
    from ...experiments.answering import answering
    from ...experiments.asking import asked_sets, parse_sources
    from ...experiments.planning import chosen_rows, plan_runs
    from ...experiments.pricing import price
    from ...experiments.row_weights import parse_weights, with_weights
    from ...experiments.study import reproduce
    from ...runtime import priced_by
    from ..opening.answering import tell_same_answers
    from ..opening.lm_choice import study_lms
    from ..opening.this_process import heap_at_rest, importable_from_here, resumable
    from ..showing.output import print_json
    from ..showing.studying import prices_in_short, show_prices, show_reproduction

    if budget_calls == 0:
        raise InputError("--budget-calls is a whole number from 1 on, not 0.")
    importable_from_here(retriever, "own:program" if name.endswith(".toml") else None)
    experiment = open_experiment(name)
    folder = out or Path("runs") / experiment.name
    asked = parse_sources("--questions", questions or (), experiment.sets)
    searched = parse_sources("--corpus", corpus or (), experiment.sets)
    trained = parse_weights(weights or (), experiment)
    console = Terminal()
    chosen = asdict(selection)
    if dry_run:
        experiment, wanted = with_weights(experiment, trained), chosen_rows(experiment, rows)
        sets = asked_sets(experiment, questions=asked, corpus=searched, data=data, rules=rules_for_all, **chosen)
        given = answering(experiment, *study_lms(lm, experiment, lms.open()))
        plan = plan_runs(experiment, sets, repeats=repeats, beside=True)
        given.check(plan, rows or ())
        expected = [price(run, folder) for run in plan if run.row.name in wanted and given.lm_for(run) is not None]
        if json:
            print_json(prices_in_short(expected))
        else:
            show_prices(expected, console)
        return
    with priced_by(prices), heap_at_rest():
        known = lms.open(decoding=experiment.decoding)
        for_all, by_name = study_lms(lm, experiment, known)
        judge = known.open_alone(judge_lm)
        known.check_used()
        with resumable(f"{folder} keeps what is finished"):
            table = reproduce(
                name,
                out=folder,
                lm=for_all,
                lms=by_name,
                judge=judge,
                rows=rows,
                questions=asked,
                corpus=searched,
                data=data,
                search=retriever,
                train=parse_sources("--train", train or (), experiment.sets),
                weights=trained,
                rules=rules_for_all,
                **chosen,
                repeats=repeats,
                budget_calls=budget_calls,
                max_calls=max_calls,
                concurrency=concurrency,
                seed=seed,
                cache=cache,
                shows=Progress,
            )
        tell_same_answers(known.greedy, seed=seed, repeats=max((row["repeats"] for row in table["rows"]), default=1))
        if json:
            print_json({"folder": folder, **table})
        else:
            show_reproduction(table, str(folder), console)
