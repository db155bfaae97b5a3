"""Stand-ins for what is big, paid or elsewhere while a page is run: one table, and the servers behind it."""

import csv
import json
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import dspy
import pytest
from answering import reply
from exam_author import write_or_read
from extras import is_there
from hub_server import HubServer
from hub_sets import FIRST, hotpotqa_row, make_repositories
from openai_server import OpenAIServer
from small_corpus import ROWS
from tiny_lm import make_tiny

from multihop import Little, create, save
from multihop.lms import lm_by_name
from multihop.optimize.finetuning import Tuned

STAND_INS = {
    "--finetune HuggingFaceTB/SmolLM2-135M-Instruct": "--finetune base --train-set epochs=1",
    "data get 2wikimultihopqa-1000": "data get musique-1000",
    "--lm openai/gpt-4o-mini --max-calls": "--lm openai/gpt-4o-mini --train-limit 6 --dev-limit 4 --max-calls",
}
"""Parts of commands, each with what is run instead: fewer questions, and nobody's money."""
ELSEWHERE = ("make ", "pip install", "python -m pip", "python3.11 -m venv", "multihop demo", "multihop train")
ELSEWHERE += ("llama-server ", "vllm serve ", "ollama ", "lms ")
ELSEWHERE += ("cp docs/deploy", "docker ", "sudo ", "curl localhost:8000/ask -H 'Authorization")
"""Commands that other checks run: installing, the suite, the demo, training, deploying."""
BIG = ("hybrid", "dense", "indexes/both", "indexes/manuals", "weights=encoder")
"""With these words, a command or block takes minutes with the built-in encoder; a tiny one stands in for it."""


def prepare(folder: Path, hub: Path, tiny_encoder: Path) -> None:
    """Files that pages take for granted: a corpus, a saved program, and what they say was downloaded."""
    with open(folder / "psgs_w100.tsv", "w", newline="") as file:
        pages = islice(Little().passages(), 40)
        csv.writer(file, delimiter="\t").writerows(
            [("id", "text", "title"), *((page.id, page.text, page.title) for page in pages)]
        )
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (folder / "encoder").symlink_to(tiny_encoder)
    save(create("resp", lambda query, k: []), folder / "resp.json")
    downloads = folder / "downloads"
    downloads.mkdir()
    (downloads / "hotpot_qa").symlink_to(hub / "hotpotqa" / "hotpot_qa")
    for name in ("hotpotqa.json", "hotpotqa_corpus.json"):
        (downloads / name).symlink_to(hub / "osunlp" / "HippoRAG_2" / name)
    (downloads / "test_subsampled.jsonl").write_text(json.dumps(as_ircot_has_it()) + "\n")
    write_as_beir(downloads / "hotpotqa")


def write_as_beir(folder: Path) -> None:
    """A question of HotpotQA, its pages and its gold in the files of BEIR."""
    row = hotpotqa_row("h1", *FIRST)
    pages = [
        {"_id": f"p{place}", "title": title, "text": "".join(text)}
        for place, (title, text) in enumerate(row["context"])
    ]
    gold = [page["_id"] for page in pages if page["title"] in FIRST[0]]
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    (folder / "queries.jsonl").write_text(
        json.dumps({"_id": "h1", "text": row["question"], "metadata": {"answer": row["answer"]}}) + "\n"
    )
    (folder / "qrels" / "dev.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"h1\t{each}\t1\n" for each in gold)
    )


def as_ircot_has_it() -> dict:
    """A question of HotpotQA as IRCoT's released files have it."""
    row = hotpotqa_row("h1", *FIRST)
    contexts = [
        {"idx": place, "title": title, "paragraph_text": "".join(text), "is_supporting": title in FIRST[0]}
        for place, (title, text) in enumerate(row["context"])
    ]
    answer = {"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": [row["answer"]]}
    asked = {"dataset": "hotpotqa", "question_id": "h1", "question_text": row["question"]}
    return {**asked, "answers_objects": [answer], "contexts": contexts}


def answer_or_judge(prompt) -> dict:
    """What a provider answers; as a judge, that every answer is right, and as an author what an exam needs."""
    if "name" in prompt.inputs or "text" in prompt.inputs or "not mentioned" in str(prompt.output_fields):
        return write_or_read(prompt)
    return {"correct": True} if "accepted" in prompt.inputs else reply(prompt)


@contextmanager
def stand_ins(folder: Path, tiny_encoder: Path, *, trains: bool = False):
    """Small files in the place of large ones, a server here for the hub, and another for every LM's provider.

    For a page that `trains`, there is a model to be trained, if it can be.
    """
    trains = trains and is_there("tune")
    hub = make_repositories(folder / ".hub")
    prepare(folder, hub, tiny_encoder)
    if trains:
        make_tiny(folder / "base", context=8192)
    with OpenAIServer(answer_or_judge) as provider, HubServer(hub) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            lm_by_name,
            "_hosted",
            lambda name, sort, key, options: dspy.LM(
                name, api_base=provider.url, api_key="EMPTY", engine="lm15", **options
            ),
        )
        for module in () if trains else ("cloning", "study"):
            patch.setattr(
                f"multihop.optimize.{module}.finetune", lambda model, rows, **_: Tuned(lm=f"{model}-cloned", base=model)
            )
        patch.setenv("HF_ENDPOINT", server.url)
        patch.setenv("COLUMNS", "80")
        patch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        patch.chdir(folder)
        yield provider
