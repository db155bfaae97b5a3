"""Commands as users give them: in processes that can be killed, and servers that are there for a `with` block."""

import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx

LIMIT = 120
"""Seconds that anything may take before it counts as hanging."""
LITTLE = ("-c", "little", "--lm", "local")


def fresh(*arguments):
    """A command in a process of its own, started and not waited for."""
    return subprocess.Popen(
        [sys.executable, "-m", "multihop", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def killed_once(ready, *arguments):
    """A command that is killed, as by the system, as soon as `ready()` is true, and before it has ended."""
    process = fresh(*arguments)
    try:
        wait_for(ready, process)
    finally:
        process.kill()
        process.communicate()


def python(code, *arguments):
    """What a fresh Python prints."""
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines(path):
    """The records of a file of JSON lines; none where there is no file yet, and none of a line that is not whole."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


@contextmanager
def served(*arguments):
    """A client of a server in a process of its own: `with served("serve", "one.json") as client`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = fresh(*arguments, "--port", port)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT) as client:
            wait_for(lambda: is_up(client), process)
            yield client
    finally:
        process.terminate()
        process.communicate()


def is_up(client):
    """True once the server answers."""
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def wait_for(is_so, process=None):
    """Return as soon as `is_so()` is true; the process, if one is named, may not end before."""
    end = time.monotonic() + LIMIT
    while not is_so():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.01)
