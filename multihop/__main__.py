"""The command line: `multihop` and `python -m multihop`."""

import codecs
import io
import json
import os
import sys
from types import TracebackType


def main(arguments: list[str] | None = None) -> int:
    """Run one command.

    The exit code is 0; 2 for input that cannot be used and for what permissions forbid; 1 where an LM or a run failed,
    or a file could not be written; 130 after Ctrl-C.
    """
    _open_streams()
    sys.excepthook = _tell_fault
    try:
        return _run([_at_home(argument) for argument in (sys.argv[1:] if arguments is None else arguments)])
    except KeyboardInterrupt as interrupt:
        return _fail(str(interrupt) or "interrupted.", 130)


def run() -> None:
    """End the process with the exit code of `main`; after Ctrl-C at once, whatever a thread is still waiting for."""
    code = main()
    if code == 130:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    from cyclopts import CycloptsError, UnknownOptionError, UnusedCliTokensError

    from .base import MultihopError, RunFailed
    from .base.errors import remember_secrets, without_remedies
    from .cli.app import log_work, run_command, split_verbosity

    for argument in arguments:
        if "http" in argument and "://" in argument and "opensearch:" not in argument:  # there, the path is an index
            remember_secrets({"api_base": argument})
    arguments, level, texts = split_verbosity(arguments)
    try:
        if level:
            log_work(level, texts=texts)
        run_command(arguments)
        sys.stdout.flush()
    except RunFailed as error:
        return _fail(str(error), 1)
    except UnusedCliTokensError as error:
        left, command = " ".join(error.unused_tokens or ()), arguments[0]
        way = (
            "put a question of several words into quotes"
            if command == "ask"
            else f"multihop {command} --help says what"
        )
        return _fail(f"'{left}' is more than {command} takes; {way}.", 2)
    except UnknownOptionError as error:
        way = "; a program's k is set with --set k=N" if "-k" in arguments else ""
        return _fail(f"{str(error).rstrip('.')}{way}.", 2)
    except (MultihopError, CycloptsError) as error:
        return _fail(str(error), 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader left; say nothing at exit
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):  # rich has seen that the reader left
            raise
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        return _fail(f"{place}{error.strerror or error}.", 2 if isinstance(error, PermissionError) else 1)
    except Exception as error:
        from dspy.utils.exceptions import DSPyError  # looked up only now, since most commands need no DSPy

        if not isinstance(error, DSPyError):
            raise
        return _fail(f"the LM call failed: {without_remedies(error)}", 1)
    return 0


def _open_streams() -> None:
    """Give the process the three streams, also where one was closed or cannot write every character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the process ends
    codecs.register_error("as JSON", _as_json)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="as JSON")


def _as_json(error: UnicodeError) -> tuple[str, int]:
    """Characters that the encoding lacks, such as an arrow in ASCII, as JSON writes them, so that JSON stays JSON."""
    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _at_home(argument: str) -> str:
    """The argument with "~/" as the home folder, which shells leave alone in quotes and in --option=~/folder."""
    option, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
    return f"{option}{equals}{os.path.expanduser(value) if value.startswith('~/') else value}"


def _fail(message: str, code: int) -> int:
    from .cli.process import tell_user

    tell_user(message)
    return code


def _tell_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Write what Python writes of an error that nobody foresaw, without what no terminal should get."""
    from traceback import format_exception

    from .base.errors import hide_secrets
    from .base.texts import visible

    sys.stderr.write(visible(hide_secrets("".join(format_exception(kind, error, trace)))))


if __name__ == "__main__":
    run()
