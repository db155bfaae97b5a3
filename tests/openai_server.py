"""A server on 127.0.0.1 that speaks the OpenAI protocol, answers by the prompt alone, and keeps a bill of its own."""

import hashlib
import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler

from local_server import LocalServer

from multihop.lms import parse_prompt, write_completion

REFUSED = {"429 with retry-after": (429, {"Retry-After": "1"}), "429": (429, {}), "500": (500, {})}
NOT_FIELDS = {"empty completion": "", "wrong field": "[[ ## reply ## ]]\nword", "refusal": "I cannot help with that."}
WAYS_TO_FAIL = (*REFUSED, "time-out", "dropped connection", "truncated JSON", *NOT_FIELDS)
"""Everything that a real server does instead of answering; see `fault`."""


class OpenAIServer(LocalServer):
    """Use it in a `with` block; `url` is what an LM takes as api_base.

    Args:
        reply: What is answered, as a function of the parsed prompt.
        usage: Whether replies tell their tokens.
        prompt_cached: How many tokens of each prompt are said to be in a cache of prompts.
        fault: Called with the number of each request; what it returns happens instead of an answer: an HTTP status,
            "unparseable", "dropped", or one of `WAYS_TO_FAIL`.
        fails: The same, called with the request and how often it was made before.
        slow: Seconds that a request takes which times out.
        keeps_to_schema: True if it complies with schemas; a status, or a message and its `finish_reason`, is answered
            where it is asked for that, which is neither counted nor failed.
        told: What is answered in JSON to GET, by path; others are not found.
    """

    def __init__(
        self,
        reply,
        *,
        usage=True,
        prompt_cached=0,
        fault=lambda number: None,
        fails=lambda body, before: None,
        slow=6.0,
        keeps_to_schema=False,
        told=None,
    ):
        super().__init__(_Handler)
        self.reply, self.usage, self.fault, self.fails, self.slow = reply, usage, fault, fails, slow
        self.prompt_cached, self.keeps_to_schema = prompt_cached, keeps_to_schema
        self.lock = threading.Lock()
        self.requests = 0
        self.answered = 0
        self.tokens = Counter()
        self.seen = Counter()
        self.bodies = []
        self.told, self.asked_for = told or {}, []
        self.probes = []
        self.made = Counter()
        self.watch = lambda number: None

    @property
    def url(self):
        return f"{super().url}/v1"

    @property
    def bill(self):
        """Answers given, and their tokens."""
        return self.answered, self.tokens["in"], self.tokens["out"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked_for.append(self.path)
        status = 200 if self.path in self.server.told else 404
        self.send(status, json.dumps(self.server.told.get(self.path, {"error": "not found"})))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        if "zebra" in json.dumps(body.get("response_format")):
            server.probes.append(body)
            said = server.keeps_to_schema
            if isinstance(said, bool):
                said = {"content": json.dumps({"word": "zebra"}) if said else "Hello!"}
            choice = {"message": said, **said} if isinstance(said, dict) else {}
            self.send(200 if choice else said, json.dumps({"choices": [choice]}))
            return
        with server.lock:
            number, asked = server.requests, fingerprint(body)
            server.requests += 1
            before = server.seen[asked]
            server.seen[asked] += 1
            server.bodies.append(body)
        server.watch(number)
        fault = server.fault(number) or server.fails(body, before)
        with server.lock:
            server.made.update([fault] if fault else [])
        if fault in ("dropped", "dropped connection"):
            self.close_connection = True
            self.connection.close()
            return
        if fault in REFUSED or isinstance(fault, int):
            status, headers = REFUSED.get(fault, (fault, {}))
            error = {"message": "refused on purpose", "type": "test", "code": str(status)}
            self.send(status, json.dumps({"error": error}), headers)
            return
        if fault == "time-out":
            time.sleep(server.slow)
            return
        if fault == "unparseable" or fault in NOT_FIELDS:
            text = NOT_FIELDS.get(fault, "I cannot.")
        elif not any("[[ ## " in str(message["content"]) for message in body["messages"]):  # asked in plain words
            answer = server.reply(None)
            as_json = "Reply with a JSON object" in body["messages"][0]["content"]
            text = json.dumps(answer) if as_json else next(reversed(answer.values()))
        else:
            prompt = parse_prompt(_Asked(body))
            text = write_completion(server.reply(prompt), prompt.style)
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
            if server.prompt_cached:
                completion["usage"]["prompt_tokens_details"] = {"cached_tokens": server.prompt_cached}
        if fault == "truncated JSON":
            self.send(200, json.dumps(completion)[:60])
            return
        with server.lock:
            server.answered += 1
            server.tokens.update({"in": into, "out": out})
        self.send(200, json.dumps(completion))

    def send(self, status, text, headers=None):
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def fingerprint(body):
    """A hash that is equal for two requests that are the same."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


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
