"""The parts that the studies with a simulated LM share: the question sets, and one run over them."""

import argparse
import asyncio
import statistics
import sys
import time
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import dspy

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from simulated import simulated as simulated  # the studies take it from here

from multihop import BM25, PROGRAMS, Little, create, evaluate, open_corpus, open_questions
from multihop.runtime import settings_of


def ask_sets(description, count=100):
    """The sets that the command line asks for, in `count` questions each unless it says otherwise."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--questions", type=int, default=count, help="of each set")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    return sets(given.shared, given.questions)


def sets(shared, count):
    """The little encyclopedia, then the real dev sets where their folder is present: name, retriever, questions."""
    little = Little()
    yield "little", BM25.build(little.passages()), list(islice(little.questions(), count))
    for name in ("hotpotqa", "2wikimultihopqa", "musique") if shared.is_dir() else ():
        retriever = BM25.build(open_corpus(shared / f"{name}.corpus.jsonl.gz"), titles=name != "musique")
        yield name, retriever, list(open_questions(shared / f"{name}.dev.jsonl.gz", limit=count))


def as_published(program, retriever, **settings):
    """The program without our rules that end a search early: the control flow of its paper."""
    rules = {"stops": ()} if "stops" in settings_of(PROGRAMS[program]) else {}
    return create(program, retriever, **rules, **settings)


def run(program, retriever, questions, lm, **settings):
    """The summary of one program on the questions."""
    with dspy.context(lm=lm):
        return evaluate(as_published(program, retriever, **settings), questions, concurrency=16).summary


class Timed(NamedTuple):
    """Wall clock against the longest chain of dependent calls."""

    alone: float
    """Seconds a question, one by one."""
    alone_ratio: float
    """Times the question's own chain."""
    crowd: float
    """Seconds for 32 questions at once."""
    crowd_ratio: float
    """Times the longest chain of all."""
    calls: float
    chain: float
    processor: float
    """Milliseconds of processor time a call, with 32 questions at once."""


async def time_run(program, questions, lm, latency):
    """The first eight questions one by one, then 32 at once."""
    with dspy.context(lm=lm, trace=None, disable_history=True):
        clock, alone = asyncio.get_running_loop().time, []
        for question in questions[:8]:
            started = clock()
            prediction = await program.acall(question=question.question)
            alone.append((clock() - started, prediction.cost["chain"]))
        started, worked = clock(), time.process_time()
        crowd = await asyncio.gather(*(program.acall(question=q.question) for q in questions[:32]))
        seconds, processor = clock() - started, time.process_time() - worked
    return Timed(
        statistics.mean(seconds for seconds, _ in alone),
        statistics.mean(seconds / (chain * latency) for seconds, chain in alone),
        seconds,
        seconds / (max(p.cost["chain"] for p in crowd) * latency),
        *(statistics.mean(p.cost[what] for p in crowd) for what in ("calls", "chain")),
        1e3 * processor / sum(p.cost["calls"] for p in crowd),
    )
