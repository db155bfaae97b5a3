"""An answer in a terminal: the answer, its sources, the search for it, and its cost in a line."""

from collections.abc import Sequence

import dspy
from rich.text import Text

from ...base.terminal import Terminal
from ...runtime import Citation, Program, cost_line
from .colours import ANSWER, ASIDE, GOES_ON
from .search_tree import show_steps
from .sources import CITED, source_lines


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
