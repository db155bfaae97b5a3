"""Behaviour cloning: a program's best decisions become chat fine-tuning files, a model, and a program driven by it."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ujson

from ..data import Question
from ..errors import InputError
from ..evaluation import evaluate
from ..evaluation.metrics import ExactMatch, Metric
from ..files import writing
from ..programs import PROGRAMS, Program, create, program_named
from ..programs.decision import Decision
from ..programs.settings import settings_of
from .artefact import save
from .chat_file import chat_rows, write_chat_file
from .finetune import finetune
from .watched import Watched


@dataclass(frozen=True, slots=True)
class Cloning:
    """What a cloning left behind."""

    questions: int
    """Questions answered."""
    kept: int
    """Of them, those whose decisions were taken."""
    files: dict[str, Path]
    """The chat file of each step."""
    rows: dict[str, int]
    """How many conversations each holds."""
    model: str | None = None
    """The fine-tuned model; None if none was asked for."""
    artefact: Path | None = None
    """The program driven by it."""


def clone(
    program: Program,
    questions: Iterable[Question],
    *,
    out: str | os.PathLike[str],
    steps: Iterable[str] | None = None,
    best: float = 0.5,
    model: str | None = None,
    start_from: str | None = None,
    provider: str | None = None,
    options: dict[str, Any] | None = None,
    corpus: str | None = None,
    concurrency: int = 32,
    limit: int | None = None,
    watch: Callable[[dict[str, Any], bool], None] | None = None,
) -> Cloning:
    """Run the program, keep the paths that led to the answer, write them down, and train a planner on them.

    The same call again goes on where it stopped: answered questions are not asked again, and a model that was trained
    is not trained again.

    Args:
        program: The one to imitate; it must have a planner.
        questions: Training questions. Paths count where the answer is right; for questions without an answer, the
            share `best` with the highest value that the search itself gave them.
        out: A folder: `run/` with the journal, a file `STEP.jsonl` for each step, and `program.json` at the end.
        steps: Steps to write files for; the planner by default. The planner's file is the one trained on.
        best: The share of paths to keep where no answer is known.
        model: A model that was trained already; none is trained then.
        start_from: The model to fine-tune; without it and without `model`, only the files are written.
        provider: Who fine-tunes, see `finetune`.
        options: What the provider is told, such as `{"n_epochs": 3}`.
        corpus: What the retriever was opened from, for the saved program to open again.
        concurrency: Questions in flight at once.
        limit: Only the first so many questions.
        watch: Called with every row of the run, see `evaluate`.
    """
    driven = driven_by_planner(program)
    wanted = list(steps or [driven.planner])
    questions = [question for question in questions if question.question][:limit]
    folder = Path(out)
    run = evaluate(
        Watched(program),
        questions,
        out=folder / "run",
        metrics=_metrics(questions),
        concurrency=concurrency,
        watch=watch,
    )
    rows = [row for row in run.rows() if not row["error"]]
    kept = chosen(rows, best)
    decisions = [Decision(**decision) for row in kept for decision in row["evidence"]]
    conversations = chat_rows(driven, (each for each in decisions if each.step in wanted))
    for step in wanted:
        if step not in conversations:
            found = ", ".join(sorted({decision.step for decision in decisions})) or "none"
            raise InputError(f"no decision of step '{step}' was kept; there are decisions of: {found}.")
        write_chat_file(folder / f"{step}.jsonl", conversations[step])
    files = {step: folder / f"{step}.jsonl" for step in wanted}
    counts = {step: len(conversations[step]) for step in wanted}
    trained = _trained(folder, model, start_from, conversations[driven.planner], provider, options or {})
    if trained is None:
        return Cloning(len(rows), len(kept), files, counts)
    final = create(driven.name, program.retriever, **{**driven.settings, "lms": {driven.planner: trained}})
    about = {"optimizer": "cloned", "cloned from": program.name, "questions": len(rows), "kept": len(kept)}
    save(final, folder / "program.json", corpus=corpus, about={**about, "start from": start_from})
    return Cloning(len(rows), len(kept), files, counts, trained, folder / "program.json")


def driven_by_planner(program: Program) -> Program:
    """The program that the cloned planner will drive, with the settings that both have.

    Raises:
        InputError: The program has no planner.
    """
    if not program.planner:
        able = ", ".join(name for name, each in PROGRAMS.items() if each.planner)
        raise InputError(f"'{program.name}' has no planner to clone; these have: {able}.")
    kind = program_named(program.clone or program.name)
    shared = {name: value for name, value in program.settings.items() if name in settings_of(kind) and name != "lms"}
    return create(kind.name, program.retriever, **shared)


def chosen(rows: list[dict[str, Any]], best: float) -> list[dict[str, Any]]:
    """The rows to learn from: right answers, and where none is known, the most valuable share.

    Examples:
        >>> from multihop.optimize.cloning import chosen
        >>> known = [{"answers": ["a"], "metrics": {"em": 1.0}}, {"answers": ["a"], "metrics": {"em": 0.0}}]
        >>> unknown = [{"answers": [], "metrics": {}, "counts": {"reward": value}} for value in (0.2, 0.9)]
        >>> [row.get("counts", row["metrics"]) for row in chosen(known + unknown, best=0.5)]
        [{'em': 1.0}, {'reward': 0.9}]
    """
    right = [row for row in rows if row["answers"] and row["metrics"].get("em") == 1.0]
    unknown = [row for row in rows if not row["answers"]]
    valued = sorted(unknown, key=lambda row: -row.get("counts", {}).get("reward", 0.0))
    return right + valued[: round(best * len(valued))]


def _metrics(questions: list[Question]) -> list[Metric]:
    return [ExactMatch()] if any(question.answers for question in questions) else []


def _trained(
    folder: Path,
    model: str | None,
    start_from: str | None,
    rows: list[dict[str, Any]],
    provider: str | None,
    options: dict[str, Any],
) -> str | None:
    """The model's name: the one given, the one trained earlier on the same rows, or a new one."""
    if model is not None or start_from is None:
        return model
    note = folder / "model.json"
    asked = {"start from": start_from, "rows": len(rows), "options": options}
    if note.exists():
        known: dict[str, Any] = ujson.loads(note.read_text())
        if {name: known.get(name) for name in asked} == asked:
            return str(known["model"])
    trained = finetune(start_from, rows, provider=provider, **options)
    with writing(note) as file:
        file.write(ujson.dumps({**asked, "model": trained}, escape_forward_slashes=False, indent=2) + "\n")
    return trained
