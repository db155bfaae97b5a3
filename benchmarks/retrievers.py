"""Every retriever that can run here, over the same passages: its size, its speed, its memory, and how much it finds.

python benchmarks/retrievers.py                                             # without a checkpoint: what needs none
python benchmarks/retrievers.py --checkpoint colbert-ir/colbertv2.0         # needs the extra [colbert]
python benchmarks/retrievers.py --sets hotpotqa,2wikimultihopqa,musique --questions 0 --passages 0 --to rows.jsonl
python benchmarks/retrievers.py --kinds "BM25;Dense"                        # some of them
python benchmarks/retrievers.py --untrained minilm-late                     # makes a checkpoint, and measures nothing

Passages are the gold ones of the questions, filled up from the start of the corpus; queries are the questions, asked
one at a time. "exact MaxSim" compares the vectors of a checkpoint's tokens as they are with those of all passages.
Each retriever is built in a process of its own and searched in another: "build" is processor time, all cores together;
"memory" is the most that the searching process had, what it read of mapped files included, and for a server that of
both sides. "bm25s" is that package as it comes, in NumPy, with the same words. The checkpoint of --untrained is
MiniLM's own token vectors, along the directions in which they differ most: for tries without a download, since a
trained one ranks better. With --to, rows that are in the file are not measured again.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import bm25s
import numpy as np
from apart import memory, percentile, run_apart
from Stemmer import Stemmer

from multihop import (
    BM25,
    ColBERT,
    Dense,
    Hybrid,
    MissingExtraError,
    RemoteRetriever,
    Reranked,
    open_corpus,
    open_index,
    open_questions,
)
from multihop.retrieval import Hit

SETS = ("hotpotqa", "2wikimultihopqa", "musique")
DEPTHS = (2, 5, 20)
DIMENSIONS = 128
SAMPLE = 512
TRAINED = {"dim": DIMENSIONS, "doc_maxlen": 180, "query_maxlen": 32, "mask_punctuation": True}
COLUMNS = (
    *("set", "passages", "retriever", "build s", "MB", "ms p50", "ms p95", "memory MiB"),
    *(f"recall@{depth}" for depth in DEPTHS),
    *("all gold in 5", "5 as exact"),
)


class Slice(NamedTuple):
    """Questions of a dev set, and passages that hold their gold."""

    shared: Path
    name: str
    questions: int
    passages: int
    checkpoint: str | None

    @property
    def titles(self):
        """MuSiQue's are partly guessed."""
        return self.name != "musique"

    def read(self):
        asked = list(open_questions(self.shared / f"{self.name}.dev.jsonl.gz", limit=self.questions or None))
        corpus = list(open_corpus(self.shared / f"{self.name}.corpus.jsonl.gz"))
        if not self.passages:
            return asked, corpus
        gold = {page for question in asked for page in question.supporting}
        kept = {passage.id for passage in corpus if passage.id in gold}
        for passage in corpus:
            if len(kept) >= self.passages:
                break
            kept.add(passage.id)
        return asked, [passage for passage in corpus if passage.id in kept]


class Words:
    """What bm25s finds."""

    def __init__(self, passages, index):
        self._passages, self._index = passages, index

    def search(self, queries, k):
        ranked = self._index.retrieve(_words(queries), k=k, show_progress=False)
        pairs = zip(ranked.documents.tolist(), ranked.scores.tolist(), strict=True)
        return [[Hit(self._passages[place], score) for place, score in zip(*each, strict=True)] for each in pairs]

    @staticmethod
    def build(passages, given, home):
        index = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
        index.index(_words([f"{p.title} {p.text}" if given.titles else p.text for p in passages]), show_progress=False)
        index.save(home)

    @classmethod
    def load(cls, given, home):
        return cls(given.read()[1], bm25s.BM25.load(home, mmap=True))


def _words(texts):
    return bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer("english"), show_progress=False)


class Exact:
    """All passages, compared one by one."""

    def __init__(self, passages, vectors, checkpoint):
        self._encoder, self._passages, self._vectors = _tokens(checkpoint), passages, vectors

    def search(self, queries, k):
        from multihop.retrieval.colbert_encoder import match

        rankings = []
        for query in self._encoder.encode_queries(queries):
            scores = match(query, self._vectors)
            best = sorted(range(len(scores)), key=lambda place: -scores[place])[:k]
            rankings.append([Hit(self._passages[place], scores[place]) for place in best])
        return rankings

    @staticmethod
    def build(passages, given, home):
        texts = [str(each) if given.titles else each.text for each in passages]
        encoded = _tokens(given.checkpoint).encode_passages(texts)
        home.mkdir()
        np.save(home / "lengths.npy", [len(each) for each in encoded])
        # Copied one by one: each is a part of its batch, all of which would be written with it.
        np.save(home / "vectors.npy", np.concatenate([each.numpy().astype(np.float16) for each in encoded]))

    @classmethod
    def load(cls, given, home):
        import torch

        vectors, lengths = torch.from_numpy(np.load(home / "vectors.npy")), np.load(home / "lengths.npy").tolist()
        return cls(given.read()[1], vectors.split(lengths), given.checkpoint)


def _tokens(checkpoint):
    from multihop.retrieval.colbert_encoder import open_token_encoder

    return open_token_encoder(checkpoint)


@contextmanager
def serve(home):
    """A retriever that asks `multihop index serve` for the index, and the process of that."""
    command = [sys.executable, "-m", "multihop", "index", "serve", str(home), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            line = server.stderr.readline()
            yield RemoteRetriever(next(word for word in line.split() if word.startswith("http")), timeout=60), server
        finally:
            server.terminate()


def _index(kind, **more):
    """Two functions: one builds an index folder, the other opens it."""
    return (
        lambda passages, given, home: kind.build(passages, titles=given.titles, folder=home, **more),
        lambda given, home: open_index(home),
    )


def _colbert(bits):
    def build(passages, given, home):
        ColBERT.build(passages, titles=given.titles, checkpoint=given.checkpoint, bits=bits, folder=home)

    return build, lambda given, home: ColBERT.load(home)


KINDS = {
    "BM25": _index(BM25),
    "bm25s": (Words.build, Words.load),
    "Dense": _index(Dense),
    "Hybrid": _index(Hybrid),
    "BM25, a server": _index(BM25),
    "ColBERT": _colbert(4),
    "ColBERT, 2 bits": _colbert(2),
    "exact MaxSim": (Exact.build, Exact.load),
    "BM25, reranked": (_index(BM25)[0], lambda given, home: Reranked(open_index(home), given.checkpoint)),
}
"""The functions that build each from passages, and open it in another process."""
WITH_CHECKPOINT = ("exact MaxSim", "ColBERT", "ColBERT, 2 bits", "BM25, reranked")


def write_late_checkpoint(folder, texts):
    """Fill the folder; the directions are those of the tokens of some texts."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModel, AutoTokenizer

    from multihop.training.encoder_folder import minilm

    model, tokenizer = AutoModel.from_pretrained(minilm()).eval(), AutoTokenizer.from_pretrained(minilm())
    width = model.config.hidden_size
    products = torch.zeros(width, width)
    with torch.inference_mode():
        for start in range(0, len(texts), 32):
            batch = tokenizer(
                texts[start : start + 32], padding=True, truncation=True, max_length=180, return_tensors="pt"
            )
            tokens = model(**batch).last_hidden_state[batch["attention_mask"].bool()]
            tokens = torch.nn.functional.normalize(tokens, dim=-1)
            products += tokens.T @ tokens
    axes = torch.linalg.eigh(products).eigenvectors[:, -DIMENSIONS:]
    weights = {f"bert.{name}": value for name, value in model.state_dict().items() if not name.startswith("pooler.")}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(
        {**weights, "linear.weight": axes.T.contiguous()}, folder / "model.safetensors", metadata={"format": "pt"}
    )
    model.config.architectures = ["HF_ColBERT"]
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "artifact.metadata").write_text(json.dumps(TRAINED))


def build(kind, given, home):
    """Seconds of building; reading the corpus is left out."""
    passages = given.read()[1]
    started = time.process_time()
    KINDS[kind][0](passages, given, home)
    return len(passages), time.process_time() - started


def search(kind, given, home):
    """The ids of every question's hits, the milliseconds of each search, and the memory of a server."""
    asked = [question.question for question in given.read()[0]]
    opened = serve(home) if "server" in kind else nullcontext((KINDS[kind][1](given, home), None))
    with opened as (retriever, server):
        retriever.search(asked[:1], max(DEPTHS))  # networks are opened when they are first asked
        found, milliseconds = [], []
        for question in asked:
            started = time.perf_counter()
            (hits,) = retriever.search([question], max(DEPTHS))
            milliseconds.append(1000 * (time.perf_counter() - started))
            found.append([hit.passage.id for hit in hits])
        return found, milliseconds, memory("VmHWM", server.pid) if server else 0.0


def measure(kind, given):
    """A row: what is in the table's columns, and the hits themselves."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "index"
        passages, built = run_apart(build, kind, given, home).result
        size = sum(file.stat().st_size for file in _once(scratch)) / 1e6
        (found, milliseconds, served), *_, peak = run_apart(search, kind, given, home)
    return {
        "passages": passages,
        "build s": built,
        "MB": size,
        "ms p50": statistics.median(milliseconds),
        "ms p95": percentile(milliseconds, 0.95),
        "memory MiB": peak + served,
        "found": found,
    }


def _once(folder):
    """The files in a folder, those with two names once."""
    files = {os.stat(file).st_ino: file for file in Path(folder).rglob("*") if file.is_file()}
    return files.values()


def recall(questions, found, depth):
    """Of the gold passages of a question, the share among its first hits, on average; and how often all are."""
    shares = [
        len({*question.supporting} & {*ranking[:depth]}) / len({*question.supporting})
        for question, ranking in zip(questions, found, strict=True)
    ]
    return 100 * statistics.mean(shares), 100 * statistics.mean(share == 1 for share in shares)


def overlap(found, exact, depth=5):
    """The share of one's first hits that the other has among its own."""
    both = sum(len({*ours[:depth]} & {*theirs[:depth]}) for ours, theirs in zip(found, exact, strict=True))
    return 100 * both / sum(len(theirs[:depth]) for theirs in exact)


def cells(kind, given, questions, row, exact):
    """A line of the table."""
    shown = [given.name, f"{row['passages']:,}", kind]
    shown += [f"{row[column]:.1f}" for column in ("build s", "MB", "ms p50", "ms p95")]
    shown += [f"{row['memory MiB']:,.0f}", *(f"{recall(questions, row['found'], depth)[0]:.1f}" for depth in DEPTHS)]
    shown += [f"{recall(questions, row['found'], 5)[1]:.1f}", f"{overlap(row['found'], exact):.1f}" if exact else ""]
    return "| " + " | ".join(shown) + " |"


class Kept:
    """Rows that were measured before, in a file of JSON lines."""

    def __init__(self, path):
        self._path, self._rows = path, {}
        for line in path.read_text().splitlines() if path and path.exists() else ():
            entry = json.loads(line)
            self._rows[tuple(entry["of"])] = entry["row"]

    def row(self, kind, given):
        of = (kind, given.name, given.questions, given.passages, given.checkpoint if kind in WITH_CHECKPOINT else None)
        if of not in self._rows:
            self._rows[of] = measure(kind, given)
            if self._path:
                with self._path.open("a") as file:
                    file.write(json.dumps({"of": of, "row": self._rows[of]}) + "\n")
        return self._rows[of]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--sets", default="hotpotqa", help=f"of {', '.join(SETS)}, with commas")
    parser.add_argument("--kinds", default=";".join(KINDS), help="with semicolons; all unless told")
    parser.add_argument("--questions", type=int, default=150, help="of each set; 0 for all")
    parser.add_argument("--passages", type=int, default=1000, help="of each corpus; 0 for all")
    parser.add_argument("--checkpoint", help="a ColBERT checkpoint, by its folder or name on the hub")
    parser.add_argument("--to", type=Path, help="a file of JSON lines that keeps the rows")
    parser.add_argument("--untrained", type=Path, help="write a checkpoint there, which no training made")
    asked = parser.parse_args()
    if not asked.shared.is_dir():
        raise SystemExit(f"there are no question sets in {asked.shared}; give their folder with --shared")
    if asked.untrained:
        corpus = open_corpus(asked.shared / f"{SETS[0]}.corpus.jsonl.gz")
        write_late_checkpoint(asked.untrained, [str(passage) for passage in islice(corpus, SAMPLE)])
        return
    chosen = [kind for kind in asked.kinds.split(";") if asked.checkpoint or kind not in WITH_CHECKPOINT]
    chosen.sort(key="exact MaxSim".__ne__)  # what the others are compared with comes first
    kept = Kept(asked.to)
    print("| " + " | ".join(COLUMNS) + " |")
    print("| --- " * 3 + "| ---: " * (len(COLUMNS) - 3) + "|", flush=True)
    for name in asked.sets.split(","):
        given = Slice(asked.shared, name, asked.questions, asked.passages, asked.checkpoint)
        questions, exact = given.read()[0], None
        for kind in chosen:
            try:
                row = kept.row(kind, given)
            except (MissingExtraError, BrokenProcessPool) as error:  # not installed, or killed for want of memory
                print(f"| {name} | | {kind} | {error} |", flush=True)
                continue
            if kind == "exact MaxSim":
                exact = row["found"]
            print(cells(kind, given, questions, row, exact), flush=True)


if __name__ == "__main__":
    main()
