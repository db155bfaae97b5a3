import os
import signal

import httpx
import pytest
import ujson
from nursery import run_command, start
from server_process import healthy
from time_limit import LIMIT


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_corpus_is_served_asked_and_let_go(name, run, corpus, free_port, tmp_path):
    assert run("index", corpus, "--to", tmp_path / "index")[0] == 0
    process = start(run_command, "index", "serve", str(tmp_path / "index"), "--port", str(free_port))
    address = f"http://127.0.0.1:{free_port}"
    try:
        assert healthy(address, process)["passages"] == 3
        code, here, _ = run("ask", "Where is Torun?", "-c", tmp_path / "index", "--json")
        assert code == 0
        code, there, err = run("ask", "Where is Torun?", "-c", address, "--json")
        assert (code, err) == (0, "")
        here, there = (ujson.loads(each) for each in (here, there))
        assert here["passages"] == there["passages"]
        assert here["answer"] == there["answer"]
        with httpx.Client() as idle:  # a client that keeps its connection does not keep the server
            idle.get(f"{address}/healthz")
            os.kill(process.pid, name)
            process.join(LIMIT)
        assert process.exitcode == 0
    finally:
        process.kill()
        process.join()
    code, _, err = run("ask", "Where is Torun?", "-c", address)
    assert code == 1
    assert f"{address}/retrieve cannot be reached" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--max-k", "0"], "--max-k"),
        (["--port", "70000"], "--port"),
        (["--retriever", "denes"], "unknown retriever 'denes'"),
    ],
)
def test_what_cannot_be_served_is_refused(options, said, run, corpus):
    code, _, err = run("index", "serve", corpus, *options)
    assert code == 2
    assert said in err
