"""Options of every command besides its own: how much it tells of its work, and whether it is traced."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple


class Verbosity(NamedTuple):
    """The amount that is told of a command's work."""

    level: int = 0
    """1 for questions, steps and retrievals, 2 for LM calls as well."""
    texts: bool = False
    """True if questions, prompts and answers are told too."""
    traced: bool = False
    """True if OpenTelemetry is told."""


def split_verbosity(arguments: Sequence[str]) -> tuple[list[str], Verbosity]:
    """The command's own arguments, and what stands among them for all commands.

    Examples:
        >>> from multihop.cli.options.verbosity import split_verbosity
        >>> split_verbosity(["ask", "-vv", "Who?", "--otel"])
        (['ask', 'Who?'], Verbosity(level=2, texts=False, traced=True))
        >>> split_verbosity(["serve", "resp", "--log-texts", "-v"])  # serve has such an option of its own
        (['serve', 'resp', '--log-texts'], Verbosity(level=1, texts=True, traced=False))
    """
    command = next((each for each in arguments if not each.startswith("-")), "")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept, level = [], 0
    for argument in arguments[:end]:
        if argument in ("-v", "-vv"):
            level += len(argument) - 1
        elif argument != "--otel" and (argument != "--log-texts" or command == "serve"):
            kept.append(argument)
    asked = arguments[:end]
    return [*kept, *arguments[end:]], Verbosity(min(level, 2), "--log-texts" in asked, "--otel" in asked)


@contextmanager
def telling(asked: Verbosity) -> Iterator[None]:
    """A block whose work is told on the error stream, and to OpenTelemetry, as far as that is asked for.

    Raises:
        MissingExtraError: OpenTelemetry is to be told, and not installed.
    """
    if asked.level:
        _log(asked)
    if not asked.traced:
        yield
        return
    from ...serve.tracing import exporting

    with exporting(texts=asked.texts):
        yield


def _log(asked: Verbosity) -> None:
    import logging

    from ...base.secrets import hide_secrets
    from ...base.visible import visible

    level = logging.INFO if asked.level == 1 else logging.DEBUG
    handler = logging.StreamHandler()

    class Shown(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return visible(hide_secrets(super().format(record)))

    handler.setFormatter(Shown("%(asctime)s %(message)s", datefmt="%H:%M:%S"))
    for name in ("multihop", *(["multihop.texts"] if asked.texts else [])):
        logging.getLogger(name).setLevel(level)
    logger = logging.getLogger("multihop")
    logger.handlers = [handler]
    logger.propagate = False
