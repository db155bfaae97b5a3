"""`multihop evaluate`: a program on a question set, with a journal that survives anything."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from ..evaluation import Evaluation
    from ..programs import Program
    from .sources import Questions


def evaluate(
    program: str,
    /,
    *,
    out: Path,
    questions: Annotated[str, Parameter(alias="-q")] = "world",
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    lm: str = "local",
    api_base: str | None = None,
    lm_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    step_lm: Annotated[list[str] | None, Parameter(negative=())] = None,
    set_: Annotated[list[str] | None, Parameter(name="--set", negative=())] = None,
    rules: str = "hotpotqa",
    limit: int | None = None,
    concurrency: int = 32,
    timeout: float | None = None,
    budget_calls: int | None = None,
    budget_tokens: int | None = None,
    budget_seconds: float | None = None,
    references: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
) -> None:
    """Answer a question set, measure the answers, and keep every one of them in a run folder.

    The same command again does only what is missing and asks again what failed.

    For example:

        multihop evaluate one-step --out runs/first
        multihop evaluate one-step --questions dev.jsonl --corpus indexes/wiki --lm openai/gpt-4o-mini --out runs/dev
        multihop evaluate one-step --set k=8 --references --limit 500 --out runs/k8

    Parameters
    ----------
    program
        A program's name (`multihop programs` lists them), or a saved program's file.
    out
        The run's folder: run.json, questions.jsonl, summary.md, summary.json.
    questions
        "world", a question file, or a set on the hub.
    corpus
        "world", a corpus file, or an index folder; by default "world", or what the saved program names.
    lm
        "local" (built in: an extractive reader of 22 M parameters, no key, no network), "lexical" (word overlap, a
        floor), "simulated" (knows the gold; for studies of control flow and speed), or any model DSPy can reach.
    api_base
        Address of an OpenAI-compatible server.
    lm_set
        A parameter of the LM as name=value, such as temperature=0; may be given more than once.
    step_lm
        Another LM for one step, as step=LM, such as read=openai/gpt-4.1; may be given more than once.
    set_
        A setting of the program as name=value; may be given more than once.
    rules
        Whose official rules score the answers: hotpotqa, 2wikimultihopqa or musique.
    limit
        Only the first so many questions.
    concurrency
        Questions, and LM calls, in flight at once.
    timeout
        Seconds after which a question counts as failed.
    budget_calls
        LM calls a question at most.
    budget_tokens
        Tokens a question at most.
    budget_seconds
        Seconds a question's search at most.
    references
        Also run the floor and the ceiling: closed-book, one-step, gold-passages.
    seed
        The simulated LM's seed; noted in run.json in any case.
    """
    import dspy
    from rich.console import Console

    from ..errors import InputError, RunFailed
    from ..evaluation import default_metrics
    from ..evaluation.references import references as reference_programs
    from ..programs import Budget
    from .results import show_results
    from .sources import Questions, corpus_of, open_lm_named, open_passages, open_program, open_retriever, open_step_lms

    if concurrency < 1 or (limit is not None and limit < 1):
        raise InputError("--concurrency and --limit are whole numbers from 1 on.")
    asked, source = Questions(questions), corpus_of(program, corpus)
    options: dict[str, Any] = {"limit": limit, "concurrency": concurrency, "timeout": timeout, "seed": seed}
    options["metrics"] = default_metrics(rules=rules)
    open_lm = partial(open_lm_named, settings=lm_set, api_base=api_base, questions=asked, corpus=source, seed=seed)
    model, lms = open_lm(lm), open_step_lms(step_lm, open_lm)
    budget = Budget(calls=budget_calls, tokens=budget_tokens, seconds=budget_seconds)
    made = open_program(program, corpus, set_, budget=budget, concurrency=concurrency, **lms)
    label = Path(program).stem
    runs: dict[str, Evaluation] = {}
    with dspy.context(lm=model):
        runs[label] = _run(label, made, asked, out, options)
        if references:
            passages, retriever = open_passages(source), made.retriever or open_retriever(source)
            for name, reference in reference_programs(asked, passages, retriever, concurrency=concurrency):
                folder = out / "references" / name.partition(",")[0]
                runs[name] = _run(name, reference, asked, folder, options)
    show_results(runs, Console())
    if all(run.summary["n_error"] == run.summary["n"] for run in runs.values()):
        error = next(runs[label].rows())["error"]
        raise RunFailed(f"every question failed, the first with {error['type']}: {error['message']}")


def _run(name: str, program: "Program", questions: "Questions", out: Path, options: dict[str, Any]) -> "Evaluation":
    from ..evaluation import evaluate
    from .live import Progress

    with Progress(name, min(len(questions), options["limit"] or len(questions))) as progress:
        try:
            return evaluate(program, questions, out=out, watch=progress.watch, **options)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; {out} keeps what is finished, the same command goes on.") from None
