from itertools import islice

import pytest
import ujson

from multihop import World


@pytest.fixture(scope="session")
def small_world(tmp_path_factory):
    """Questions and a corpus of a small world, as files: indexed and read in no time."""
    folder = tmp_path_factory.mktemp("small-world")
    world = World(questions=8, passages=80, seed=5)
    pages = "".join(f"{ujson.dumps(page._asdict())}\n" for page in world.passages())
    asked = [
        {"id": q.id, "question": q.question, "answers": q.answers, "supporting": q.supporting, "hops": q.hops}
        for q in islice(world.questions(), 8)
    ]
    (folder / "corpus.jsonl").write_text(pages)
    (folder / "questions.jsonl").write_text("".join(f"{ujson.dumps(each)}\n" for each in asked))
    return {"questions": str(folder / "questions.jsonl"), "corpus": str(folder / "corpus.jsonl")}
