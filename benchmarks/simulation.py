"""What the studies with a simulated LM share: the question sets, and one run over them."""

from itertools import islice

import dspy

from multihop import BM25, World, create, evaluate, open_corpus, open_questions


def sets(shared, count):
    """The generated world, then the real dev sets where their folder is present: name, retriever, questions."""
    world = World()
    yield "world", BM25.build(world.passages()), list(islice(world.questions(), count))
    for name in ("hotpotqa", "2wikimultihopqa", "musique") if shared.is_dir() else ():
        retriever = BM25.build(open_corpus(shared / f"{name}.corpus.jsonl.gz"), titles=name != "musique")
        yield name, retriever, list(open_questions(shared / f"{name}.dev.jsonl.gz", limit=count))


def run(program, retriever, questions, lm, **settings):
    """The summary of one program on the questions."""
    with dspy.context(lm=lm):
        return evaluate(create(program, retriever, **settings), questions, concurrency=16).summary
