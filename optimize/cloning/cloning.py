"""Behaviour cloning: a program's best decisions become chat fine-tuning files, a model, and a program driven by it."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dspy
import ujson

from ...base import InputError, writing
from ...data import Question
from ...evaluation import evaluate
from ...evaluation.journal.row import Row
from ...evaluation.metrics import ExactMatch
from ...lms.hosted import refuse_files
from ...programs import PROGRAMS, create, program_named
from ...runtime import Decision, Program, Scope, settings_of
from ..artefact import save
from ..compiled_for import about_lm
from ..finetuning.chat_file import chat_lines, chat_rows, training_digest
from ..finetuning.finetuning import finetune
from .from_gold import rows_of_gold
from .from_run import lm_of_run, rows_of_run

_ONES_OWN = ("lms", "cloned")
"""Settings that the program which the clone drives does not take over."""


@dataclass(frozen=True, slots=True)
class Cloning:
    """The result of a cloning."""

    questions: int
    """Questions answered."""
    kept: int
    """The number of them whose decisions were taken."""
    files: dict[str, Path]
    """The chat file of each step."""
    rows: dict[str, int]
    """The number of conversations that each holds."""
    model: str | None = None
    """The name under which the fine-tuned model is asked; None if none was asked for."""
    artefact: Path | None = None
    """The program driven by it."""


def clone(
    program: Program,
    questions: Iterable[Question] = (),
    *,
    out: str | os.PathLike[str],
    from_run: str | os.PathLike[str] | None = None,
    from_gold: bool = False,
    steps: Iterable[str] | None = None,
    only_right: bool = False,
    best: float = 1.0,
    model: str | None = None,
    start_from: str | None = None,
    provider: str | None = None,
    options: dict[str, Any] | None = None,
    corpus: str | None = None,
    concurrency: int = 32,
    limit: int | None = None,
    cache: Scope | None = None,
    watch: Callable[[Row, bool], None] | None = None,
    tell: Callable[[str], None] | None = None,
    show: Callable[[str], None] | None = None,
) -> Cloning:
    """Run the program, keep the path it chose for each question, write them down, and train a planner on them.

    With `from_run` nothing is run: what a finished run's journal holds is learned from, by any step, not a planner's
    alone, so that a small LM learns to judge, say, as a large one did. Nor is anything with `from_gold`: what the gold
    of the questions says is right at each state is learned, by any step.

    Of each question it is the path that the search itself holds to be the best; the paper keeps all of them, whether
    the answer is right or not, and so does this. `only_right` and `best` keep fewer.

    Differs from the paper: it has 100 training questions; here all that are given are asked. It trains with the
    settings that OpenAI chooses; `options` says otherwise.

    The same call again goes on where it stopped: answered questions are not asked again, and a model that was trained
    is not trained again.

    Args:
        program: The one to imitate: its planner, or a step that is named.
        questions: Training questions; they need no answers unless `only_right` asks for them.
        from_run: The folder of a finished run of the program, in the place of questions. Its passages are read from the
            corpus of the program's retriever.
        from_gold: True to learn from the answers, supporting paragraphs and hops of the questions.
        out: A folder: `run/` with the journal, unless nothing is run, a file `STEP.jsonl` for each step, and
            `program.json` at the end.
        steps: Steps to write files for; the planner by default. The planner's file is the one trained on, or that of
            the first step named here, where the planner is not among them.
        only_right: Keep only the paths that led to a right answer; none of a question without a known one.
        best: The share of the paths to keep, by the value that the search gave them, such as 0.5.
        model: A model that was trained already, by the name it is asked under; none is trained then.
        start_from: The model to fine-tune; without it and without `model`, only the files are written.
        provider: The provider that fine-tunes, see `finetune`.
        options: The provider's options, such as `{"n_epochs": 3}`.
        corpus: The corpus that the retriever was opened from, for the saved program to open again.
        concurrency: Questions in flight at once.
        limit: Only the first so many questions.
        cache: The kept answers that are used, see `caching`.
        watch: Called with every row of the run, see `evaluate`.
        tell: Called with a line that names the fine-tuning job, where the provider has one.
        show: Called after each step of a training on this machine, with a line that says how far it is.

    Raises:
        InputError: The program has no planner, or nothing is left to learn from; the message says why.
    """
    if model is not None:
        refuse_files(model)
    driven, planner = driven_by_planner(program, wanted := list(steps or ()))
    wanted = wanted or [planner]
    folder = Path(out)
    questions = [question for question in questions if question.question][:limit]
    if from_run is not None and from_gold:
        raise InputError("it is learned from a run or from the gold of questions, not from both.")
    if from_run is not None:
        rows = rows_of_run(from_run, program, wanted)[:limit]
        _check_choice((row["answers"] for row in rows), best, only_right=only_right)
        if only_right and not any("em" in row["metrics"] for row in rows):
            raise InputError(f"{os.fspath(from_run)} did not measure 'em', so nobody knows which answers are right.")
        asked = lm_of_run(from_run, planner)
    elif from_gold:
        rows = rows_of_gold(driven, questions, wanted)
        asked = {"taught by": "gold"}
    else:
        _check_choice((question.answers for question in questions), best, only_right=only_right)
        run = evaluate(
            Watched(program),
            questions,
            out=folder / "run",
            metrics=[ExactMatch()] if any(question.answers for question in questions) else [],
            concurrency=concurrency,
            watch=watch,
            cache=cache,
        )
        rows = [row for row in run.rows() if not row["error"]]
        asked = about_lm(dspy.settings.lm)
    kept = chosen(rows, best, only_right=only_right)
    if not rows:
        place = from_run or folder / "run"
        raise InputError(f"every question failed, so there is nothing to learn from; {place} says why.")
    if not kept:
        raise InputError(f"none of the {len(rows)} answers is right, so there is nothing to learn from.")
    conversations = _write_conversations(folder, driven, kept, wanted)
    files = {step: folder / f"{step}.jsonl" for step in wanted}
    counts = {step: len(conversations[step]) for step in wanted}
    name = f"{program.name}-{planner}"
    trained = model or _trained(folder, name, start_from, conversations[planner], provider, options or {}, tell, show)
    if trained is None:
        return Cloning(len(rows), len(kept), files, counts)
    final = create(
        type(driven),
        program.retriever,
        **{**driven.settings, "lms": {planner: trained}, "cloned": (planner,)},
    )
    about = {"optimizer": "cloned", "cloned from": program.name, "questions": len(rows), "kept": len(kept)}
    about |= {**asked, "start from": start_from}
    save(final, folder / "program.json", corpus=corpus, about=about)
    return Cloning(len(rows), len(kept), files, counts, trained, folder / "program.json")


def _check_choice(answers: Iterable[Sequence[str]], best: float, *, only_right: bool) -> None:
    """Refuse a choice of paths that nobody could make."""
    if only_right and not any(answers):
        raise InputError("none of the questions has an answer, so nobody knows which paths are right; keep all.")
    if not 0 < best <= 1:
        raise InputError(f"the share of paths to keep is above 0 and at most 1, not {best:g}.")


def _write_conversations(
    folder: Path, driven: Program, rows: Iterable[Row], steps: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """A chat file for each step, and what it holds."""
    decisions = [Decision(**each) for row in rows for each in row.get("decisions", [])]
    conversations = chat_rows(driven, (each for each in decisions if each.step in steps))
    for step in steps:
        if step not in conversations:
            found = ", ".join(sorted({decision.step for decision in decisions})) or "none"
            raise InputError(f"no decision of step '{step}' was kept; there are decisions of: {found}.")
        with writing(folder / f"{step}.jsonl") as file:
            file.write(chat_lines(conversations[step]))
    return conversations


def driven_by_planner(program: Program, steps: Sequence[str] = ()) -> tuple[Program, str]:
    """The program that the cloned planner will drive, with the settings that both have, and the planner's name.

    Raises:
        InputError: The program has no planner, and no step is named that is to be one.
    """
    if not program.planner and not steps:
        able = ", ".join(name for name, each in PROGRAMS.items() if each.planner)
        step = program.steps[0] if program.steps else "STEP"
        raise InputError(
            f"'{program.name}' has no planner to clone; these have: {able}. "
            f'Of another program, name the step to imitate: steps=["{step}"] (on the command line, --step {step}).'
        )
    own = bool(steps) and program.planner not in steps  # what another step learned, the clone of a planner never asks
    kind = program_named(program.clone) if program.clone and not own else type(program)
    valid = settings_of(kind)
    if "lms" not in valid:
        raise InputError(f"{kind.__name__} has no setting `lms`, so that no step of it can be given a cloned model.")
    shared = {name: value for name, value in program.settings.items() if name in valid and name not in _ONES_OWN}
    driven = create(kind, program.retriever, **shared)
    planner = driven.planner if driven.planner and (not steps or driven.planner in steps) else steps[0]
    return driven, planner


def chosen(rows: list[Row], best: float = 1.0, *, only_right: bool = False) -> list[Row]:
    """The rows to learn from: all, or those with right answers, or the most valuable share, in the order they came.

    Raises:
        InputError: A share is asked for, and the program gives its paths no value.
    """
    kept = [row for row in rows if not only_right or row["metrics"].get("em") == 1.0]
    if best == 1.0 or not kept:
        return kept
    if any("reward" not in row.get("counts", {}) for row in kept):
        raise InputError("the program gives its paths no value, so there is no best share of them; keep all of them.")
    values = [row["counts"]["reward"] for row in kept]
    ranked = sorted(range(len(kept)), key=lambda place: (-values[place], place))
    return [kept[place] for place in sorted(ranked[: max(1, round(best * len(kept)))])]


def _trained(
    folder: Path,
    name: str,
    start_from: str | None,
    rows: list[dict[str, Any]],
    provider: str | None,
    options: dict[str, Any],
    tell: Callable[[str], None] | None,
    show: Callable[[str], None] | None,
) -> str | None:
    """The name of the model that was trained earlier on the same rows, or of a new one; None if none is to be."""
    if start_from is None:
        return None
    note, training = folder / "model.json", training_digest(start_from, rows, options)
    if note.exists():
        known: dict[str, Any] = ujson.loads(note.read_text())
        if known.get("training") == training:
            return str(known["model"])
    trained = finetune(start_from, rows, provider=provider, name=name, tell=tell, show=show, **options)
    about = {"start from": start_from, "rows": len(rows), "options": options, "training": training, "model": trained}
    with writing(note) as file:
        file.write(ujson.dumps(about, escape_forward_slashes=False, indent=2) + "\n")
    return trained


class Watched(Program):
    """Answers as the program does; the prediction has one field more, the `decisions` behind it."""

    def __init__(self, program: Program) -> None:
        self.retrieves = program.retrieves
        super().__init__(program.retriever, budget=program.budget, concurrency=program.concurrency, lms=None)
        self.name = f"{program.name}, watched"  # type: ignore[misc]
        self.program = program

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the program."""
        return self.program.settings

    def lm_of(self, predictor: str) -> dspy.BaseLM | None:
        """The LM that the program asks a predictor with."""
        return self.program.lm_of(predictor.removeprefix("program."))

    async def aforward(self, question: str) -> dspy.Prediction:
        """Answer, and tell how."""
        with dspy.context(trace=[], max_trace_size=100_000):
            prediction = await self.program.acall(question=question)
            trace = list(dspy.settings.trace)
        decisions = self.program.decisions(question, prediction, trace)
        return dspy.Prediction(**prediction.toDict(), decisions=[decision.record for decision in decisions])
