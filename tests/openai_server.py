"""A server on 127.0.0.1 that speaks the OpenAI protocol, answers by the prompt alone, and keeps its own books."""

import hashlib
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from multihop.models import parse_prompt, write_completion


class OpenAIServer(ThreadingHTTPServer):
    """Use it in a `with` block; `url` is what an LM takes as api_base.

    Args:
        reply: What is answered, as a function of the parsed prompt.
        usage: Whether replies tell their tokens.
        fault: Called with the number of each request; what it returns happens instead of an answer: an HTTP status,
            "unparseable", or "dropped".
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, reply, *, usage=True, fault=lambda number: None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply, self.usage, self.fault = reply, usage, fault
        self.lock = threading.Lock()
        self.requests = 0
        self.answered = 0
        self.tokens = Counter()
        self.seen = Counter()
        self.watch = lambda number: None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def books(self):
        """Answers given, and their tokens."""
        return self.answered, self.tokens["in"], self.tokens["out"]

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

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            number = server.requests
            server.requests += 1
            server.seen[hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()] += 1
        server.watch(number)
        fault = server.fault(number)
        if fault == "dropped":
            self.close_connection = True
            self.connection.close()
            return
        if isinstance(fault, int):
            self.send(fault, {"error": {"message": "refused on purpose", "type": "test", "code": str(fault)}})
            return
        prompt = parse_prompt(_Asked(body))
        text = "I cannot." if fault == "unparseable" else write_completion(server.reply(prompt), prompt.style)
        into, out = len(json.dumps(body["messages"])) // 4, len(text) // 4 + 1
        completion = {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        }
        if server.usage:
            completion["usage"] = {"prompt_tokens": into, "completion_tokens": out, "total_tokens": into + out}
        with server.lock:
            server.answered += 1
            server.tokens.update({"in": into, "out": out})
        self.send(200, completion)

    def send(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Asked:
    """A request as `parse_prompt` reads one."""

    def __init__(self, body):
        system = [message["content"] for message in body["messages"] if message["role"] == "system"]
        self.system = "\n".join(system)
        self.messages = [_Message(m) for m in body["messages"] if m["role"] != "system"]
        self.model = body["model"]


class _Message:
    def __init__(self, message):
        self.role, self.text = message["role"], message["content"]
