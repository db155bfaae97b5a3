"""The command line: its commands, each of which is imported only when it runs, and how much they tell."""

import ast
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from cyclopts import App, Group

from .. import __version__
from ..base.terminal import muted

COMMAND_GROUPS = {
    "Start": ("demo", "ask", "programs", "data"),
    "Measure": ("exam", "evaluate", "compare", "experiments", "reproduce"),
    "Improve": ("compile", "clone", "train"),
    "Serve": ("index", "serve", "mcp"),
    "Look": ("show", "view"),
}
"""The commands, group by group, in the order in which they are listed."""
COMMANDS = [name for names in COMMAND_GROUPS.values() for name in names]
"""The commands without the groups."""
BEHIND = {
    "data": {"list": "data:data_command", "get": "data:get_command"},
    "index": {verb: f"index:{verb}_command" for verb in ("add", "remove", "update")}
    | {"serve": "serve:serve_index_command", "sync": "index:index_command"},
}
"""The commands that are written behind another, each as FILE:FUNCTION; "sync" is another name, and not listed."""
FILES = {"experiments": "reproduce", "mcp": "serve"}
"""The files of commands that are named otherwise."""
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
        version=__version__,
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    if not arguments or not {"--help", "-h"}.isdisjoint(arguments):
        from .help_page import HelpPage

        app.help_formatter = HelpPage()
    app["--help"].group = app["--version"].group = "Options"
    lists = not arguments or arguments[0].startswith("-")
    for place, (title, names) in enumerate(COMMAND_GROUPS.items()):
        group = Group(title, sort_key=place)
        for order, name in enumerate(names):
            path, line = _function(FILES.get(name, name), f"{name}_command", first_line=lists)
            app.command(path, name=name, group=group, sort_key=order, help=line)
    if arguments and arguments[0] in BEHIND:
        lists = len(arguments) == 1 or arguments[1].startswith("-")
        for verb, home in BEHIND[arguments[0]].items():
            path, line = _function(*home.split(":"), first_line=lists)
            app[arguments[0]].command(path, name=verb, help=line, show=verb != "sync")
    return app


def _function(module: str, function: str, *, first_line: bool) -> tuple[str, str | None]:
    """A command's function as cyclopts imports it, and the first line of its help where that is listed.

    The line is read from the file: importing all commands would take a tenth of a second.
    """
    path = f"multihop.cli.commands.{module}:{function}"
    if not first_line:
        return path, None
    tree = ast.parse(Path(__file__).with_name("commands").joinpath(f"{module}.py").read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return path, (ast.get_docstring(functions[function]) or "").partition("\n")[0]


def run_command(arguments: Sequence[str]) -> None:
    """Run the command that the arguments name; with `--quiet`, nothing is written to the error stream on its way."""
    command, given, _ = command_line(arguments).parse_args(arguments)
    quiet = any(getattr(each, "quiet", each is True and name == "quiet") for name, each in given.arguments.items())
    with muted(prints=False) if quiet else nullcontext():
        command(*given.args, **given.kwargs)


def split_verbosity(arguments: Sequence[str]) -> tuple[list[str], int, bool]:
    """The command's own arguments; 0 to 2 for how much is told of its work; and whether texts are told too."""
    command = next((each for each in arguments if not each.startswith("-")), "")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept, level = [], 0
    for argument in arguments[:end]:
        if argument in ("-v", "-vv"):
            level += len(argument) - 1
        elif argument != "--log-texts" or command == "serve":
            kept.append(argument)
    return [*kept, *arguments[end:]], min(level, 2), "--log-texts" in arguments[:end]


def log_work(level: int, *, texts: bool) -> None:
    """Tell questions, steps and retrievals on the error stream; with a level of 2, LM calls as well."""
    import logging

    from ..base.errors import hide_secrets
    from ..base.texts import visible

    class Shown(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return visible(hide_secrets(super().format(record)))

    handler = logging.StreamHandler()
    handler.setFormatter(Shown("%(asctime)s %(message)s", datefmt="%H:%M:%S"))
    for name in ("multihop", *(["multihop.texts"] if texts else [])):
        logging.getLogger(name).setLevel(logging.INFO if level == 1 else logging.DEBUG)
    logger = logging.getLogger("multihop")
    logger.handlers = [handler]
    logger.propagate = False
