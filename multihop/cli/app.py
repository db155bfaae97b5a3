"""One file per command; a command's module is imported only when it runs."""

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from cyclopts import App, Group

from .. import __version__
from ..base.terminal import muted_errors
from .gone import refuse_what_is_gone
from .help.help_page import HelpPage
from .options.config_reading import apply_config

COMMAND_GROUPS = {
    "Start": ("demo", "ask", "programs", "data"),
    "Measure": ("evaluate", "compare", "experiments", "reproduce", "export"),
    "Improve": ("compile", "clone", "train"),
    "Serve": ("index", "serve", "serve-index", "mcp"),
    "Look": ("show", "view", "plot"),
}
"""The commands, group by group, in the order in which they are listed."""
COMMANDS = [name for names in COMMAND_GROUPS.values() for name in names]
"""The same without the groups."""
CHANGES = ("add", "remove", "update", "sync")
"""The commands that change an index, each written after `index`."""
FOR_ALL = (
    "Every command also takes -v (tell of questions, steps and retrievals on the error stream), -vv (of LM calls too) "
    "and --log-texts (with what was asked and answered)."
)


def command_line(arguments: Sequence[str]) -> App:
    """The command line that these arguments are for.

    The commands' first lines are given only where the list of them is shown: cyclopts would put such a line in the
    place of the command's own help.
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
    for place, (title, names) in enumerate(COMMAND_GROUPS.items()):
        group = Group(title, sort_key=place)
        for order, name in enumerate(names):
            module = name.replace("-", "_")
            path = f"multihop.cli.commands.{module}:{module}_command"
            line = _first_line(module, f"{module}_command") if lists else None
            app.command(path, name=name, group=group, sort_key=order, help=line)
    if arguments and arguments[0] == "index":
        lists = len(arguments) == 1 or arguments[1].startswith("-")
        for verb in CHANGES:
            line = _first_line("index_changes", f"{verb}_command") if lists else None
            app["index"].command(f"multihop.cli.commands.index_changes:{verb}_command", name=verb, help=line)
    return app


def _first_line(module: str, function: str) -> str:
    """The first line of a command's help, read from its file: importing all of them would take a tenth of a second."""
    tree = ast.parse(Path(__file__).with_name("commands").joinpath(f"{module}.py").read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return (ast.get_docstring(functions[function]) or "").partition("\n")[0]


def run_command(arguments: Sequence[str]) -> None:
    """Run the command that the arguments name.

    With `--quiet` nothing is written to the error stream on its way; what it fails with is raised.
    """
    refuse_what_is_gone(arguments)
    command, given, _ = command_line(arguments).parse_args(arguments)
    with muted_errors() if given.arguments.get("quiet") else nullcontext():
        command(*given.args, **given.kwargs)
