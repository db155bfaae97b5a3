"""Run the cells of in_a_notebook.ipynb and write it again, with what they show.

    python examples/make_notebook.py

No notebook server is needed: a cell is run as IPython runs it, and what stands last in it is kept as text and as HTML.
"""

import ast
import contextlib
import io
import json
import re
import tempfile
import time
from pathlib import Path

NOTEBOOK = Path(__file__).with_name("in_a_notebook.ipynb")
CELLS = [
    """# Multi-hop answers in a notebook

Ask, look at the search, evaluate, compare, compile, save and load: with the little encyclopedia and the built-in LM, so
without a key and without a GPU. `python examples/make_notebook.py` wrote this file.""",
    "%pip install -q multihop",
    """import dspy

from multihop import Little, compile_variants, create, load, local, open_questions, save
from multihop.evaluation import compare, evaluate, open_run
from multihop.retrieval import BM25

dspy.configure(lm=local())
little = Little()
questions = list(little.questions())[:20]
retriever = BM25.build(little.passages())
print(f"{len(retriever):,} passages, {len(questions)} questions")""",
    "## Ask: an answer, with the passages it rests on and the search folded under it",
    """program = create("tor", retriever)
question = "Which river flows through the city where Albert Einstein was born?"
prediction = program(question=question)
prediction""",
    "## The search alone: drawn where it is printed, folded where it stands last in a cell",
    """print(prediction.search)
prediction.search""",
    "## Evaluate: a run is a folder, and the same call again does only what is missing",
    """evaluate(program, questions, out="runs/tor", progress=False)
open_run("runs/tor")""",
    "## Compare with one round of retrieval, question by question",
    """evaluate(create("one-step", retriever), questions, out="runs/one-step", progress=False)
compare("runs/one-step", "runs/tor")""",
    "## Compile: variants of the prompts, measured on dev questions; the best is saved",
    """train, dev = open_questions("little:train"), open_questions("little:dev")
one_step = create("one-step", retriever)
study = compile_variants(
    one_step, ["zero-shot", "labeled-3"], train=train, dev=dev, to="compiled/one-step.json", corpus="little"
)
for outcome in study.outcomes:
    print(f"{outcome.variant}: F1 {100 * outcome.f1['mean']:.1f}, {outcome.tokens:,.0f} tokens a question")
print("saved:", study.best)""",
    "## Save and load: one JSON file of plain data, with the name of its corpus",
    """save(program, "tor.json", corpus="little")
load("tor.json")(question=question).answer""",
    "## A program, its settings and its prompts",
    "program",
]
"""Text and code; code is what begins with no heading, and what begins with % is for a notebook server alone."""


def run_cells(cells):
    """The notebook's cells with their outputs."""
    names, made, count = {"__name__": "__main__"}, [], 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for place, source in enumerate(cells):
            lines = source.splitlines(keepends=True)
            if source.startswith("#"):
                made.append({"cell_type": "markdown", "id": f"cell-{place}", "metadata": {}, "source": lines})
                continue
            count += 1
            outputs = [] if source.startswith("%") else run_cell(source, names, count)
            made.append(
                {"cell_type": "code", "id": f"cell-{place}", "execution_count": count, "metadata": {},
                 "source": lines, "outputs": outputs}
            )  # fmt: skip
    return made


def run_cell(source, names, count):
    """Runs a cell for its outputs: what it prints, and its last expression as a notebook shows it."""
    code, said = ast.parse(source), io.StringIO()
    last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(code, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if said.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": said.getvalue().splitlines(keepends=True)}
        )  # fmt: skip
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return outputs


def without_clock(notebook):
    """The outputs that a notebook shows, as text, but for what the clock says."""
    text = json.dumps([cell.get("outputs") for cell in notebook["cells"]], ensure_ascii=False)
    text = re.sub(r"\d+\.\d+ s\b", "TIME", text)
    timed = r"(?:seconds, mean|run time|questions a minute)</th>(?:<td[^>]*>[^<]*</td>)+"
    return re.sub(timed, "TIME", text)


def make_notebook():
    """The whole file as a value."""
    python = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": run_cells(CELLS),
        "metadata": {"kernelspec": python, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


if __name__ == "__main__":
    started = time.monotonic()
    NOTEBOOK.write_text(json.dumps(make_notebook(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {NOTEBOOK} in {time.monotonic() - started:.0f} s")
