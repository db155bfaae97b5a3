import socket
import sys
from threading import Thread

import pytest

from multihop import BM25, Passage, save
from multihop.__main__ import main
from multihop.programs import OneStep

PASSAGES = [Passage("p1", "Ada", "Ada was born in London."), Passage("p2", "Bob", "Bob lived in Rome.")]
EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
asked = []
"""What this process has asked of the network, as the interpreter tells it."""
sys.addaudithook(lambda event, given: event in EVENTS and asked.append((event, str(given[-1]))))


class Stranger:
    """A server that counts who connects to it."""

    def __init__(self, listener):
        self.listener, self.visits, self.asked = listener, 0, asked
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        Thread(target=self._count, daemon=True).start()

    def _count(self):
        while True:
            try:
                visitor, _ = self.listener.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()


@pytest.fixture
def stranger():
    asked.clear()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Stranger(listener)
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def untouched(stranger):
    """The server's address, for a test in which nothing is contacted."""
    yield stranger.url
    assert (asked, stranger.visits) == ([], 0)


@pytest.fixture
def passages():
    return PASSAGES


@pytest.fixture
def path(tmp_path):
    """A saved program, whose corpus lies beside it."""
    retriever = BM25.build(PASSAGES, folder=tmp_path / "index")
    save(OneStep(retriever), tmp_path / "p.json", corpus=tmp_path / "index", about={"lm": "multihop/local@1"})
    return tmp_path / "p.json"


@pytest.fixture
def run(capsys):
    """Runs a command, for its code and what it says."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run
