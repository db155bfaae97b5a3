"""Rows that learn: programs with demonstrations or compiled as `compile` would, and weights trained on one set each."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError
from ..data import open_questions
from ..encoder.weights import FILTER, LABELER, read_encoder_manifest
from ..evaluation.metrics import F1
from ..optimize.artefact import SavedProgram, save
from ..optimize.compiling import compiled, made_program
from ..optimize.gold_examples import searched_gold, step_examples
from ..optimize.variants import Tools, Variant, variant_named
from ..retrieval import Retriever
from ..runtime import Program, apart_from_dspy
from ..training import EARLIER
from .experiment import OWN, Experiment, TableRow
from .plan import PlannedRun
from .study_inputs import Sources


def learned_row(
    program: Program, planned: PlannedRun, number: int, *, shots: int, source: str, retriever: Retriever, folder: Path
) -> Program:
    """The program as its row is asked at one time: with demonstrations made from gold, or compiled.

    A compiled one that the study's folder holds is opened again, else the configured LM compiles it. The retriever is
    the source of paragraphs that are no gold, and of the gold that questions do not bring.
    """
    row, kept = planned.row, folder / planned.compiled(number)
    if row.compile is None:
        variant = Variant(name=f"labeled-{shots}", what=f"{shots} demonstrations a step, made from gold", labels=shots)
    elif kept.exists():
        return made_program(program, SavedProgram.read(kept))
    else:
        variant = variant_named(row.compile)
    questions = list(islice(open_questions(source), planned.training))
    if variant.labels or row.by_steps:
        paths = searched_gold(program, questions, retriever=retriever)
        given: dict[str, Any] = {"steps": step_examples(program, paths), "step_by_step": row.by_steps}
    else:
        given = {"questions": [question.to_example() for question in questions]}
    metric, writer = F1(rules=planned.asked.rules), apart_from_dspy(dspy.settings.lm)
    tools = Tools(metric=metric, writer=writer, seed=planned.seed(number))
    with dspy.context(disable_history=True, num_threads=tools.threads):
        finished = compiled(program, variant, tools=tools, **given)
    if row.compile is not None:
        save(finished, kept, about={"optimizer": variant.name})
    return finished


def with_weights(experiment: Experiment, weights: Sources) -> Experiment:
    """The experiment with folders of weights, by the set they are trained on, as settings of the rows they are for."""
    if weights and not any(row.weights for row in experiment.rows):
        raise InputError(f"no row of {experiment.name} takes weights of its own; leave out --weights.")
    for name, folder in weights.items():
        if name is None or not folder:
            text, example = folder if name is None else f"{name}=", next(iter(experiment.sets))
            raise InputError(f"--weights is written SET=FOLDER, such as {example}=FOLDER, not {text}.")
        learned = read_encoder_manifest(Path(folder).expanduser())["files"]
        for part in (LABELER, FILTER):
            if part not in learned:
                own = part.removesuffix(".onnx")
                raise InputError(f"{folder} has no {own} of its own; train one with `multihop train --part {own}`.")
    rows = []
    for row in experiment.rows:
        on = {name: weights.get(_trained_on(row, name)) for name in experiment.sets}
        given = {name: {**row.settings_on.get(name, {}), "weights": folder} for name, folder in on.items() if folder}
        rows.append(replace(row, settings_on={**row.settings_on, **given}))
    return replace(experiment, rows=tuple(rows))


def _trained_on(row: TableRow, asked: str) -> str:
    """The short name of the set that the row's weights are trained on, where that set is asked; empty for none."""
    return asked if row.weights == OWN else row.weights or ""


def missing_weights(experiment: Experiment, rows: Iterable[TableRow], weights: Mapping[str | None, str]) -> list[str]:
    """Caveats for weights that are not given, and for those that began as an encoder that had learned before."""
    wanted = dict.fromkeys(_trained_on(row, name) for row in rows for name in experiment.sets if row.weights)
    missing = [experiment.sets[name].title for name in wanted if name not in weights]
    found = []
    if missing:
        found.append(
            f"labeler and filter are the built-in judge, not trained on {' or on '.join(missing)} alone (--weights)"
        )
    for name in wanted:
        sources = read_encoder_manifest(Path(weights[name]).expanduser())["sources"] if name in weights else []
        if any(source.endswith(EARLIER) for source in sources):
            found.append(f"the weights for {experiment.sets[name].title} began as an encoder that had learned before")
    return found
