"""Several variants of a program compiled, scored on a dev split and compared; the best one kept."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dspy
import ujson

from ..data import Question
from ..errors import InputError
from ..evaluation import default_metrics, evaluate
from ..evaluation.header import describe_questions, identity
from ..evaluation.metrics import F1
from ..files import writing
from ..programs import Program
from ..retrieval import Passage
from .artefact import load, save
from .compiling import ENOUGH, compiled, small
from .spending import Spending, Spent
from .steps import step_examples
from .variants import Tools, Variant, variant_named
from .worked import work_out

Tell = Callable[[str], None]
PILOT = 2
"""Training questions that are asked to estimate what a run costs."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one variant."""

    variant: str
    f1: dict[str, float]
    """Mean, low and high of answer F1 on the dev split."""
    em: dict[str, float]
    calls: float
    """LM calls a question."""
    tokens: float
    """Tokens a question."""
    compile_calls: int
    """LM calls that compiling took; 0 where they came from a cache or an earlier run."""


@dataclass(frozen=True, slots=True)
class Study:
    """All variants compared, and the best of them in a file."""

    outcomes: list[Outcome]
    best: str
    """The variant with the highest F1; of equals, the one with fewer calls."""
    artefact: Path
    stopped: bool = False
    """Whether the calls ran out before every variant was done."""
    calls: int = 0
    """LM calls that this took in all."""
    skipped: list[str] = field(default_factory=list)
    """Variants that were not finished."""


def compile_variants(
    program: Program,
    variants: Sequence[str],
    *,
    train: Iterable[Question],
    dev: Iterable[Question],
    to: str | os.PathLike[str],
    steps: bool = False,
    rules: str = "hotpotqa",
    teacher: dspy.LM | None = None,
    writer: dspy.LM | None = None,
    max_calls: int | None = None,
    corpus: str | None = None,
    concurrency: int = 32,
    seed: int = 0,
    tell: Tell = lambda message: None,
) -> Study:
    """Compile the program in each way, score each on the dev split, and save the best.

    The same call again goes on where it stopped: what is compiled is not compiled again, what is answered is not asked
    again. Optimizers see training questions only; the dev split decides between variants, so a score on it is a little
    too good for the winner.

    Args:
        program: What to compile.
        variants: Names from `VARIANTS`.
        train: Questions to learn from, with gold.
        dev: Questions to choose by; none of them may stand in `train`.
        to: The file for the best program; the work is kept beside it, in `TO.work`.
        steps: Compile each step alone on what gold says it should answer, instead of runs of the whole program.
        rules: Whose official rules score the answers.
        teacher: The LM that makes demonstrations, where it is not the configured one.
        writer: The LM that writes instructions, where it is not the configured one.
        max_calls: LM calls at most; then the best of what is finished is saved.
        corpus: What the retriever was opened from, for the saved program to open again.
        concurrency: Questions in flight at once.
        seed: Of the optimizers.
        tell: Called with a line for every stage.
    """
    chosen = [variant_named(name) for name in dict.fromkeys(variants)]
    learn, held = list(train), list(dev)
    _check_splits(learn, held)
    work = Path(f"{os.fspath(to)}.work")
    described = {
        "program": identity(program, learn, [])["program"],
        "lm": identity(program, learn, [])["lm"],
        "train": describe_questions(learn),
        "dev": describe_questions(held),
        "steps": steps,
        "seed": seed,
        "writer": writer.model if writer else None,
        "teacher": teacher.model if teacher else None,
    }
    _same_study(work, described)
    spending = Spending(max_calls)
    outcomes: list[Outcome] = []
    with dspy.context(usage_tracker=spending, disable_history=True, num_threads=min(concurrency, 16)):
        try:
            made = _step_examples(program, learn) if steps or any(variant.labels for variant in chosen) else {}
            tell(f"expects about {_expected(program, chosen, learn, held, made, steps):,} LM calls")
            for variant in chosen:
                tools = Tools(metric=F1(rules=rules), writer=writer, teacher=teacher, threads=16, seed=seed)
                before = spending.calls
                finished = _compiled_once(work, program, variant, tools, learn, made, steps, tell)
                compile_calls = spending.calls - before
                tell(f"{variant.name}: scoring on {len(held)} dev questions")
                folder = work / "dev" / variant.name
                run = evaluate(
                    finished, held, out=folder, metrics=default_metrics(rules=rules), concurrency=concurrency
                )
                outcomes.append(_outcome(variant.name, run.summary, compile_calls))
        except Spent:
            tell(f"{spending.calls:,} LM calls are used up")
    if not outcomes:
        raise InputError(f"{max_calls:,} LM calls were not enough for one variant; issue the same again with more.")
    done = {outcome.variant for outcome in outcomes}
    skipped = [variant.name for variant in chosen if variant.name not in done]
    best = max(outcomes, key=lambda outcome: (outcome.f1["mean"], -outcome.calls))
    winner = load(work / "variants" / f"{best.variant}.json", program.retriever, settings={"lms": program.lms or None})
    about = {
        "optimizer": best.variant,
        "lm": getattr(dspy.settings.lm, "model", None),
        "train": described["train"],
        "dev": described["dev"],
        "step by step": steps,
        "scores": {each.variant: {"f1": each.f1, "em": each.em, "calls": each.calls} for each in outcomes},
    }
    save(winner, to, corpus=corpus, about=about)
    return Study(outcomes, best.variant, Path(to), bool(skipped), spending.calls, skipped)


def _compiled_once(
    work: Path,
    program: Program,
    variant: Variant,
    tools: Tools,
    train: list[Question],
    made: dict[str, list[dspy.Example]],
    steps: bool,
    tell: Tell,
) -> Program:
    """The compiled program, from its file if it was finished before."""
    path = work / "variants" / f"{variant.name}.json"
    if not path.exists():
        tell(f"{variant.name}: {variant.what}")
        examples = [question.to_example() for question in train]
        finished = compiled(program, variant, tools=tools, questions=examples, steps=made, step_by_step=steps)
        path.parent.mkdir(parents=True, exist_ok=True)
        save(finished, path)
    # Loaded even if it was just made, so that a run that was interrupted and one that was not score the same program.
    return load(path, program.retriever, settings={"lms": program.lms or None})


def _step_examples(program: Program, train: list[Question]) -> dict[str, list[dspy.Example]]:
    needed = {name for question in train for name in question.supporting}
    passages: dict[str, Passage] = {page.id: page for question in train for page in question.passages}
    retriever = program.retriever
    if retriever is not None and needed - passages.keys() and isinstance(retriever, Iterable):
        passages |= {page.id: page for page in retriever if page.id in needed}
    return step_examples(program, work_out(train, retriever or _Nothing(), passages))


class _Nothing:
    """A retriever for programs without one: it finds no hard negatives."""

    def search(self, queries: Sequence[str], k: int) -> list[list[Any]]:
        return [[] for _ in queries]


def _expected(
    program: Program,
    variants: Sequence[Variant],
    train: list[Question],
    dev: list[Question],
    made: dict[str, list[dspy.Example]],
    steps: bool,
) -> int:
    """About how many calls it all takes, after asking a few training questions."""
    asked = train[:PILOT]

    def cost(each: Program) -> float:
        calls = [int(each(question=question.question).cost["calls"]) for question in asked]
        return sum(calls) / max(1, len(calls))

    whole, cheap = cost(program), cost(small(program)) if program.small else 0.0
    total = 0.0
    for variant in variants:
        total += len(dev) * whole
        if steps:
            total += sum(variant.runs(min(ENOUGH, len(examples))) for examples in made.values())
        else:
            total += variant.runs(len(train)) * (cheap or whole)
    return round(total)


def _outcome(variant: str, summary: dict[str, Any], compile_calls: int) -> Outcome:
    metrics, cost = summary["metrics"], summary["cost"]
    tokens = sum(sum(kinds.values()) for kinds in cost["tokens"].values()) / max(1, summary["n"])
    f1, em = ({part: metrics[name][part] for part in ("mean", "low", "high")} for name in ("f1", "em"))
    return Outcome(variant, f1, em, cost["calls"]["mean"], round(tokens, 1), compile_calls)


def _check_splits(train: list[Question], dev: list[Question]) -> None:
    if not train or not dev:
        raise InputError("compiling needs training questions and dev questions; one of the two is empty.")
    both = {question.question for question in train} & {question.question for question in dev}
    if both:
        raise InputError(
            f"{len(both)} questions stand in the training and in the dev questions, such as '{min(both)}'; "
            "what is trained on cannot be judged by."
        )


def _same_study(work: Path, described: dict[str, Any]) -> None:
    """Note what is compiled, or refuse to go on with the work of something else."""
    plain = ujson.loads(ujson.dumps(described))
    note = work / "study.json"
    if note.exists():
        known = ujson.loads(note.read_text())
        if changed := [name for name in plain if known.get(name) != plain[name]]:
            raise InputError(f"{work} holds another compile's work: {', '.join(changed)} changed; choose another file.")
        return
    work.mkdir(parents=True, exist_ok=True)
    with writing(note) as file:
        file.write(ujson.dumps(plain, escape_forward_slashes=False, indent=2) + "\n")
