"""A run, and one of its questions with the search for its answer, in a terminal."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ..base.texts import cut
from ..evaluation import open_run
from ..evaluation.journal import read_header, read_question
from ..evaluation.metrics.named import DEFAULT
from ..evaluation.report import lm_names, program_name, show_number
from ..evaluation.row import Row
from ..runtime import cost_line, searches
from ..view.search_lines import ANSWER, REJECTED
from .output import print_line
from .show_answer import answer_line, show_steps
from .show_results import show_results, show_warnings

IDS = 8
"""Questions named of each kind at most."""
PASSAGES = 10
"""Passages of a question that are named."""


def show_run(folder: Path, console: Console) -> None:
    """Print the run's result, and how its questions went."""
    header, run = read_header(folder), open_run(folder)
    name = program_name(header)
    show_warnings({name: run.summary}, console, command="the run's command")
    about = f"  on {lm_names(header)}, over {header['identity'].get('retriever') or 'nothing'}"
    console.print(Text.assemble((name, "bold"), (about, "dim")))
    further = [metric for metric in header["identity"].get("metrics", {}) if metric not in DEFAULT]
    show_results({name: run}, console, further=further, warned=True)
    kinds: dict[str, list[str]] = {}
    for row in run.rows():
        kinds.setdefault(outcome_of(row), []).append(row["id"])
    label = max(map(len, kinds), default=0)
    most = max((len(f"{len(ids):,}") for ids in kinds.values()), default=0)
    for kind in OUTCOMES:
        if ids := kinds.get(kind):
            head = f"{kind:<{label}}  {len(ids):>{most},}  "
            named = list_ids(ids, console.width - cell_len(head))
            console.print(Text.assemble(head, (named, "dim")), soft_wrap=True)
    print_line(
        f"multihop show {folder} QUESTION draws the search for an answer, multihop view {folder} writes a page of all",
        console,
        style="dim",
    )


def list_ids(ids: Sequence[str], width: int) -> str:
    """The first ids, as many as fit into the width."""
    return cut(", ".join(ids[:IDS]) + (" …" if len(ids) > IDS else ""), width)


OUTCOMES = ("right", "wrong, all gold found", "wrong, gold missing", "wrong", "not judged", "failed")
"""The ways in which a question may have gone."""


def outcome_of(row: Row) -> str:
    """One of `OUTCOMES`, by exact match; "wrong" alone where it is unknown what was found."""
    if row["status"] == "error":
        return "failed"
    right, found = row["metrics"].get("em"), row["metrics"].get("recall@K")
    if right is None:
        return "not judged"
    if right == 1:
        return "right"
    return "wrong" if found is None else "wrong, all gold found" if found == 1 else "wrong, gold missing"


def show_question(folder: Path, question: str, console: Console) -> None:
    """A finished question: its answer beside the gold, its passages, and the steps taken."""
    header = read_header(folder)
    row = read_question(folder, question)
    console.print(Text(row["question"], style="bold"))
    right = outcome_of(row) == "right"
    colour = ANSWER if right else REJECTED
    if failure := row.get("error"):
        console.print(Text.assemble("→ ", (f"{failure['type']}: {failure['message']}", f"bold {colour}")))
    else:
        console.print(answer_line(str(row["answer"] or ""), colour))
    if row["answers"]:
        console.print(Text.assemble(("gold: ", "dim"), " / ".join(row["answers"])))
    elif not row.get("answerable", True):
        console.print("gold: it cannot be answered", style="dim")
    numbers = [f"{name} {show_number(name, value)}" for name, value in row["metrics"].items() if value is not None]
    console.print(", ".join([row["id"], *numbers]), style="dim", highlight=False)
    for name, why in row.get("unmeasured", {}).items():
        console.print(Text(f"{name} failed: {why['type']}: {why['message']}", style="yellow"))
    if row["status"] == "over_budget":
        console.print("the budget ran out; the answer rests on what was found until then", style="yellow")
    if row["passages"] or row["supporting"]:
        console.print("\npassages", style="dim")
        for line in _passage_lines(row):
            console.print(Padding(line, (0, 0, 0, 2)))
    show_steps(program_name(header), lm_names(header), row["trajectory"], console)
    console.print(f"\n{cost_line(row['cost'])}", style="dim", highlight=False)


def _passage_lines(row: Row) -> Iterator[Text]:
    """The passages returned, gold ones marked, and the gold that is missing."""
    titles = {hit["id"]: hit["title"] for step in searches(row["trajectory"]) for hit in step.get("hits", ())}
    gold = set(row["supporting"])
    returned = [identifier for identifier, _ in row["passages"]]
    for number, identifier in enumerate(returned[:PASSAGES], 1):
        mark = ("● ", "green") if identifier in gold else ("  ", "")
        yield Text.assemble(
            f"{number:>2}. ", mark, (titles.get(identifier) or identifier, "cyan"), (f"  {identifier}", "dim")
        )
    if len(returned) > PASSAGES:
        yield Text(f"… and {len(returned) - PASSAGES} more", style="dim")
    if missing := [identifier for identifier in row["supporting"] if identifier not in returned]:
        named = ", ".join(titles.get(identifier) or identifier for identifier in missing)
        yield Text.assemble(("gold that is not among them: ", "red"), named)
