"""An answer in a terminal: the answer, its sources, the search for it, and its cost in a line."""

import dspy
from rich.text import Text

from ...base.terminal import Terminal
from ...runtime import Program, cost_line
from .colours import ASIDE, GOES_ON
from .grounds import answer_line, guess_of, unborne_lines, withheld_lines
from .search_tree import show_steps
from .sources import CITED, cited_sentences, source_lines


def show_prediction(question: str, program: Program, lm: str, prediction: dspy.Prediction) -> None:
    """Print the answer, the passages it rests on, and the steps taken."""
    console, told = Terminal(), prediction.toDict()
    answer = guess_of(told)
    console.print(Text(question, style="bold"))
    for line in (answer_line(told), *withheld_lines(told)):
        console.print(line)
    if prediction.over_budget:
        console.print("the budget ran out; the answer rests on what was found until then", style=GOES_ON)
    if prediction.passages:
        citations = prediction.get("citations") or ()
        meaning = f"  {CITED}" if cited_sentences(citations, answer) else ""
        console.print(f"\nsources{meaning}", style=ASIDE)
        for line in source_lines(prediction.passages, answer, console.width, citations):
            console.print(line, no_wrap=True, overflow="crop", soft_wrap=True)
        for line in unborne_lines(told):
            console.print(line)
    show_steps(program.name, lm, prediction.trajectory, console, answer=answer)
    console.print(f"\n{cost_line(prediction.cost)}", style=ASIDE, highlight=False)
