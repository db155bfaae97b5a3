"""How an answer looks in a terminal, and as JSON."""

from collections.abc import Iterable
from typing import Any

import dspy
import ujson
from rich.console import Console, Group
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from ..programs import Program

SHOWN = 160
"""Characters of a text that are shown before it is cut."""


def as_json(question: str, program: Program, lm: str, prediction: dspy.Prediction) -> str:
    """The whole prediction, and what made it, as one JSON object."""
    record = {
        "question": question,
        "program": program.name,
        "settings": program.settings,
        "lm": lm,
        **prediction.toDict(),
        "passages": [passage._asdict() for passage in prediction.passages],
    }
    return ujson.dumps(record, ensure_ascii=False, escape_forward_slashes=False, default=_plain)


def show_prediction(
    question: str, program: Program, lm: str, prediction: dspy.Prediction, console: Console | None = None
) -> None:
    """Print the answer, the passages it stands on, and the steps taken."""
    console = console or Console()
    console.print(Text(question, style="bold"))
    console.print(Text.assemble("→ ", (str(prediction.answer), "bold green")))
    if prediction.over_budget:
        console.print("the budget ran out; the answer rests on what was found until then", style="yellow")
    if prediction.passages:
        console.print("\npassages", style="dim")
        for number, passage in enumerate(prediction.passages, 1):
            line = Text.assemble(f"{number}. ", (passage.title or passage.id, "cyan"), "  ", _cut(passage.text))
            console.print(Padding(line, (0, 0, 0, 2)))
    console.print("\nsteps", style="dim")
    tree = Tree(f"{program.name} [dim]on {escape(lm)}[/]", guide_style="dim")
    searched = next((step["tree"] for step in prediction.trajectory if step["step"] == "tree"), None)
    if searched is None:
        _grow(tree, prediction.trajectory)
    else:
        _branch(tree, searched)
        _grow(tree, (step for step in prediction.trajectory if step["step"] not in ("tree", "branches")))
    console.print(Padding(tree, (0, 0, 0, 2)))
    console.print(f"\n{_cost_line(prediction.cost)}", style="dim")


def _grow(tree: Tree, steps: Iterable[dict[str, Any]]) -> None:
    for step in steps:
        kind = step["step"]
        if kind == "branches":
            for number, branch in enumerate(step["branches"], 1):
                _grow(tree.add(f"branch {number}"), branch)
        elif kind == "find":
            found = tree.add(Text.assemble(("find ", "magenta"), f"“{_cut(step['query'])}”"))
            for hit in step.get("hits", ()):
                found.add(Text.assemble((hit["title"] or hit["id"], "cyan"), (f"  {hit['score']:.1f}", "dim")))
        elif kind == "label":
            labelled = tree.add(Text("label", style="magenta"))
            for label in step["labels"]:
                labelled.add(_labelled(label))
        else:
            tree.add(_described(step))


def _labelled(label: dict[str, Any]) -> Text:
    """A chunk with its tag, how likely it helps, and its useful words."""
    tag = (f"{label['tag']} ", "yellow" if label["tag"] == "continue" else "dim")
    line = Text.assemble(tag, (label["title"] or label["id"], "cyan"), (f"  {label['relevant']:.2f}  ", "dim"))
    return line.append(_cut(", ".join(label["useful"])))


def _branch(tree: Tree, node: dict[str, Any]) -> None:
    """A search tree as it grew: each node's passage and verdict, its query, and what was not followed."""
    if "query" in node:
        tree.add(Text.assemble(("find ", "magenta"), f"“{_cut(node['query'])}”"))
    for child in node["children"]:
        if "sub_question" in child:
            _branch(tree.add(_searched(child)), child)
            continue
        colour = {"accept": "green", "search": "yellow"}.get(child["action"], "red")
        review = child.get("review", {})
        line = Text.assemble((f"{child['action']} ", colour), (child["title"] or child["id"], "cyan"))
        line.append(f"  {_cut(review.get('analysis', '') or review.get('failed', ''))}")
        _branch(tree.add(line), child)
    for passage in node.get("pruned", ()):
        tree.add(Text(f"pruned {passage['title'] or passage['id']} ({passage['why']})", style="dim"))


def _searched(node: dict[str, Any]) -> Text:
    """A node of a search over sub-questions: what was asked, what came of it, and what the search knows of it."""
    line = Text.assemble((node["sub_question"], "bold green" if node["chosen"] else "cyan"))
    line.append(f" → {_cut(node['result']) or 'not found'}")
    if "visits" in node:
        line.append(f"  N {node['visits']}  Q {node['value']:.2f}  iteration {node['iteration']}", style="yellow")
    if node.get("reward") is not None:
        line.append(f"  reward {node['reward']:.2f}", style="yellow")
    return line


def _described(step: dict[str, Any]) -> Group:
    lines = [Text(step["step"], style="magenta")]
    for name, value in step.get("outputs", {}).items():
        lines.append(Text.assemble((f"{name}: ", "dim"), _cut(str(value))))
    if "error" in step:
        lines.append(Text(step["error"], style="red"))
    if "limit" in step:
        lines.append(Text(step["limit"], style="yellow"))
    return Group(*lines)


def _cost_line(cost: dict[str, Any]) -> str:
    tokens = sum(sum(counts.values()) for counts in cost["tokens"].values())
    parts = [_count(cost["calls"], "LM call"), _count(cost["retrievals"], "retrieval"), f"{tokens:,} tokens"]
    if cost["parse_failures"]:
        parts.append(_count(cost["parse_failures"], "unparseable completion"))
    return " · ".join([*parts, f"{cost['seconds']:.2f} s"])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _plain(value: Any) -> Any:
    """What JSON has no word for: dataclasses such as a budget."""
    from dataclasses import asdict, is_dataclass

    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)
