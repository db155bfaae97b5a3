from itertools import islice

import pytest
import ujson

from multihop import Little


@pytest.fixture(scope="session")
def little_files(tmp_path_factory):
    """Eight questions of the little encyclopedia, and forty pages with all of their gold, as files.

    They are indexed and read in no time, and are so few that an encoder that learned nothing finds some of the gold.
    """
    folder = tmp_path_factory.mktemp("little")
    asked = [
        {"id": q.id, "question": q.question, "answers": q.answers, "supporting": q.supporting, "hops": q.hops}
        for q in islice(Little().questions(), 8)
    ]
    gold = {page for each in asked for page in each["supporting"]}
    pages = sorted(Little().passages(), key=lambda page: page.id not in gold)[:40]
    (folder / "corpus.jsonl").write_text("".join(f"{ujson.dumps(page._asdict())}\n" for page in pages))
    (folder / "questions.jsonl").write_text("".join(f"{ujson.dumps(each)}\n" for each in asked))
    return {"questions": str(folder / "questions.jsonl"), "corpus": str(folder / "corpus.jsonl")}
