"""One file per command; a command's module is imported only when it runs."""

from collections.abc import Sequence

from cyclopts import App

from .. import __version__

COMMANDS = {
    "ask": "Answer one question.",
    "evaluate": "Answer a question set, measure the answers, and keep every one of them in a run folder.",
    "experiments": (
        "List the papers' tables that can be run here, or show one: rows, settings, published figures, differences."
    ),
    "reproduce": (
        "Run a paper's table and print ours beside the published figures, with what sets them apart in the first line."
    ),
    "compare": "Compare two runs over the questions that both answered.",
    "compile": "Compile a program in several ways, compare them on a dev split, and save the best.",
    "show": "Print what a program will say to an LM, step by step, with its demonstrations.",
    "clone": "Imitate a search with one call a step: fine-tune its planner on the best paths it found.",
    "index": "Build an index of a corpus: of its words, of its meaning, or of both.",
    "train": "Train the encoder behind `local`, `efficientrag` and the dense retriever, and write its folder.",
    "world": "Generate a fictional world: a corpus and the questions about it.",
    "programs": "List the programs, also those of installed packages: papers, LM calls a question, and settings.",
    "demo": "Make a world, compile a program for it, compare, save, load in a fresh process, and ask.",
}
"""Every command with the first line of its help, which is repeated here so that the list needs no module."""


def command_line(arguments: Sequence[str]) -> App:
    """The command line that these arguments are for.

    The commands' lines are given only where the list of them is shown: cyclopts would put such a line in the place of
    the command's own help.
    """
    app = App(
        name="multihop",
        help="""Multi-hop question answering, written in DSPy.

For example:

    multihop demo
    multihop ask "Who directed it?" -c corpus.jsonl --lm openai/gpt-4.1
    multihop COMMAND --help
""",
        help_format="plaintext",
        version=__version__,
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    lists = not arguments or arguments[0].startswith("-")
    for place, (name, line) in enumerate(COMMANDS.items()):
        path = f"multihop.commands.{name}:{name}_command"
        app.command(path, name=name, help=line if lists else None, sort_key=place if lists else None)
    return app
