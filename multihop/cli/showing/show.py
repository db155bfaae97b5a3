"""An answer in a terminal."""

from collections.abc import Iterable, Mapping, Sequence

import dspy
from rich.console import Console, Group
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from ...base.terminal import Terminal
from ...runtime import LabelledChunk, Program, ReviewedNode, SearchedNode, TrajectoryStep, cost_line

SHOWN = 160
"""Characters of a text that are shown before it is cut."""
MOST = 5
"""Passages, and hits of a search, that are shown; the rest is counted."""


def show_prediction(question: str, program: Program, lm: str, prediction: dspy.Prediction) -> None:
    """Print the answer, the passages it rests on, and the steps taken."""
    console = Terminal()
    console.print(Text(question, style="bold"))
    console.print(Text.assemble("→ ", (str(prediction.answer), "bold green")))
    if prediction.over_budget:
        console.print("the budget ran out; the answer rests on what was found until then", style="yellow")
    if prediction.passages:
        console.print("\npassages", style="dim")
        for number, passage in enumerate(prediction.passages[:MOST], 1):
            line = Text.assemble(f"{number}. ", (passage.title or passage.id, "cyan"), "  ", _shorten(passage.text))
            console.print(Padding(_in_one_line(line), (0, 0, 0, 2)))
        if len(prediction.passages) > MOST:
            console.print(
                Padding(f"… and {len(prediction.passages) - MOST} more; --json has all", (0, 0, 0, 2)), style="dim"
            )
    show_steps(program.name, lm, prediction.trajectory, console)
    console.print(f"\n{cost_line(prediction.cost)}", style="dim")


def show_steps(program: str, lm: str, trajectory: Sequence[TrajectoryStep], console: Console) -> None:
    """The steps taken, a search as the tree it grew."""
    console.print("\nsteps", style="dim")
    tree = Tree(f"{escape(program)} [dim]on {escape(lm)}[/]", guide_style="dim")
    searched = next((step["tree"] for step in trajectory if "tree" in step), None)
    if searched is None:
        _grow(tree, trajectory)
    else:
        _branch(tree, searched)
        _grow(tree, (step for step in trajectory if step["step"] not in ("tree", "branches")))
    console.print(Padding(tree, (0, 0, 0, 2)))


def _grow(tree: Tree, steps: Iterable[TrajectoryStep]) -> None:
    for step in steps:
        if "branches" in step:
            for number, branch in enumerate(step["branches"], 1):
                _grow(tree.add(f"branch {number}"), branch)
        elif "query" in step:
            search = tree.add(Text.assemble(("find ", "magenta"), f"“{_shorten(step['query'])}”"))
            hits = step.get("hits", ())
            for hit in hits[:MOST]:
                search.add(Text.assemble((hit["title"] or hit["id"], "cyan"), (f"  {hit['score']:.1f}", "dim")))
            if len(hits) > MOST:
                search.add(Text(f"… and {len(hits) - MOST} more", style="dim"))
        elif "labels" in step:
            labelled = tree.add(Text("label", style="magenta"))
            for label in step["labels"]:
                labelled.add(_label_line(label))
        else:
            tree.add(_step_lines(step))


def _label_line(label: LabelledChunk) -> Text:
    """A chunk with its tag, how likely it helps, and its useful words."""
    tag = (f"{label['tag']} ", "yellow" if label["tag"] == "continue" else "dim")
    line = Text.assemble(tag, (label["title"] or label["id"], "cyan"), (f"  {label['relevant']:.2f}  ", "dim"))
    return _in_one_line(line.append(_shorten(", ".join(label["useful"]))))


def _branch(tree: Tree, node: ReviewedNode | SearchedNode) -> None:
    """A search tree as it grew: each node's passage and verdict, its query, and what was not followed."""
    if "query" in node:
        tree.add(Text.assemble(("find ", "magenta"), f"“{_shorten(node['query'])}”"))
    for child in node["children"]:
        if "action" not in child:
            _branch(tree.add(_search_node(child)), child)
            continue
        colour = {"accept": "green", "search": "yellow"}.get(child["action"], "red")
        review = child.get("review", {})
        line = Text.assemble((f"{child['action']} ", colour), (child["title"] or child["id"], "cyan"))
        line.append(f"  {_shorten(review.get('analysis', '') or review.get('failed', ''))}")
        _branch(tree.add(_in_one_line(line)), child)
    for passage in node.get("pruned", ()) if "action" in node else ():
        tree.add(Text(f"pruned {passage['title'] or passage['id']} ({passage['why']})", style="dim"))


def _search_node(node: SearchedNode) -> Group:
    """A node of a search over sub-questions: what was asked, what the search knows of it, and what came of it."""
    question = Text(_shorten(node["sub_question"]), style="bold green" if node["chosen"] else "cyan")
    numbers = []
    if "visits" in node:
        numbers += [f"N {node['visits']}", f"Q {node['value']:.2f}", f"iteration {node['iteration']}"]
    if node.get("reward") is not None:
        numbers.append(f"reward {node['reward']:.2f}")
    line = Text.assemble((" ".join([*numbers, ""]), "yellow"), "→ ", _shorten(node["result"]) or "not found")
    return Group(_in_one_line(question), _in_one_line(line))


def _in_one_line(text: Text) -> Text:
    """The same, cut where the terminal ends."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def _step_lines(step: TrajectoryStep) -> Group:
    lines = [Text(step["step"], style="magenta")]
    outputs: Mapping[str, object] = step.get("outputs", {}) if "outputs" in step else {}
    for name, value in outputs.items():
        lines.append(Text.assemble((f"{name}: ", "dim"), _shorten(str(value))))
    if "error" in step:
        lines.append(Text(step["error"], style="red"))
    if "limit" in step:
        lines.append(Text(step["limit"], style="yellow"))
    return Group(*lines)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
