"""`multihop sweep`: a program at many values of its settings, each beside the default."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..options.amounts import AtLeastOne, AtMost
from ..options.budget import BudgetOptions
from ..options.corpus import AskedCorpusOptions
from ..options.lm import StepLMOptions
from ..options.program import ShownProgramOptions
from ..options.selection import SelectionOptions
from ..options.single import AsJSON, CacheScope, InFlight, ProgramName, Quiet, RulesName


def sweep_command(
    program: ProgramName,
    /,
    *,
    over: Annotated[list[str] | None, Parameter(negative=())] = None,
    one_at_a_time: Annotated[bool, Parameter(negative=())] = False,
    max_points: AtLeastOne = 64,
    out: Path | None = None,
    questions: Annotated[str, Parameter(alias="-q")] = "world",
    corpus: AskedCorpusOptions = AskedCorpusOptions(),
    lm: str | None = None,
    lms: StepLMOptions = StepLMOptions(),
    settings: ShownProgramOptions = ShownProgramOptions(),
    rules: RulesName = "hotpotqa",
    selection: SelectionOptions = SelectionOptions(),
    concurrency: InFlight = 32,
    timeout: float | None = None,
    budget: BudgetOptions = BudgetOptions(),
    max_calls: AtMost = None,
    max_errors: AtMost = None,
    seed: int = 0,
    cache: CacheScope = None,
    dry_run: Annotated[bool, Parameter(negative=())] = False,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Run a program at many values of its settings.

    Shows whether what a paper leaves open matters: each point's EM, F1 and recall, its cost, and the paired difference
    of its F1 to the default's. The same command again does only what is missing, and one over other values adds their
    points. A point that was made with another LM, retriever or data is refused, never joined.

    For example:

        multihop sweep mzqa --lm simulated --dry-run
        multihop sweep mzqa --over exploration=0.5,1,2 --over reuse=none,transitions --lm simulated --dry-run
        multihop sweep one-step --over k=3,5,10 --limit 20 --out runs/sweep-k
        multihop sweep one-step --over k=3,5,10 --lm openai/gpt-4o-mini --limit 100 --max-calls 500 --out runs/sweep-ks

    Parameters
    ----------
    over
        The values of a setting, as NAME=VALUE,VALUE; a value that is a list stands in brackets. May be given more than
        once: then all combinations are run. The default is a point whether it is among the values or not. Without it,
        what the paper of the program leaves open (--preset says which paper), each setting alone.
    one_at_a_time
        Vary each setting alone, the others as by default.
    max_points
        More points are refused.
    out
        The sweep's folder: sweep.md, sweep.json, a plot for each setting, and a run folder for each point; by default
        runs/sweep-PROGRAM.
    questions
        "world", "little", a question file or a folder of such files, or a set on the hub.
    lm
        What answers, as `evaluate` takes it; by default "local", or what the saved program was compiled for.
    timeout
        Seconds after which a question counts as failed.
    max_calls
        LM calls that all points, and all invocations, may make together; the sweep stops there, and the questions under
        way are asked again when it goes on.
    max_errors
        Stop a point after so many failed questions, whatever they failed with.
    seed
        Another seed draws anew: answers kept from runs with other seeds are not used again.
    dry_run
        Say what would be asked, and ask nothing.
    """
    from dataclasses import replace

    import dspy

    from ...base.terminal import Terminal
    from ...evaluation import default_metrics, open_run
    from ...evaluation.progress import Progress
    from ...experiments.sweeping.left_open import preset_to_sweep
    from ...experiments.sweeping.over import parse_over
    from ...experiments.sweeping.points import plan_points
    from ...experiments.sweeping.sweeping import SweepRuns
    from ...runtime import priced_by
    from ...view.plots.sweep_plots import write_sweep_plots
    from ..opening.answering import check_answered, tell_same_answers
    from ..opening.heap import heap_at_rest
    from ..opening.interrupting import resumable
    from ..opening.lm_choice import open_lm_for
    from ..opening.sources import corpus_to_search, open_step_lms
    from ..options.point_maker import PointMaker
    from ..showing.output import print_json
    from ..showing.sweeping import point_prices_in_short, show_point_prices, show_sweep

    values: Mapping[str, Sequence[Any]] = parse_over(over or ())
    console = Terminal()
    if over is None:
        name, part = preset_to_sweep(program, settings.preset)
        settings, values, one_at_a_time = replace(settings, preset=name), part.left_open(), True
    with priced_by(budget.prices), heap_at_rest():
        inputs = corpus.open(questions)
        reading, _ = inputs.count_questions(questions)
        saved = settings.read(program)
        source = corpus_to_search(program, saved, inputs)
        limits = {"demos": settings.demos, "budget": budget.budget(), "concurrency": concurrency}
        model, searching = None, None
        if not dry_run:  # a price needs no key, and no index
            searching = inputs
            known = lms.open(reading, inputs.passages(source), seed=seed, decoding=settings.decoding())
            model = open_lm_for(saved, lm, known, step_lms=lms.step_lm)
            limits |= open_step_lms(lms.step_lm, known.open)
            known.check_used()
        chosen = selection.selection()
        folder = out or Path("runs") / f"sweep-{Path(program).stem if saved else program.rpartition(':')[2]}"
        with dspy.context(lm=model):
            runs = SweepRuns(
                PointMaker(program, settings, saved, source, searching, **limits),
                reading,
                folder,
                seed=seed,
                options={
                    "metrics": default_metrics(rules=rules),
                    "concurrency": concurrency,
                    "limit": selection.limit,
                    "offset": chosen.offset,
                    "sample": chosen.sample,
                    "sample_seed": chosen.seed,
                    "timeout": timeout,
                    "max_errors": max_errors,
                    "cache": cache,
                },
            )
            points = plan_points(runs.program, values, one_at_a_time=one_at_a_time, most=max_points)
            if dry_run:
                prices = runs.price(points)
                if json:
                    print_json(point_prices_in_short(prices))
                else:
                    show_point_prices(prices, console)
                return
            known.check_served(kept=folder)
            tell_same_answers(known.greedy, seed=seed, repeats=None)
            with resumable(f"{folder} keeps what is finished"):
                table = runs.run(points, max_calls=max_calls, shows=Progress)
        plots = write_sweep_plots(table, folder)
        if json:
            print_json({"folder": folder, "plots": plots, **table})
        else:
            show_sweep(table, folder, plots, console)
        if table["rows"]:
            check_answered(open_run(folder / row["folder"]) for row in table["rows"])
