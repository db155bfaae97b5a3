"""`multihop calibrate`: a program's confidence fitted on dev questions, and the answers that are better withheld."""

from pathlib import Path

from ..options.amounts import BudgetDollars, Proportion
from ..options.corpus import AskedCorpusOptions
from ..options.lm import LMOptions
from ..options.program import ProgramOptions
from ..options.selection import SelectionOptions
from ..options.single import AsJSON, CacheScope, InFlight, PricesFile, ProgramName, Quiet, RulesName
from ..options.workers import WorkerOptions


def calibrate_command(
    program: ProgramName,
    /,
    *,
    to: Path | None = None,
    dev: str = "world",
    run: Path | None = None,
    right: Proportion | None = None,
    corpus: AskedCorpusOptions = AskedCorpusOptions(),
    lm: str | None = None,
    lms: LMOptions = LMOptions(),
    settings: ProgramOptions = ProgramOptions(),
    selection: SelectionOptions = SelectionOptions(),
    rules: RulesName = "hotpotqa",
    concurrency: InFlight = 32,
    budget_usd: BudgetDollars = None,
    prices: PricesFile = None,
    seed: int = 0,
    workers: WorkerOptions = WorkerOptions(),
    cache: CacheScope = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Fit a program's confidence on dev questions, and save the program with it.

    The program answers the dev questions, with its grounds read, and is kept as a run beside the file: the same
    command again goes on where it stopped. The confidence is then the probability that an answer has an F1 of one half
    or more. What it is worth is measured on answers that it was not fitted on, in five folds; and for some thresholds,
    which share of the questions would be answered, and how many of those answers are right. With questions among them
    that cannot be answered (`multihop data unanswerable` makes some), it learns to refuse those.

    For example:

        multihop calibrate tor.json --dev dev.jsonl -c indexes/wiki
        multihop calibrate tor.json --dev dev.jsonl -c indexes/wiki --right 0.8 --to tor-sure.json
        multihop calibrate one-step --to one-step.json
        multihop calibrate tor.json -c indexes/wiki --run runs/dev --abstain-below 0.4 --to tor-sure.json

    Parameters
    ----------
    to
        The file for the program; by default the saved program's own. The run is kept beside it, in FILE.calibration.
    dev
        "world", "little", a question file or a folder of such files, or a set on the hub: what the confidence is
        fitted on.
    run
        A finished run of the program over dev questions, in the place of asking them; best one made with --grounds.
    right
        Withhold answers so that of those given this share is right: sets abstain_below.
    lm
        The LM that answers; by default "local", or what the saved program was compiled for.
    budget_usd
        Dollars that the command may pay in all, by LiteLLM's table of prices or --prices.
    seed
        Another seed draws anew: answers kept from runs with other seeds are not used again.
    """
    import dspy

    from ...base import InputError
    from ...base.terminal import Terminal
    from ...evaluation import default_metrics
    from ...optimize import calibrate, save
    from ...optimize.compiled_for import about_lm
    from ...runtime import RunBudget, priced_by
    from ..opening.answering import check_answered, run_program
    from ..opening.lm_choice import open_lm_for
    from ..opening.sources import corpus_to_search
    from ..showing.calibration import calibration_facts, show_calibration
    from ..showing.output import print_json

    with workers.hire() as hired, priced_by(prices):
        if right is not None and settings.abstain_below is not None:
            raise InputError("--right chooses the threshold that --abstain-below gives; give one of them.")
        saved = settings.read(program)
        if to is None:
            if saved is None:
                raise InputError(f"{program} is no saved program; say with --to where the calibrated one is written.")
            to = Path(program)
        inputs = corpus.open(dev)
        searched = corpus_to_search(program, saved, inputs)
        own = settings.open(program, saved, searched, inputs, concurrency=concurrency)
        below = own.abstain_below
        if run is None:
            reading, count = inputs.count_questions(dev)
            known = lms.open(reading, inputs.passages(searched), seed=seed, decoding=settings.decoding())
            model = open_lm_for(saved, lm, known)
            known.check_used()
            folder, chosen = Path(f"{to}.calibration"), selection.selection()
            known.check_served(kept=folder)
            own.grounds, own.abstain_below, own.calibration = True, 0.0, None
            with dspy.context(lm=model):
                made = run_program(
                    own.name,
                    own,
                    folder,
                    reading,
                    total=chosen.count(count, selection.limit),
                    seed=seed,
                    repeats=None,
                    metrics=default_metrics(rules=rules),
                    concurrency=concurrency,
                    limit=selection.limit,
                    offset=chosen.offset,
                    sample=chosen.sample,
                    sample_seed=chosen.seed,
                    budget_usd=None if budget_usd is None else RunBudget(budget_usd),
                    cache=cache,
                    workers=hired,
                )
            check_answered([made])
            about, folder = about_lm(model), made.folder
        else:
            folder, about = run, {}
        fitted = calibrate(folder, own)
        if right is not None:
            below = fitted.least_for(right)
        own.grounds, own.abstain_below, own.calibration = True, below, fitted.calibration
        facts = {**about, **({} if saved is None else saved.about), "confidence": fitted.about()}
        save(own, to, corpus=searched if inputs.is_plain else None, about=facts)
    if json:
        print_json({"artefact": to, "run": folder, **calibration_facts(fitted, below)})
    else:
        show_calibration(fitted, below, to, Terminal())
