"""Options of every command besides its own: how much it tells of its work."""

from collections.abc import Sequence


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

    from ...base.errors import hide_secrets
    from ...base.texts import visible

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
