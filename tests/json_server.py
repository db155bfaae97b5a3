"""A server on 127.0.0.1 that answers what a test says, and remembers what it was asked."""

import json
import threading
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

from local_server import LocalServer


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class JsonServer(LocalServer):
    """Use it in a `with` block; `url` is where it is.

    Args:
        reply: Called with each request; returns what is sent as JSON or, being bytes, as it is; or that after a status,
            and maybe headers after both; or None to drop the connection.
    """

    def __init__(self, reply):
        super().__init__(_Handler)
        self.reply, self.asked, self.lock = reply, [], threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = Asked(self.command, self.path, dict(self.headers), body)
        with self.server.lock:
            self.server.asked.append(asked)
        answer = self.server.reply(asked)
        if answer is None:
            self.close_connection = True
            self.connection.close()
            return
        status, content, headers = (*answer, {})[:3] if isinstance(answer, tuple) else (200, answer, {})
        sent = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(sent)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)
