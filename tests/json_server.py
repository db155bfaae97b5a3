"""A server on 127.0.0.1 that answers what a test says, and remembers what it was asked."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class JsonServer(ThreadingHTTPServer):
    """Use it in a `with` block; `url` is where it is.

    Args:
        reply: Called with each request; returns what is sent as JSON or, being bytes, as it is; or that after a status,
            and maybe headers after both; or None to drop the connection. An iterator of bytes is sent as they come.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, reply):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply, self.asked, self.lock = reply, [], threading.Lock()

    @property
    def host(self):
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self):
        return f"http://{self.host}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # a client that is gone, or a connection that was broken on purpose


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
        is_stream = hasattr(content, "__next__")
        pieces = content if is_stream else [content if isinstance(content, bytes) else json.dumps(content).encode()]
        length = {} if is_stream else {"Content-Length": str(len(pieces[0]))}
        self.send_response(status)
        for name, value in {**length, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection |= is_stream or "Content-Length" in headers  # more was announced than is sent
        if self.command != "HEAD":
            for piece in pieces:
                self.wfile.write(piece)

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)
