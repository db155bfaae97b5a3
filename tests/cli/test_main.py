"""Every end of a command: one sentence, and an exit code that a script can act on."""

import io
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

import dspy
import pytest
import ujson

import multihop
from multihop.__main__ import main
from multihop.cli import app

PROGRAM = [sys.executable, "-m", "multihop"]


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (multihop.InputError("no such thing."), 2, "no such thing."),
        (multihop.MismatchError("two\nlines."), 2, "two lines."),
        (multihop.MissingExtraError("no torch."), 2, "no torch."),
        (multihop.RunFailed("nothing came of it."), 1, "nothing came of it."),
        (dspy.LMError("it is long.\n\n  To fix:\n    - Lower it\n"), 1, "the LM call failed: it is long."),
        (OSError(28, "No space left on device", "run/a"), 1, "run/a: No space left on device."),
        (PermissionError(13, "Permission denied", "run/a"), 2, "run/a: Permission denied."),
        (KeyboardInterrupt("interrupted; run keeps it."), 130, "interrupted; run keeps it."),
    ],
)
def test_the_exit_code_goes_by_the_kind_of_error(error, code, message, monkeypatch, capsys):
    def failing(_):
        raise error

    monkeypatch.setattr(app, "run_command", failing)
    assert main(["anything"]) == code
    assert capsys.readouterr() == ("", f"multihop: {message}\n")


@pytest.mark.parametrize("error", [ValueError("a fault of ours"), SystemExit(3)])
def test_a_fault_of_ours_is_not_hidden(error, monkeypatch):
    def failing(_):
        raise error

    monkeypatch.setattr(app, "run_command", failing)
    with pytest.raises(type(error)):
        main(["anything"])


def test_a_reader_that_leaves_is_no_error():
    started = subprocess.Popen([*PROGRAM, "programs"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started.stdout.close()
    with started.stderr:
        assert started.stderr.read() == ""
    assert started.wait(100) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_output_that_is_full_is_told_in_one_sentence(monkeypatch, capsys):
    full = open("/dev/full", "w")  # noqa: SIM115 - what is left in it can never be written, so closing fails
    monkeypatch.setattr(sys, "stdout", full)
    assert main(["programs"]) == 1
    assert capsys.readouterr().err == "multihop: No space left on device.\n"
    with suppress(OSError):
        full.close()


@pytest.mark.usefixtures("tiny_encoder")
def test_an_output_without_the_characters_gets_what_it_can_show(corpus, monkeypatch):
    question = "Where was Ad\u00e4 \U0001d538 born?"

    def said(*options):
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
        assert main(["ask", question, "--lm", "local", "-c", corpus, *options]) == 0
        return sys.stdout.buffer.getvalue().decode("ascii")

    assert r"\u2192" in said()
    assert ujson.loads(said("--json"))["question"] == question


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [("stdout", ["programs"], 0), ("stderr", ["nonsense"], 2), ("stdin", ["ask", "-"], 2)],
)
def test_closed_streams_end_no_command(closed, arguments, code, monkeypatch):
    monkeypatch.setattr(sys, closed, None)
    assert main(arguments) == code


def test_ctrl_c_ends_a_command_in_one_line():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(100)
        place = f"http://127.0.0.1:{silent.getsockname()[1]}"
        asking = [*PROGRAM, "ask", "Who?", "-c", place, "--lm", "local"]
        with subprocess.Popen(asking, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as started:
            with silent.accept()[0]:  # it waits for an answer
                while started.poll() is None:  # Python may be told of a signal, and then wait for the server
                    started.send_signal(signal.SIGINT)
                    with suppress(subprocess.TimeoutExpired):
                        started.wait(timeout=50)
            said = started.stderr.read()
    assert (started.returncode, said) == (130, "multihop: interrupted.\n")


@pytest.mark.usefixtures("quiet_again", "tiny_encoder")
@pytest.mark.parametrize(
    ("options", "kinds", "texts"),
    [
        ((), [], False),
        (("-v",), ["retrieval", "step", "question"], False),
        (("-v", "-v", "--log-texts"), ["retrieval", "call", "step", "question"], True),
    ],
)
def test_v_tells_of_the_work_on_the_error_stream(run, corpus, options, kinds, texts):
    command = ("ask", "Where is Torun?", "-c", corpus, "--lm", "local", "--cache", "off")
    code, answer, said = run(*command, *options)
    told = [line.split() for line in said.splitlines() if line[:2].isdigit()]
    assert code == 0
    assert list(dict.fromkeys(line[1] for line in told)) == kinds
    assert ("Where is Torun?" in said) == texts
    assert "tokens" in answer
