"""A search as lines in a tree: its steps, or the tree that it grew, as a terminal shows it and Python prints it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from ..base.english import sentence_spans
from ..base.texts import in_short
from ..runtime import LabelledChunk, ReviewedNode, SearchedNode, StopStep, TrajectoryStep

ANSWER = "green"
"""The answer, where it stands in a passage, and what the search accepted or chose."""
PASSAGE = "cyan"
"""A passage, by its title."""
STEP = "magenta"
"""A step of the program, by its name."""
GOES_ON = "yellow"
"""A search that goes on from here, or ended too early; an answer that was withheld."""
REJECTED = "red"
"""A passage or path that was rejected, or a failure."""
ASIDE = "dim"
"""Asides that may be skipped: figures, labels, branches that were not followed."""
BEARS = "underline"
"""The sentence that bears the answer, or a conclusion on the way to it."""
MOST = 5
"""Labels of a query that are shown; the rest is counted."""
SHOWN = 160
"""Characters of a text in a step that are shown before it is cut."""
ACTIONS = {"accept": ANSWER, "search": GOES_ON, "reject": REJECTED}
BEFORE = 24
"""Columns for what is before the answer, where the whole beginning of its sentence is too long."""
NO_PLACE = ("", "yes", "no")
"""Answers that stand nowhere."""


def tree_of(title: Text, trajectory: Sequence[TrajectoryStep], answer: str = "") -> Tree:
    """The steps taken under a title, a search as the tree it grew; the answer is marked in them."""
    tree = Tree(title, guide_style=ASIDE)
    searched = next((step["tree"] for step in trajectory if "tree" in step), None)
    if searched is None:
        _grow(tree, trajectory, answer)
    else:
        _branch(tree, searched, answer)
        _grow(tree, (step for step in trajectory if step["step"] not in ("tree", "branches")), answer)
    return tree


def _grow(tree: Tree, steps: Iterable[TrajectoryStep], answer: str) -> None:
    for step in steps:
        if "branches" in step:
            together = tree.add(Text("at once", style=ASIDE))
            for number, branch in enumerate(step["branches"], 1):
                one = len(branch) == 1
                _grow(together if one else together.add(Text(f"branch {number}", style=ASIDE)), branch, answer)
        elif "query" in step:
            tree.add(Group(_find_line(step["query"]), *_titles(step.get("hits", ()))))
        elif "labels" in step:
            labelled = tree.add(Text("label", style=STEP))
            for line in _label_lines(step["labels"]):
                labelled.add(line)
        elif step["step"] == "stop":
            tree.add(Text.assemble(("ended early  ", GOES_ON), cast(StopStep, step)["outputs"]["why"]))
        else:
            tree.add(_step_lines(step, answer))


def _find_line(query: str) -> Text:
    return Text.assemble(("find ", STEP), f"“{in_short(query, SHOWN)}”")


def _titles(hits: Iterable[Mapping[str, object]]) -> list[Text]:
    """The passages that were found, best first, as many as fit into a line."""
    titles = [Text(str(hit["title"] or hit["id"]), style=PASSAGE) for hit in hits]
    return [_in_one_line(Text.assemble(("→ ", ASIDE), Text(" · ", style=ASIDE).join(titles)))] if titles else []


def _label_lines(labels: Sequence[LabelledChunk]) -> list[Text]:
    """The chunks that help most, each with its tag, how likely it helps, and its useful words."""
    best = sorted(labels, key=lambda label: -label["relevant"])[:MOST]
    lines = []
    for label in best:
        tag = (f"{label['tag']} ", GOES_ON if label["tag"] == "continue" else ASIDE)
        line = Text.assemble(tag, (label["title"] or label["id"], PASSAGE), (f"  {label['relevant']:.2f}  ", ASIDE))
        lines.append(_in_one_line(line.append(in_short(", ".join(label["useful"]), SHOWN))))
    if len(labels) > MOST:
        lines.append(Text(f"… and {len(labels) - MOST} that help less", style=ASIDE))
    return lines


def _branch(tree: Tree, node: ReviewedNode | SearchedNode, answer: str) -> None:
    """A search tree as it grew: each node's passage and verdict, its query, and last what was not followed.

    Passages that are on the path already, as the tree shows, are not named again.

    Of a search over sub-questions the chosen path alone is followed.
    """
    if "query" in node:
        tree.add(_find_line(node["query"]))
    rejected = []
    for child in node["children"]:
        if "action" not in child:
            grown = tree.add(_search_node(child))
            if child["chosen"]:  # other branches are counted
                _branch(grown, child, answer)
            continue
        review = child.get("review", {})
        # What is said of a path that does not suffice may be of its other passages.
        why = review.get("analysis", "") if child["action"] == "accept" else review.get("failed", "")
        title = child["title"] or child["id"]
        if child["action"] == "reject" and not why and not child["children"]:
            rejected.append(title)
            continue
        line = Text.assemble((f"{child['action']} ", ACTIONS[child["action"]]), (title, PASSAGE), "  ")
        line.append_text(excerpt(why, answer, SHOWN))
        line.rstrip()
        _branch(tree.add(_in_one_line(line)), child, answer)
    if rejected:
        tree.add(_in_one_line(Text.assemble(("reject ", REJECTED), (" · ".join(rejected), ASIDE))))
    pruned = node.get("pruned", ()) if "action" in node else ()
    for why in dict.fromkeys(passage["why"] for passage in pruned if passage["why"] != "on the path"):
        titles = [passage["title"] or passage["id"] for passage in pruned if passage["why"] == why]
        tree.add(_in_one_line(Text(f"left out, {why}: {' · '.join(titles)}", style=ASIDE)))


def _search_node(node: SearchedNode) -> Group:
    """A node of a search over sub-questions: what was asked, what came of it, and what the search knows of it."""
    question = Text(in_short(node["sub_question"], SHOWN), style=f"bold {ANSWER}" if node["chosen"] else "")
    numbers = [f"N {node['visits']}", f"Q {node['value']:.2f}"] if "visits" in node else []
    if node.get("reward") is not None:
        numbers.append(f"reward {node['reward']:.2f}")
    if not node["chosen"] and (below := _count_below(node)):
        numbers.append(f"{below} below")
    told = "  " + " · ".join(numbers) if numbers else ""
    line = Table.grid()
    line.add_column()  # the one that gives way
    line.add_column(no_wrap=True, style=ASIDE)
    line.add_row(_in_one_line(Text.assemble(("→ ", ASIDE), in_short(node["result"], SHOWN) or "not found")), told)
    return Group(_in_one_line(question), line)


def _count_below(node: SearchedNode) -> int:
    return sum(1 + _count_below(child) for child in node["children"])


def _in_one_line(text: Text) -> Text:
    """The text, cut where the terminal ends."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def _step_lines(step: TrajectoryStep, answer: str) -> RenderableType:
    """A step's name and what it says: beside the name where that is one thing, else below."""
    outputs: Mapping[str, object] = step.get("outputs", {}) if "outputs" in step else {}
    texts = []
    for field, value in outputs.items():
        text = in_short(value if not isinstance(value, bool) else "yes" if value else "no", SHOWN)
        texts.append(Text.assemble((f"{field}: ", ASIDE), (text, f"bold {ANSWER}" if text and text == answer else "")))
    if "error" in step:
        texts.append(Text(step["error"], style=REJECTED))
    if "limit" in step:
        texts.append(Text(step["limit"], style=GOES_ON))
    name = Text(step["step"], style=STEP)
    return Text.assemble(name, "  ", texts[0]) if len(texts) == 1 else Group(name, *texts)


def excerpt(text: str, answer: str, width: int, sentence: str = "") -> Text:
    """The text from the sentence on in which the answer stands, cut to the room; the answer is marked."""
    text, sentence = " ".join(text.split()), " ".join(sentence.split())
    cited = text.find(sentence) if sentence else -1
    start, end = (cited, cited + len(sentence)) if cited >= 0 else (0, len(text))
    found = place_of(answer, text, start, end)
    if found:
        if cited < 0:
            start = max(begin for begin, _ in sentence_spans(text) if begin <= found.start())
        room = width - cell_len("… ") - cell_len(found.group()) - 1
        if cell_len(text[start : found.start()]) > room:  # the sentence's beginning would push the answer out of sight
            before = min(room, max(BEFORE, room - cell_len(text[found.end() :])))
            start = found.start() - len(_end_of(text[start : found.start()], before))
    shown = Text("… " if start else "")
    shift = shown.cell_len - start
    shown.append(text[start:])
    if cited >= 0:
        shown.stylize(BEARS, max(start, cited) + shift, end + shift)
    if found:
        shown.stylize(f"bold {ANSWER}", found.start() + shift, found.end() + shift)
    shown.truncate(width, overflow="ellipsis")
    return shown


def _end_of(text: str, width: int) -> str:
    """The last words of the text that fit the room."""
    words = text.split(" ")
    fitting = (" ".join(words[place:]) for place in range(1, len(words)))
    return next((end for end in fitting if cell_len(end) <= width), "")


def place_of(answer: str, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
    """The first place between two of the text where the answer stands, as whole words, whatever their case."""
    if answer.strip().lower() in NO_PLACE:
        return None
    words = r"\s+".join(map(re.escape, answer.split()))
    pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    return pattern.search(text, start, len(text) if end is None else end)
