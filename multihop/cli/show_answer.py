"""An answer in a terminal: the sources that bear it, and the steps or the tree of the search for it."""

import re
from collections.abc import Iterator, Sequence

import dspy
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ..base.terminal import Terminal
from ..retrieval import Passage
from ..retrieval.documents import source_of
from ..runtime import Citation, Program, TrajectoryStep, cost_line
from ..view.search_lines import ANSWER, ASIDE, GOES_ON, PASSAGE, excerpt, place_of, tree_of

MOST = 5
"""Sources that are shown; the rest is counted."""
_BUILT_IN = re.compile(r"multihop/(\w+)@\S+")
WIDEST_TITLE = 36
"""Columns of the terminal that titles may take, a third of them at most."""
MARK = "▸"
"""Beside the number of a source that is shown from a cited sentence on."""
CITED = f"{MARK} from the sentence that bears the answer"
"""The meaning of the mark."""


def source_lines(
    passages: Sequence[Passage], answer: str, width: int, citations: Sequence[Citation] = ()
) -> Iterator[Text]:
    """A line for each source, one for its file where it has one, and one that counts those that are not shown."""
    cited = {each.passage: each.sentence for each in reversed(citations)}  # of a passage's sentences the likeliest
    first = range(min(MOST, len(passages)))
    shown = [place for place, passage in enumerate(passages) if place in first or passage.id in cited]
    if not cited and not any(place_of(answer, passages[place].text) for place in shown):
        holding = (place for place in range(len(shown), len(passages)) if place_of(answer, passages[place].text))
        shown += [place for place in (next(holding, None),) if place is not None]
    titles = [passages[place].title or passages[place].id for place in shown]
    most = min(WIDEST_TITLE, width // 3, max(map(cell_len, titles), default=0))
    digits = len(str(max(shown, default=0) + 1))
    for place, title in zip(shown, titles, strict=True):
        name, passage = Text(title, style=PASSAGE), passages[place]
        name.truncate(most, overflow="ellipsis", pad=True)
        sentence = cited.get(passage.id, "")
        mark = (f" {MARK if sentence else ' '}", ANSWER) if cited else ""
        line = Text.assemble((f"{place + 1:>{digits}}", ASIDE), mark, "  ", name, "  ")
        line.append_text(excerpt(passage.text, answer, width - line.cell_len, sentence))
        line.rstrip()
        yield line
        if source := source_of(passage.id):
            told = ", ".join(str(value) if name == "file" else f"{name} {value}" for name, value in source.items())
            yield Text(f"{'':>{digits + (2 if cited else 0)}}  {told}", style=ASIDE)
    if len(passages) > len(shown):
        yield Text(f"{'':>{digits}}  … and {len(passages) - len(shown)} more; --json has all", style=ASIDE)


def show_steps(
    program: str, lm: str, trajectory: Sequence[TrajectoryStep], console: Console, *, answer: str = ""
) -> None:
    """Print the steps taken, a search as the tree it grew."""
    console.print("\nsteps", style=ASIDE)
    name = _BUILT_IN.sub(r"\1", lm)
    console.print(tree_of(Text.assemble((program, "bold"), (f" on {name}", ASIDE)), trajectory, answer))


def show_prediction(
    question: str, program: Program, lm: str, prediction: dspy.Prediction, citations: Sequence[Citation]
) -> None:
    """Print the answer, the passages it rests on with the sentences that bear it, and the steps taken."""
    console = Terminal()
    answer = str(prediction.answer or "")
    console.print(Text(question, style="bold"))
    console.print(answer_line(answer))
    if prediction.over_budget:
        console.print("the budget ran out; the answer rests on what was found until then", style=GOES_ON)
    if prediction.passages:
        console.print(f"\nsources{f'  {CITED}' if citations else ''}", style=ASIDE)
        for line in source_lines(prediction.passages, answer, console.width, citations):
            console.print(line, no_wrap=True, overflow="crop", soft_wrap=True)
    show_steps(program.name, lm, prediction.trajectory, console, answer=answer)
    console.print(f"\n{cost_line(prediction.cost)}", style=ASIDE, highlight=False)


def answer_line(answer: str, colour: str = ANSWER) -> Text:
    """The answer behind an arrow."""
    return Text.assemble("→ ", (answer, f"bold {colour}"))
