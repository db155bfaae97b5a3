"""An answer in a terminal: the answer, its sources, the search for it, and its cost in a line."""

import dspy
from rich.text import Text

from ...base.terminal import Terminal
from ...runtime import Program, cost_line
from .colours import ANSWER, ASIDE, GOES_ON
from .search_tree import show_steps
from .sources import source_lines


def show_prediction(question: str, program: Program, lm: str, prediction: dspy.Prediction) -> None:
    """Print the answer, the passages it rests on, and the steps taken."""
    console = Terminal()
    answer = str(prediction.answer)
    console.print(Text(question, style="bold"))
    console.print(Text.assemble("→ ", (answer, f"bold {ANSWER}")))
    if prediction.over_budget:
        console.print("the budget ran out; the answer rests on what was found until then", style=GOES_ON)
    if prediction.passages:
        console.print("\nsources", style=ASIDE)
        for line in source_lines(prediction.passages, answer, console.width):
            console.print(line, no_wrap=True, overflow="crop", soft_wrap=True)
    show_steps(program.name, lm, prediction.trajectory, console, answer=answer)
    console.print(f"\n{cost_line(prediction.cost)}", style=ASIDE, highlight=False)
