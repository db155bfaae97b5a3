"""One file per command; a command's module is imported only when it runs."""

from collections.abc import Sequence
from contextlib import nullcontext

from cyclopts import App, Group

from .. import __version__
from ..base.muting import muted_errors
from .help.help_page import HelpPage
from .options.config_reading import apply_config

COMMAND_GROUPS = {
    "Start": {
        "demo": "Make a world, compile a program for it, compare, save, load in a fresh process, and ask.",
        "ask": "Answer one question.",
        "programs": "List the programs, or explain one: what it does, its paper, LM calls a question, every setting.",
        "data": "List the question sets that are known by name, or get one from the hub with a corpus that matches it.",
        "world": "Generate a fictional world: a corpus and the questions about it.",
    },
    "Measure": {
        "evaluate": "Answer a question set, measure the answers, and keep every one of them in a run folder.",
        "watch": "Show how far a run is while it goes on: metrics, cost, errors, time to go, the last few questions.",
        "compare": "Compare two runs or more over the questions that all of them answered.",
        "experiments": (
            "List the papers' tables that can be run here, or show one: rows, settings, published figures, differences."
        ),
        "reproduce": (
            "Run a paper's table and print ours beside the published figures, with what sets them apart in the first "
            "line."
        ),
        "diagnose": "Say what a corpus and its questions are like for multi-hop retrieval, and what follows from it.",
        "export": "Write a finished run in the files of another tool: lm-evaluation-harness, FlashRAG, or TREC.",
    },
    "Improve": {
        "compile": "Compile a program in several ways, compare them on a dev split, and save the best.",
        "clone": "Imitate a search with one call a step: fine-tune its planner on the best paths it found.",
        "train": "Train the encoder behind `local`, `ranked-rag` and the dense retriever, and write its folder.",
    },
    "Serve": {
        "index": "Build an index of a corpus: of its words, of its meaning, or of both.",
        "serve": "Serve programs over HTTP: answers, steps as they are taken, OpenAI's chat, retrieval, and a page.",
        "serve-index": "Serve an index over HTTP: `POST /retrieve`, as Search-R1 and FlashRAG ask it.",
        "mcp": "Give an agent the tools `ask` and `retrieve`, by the Model Context Protocol.",
    },
    "Look": {
        "show": "Print what a program will say to an LM, step by step, with its demonstrations; or a finished run.",
        "view": "Write a run, several side by side, or a reproduced table as one HTML page, with every search drawn.",
        "plot": "Draw runs: quality over cost with the frontier, or a score by a setting that differs between them.",
    },
}
"""Every command in its group, with the first line of its help, which is repeated here so that the list needs no module.
"""
COMMANDS = {name: line for commands in COMMAND_GROUPS.values() for name, line in commands.items()}
"""The same without the groups."""
FOR_ALL = (
    "Every command also takes -v (tell of questions, steps and retrievals on the error stream), -vv (of LM calls too), "
    "--log-texts (with what was asked and answered) and --otel (traces, as the OTEL_* variables say)."
)


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
        help_epilogue=FOR_ALL,
        help_format="plaintext",
        help_formatter=HelpPage(),
        version=__version__,
        config=apply_config,
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    app["--help"].group = app["--version"].group = "Options"
    lists = not arguments or arguments[0].startswith("-")
    for place, (title, commands) in enumerate(COMMAND_GROUPS.items()):
        group = Group(title, sort_key=place)
        for order, (name, line) in enumerate(commands.items()):
            module = name.replace("-", "_")
            path = f"multihop.cli.commands.{module}:{module}_command"
            told = line if lists else None
            app.command(path, name=name, group=group, help=told, sort_key=order if lists else None)
    return app


def run_command(arguments: Sequence[str]) -> None:
    """Run the command that the arguments name.

    Where it takes `--quiet` and is told so, nothing that it says on the error stream on its way is heard; what it ends
    with, if it fails, is raised.
    """
    command, given, _ = command_line(arguments).parse_args(arguments)
    with muted_errors() if given.arguments.get("quiet") else nullcontext():
        command(*given.args, **given.kwargs)
