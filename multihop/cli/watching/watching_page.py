"""A small server on this machine for the page of a run that goes on: two addresses, for browsers here alone."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import ujson

from ...base import InputError, MultihopError
from ...view.live.live_page import STATE, describe_live, live_page
from ..showing.output import print_line

if TYPE_CHECKING:
    from ...view.live.live_runs import LiveRuns, LiveRunsState

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""The hosts under which this machine asks itself; a page from elsewhere that points its name here asks for another."""


def serve_live_page(runs: "LiveRuns", port: int) -> None:
    """Serve the page until Ctrl-C, and say where it is.

    Args:
        runs: What is shown.
        port: Where; 0 for any free port.

    Raises:
        InputError: The folder holds no run, or the port is taken.
    """
    with LivePageServer(runs, port) as server:
        print_line(f"{server.address} shows {runs.folder} as it goes on; Ctrl-C ends it")
        server.serve_forever()


class LivePageServer(ThreadingHTTPServer):
    """Answers with the page, and with how far the runs are."""

    daemon_threads = True

    def __init__(self, runs: "LiveRuns", port: int) -> None:
        """Listen, on this machine alone; nothing is answered before `serve_forever`.

        Raises:
            InputError: The folder holds no run, or the port is taken.
        """
        self._runs, self._reading = runs, threading.Lock()
        self.read()
        try:
            super().__init__((HOST, port), _Answer)
        except OSError as error:
            raise InputError(f"port {port} cannot be served: {error.strerror}; give another --port.") from None

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}"

    def read(self) -> "LiveRunsState":
        """The state of the runs; one look at a time."""
        with self._reading:
            return self._runs.read()


class _Answer(BaseHTTPRequestHandler):
    server: LivePageServer

    def do_GET(self) -> None:
        """Answer with the page or with its values."""
        name = self.headers.get("Host", "").rpartition(":")[0]
        if name not in NAMES:
            self._reply(421, "text/plain", f"this page is at {self.server.address} alone")
            return
        try:
            if self.path == "/":
                self._reply(200, "text/html", live_page(self.server.read()))
            elif self.path == f"/{STATE}":
                self._reply(200, "application/json", ujson.dumps(describe_live(self.server.read()), ensure_ascii=False))
            else:
                self._reply(404, "text/plain", f"there is the page / and its values /{STATE}, and nothing else")
        except MultihopError as error:
            self._reply(503, "text/plain", str(error))

    def _reply(self, status: int, kind: str, text: str) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server has
        """Say nothing of each request."""
