"""`multihop evaluate`: a program on a question set, with a journal that survives anything."""

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ..terminal.amounts import AtMost, BudgetCount, BudgetDollars, BudgetSeconds
from ..terminal.options import (
    AllowedModules,
    ApiBase,
    AsJSON,
    CacheScope,
    InFlight,
    JudgeLM,
    LMFile,
    LMSettings,
    OwnDemonstrations,
    PricesFile,
    ProcessCount,
    ProgramName,
    ProgramSettings,
    QuestionFields,
    QuestionLimit,
    QuestionOffset,
    QuestionSample,
    Quiet,
    RayAddress,
    RerankingCheckpoint,
    RetrieverName,
    RulesName,
    SampleSeed,
    SearchedCorpus,
    SkipBad,
    StepLMNames,
    Temperature,
    WorkerCount,
)


def evaluate_command(
    program: ProgramName,
    /,
    *,
    out: Path,
    questions: Annotated[str, Parameter(alias="-q")] = "world",
    corpus: SearchedCorpus = None,
    retriever: RetrieverName = None,
    rerank_with: RerankingCheckpoint = None,
    allow: AllowedModules = None,
    field: QuestionFields = None,
    skip_bad: SkipBad = 0,
    lm: str | None = None,
    lms: LMFile = None,
    api_base: ApiBase = None,
    temperature: Temperature = None,
    lm_set: LMSettings = None,
    step_lm: StepLMNames = None,
    set_: ProgramSettings = None,
    demos: OwnDemonstrations = None,
    metric: Annotated[list[str] | None, Parameter(negative=())] = None,
    judge_lm: JudgeLM = None,
    exact_is_right: Annotated[bool, Parameter(negative=())] = False,
    rules: RulesName = "hotpotqa",
    offset: QuestionOffset = None,
    sample: QuestionSample = None,
    sample_seed: SampleSeed = None,
    limit: QuestionLimit = None,
    repeats: AtMost = None,
    concurrency: InFlight = 32,
    timeout: float | None = None,
    budget_calls: BudgetCount = None,
    budget_tokens: BudgetCount = None,
    budget_seconds: BudgetSeconds = None,
    budget_usd: BudgetDollars = None,
    prices: PricesFile = None,
    max_errors: AtMost = None,
    references: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
    ray: RayAddress = None,
    workers: WorkerCount = None,
    processes: ProcessCount = None,
    cache: CacheScope = None,
    config: Path | None = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Answer a question set, measure the answers, and keep every one of them in a run folder.

    The same command again does only what is missing and asks again what failed. Where the first ten questions fail in
    the same way (the key is refused, the server is gone, the model unknown), the run stops.

    For example:

        multihop evaluate one-step --out runs/first
        multihop evaluate one-step --questions dev.jsonl --corpus indexes/wiki --lm openai/gpt-4o-mini --out runs/dev
        multihop evaluate one-step --set k=8 --references --limit 500 --out runs/k8
        multihop evaluate one-step --offset 50 --sample 100 --out runs/sample
        multihop evaluate one-step -q dev.jsonl -c indexes/wiki --lm openai/gpt-4o-mini --repeats 3 --out runs/three
        multihop evaluate resp --limit 100 --step-lm read=openai/qwen3-8b@http://localhost:8000/v1 --out runs/steps
        multihop evaluate one-step --limit 100 --judge-lm openai/gpt-4o-mini --metric acc --out runs/judged

    Parameters
    ----------
    out
        The run's folder: run.json, questions.jsonl, summary.md, summary.json, config.toml.
    questions
        "world", a question file or a folder of such files, or a set on the hub.
    lm
        "local" (built in: an extractive reader of 22 M parameters, no key, no network), "lexical" (word overlap, a
        floor), "simulated" (knows the gold; for studies of control flow and speed), or any model DSPy can reach; by
        default "local", or what the saved program was compiled for.
    metric
        One more metric, by name, such as acc or recall@20, or as MODULE:METRIC of your own: a class made from Metric,
        or a function as DSPy's metrics are; may be given more than once.
    exact_is_right
        With --judge-lm: take an answer that matches an accepted one exactly as right without asking the judge.
    repeats
        Ask all questions so many times, with the seeds SEED, SEED + 1 and so on, each a run folder under --out, and
        show the mean with the lowest and the highest run.
    timeout
        Seconds after which a question counts as failed.
    budget_calls
        LM calls a question at most.
    budget_tokens
        Tokens a question at most.
    budget_seconds
        Seconds a question's search at most.
    budget_usd
        Dollars that the command may pay in all, by LiteLLM's table of prices or --prices: then it finishes what is in
        flight and stops. What earlier calls of the command have paid counts.
    max_errors
        Stop after so many failed questions, whatever they failed with.
    references
        Also run the floor and the ceiling: closed-book, one-step, gold-passages.
    seed
        Another seed draws anew: answers kept from runs with other seeds are not used again.
    config
        A TOML file with options of this command and its program, such as the config.toml of a run; what is given on the
        command line counts before it.
    """
    given = dict(locals())  # before anything else has a name here

    import dspy
    from rich.console import Console

    from ..data import Selection
    from ..runtime import Budget, Purse, priced_by
    from ..terminal.answering import Answering, check_answered, tell_same_answers
    from ..terminal.as_json import print_json
    from ..terminal.config_writing import keep_config, options_in_force
    from ..terminal.evaluating import named_program, named_references, run_metrics
    from ..terminal.inputs import Inputs
    from ..terminal.lm_choice import open_lm_for
    from ..terminal.lms import LMs
    from ..terminal.repeat_results import show_repeats
    from ..terminal.results import show_results
    from ..terminal.sources import corpus_to_search, open_program, open_step_lms
    from ..terminal.workers import hire_workers

    with hire_workers(ray, workers, processes) as hired, priced_by(prices):
        inputs = Inputs(
            field, skip_bad, questions=[questions], corpus=corpus, retriever=retriever, rerank_with=rerank_with
        )
        reading, count = inputs.count_questions(questions)
        selection = Selection(offset or 0, sample, sample_seed or 0)
        source = corpus_to_search(program, inputs, needed=references)
        passages = inputs.passages(source)
        known = LMs(
            api_base=api_base,
            lm_set=lm_set,
            temperature=temperature,
            file=lms,
            questions=reading,
            passages=passages,
            seed=seed,
        )
        model, step_lms = open_lm_for(program, lm, known), open_step_lms(step_lm, known.open)
        judge = known.open_alone(judge_lm)
        known.check_used()
        tell_same_answers(known.greedy, seed=seed, repeats=repeats)
        metrics, further = run_metrics(metric, rules, judge, exact_is_right=exact_is_right)
        options_of_program: dict[str, Any] = {
            "budget": Budget(calls=budget_calls, tokens=budget_tokens, seconds=budget_seconds),
            "concurrency": concurrency,
            **step_lms,
        }
        program_to_ask = open_program(program, source, set_, inputs, allow=allow, demos=demos, **options_of_program)
        answering = Answering(
            questions=reading,
            total=selection.count(count, limit),
            seed=seed,
            options={
                "metrics": metrics,
                "concurrency": concurrency,
                "limit": limit,
                "offset": selection.offset,
                "sample": selection.sample,
                "sample_seed": selection.seed,
                "timeout": timeout,
                "max_errors": max_errors,
                "budget_usd": None if budget_usd is None else Purse(budget_usd),
                "cache": cache,
                "workers": hired,
                "watch": keep_config(out, options_in_force(evaluate_command, given)),
            },
        )
        asked = named_program(program, program_to_ask, out)
        with dspy.context(lm=model):
            if references:
                searching = program_to_ask.retriever or inputs.retriever(source)
                asked |= named_references(reading, passages, searching, out, concurrency=concurrency)
            if repeats is None:
                runs = {name: answering.once(name, *each) for name, each in asked.items()}
                if json:
                    print_json({name: {"folder": run.folder, **run.summary} for name, run in runs.items()})
                else:
                    show_results(runs, Console(), further=further)
                check_answered(runs.values())
            else:
                found = {name: answering.repeatedly(repeats, name, *each) for name, each in asked.items()}
                if json:
                    print_json({name: {"folder": each.folder, **each.summary} for name, each in found.items()})
                else:
                    show_repeats(found, Console(), further=further)
                check_answered(run for each in found.values() for run in each.runs)
