import sys
import threading

import pytest

from multihop.base.muting import muted, muted_errors


def in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_the_block_and_its_threads_are_not_heard(capsys):
    with muted():
        sys.stdout.write("here")
        sys.stderr.write("an error")
        in_thread(lambda: sys.stdout.write("in a thread"))
        assert not sys.stdout.isatty()
    sys.stdout.write("after")
    assert capsys.readouterr() == ("after", "")


def test_a_thread_that_was_there_before_goes_on_speaking(capsys):
    begun, go_on = threading.Event(), threading.Event()

    def speak():
        begun.set()
        assert go_on.wait(30)
        sys.stdout.write("an answer")
        sys.stderr.write("a warning")

    other = threading.Thread(target=speak)
    other.start()
    assert begun.wait(30)
    with muted():
        go_on.set()
        other.join()
    assert capsys.readouterr() == ("an answer", "a warning")


def test_errors_alone(capsys):
    with pytest.raises(KeyError), muted_errors():
        sys.stdout.write("a result")
        sys.stderr.write("progress")
        raise KeyError
    sys.stderr.write("told")
    assert capsys.readouterr() == ("a result", "told")
