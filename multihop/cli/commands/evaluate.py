"""`multihop evaluate`: a program on a question set, with a journal that survives anything."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.amounts import AtMost, BudgetDollars
from ..options.budget import BudgetOptions
from ..options.corpus import AskedCorpusOptions
from ..options.lm import StepLMOptions
from ..options.program import ShownProgramOptions
from ..options.selection import SelectionOptions
from ..options.single import AsJSON, CacheScope, InFlight, JudgeLM, ProgramName, Quiet, RulesName


def evaluate_command(
    program: ProgramName,
    /,
    *,
    out: Path,
    questions: Annotated[str | None, Parameter(alias="-q")] = None,
    corpus: AskedCorpusOptions = AskedCorpusOptions(),
    lm: str | None = None,
    lms: StepLMOptions = StepLMOptions(),
    settings: ShownProgramOptions = ShownProgramOptions(),
    metric: Annotated[list[str] | None, Parameter(negative=())] = None,
    judge_lm: JudgeLM = None,
    rules: RulesName = "hotpotqa",
    selection: SelectionOptions = SelectionOptions(),
    repeats: AtMost = None,
    concurrency: InFlight = 32,
    ray: str | None = None,
    actors: AtMost = None,
    timeout: float | None = None,
    budget: BudgetOptions = BudgetOptions(),
    budget_usd: BudgetDollars = None,
    max_errors: AtMost = None,
    references: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
    cache: CacheScope = None,
    config: Path | None = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Answer a question set, measure the answers, and keep them.

    The same command again does only what is missing, asks again what failed, and measures again what a metric failed
    on. Where the first ten questions fail in the same way, or any twenty one after the other (the key is refused, the
    server is gone, the model unknown), the run stops.

    For example:

        multihop evaluate one-step --out runs/first
        multihop evaluate one-step --questions dev.jsonl --corpus indexes/wiki --lm openai/gpt-4o-mini --out runs/dev
        multihop evaluate one-step --set k=8 --references --limit 500 --out runs/k8
        multihop evaluate one-step --offset 10 --sample 20 --out runs/sample
        multihop evaluate one-step -q dev.jsonl -c indexes/wiki --lm openai/gpt-4o-mini --repeats 3 --out runs/three
        multihop evaluate resp --limit 100 --step-lm read=server/qwen3-8b@http://localhost:8000/v1 --out runs/steps
        multihop evaluate one-step --limit 100 --judge-lm openai/gpt-4o-mini --metric acc --out runs/judged
        multihop evaluate tor -q dev.jsonl -c indexes/wiki --ray local --out runs/all-cores

    Parameters
    ----------
    out
        The run's folder: run.json, questions.jsonl, summary.md, summary.json.
    questions
        "little", a question file or a folder of such files, or a set on the hub; without a corpus, by default the forty
        questions of the little encyclopedia.
    lm
        "local" (built in: an extractive reader of 22 M parameters, no key, no network), or any model DSPy can reach; by
        default "local", or what the saved program was compiled for.
    metric
        One more metric, by name, such as acc or recall@20, or as MODULE:METRIC of your own: a class made from Metric,
        or a function as DSPy's metrics are; may be given more than once.
    repeats
        Ask all questions so many times, with the seeds SEED, SEED + 1 and so on, each a run folder under --out, and
        show the mean with the lowest and the highest run.
    ray
        A Ray cluster whose actors answer, each a process with a CPU of its own, such as HOST:6379; "local" starts Ray
        on this machine. Keys come from the environment of each node. The run is the same, and goes on without Ray too.
    actors
        The number of actors on the Ray cluster; by default as many as it has CPUs.
    timeout
        Seconds after which a question counts as failed.
    budget_usd
        Dollars that the command may pay in all, by the prices that come with DSPy or --prices: then it finishes what is
        in flight and stops. What earlier calls of the command have paid counts.
    max_errors
        Stop after so many failed questions, whatever they failed with.
    references
        Also run the floor and the ceiling: closed-book, one-step, gold-passages.
    seed
        Another seed draws anew: answers kept from runs with other seeds are not used again.
    config
        A TOML file with options of this command and its program; what is given on the command line counts before it.
    """
    import dspy

    from ...base.terminal import Terminal
    from ...evaluation import default_metrics
    from ...runtime import RunBudget, priced_by
    from ..opening.answering import check_answered, further_metrics, named_references, run_program, tell_same_answers
    from ..opening.inputs import asked_or_little, tell_user
    from ..opening.lm_choice import open_lm_for
    from ..opening.sources import corpus_to_search, open_step_lms
    from ..showing.output import print_json
    from ..showing.repeat_results import show_repeats
    from ..showing.results import show_results

    with priced_by(budget.prices):
        saved = settings.read(program)
        asked_for = asked_or_little(questions, corpus.corpus or (saved.block.corpus if saved else None), "-q")
        inputs = corpus.open(asked_for)
        reading, count = inputs.count_questions(asked_for)
        chosen = selection.selection()
        total = chosen.count(count, selection.limit)
        source = corpus_to_search(program, saved, inputs, needed=references)
        passages = inputs.passages(source)
        known = lms.open(decoding=settings.decoding())
        model = open_lm_for(saved, lm, known, step_lms=lms.step_lm)
        step_lms = open_step_lms(lms.step_lm, known.open)
        judge = known.open_alone(judge_lm)
        known.check_used()
        known.check_served(kept=out)
        tell_same_answers(known.greedy, seed=seed, repeats=repeats)
        further = further_metrics(metric, rules, judge)
        limits = {"demos": settings.demos, "budget": budget.budget(), "concurrency": concurrency, **step_lms}
        program_to_ask = settings.open(program, saved, source, inputs, **limits)
        asked = {program_to_ask.name if saved is None else Path(program).stem: (program_to_ask, out)}
        run_budget = None if budget_usd is None else RunBudget(budget_usd)
        if questions is None:
            told = f"{count}" if total == count else f"{total} of {count}"
            tell_user(f"no --questions, so {told} questions of the little encyclopedia are asked.")
        with dspy.context(lm=model):
            if references:
                searching = program_to_ask.retriever or inputs.retriever(source)
                asked |= named_references(reading, passages, searching, out, concurrency=concurrency)
            found = {
                name: run_program(
                    name,
                    program_to_run,
                    folder,
                    reading,
                    total=total,
                    seed=seed,
                    repeats=repeats,
                    metrics=[*default_metrics(rules=rules), *further],
                    concurrency=concurrency,
                    limit=selection.limit,
                    offset=chosen.offset,
                    sample=chosen.sample,
                    sample_seed=chosen.seed,
                    timeout=timeout,
                    max_errors=max_errors,
                    budget_usd=run_budget,
                    cache=cache,
                    ray=ray,
                    actors=actors,
                )
                for name, (program_to_run, folder) in asked.items()
            }
            if json:
                print_json({name: {"folder": each.folder, **each.summary} for name, each in found.items()})
            else:
                show = show_results if repeats is None else show_repeats
                show(found, Terminal(), further=[each.name for each in further])
            check_answered(run for each in found.values() for run in ([each] if repeats is None else each.runs))
