from itertools import islice

import pytest
import ujson

from multihop import Little


@pytest.fixture(scope="session")
def little_files(tmp_path_factory):
    """Eight questions of the little encyclopedia and its corpus, as files: indexed and read in no time."""
    folder = tmp_path_factory.mktemp("little")
    asked = [
        {"id": q.id, "question": q.question, "answers": q.answers, "supporting": q.supporting, "hops": q.hops}
        for q in islice(Little().questions(), 8)
    ]
    (folder / "corpus.jsonl").write_text("".join(f"{ujson.dumps(page._asdict())}\n" for page in Little().passages()))
    (folder / "questions.jsonl").write_text("".join(f"{ujson.dumps(each)}\n" for each in asked))
    return {"questions": str(folder / "questions.jsonl"), "corpus": str(folder / "corpus.jsonl")}
