"""A real HTTP server that fails in every way real ones do, behind a plain `dspy.LM`."""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

import dspy
import pytest

from multihop import Question
from multihop.evaluation import evaluate
from multihop.programs import Direct

pytestmark = pytest.mark.at_once

FAULTS = (
    "429 with retry-after",
    "429",
    "500",
    "time-out",
    "dropped connection",
    "truncated JSON",
    "empty completion",
    "wrong field",
    "refusal",
)
QUESTIONS = [Question(id=f"q{i}", question=f"What is word {i}?", answers=(f"word {i}",)) for i in range(90)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"][-1]["content"]
        fault = self.server.next_fault()
        number = asked.split("What is word ")[1].split("?")[0]
        right = f"[[ ## answer ## ]]\nword {number}\n\n[[ ## completed ## ]]"
        if asked.count("JSON"):
            right = json.dumps({"answer": f"word {number}"})
        match fault:
            case "429 with retry-after":
                self.fail(429, {"Retry-After": "1"})
            case "429":
                self.fail(429)
            case "500":
                self.fail(500)
            case "time-out":
                time.sleep(6)
            case "dropped connection":
                self.close_connection = True
                self.connection.close()
            case "truncated JSON":
                self.send(200, json.dumps(completion(right))[:60].encode())
            case "empty completion":
                self.send(200, json.dumps(completion("")).encode())
            case "wrong field":
                self.send(200, json.dumps(completion("[[ ## reply ## ]]\nword")).encode())
            case "refusal":
                self.send(200, json.dumps(completion("I cannot help with that.")).encode())
            case _:
                self.send(200, json.dumps(completion(right)).encode())

    def fail(self, status, headers=None):
        body = {"error": {"message": "no", "type": "server_error", "code": str(status)}}
        self.send(status, json.dumps(body).encode(), headers or {})

    def send(self, status, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, share):
        super().__init__(("127.0.0.1", 0), Handler)
        self.random, self.share, self.lock = Random(1), share, threading.Lock()
        self.made = Counter()

    def next_fault(self):
        """Every fault in turn for the given share of the calls, at random moments."""
        with self.lock:
            fault = FAULTS[self.made.total() % len(FAULTS)] if self.random.random() < self.share else None
            if fault:
                self.made[fault] += 1
            return fault

    def handle_error(self, request, client_address):
        pass  # the client hung up on a connection that we broke


@pytest.fixture
def server():
    with Server(share=0.2) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def completion(text):
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": "test",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
    }


def lm(server, **options):
    return dspy.LM(
        "openai/test",
        api_base=f"http://127.0.0.1:{server.server_port}/v1",
        api_key="sk-local-secret",
        engine="lm15",
        timeout=5.0,
        cache=False,
        **options,
    )


def test_a_run_survives_every_way_in_which_a_server_fails(server, tmp_path, monkeypatch):
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    with dspy.context(lm=lm(server, num_retries=2)):
        run = evaluate(Direct(), QUESTIONS, out=tmp_path, concurrency=90)
    rows = list(run.rows())
    assert len(rows) == 90
    assert set(server.made) == set(FAULTS)
    answered = [row for row in rows if row["status"] == "ok"]
    assert len(answered) >= 60
    assert all(row["answer"] == row["answers"][0] for row in answered)
    for row in rows:
        if row["status"] == "error":
            assert row["error"]["type"]
            assert row["metrics"] == {}
    assert sum(row["cost"]["parse_failures"] for row in rows) >= server.made["refusal"]
    assert "secret" not in "".join(path.read_text() for path in tmp_path.iterdir() if path.is_file())


def test_without_retries_each_failure_has_a_name(server, tmp_path, monkeypatch):
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    server.share = 1.0
    with dspy.context(lm=lm(server, num_retries=0)):
        run = evaluate(Direct(retries=0), QUESTIONS[: len(FAULTS)], out=tmp_path, concurrency=1)
    assert run.summary["n_error"] == len(FAULTS)
    names = Counter(row["error"]["type"] for row in run.rows())
    assert names["AdapterParseError"] >= 2
    assert names["LMRateLimitError"] == 2
    assert len(names) >= 4
