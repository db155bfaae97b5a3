import re
import threading
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest
import ujson
from written_runs import ABOUT, HOSTILE, IDENTITY, failed, row, write_run

from multihop.base import InputError
from multihop.cli.watching.watching_page import LivePageServer
from multihop.evaluation.journal.journal import Journal
from multihop.view.live.live_runs import LiveRuns


@contextmanager
def served(folder):
    """Asks the server of a folder's page: the method, the path and the host give status, headers and text."""
    with LivePageServer(LiveRuns(folder), 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()

        def ask(path="/", method="GET", host=None):
            connection = HTTPConnection("127.0.0.1", server.server_port, timeout=30)
            try:
                connection.request(method, path, headers={"Host": host or f"127.0.0.1:{server.server_port}"})
                reply = connection.getresponse()
                return reply.status, dict(reply.getheaders()), reply.read().decode()
            finally:
                connection.close()

        try:
            yield ask
        finally:
            server.shutdown()
            thread.join()


def test_the_page_follows_the_run(tmp_path):
    with Journal(tmp_path / "run", IDENTITY, ABOUT) as journal, served(tmp_path / "run") as ask:
        journal.append([row("q1", [])])
        first = ujson.loads(ask("/state.json")[2])
        assert (first["running"], first["done"], first["share"]) == (True, "1 of 5 questions", 20.0)
        journal.append([row("q2", [], right=False, status="over_budget"), failed("q3")])
        second = ujson.loads(ask("/state.json")[2])
        assert (second["done"], second["share"]) == ("3 of 5 questions", 60.0)
        assert [(bar["name"], bar["text"], bar["n"]) for bar in second["bars"]][:2] == [
            ("em", "50.0", 2),
            ("f1", "50.0", 2),
        ]
        assert [(each["id"], each["mark"], each.get("note")) for each in second["questions"]] == [
            ("q3", "error", None),
            ("q2", "wrong", "cut short by the budget"),
            ("q1", "right", None),
        ]
        assert dict(second["facts"])["errors"] == "TimeoutError 1"


def test_the_page_asks_its_own_server_and_nobody_else(tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", [], answer=HOSTILE)])
    with served(folder) as ask:
        status, headers, page = ask()
    assert (status, headers["Cache-Control"], headers["X-Content-Type-Options"]) == (200, "no-store", "nosniff")
    assert "default-src &#39;none&#39;; connect-src &#39;self&#39;; script-src &#39;sha256-" in page
    assert "<script>document.title" not in page
    assert re.findall(r"https?://[^\s\"<]+", page) == ["http://www.w3.org/2000/svg"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:80", "[::1]:80"])
def test_another_name_is_refused(tmp_path, host):
    with served(write_run(tmp_path / "run", [row("q1", [])])) as ask:
        status, _, text = ask("/state.json", host=host)
    assert status == 421
    assert text.startswith("this page is at http://127.0.0.1:")


def test_there_are_two_addresses_and_one_method(tmp_path):
    with served(write_run(tmp_path / "run", [row("q1", [])])) as ask:
        assert ask("/run.json")[0] == 404
        assert ask("/../run.json")[0] == 404
        assert ask("/state.json", method="POST")[0] == 501


def test_a_run_that_is_taken_away_is_told(tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", [])])
    with served(folder) as ask:
        (folder / "run.json").unlink()
        assert ask("/state.json")[::2] == (503, f"{folder} is not a run: it has no run.json.")


def test_a_port_that_is_taken_is_refused(tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", [])])
    with LivePageServer(LiveRuns(folder), 0) as server, pytest.raises(InputError, match="give another --port"):
        LivePageServer(LiveRuns(folder), server.server_port)


def test_repeats_that_have_ended_have_a_line_each(tmp_path):
    write_run(tmp_path / "repeat-1", [row("q1", []), failed("q2")])
    write_run(tmp_path / "repeat-2", [row("q1", [])], status="running")
    with served(tmp_path) as ask:
        state = ujson.loads(ask("/state.json")[2])
    assert state["earlier"] == [["repeat-1", "2 of 5 questions, finished, em 100.0 (n=1)"]]
    assert (state["running"], state["status"]) == (False, "nobody works on it now; the same command goes on with it")
