"""Writes the tables of docs/little.md: the questions, and what the runs of some folders found.

    python docs/make_little.py
    python docs/make_little.py runs/little/*

Without folders, the figures stay as they are.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import ujson
from marked_tables import with_table

from multihop.data import Little, Question
from multihop.evaluation.report import as_table

PAGE = Path(__file__).with_name("little.md")
HOPS = {2: "two", 3: "three", 4: "four"}
SHOWN = {"recall@5": "recall@5", "em": "EM", "f1": "F1"}


def main() -> None:
    """The page with its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", type=Path)
    given = parser.parse_args()
    text = with_questions(PAGE.read_text(encoding="utf-8"))
    if given.runs:
        text = with_table(text, "measured", measured(given.runs))
    PAGE.write_text(text, encoding="utf-8")


def with_questions(text: str) -> str:
    """The page with the questions as they are now."""
    for hops, word in HOPS.items():
        text = with_table(text, f"{word} hops", question_table(hops))
    return text


def question_table(hops: int) -> str:
    """The questions of so many hops, each with its answers and the way to them."""
    little = Little()
    titles = {page.id: page.title for page in little.passages()}
    splits = {question.id: split for split in ("train", "dev") for question in little.questions(split)}
    rows = [
        [question.question, " or ".join(question.answers), " → ".join(way(question, titles)), splits[question.id]]
        for question in little.questions()
        if question.hops == hops
    ]
    return as_table(["question", "answer", "pages, in the order of the hops", "part"], rows, texts=4)


def way(question: Question, titles: dict[str, str]) -> Iterator[str]:
    """The titles of the pages, each with what is found on it."""
    for hop in question.decomposition:
        yield f"{titles[hop.passage]}: *{hop.answer}*"


def measured(runs: Sequence[Path]) -> str:
    """A line a run: the program, the retriever, and what it found."""
    rows = []
    for run in runs:
        summary = ujson.loads((run / "summary.json").read_text(encoding="utf-8"))
        program, _, retriever = run.name.rpartition("-")
        figures = (summary["metrics"][name] for name in SHOWN)
        cells = [f"{100 * figure['mean']:.1f} ± {50 * (figure['high'] - figure['low']):.0f}" for figure in figures]
        rows.append([f"`{program}`", f"`{retriever}`", *cells, f"{summary['cost']['calls']['mean']:.1f}"])
    return as_table(["program", "retriever", *SHOWN.values(), "calls"], rows, texts=2)


if __name__ == "__main__":
    main()
