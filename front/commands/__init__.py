"""One file per command; a command's module is imported only when it runs."""

from cyclopts import App

from .. import __version__

app = App(
    name="multihop",
    help="""Multi-hop question answering, written in DSPy.

For example:

    multihop demo
    multihop ask "Who directed the film?" --corpus corpus.jsonl --lm openai/gpt-4o-mini
    multihop COMMAND --help
""",
    help_format="plaintext",
    version=__version__,
    exit_on_error=False,
    print_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
for _name in ("ask", "evaluate", "compare", "compile", "clone", "index", "train", "world", "programs", "demo"):
    app.command(f"multihop.commands.{_name}:{_name}", name=_name)
