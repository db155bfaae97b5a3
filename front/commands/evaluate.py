"""`multihop evaluate`: a program on a question set, with a journal that survives anything."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ..terminal.amounts import AtMost, BudgetCount, BudgetSeconds
from ..terminal.options import (
    AllowedModules,
    ApiBase,
    CacheScope,
    InFlight,
    LMSettings,
    OwnDemonstrations,
    ProgramName,
    ProgramSettings,
    QuestionFields,
    QuestionLimit,
    RetrieverName,
    RulesName,
    SearchedCorpus,
    SkipBad,
    StepLMNames,
)

if TYPE_CHECKING:
    from ..data import Question, Reading
    from ..evaluation import Evaluation
    from ..runtime import Program


def evaluate_command(
    program: ProgramName,
    /,
    *,
    out: Path,
    questions: Annotated[str, Parameter(alias="-q")] = "world",
    corpus: SearchedCorpus = None,
    retriever: RetrieverName = None,
    allow: AllowedModules = None,
    field: QuestionFields = None,
    skip_bad: SkipBad = 0,
    lm: str | None = None,
    api_base: ApiBase = None,
    lm_set: LMSettings = None,
    step_lm: StepLMNames = None,
    set_: ProgramSettings = None,
    demos: OwnDemonstrations = None,
    metric: Annotated[list[str] | None, Parameter(negative=())] = None,
    rules: RulesName = "hotpotqa",
    limit: QuestionLimit = None,
    concurrency: InFlight = 32,
    timeout: float | None = None,
    budget_calls: BudgetCount = None,
    budget_tokens: BudgetCount = None,
    budget_seconds: BudgetSeconds = None,
    max_errors: AtMost = None,
    references: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
    cache: CacheScope = None,
) -> None:
    """Answer a question set, measure the answers, and keep every one of them in a run folder.

    The same command again does only what is missing and asks again what failed. Where the first ten questions fail in
    the same way (the key is refused, the server is gone, the model unknown), the run stops.

    For example:

        multihop evaluate one-step --out runs/first
        multihop evaluate one-step --questions dev.jsonl --corpus indexes/wiki --lm openai/gpt-4o-mini --out runs/dev
        multihop evaluate one-step --set k=8 --references --limit 500 --out runs/k8

    Parameters
    ----------
    out
        The run's folder: run.json, questions.jsonl, summary.md, summary.json.
    questions
        "world", a question file or a folder of such files, or a set on the hub.
    lm
        "local" (built in: an extractive reader of 22 M parameters, no key, no network), "lexical" (word overlap, a
        floor), "simulated" (knows the gold; for studies of control flow and speed), or any model DSPy can reach; by
        default "local", or what the saved program was compiled for.
    metric
        One more metric, by name, such as recall@20, or as MODULE:METRIC of your own: a class made from Metric, or a
        function as DSPy's metrics are; may be given more than once.
    timeout
        Seconds after which a question counts as failed.
    budget_calls
        LM calls a question at most.
    budget_tokens
        Tokens a question at most.
    budget_seconds
        Seconds a question's search at most.
    max_errors
        Stop after so many failed questions, whatever they failed with.
    references
        Also run the floor and the ceiling: closed-book, one-step, gold-passages.
    seed
        Another seed draws anew: answers kept from runs with other seeds are not used again.
    """
    import dspy
    from rich.console import Console

    from ..base import RunFailed
    from ..evaluation import default_metrics, metric_named
    from ..evaluation.references import references as reference_programs
    from ..runtime import Budget
    from ..terminal.inputs import Inputs
    from ..terminal.lm_choice import open_lm_for
    from ..terminal.own_code import importable_from_here
    from ..terminal.results import show_results
    from ..terminal.sources import corpus_to_search, is_artefact, open_lm_named, open_program, open_step_lms

    inputs = Inputs(field, skip_bad, questions=[questions], corpus=corpus, retriever=retriever)
    reading, count = inputs.count_questions(questions)
    source = corpus_to_search(program, inputs, needed=references)
    passages = inputs.passages(source)
    options: dict[str, Any] = {"limit": limit, "concurrency": concurrency, "timeout": timeout, "seed": seed}
    importable_from_here(*(metric or ()))
    further = [metric_named(name, rules=rules) for name in metric or ()]
    options |= {"metrics": [*default_metrics(rules=rules), *further], "max_errors": max_errors, "cache": cache}
    open_lm = partial(
        open_lm_named, settings=lm_set, api_base=api_base, questions=reading, passages=passages, seed=seed
    )
    model, lms = open_lm_for(program, lm, open_lm, api_base=api_base), open_step_lms(step_lm, open_lm)
    budget = Budget(calls=budget_calls, tokens=budget_tokens, seconds=budget_seconds)
    options_of_program: dict[str, Any] = {"budget": budget, "concurrency": concurrency, **lms}
    program_to_ask = open_program(program, source, set_, inputs, allow=allow, demos=demos, **options_of_program)
    label = Path(program).stem if is_artefact(program) else program_to_ask.name
    runs: dict[str, Evaluation] = {}
    with dspy.context(lm=model):
        runs[label] = _run(label, program_to_ask, reading, count, out, options)
        if references:
            searching = program_to_ask.retriever or inputs.retriever(source)
            for name, reference in reference_programs(reading, passages, searching, concurrency=concurrency):
                folder = out / "references" / name.partition(",")[0]
                runs[name] = _run(name, reference, reading, count, folder, options)
    show_results(runs, Console(), further=[each.name for each in further])
    failed = all(run.summary["n_error"] == run.summary["n"] for run in runs.values())
    if failed and (error := next(runs[label].rows())["error"]) is not None:
        reason = f": {error['message']}" if error["message"] else "."
        raise RunFailed(f"every question failed, the first with {error['type']}{reason}")


def _run(
    name: str, program: "Program", questions: "Reading[Question]", count: int, out: Path, options: dict[str, Any]
) -> "Evaluation":
    from ..evaluation import evaluate
    from ..evaluation.progress import Progress

    progress = Progress(name, min(count, options["limit"] or count))
    try:
        return evaluate(program, questions, out=out, progress=progress, **options)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; {out} keeps what is finished, the same command goes on.") from None
