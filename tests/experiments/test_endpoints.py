"""A whole table whose steps are answered by LMs of two sizes on two servers, one of which fails in every known way."""

import os
import signal
from collections import Counter
from contextlib import ExitStack
from random import Random

import pytest
import ujson
from nursery import run_command, start
from openai_server import NOT_FIELDS, WAYS_TO_FAIL, OpenAIServer, fingerprint

from multihop.lms.local_engine import Local

pytestmark = [pytest.mark.at_once, pytest.mark.usefixtures("tiny_encoder")]

LARGE = "Llama3-70B-Instruct"
IN_FLIGHT = 4
LMS = """
[small]
model = "server/llama3-8b"
api_base = "{small}"
temperature = 0.0

[large]
model = "server/llama3-70b"
api_base = "{large}"
temperature = 0.1
timeout = 1.5
num_retries = 2
"""


def unparseable(body, before=0):
    """A way to say what is no answer, for every third request; a further attempt at the same step is answered."""
    number = int(fingerprint(body["messages"]), 16)
    first = body["temperature"] == 0.1 and "JSON" not in body["messages"][-1]["content"]
    return list(NOT_FIELDS)[number // 3 % len(NOT_FIELDS)] if first and number % 3 == 0 else None


class FailsEveryWay:
    """The same, and once in each of the other ways, at requests that were not made before."""

    def __init__(self):
        self.others = [way for way in WAYS_TO_FAIL if way not in NOT_FIELDS]

    def __call__(self, body, before):
        said = unparseable(body)
        return self.others.pop() if said is None and not before and self.others else said


class Bench:
    """The two servers, and a command that asks them."""

    def __init__(self, stack, folder, files, fails=lambda body, before: None):
        self.small = stack.enter_context(OpenAIServer(Local().reply))
        self.large = stack.enter_context(OpenAIServer(Local().reply, fails=fails, slow=2.0))
        folder.mkdir()
        (folder / "lms.toml").write_text(LMS.format(small=self.small.url, large=self.large.url))
        self.out = folder / "study"
        self.command = ["reproduce", "resp-table-2", "--limit", 6, "--concurrency", IN_FLIGHT, "--out", self.out]
        self.command += ["-q", files["questions"], "-c", files["corpus"], "--lms", folder / "lms.toml"]
        self.command += ["--lm", "small", "--lm", f"{LARGE}=large"]

    @property
    def servers(self):
        return self.small, self.large

    def run(self, kill_at=None):
        """One life of the command; it is killed when the servers have had so many requests more."""
        first = sum(server.requests for server in self.servers)
        process = start(run_command, *map(str, self.command))

        def watch(_):
            if kill_at is not None and sum(server.requests for server in self.servers) - first >= kill_at:
                os.kill(process.pid, signal.SIGKILL)

        for server in self.servers:
            server.watch = watch
        process.join(60)
        return process.exitcode

    def finish(self):
        """The table when no question is an error any more."""
        for _ in range(5):
            assert self.run() == 0
            table = ujson.loads((self.out / "table.json").read_text())
            if not any(row["errors"] for row in table["rows"]):
                return table
        raise AssertionError("questions go on failing")

    def lines(self, name):
        """The lines of the runs' files of that name, by run."""
        return {str(path.parent): path.read_text().splitlines() for path in self.out.rglob(name)}


def test_a_killed_table_of_two_endpoints_is_the_undisturbed_one(little_files, tmp_path):
    with ExitStack() as stack:
        quiet = Bench(stack, tmp_path / "quiet", little_files, unparseable)
        whole = quiet.finish()
        killed = Bench(stack, tmp_path / "killed", little_files, FailsEveryWay())
        random, finished = Random(7), Counter()
        for _ in range(5):
            assert killed.run(kill_at=random.randint(4, 16)) == -signal.SIGKILL
            for folder, rows in killed.lines("questions.jsonl").items():
                finished[folder] = max(finished[folder], len(rows))
        table = killed.finish()
        assert shown(table) == shown(whole)
        assert [row["n"] for row in table["rows"]] == [6] * 8
        assert len(set(finished.values())) > 1  # it was killed at several stages
        assert set(quiet.large.made) == set(NOT_FIELDS)
        assert set(killed.large.made) == set(WAYS_TO_FAIL)
        for bench in (quiet, killed):
            assert {body["model"] for body in bench.small.bodies} == {"llama3-8b"}
            assert {body["model"] for body in bench.large.bodies} == {"llama3-70b"}
            assert {body["temperature"] for body in bench.small.bodies} == {0.0}
            for calls in bench.lines("calls.jsonl").values():
                keys = [line["key"] for line in map(ujson.loads, calls) if "key" in line]
                assert len(keys) == len(set(keys)) > 0  # nothing that was answered is asked for again
        answered = [sum(server.answered for server in bench.servers) for bench in (quiet, killed)]
        assert answered[0] <= answered[1] <= answered[0] + 5 * IN_FLIGHT  # but what was in flight


def test_each_run_says_where_its_steps_were_answered(little_files, tmp_path):
    with ExitStack() as stack:
        bench = Bench(stack, tmp_path / "bench", little_files)
        bench.command += ["--rows", f"generator {LARGE}"]
        assert bench.run() == 0
        (path,) = bench.out.rglob("run.json")
        header = ujson.loads(path.read_text())
        small, large = (server.url for server in bench.servers)
        steps = ("judge", "plan", "summarize", "answer", "read")
        assert header["endpoints"] == {step: large if step == "read" else small for step in steps}
        assert header["identity"]["lm"]["read"]["decoding"]["temperature"] == 0.1
        assert {prompt["temperature"] for prompt in bench.small.bodies} == {0.0}
        assert not any(server.made for server in bench.servers)


def shown(table):
    """All of the table that the clock and what was paid have no say in."""
    apart = ("paid_calls", "folder")
    return [{name: value for name, value in row.items() if name not in apart} for row in table["rows"]]
