"""What stands in for what is big, paid or elsewhere while a page is run: one table, and the servers behind it."""

import csv
from contextlib import contextmanager
from pathlib import Path

import pytest
from hub_server import HubServer
from hub_sets import make_repositories
from openai_server import OpenAIServer

from multihop import World
from multihop.models import Lexical, hosted

FAKE = "--provider fake_provider:FakeProvider"
STAND_INS = {
    "--finetune openai/gpt-4o-mini-2024-07-18": f"--finetune openai/gpt-4o-mini-2024-07-18 {FAKE}",
    "multihop clone mzqa": "multihop clone mzqa --set iterations=3",
    "data get 2wikimultihopqa-1000": "data get musique-1000",
    "--lm openai/gpt-4o-mini --max-calls": "--lm openai/gpt-4o-mini --train-limit 6 --dev-limit 4 --max-calls",
}
"""What a command says, and what is run instead: fewer questions, and nobody's money."""
ELSEWHERE = ("make ", "pip install", "python -m pip", "python3.11 -m venv", "multihop demo", "multihop train")
"""Commands that other checks run: installing, the suite, the demo, training."""
BIG = ("hybrid", "dense", "indexes/both", "weights=encoder")
"""With these words, a command or block takes minutes with the built-in encoder; a tiny one stands in for it."""


@contextmanager
def stand_ins(folder: Path, tiny_encoder: Path):
    """Large files as small ones in the folder; a server of this machine for the hub, and one for every LM's provider."""
    hub = make_repositories(folder / ".hub")
    pages = list(World(questions=3, passages=40).passages())
    with open(folder / "psgs_w100.tsv", "w", newline="") as file:
        rows = [("id", "text", "title"), *((page.id, page.text, page.title) for page in pages)]
        csv.writer(file, delimiter="\t").writerows(rows)
    (folder / "encoder").symlink_to(tiny_encoder)
    with OpenAIServer(Lexical().reply) as provider, HubServer(hub) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            hosted,
            "_hosted",
            lambda name, sort, key, options: hosted._own_server(name, sort, provider.url, key, options),
        )
        patch.setenv("HF_ENDPOINT", server.url)
        patch.setenv("COLUMNS", "80")
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        patch.chdir(folder)
        yield provider
