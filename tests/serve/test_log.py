"""The error stream of a server, when nobody reads it."""

import os
import sys
import threading

from multihop.serve import log
from multihop.serve.log import EventLog, unblocked_errors


def test_a_log_that_nobody_reads_stops_nobody_and_says_later_what_is_missing(monkeypatch):
    monkeypatch.setattr(log, "_MOST", 50)
    read, write = os.pipe()
    with open(write, "w") as pipe:
        monkeypatch.setattr(sys, "stderr", pipe)
        with unblocked_errors():
            for number in range(200):  # far more than a pipe takes
                EventLog().write("answered", number=number, text="x" * 10_000)
            parts = []
            while b"left out" not in b"".join(parts):  # now somebody reads
                parts.append(os.read(read, 1 << 20))
                EventLog().write("later")
            reader = threading.Thread(target=lambda: [*iter(lambda: os.read(read, 1 << 20), b"")])
            reader.start()  # so that nothing is still being written when the pipe is closed
        assert sys.stderr is pipe
    reader.join()
    os.close(read)
    assert b'"number":0,' in parts[0]
    assert b'"number":199,' not in b"".join(parts)


def test_all_is_written_before_the_end(monkeypatch):
    read, write = os.pipe()
    with open(write, "w") as pipe:
        monkeypatch.setattr(sys, "stderr", pipe)
        with unblocked_errors():
            for number in range(20):
                sys.stderr.write(f"{number}\n")
    with open(read) as written:
        assert written.read().split() == [str(number) for number in range(20)]
