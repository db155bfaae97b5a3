"""Indexes of millions of passages: how long they take to build and to change, what they need, how fast they answer.

python benchmarks/scale.py --passages 1000000,5000000             # BM25
python benchmarks/scale.py --passages 100000 --dense              # vectors
python benchmarks/scale.py --passages 5000000 --keep indexes      # what is in the folder is not built again
python benchmarks/scale.py --passages 10000,100000 --change 100   # so many passages are updated
python benchmarks/scale.py --passages 10000 --follow 100          # so many passages of a folder of documents change

Passages, queries and vectors are generated, the same every time. Each size is built in one process and
searched in another, one query at a time, and what generates passages is a third. Wall time, processor time (all cores
together, which hardly depends on what else the machine does) and memory are the library's alone; memory is the most
after any query and includes what was read of mapped files, which the system takes back when it is short.
"""

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path
from shutil import rmtree

import numpy as np
from apart import memory, percentile, run_apart

from multihop import BM25, Dense, Hybrid, Passage, open_index
from multihop.base.english import split_sentences
from multihop.data.little import Little
from multihop.retrieval import dense, hybrid
from multihop.retrieval.inverted_index import STOP_WORDS

K = 10
QUERIES = 1000
BLOCK = 4096
WORDS = 3_000_000
_COMMON = 8_000
"""Words up to here fall off by Zipf's law; those after them faster, as in large corpora of English."""
_SYLLABLES = [a + b for a in "bcdfghklmnprtvz" for b in ("a", "e", "i", "o", "u", "an", "or", "il", "en", "um")]
COLUMNS = {
    "index": "",
    "passages": ",",
    "build s": ",.0f",
    "of processors s": ",.0f",
    "us a passage": ".1f",
    "peak MiB": ",.0f",
    "disk MB": ",.0f",
    "open ms": ".1f",
    "p50 ms": ".2f",
    "p95 ms": ".2f",
    "of processors p50 ms": ".2f",
    "p95 of them": ".2f",
    "searching MiB": ",.0f",
}
"""The columns of a row, each with the format that it is shown in."""


def build_words(count, home):
    with streaming(count) as passages:
        BM25.build(passages, folder=home)


def search_words(count, home):
    queries = generate_queries(QUERIES, count)
    before = memory()
    started = time.perf_counter()
    retriever = open_index(home)
    opened = time.perf_counter() - started
    return _ask(retriever, queries, opened, before)


def build_vectors(count, home):
    open_generated_encoders()
    Dense.build(generate_numbers(count), folder=home, encoder=Meanings())


def open_generated_encoders():
    """The index folder names an encoder that only this script has."""
    dense.open_encoder = hybrid.open_encoder = lambda *_, **__: Meanings()


def search_vectors(count, home):
    open_generated_encoders()
    queries = ask_near(QUERIES, count)
    before = memory()
    started = time.perf_counter()
    retriever = open_index(home)
    opened = time.perf_counter() - started
    return _ask(retriever, queries, opened, before)


def _ask(retriever, queries, opened, before):
    """Each query alone, once to have been read from disk, and once more to be timed."""
    held = 0.0
    for query in queries:
        retriever.search([query], K)
        held = max(held, memory())
    seconds, processor = [], []
    for query in queries:
        started, worked = time.perf_counter(), time.process_time()
        retriever.search([query], K)
        seconds.append(time.perf_counter() - started)
        processor.append(time.process_time() - worked)
    return {
        "open ms": 1e3 * opened,
        "p50 ms": 1e3 * statistics.median(seconds),
        "p95 ms": 1e3 * percentile(seconds, 0.95),
        "of processors p50 ms": 1e3 * statistics.median(processor),
        "p95 of them": 1e3 * percentile(processor, 0.95),
        "searching MiB": held - before,
    }


WORK = {"bm25": (build_words, search_words), "dense": (build_vectors, search_vectors)}


def measure(kind, count, folder):
    """A row of the table; an index that is already in the folder is not built again."""
    build, search = WORK[kind]
    home, figures = folder / f"{kind}-{count}", folder / f"{kind}-{count}.json"
    if not figures.exists():
        built = run_apart(build, count, home)
        row = {"index": kind, "passages": count, "build s": built.wall, "of processors s": built.processor}
        row |= {"us a passage": 1e6 * built.processor / count, "peak MiB": built.peak}
        row["disk MB"] = sum(file.stat().st_size for file in home.rglob("*") if file.is_file()) / 1e6
        figures.write_text(json.dumps(row))
    return {**json.loads(figures.read_text()), **run_apart(search, count, home).result}


def change(kind, count, changed, home):
    """A line of the table of --change: an index is built, some of its passages are updated, and it is built anew."""
    with streaming(count) as passages:
        listed = list(passages)
    options = {} if kind is BM25 else {"encoder": Meanings()}
    if options:
        listed = [page._replace(title="", text=f"{place}") for place, page in enumerate(listed)]
    index = kind.build(listed, folder=home, **options)
    others = [page._replace(text=f"{page.text}0") for page in listed[:: max(1, count // changed)][:changed]]
    started = time.process_time()
    now = index.update(others)
    took, started = time.process_time() - started, time.process_time()
    gone = {page.id for page in others}
    anew = kind.build([*(page for page in listed if page.id not in gone), *others], **options)
    assert list(now) == list(anew), "the changed index is not that of the same passages"
    assert now.fingerprint == anew.fingerprint, "the changed index is not that of the same passages"
    print(f"| {kind.kind} | {count:,} | {len(others)} | {took:.2f} | {time.process_time() - started:.2f} |", flush=True)


def follow(count, changed, home):
    """The lines of the table of --follow: an index of a folder follows it, of documents with ten passages each."""
    dice, pages, alone = random.Random(0), home / "pages", home / "alone"
    sentences = [sentence for page in Little().passages() for sentence in split_sentences(page.text)]

    def section(number):
        return f"## Thing {number}\n\n{' '.join(dice.choice(sentences) for _ in range(4))}\n\n"

    def write(folder, page, parts):
        folder.mkdir(exist_ok=True)
        (folder / f"page-{page:04}.md").write_text(f"# Page {page}\n\n{''.join(parts)}")

    texts = [[section(10 * page + part) for part in range(10)] for page in range(count // 10)]
    for page, parts in enumerate(texts):
        write(pages, page, parts)
    first = {kind: _indexed(pages, home / kind, kind) for kind in ("bm25", "dense", "hybrid")}
    for page in range(0, len(texts), count // changed)[: changed // 10]:
        texts[page] = [section(10 * page + part) for part in range(10)]
        write(pages, page, texts[page])
        write(alone, page, texts[page])
    for kind, began in first.items():
        again, same = (_indexed(pages, home / kind, kind) for _ in range(2))
        rmtree(home / f"alone-{kind}", ignore_errors=True)
        of_alone = _indexed(alone, home / f"alone-{kind}", kind)
        told = (f"{wall:.1f} ({processor:.1f})" for wall, processor in (began, again, same, of_alone))
        print(f"| {kind} | {' | '.join(told)} | {again[1] / of_alone[1]:.2f} |", flush=True)


def _indexed(documents, to, kind):
    """The seconds that `multihop index` takes, and those of processors."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "multihop", "index", documents, "--to", to, "--retriever", kind]
    subprocess.run(command, check=True, capture_output=True)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - started, sum(now[:2]) - sum(before[:2])


def vocabulary():
    """The words from the most frequent to the rarest: English stop words, then words of two or three syllables."""
    count = len(_SYLLABLES)
    parts = [(rank % count, rank // count % count, rank // count**2) for rank in range(count, WORDS + count)]
    words = [_SYLLABLES[a] + _SYLLABLES[b] + (_SYLLABLES[c] if c else "") for a, b, c in parts]
    words[: len(STOP_WORDS)] = sorted(STOP_WORDS)
    return words


def generate_queries(count, passages, seed=0):
    """Questions of 10 words that are as frequent as in any text; two of three name a thing of a passage besides."""
    words, dice = vocabulary(), np.random.default_rng([seed, 3])
    queries = []
    for number in range(count):
        asked = [words[rank] for rank in _ranks(dice, 10)]
        about = int(dice.integers(0, passages))
        if number % 3:
            asked += [words[rank] for rank in _names(about // BLOCK * BLOCK)[about % BLOCK]]
        queries.append(" ".join(asked))
    return queries


@contextmanager
def streaming(count):
    """The passages one after the other, made by another process, whose time and memory are not this one's."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    maker = context.Process(target=_send, args=(count, theirs), daemon=True)
    maker.start()
    theirs.close()
    yield _receive(ours)
    ours.close()
    maker.join()


def _send(count, pipe):
    words = vocabulary()
    for start in range(0, count, BLOCK):
        pipe.send(_block(start, min(BLOCK, count - start), words))
    pipe.send([])


def _receive(pipe):
    while block := pipe.recv():
        for each in block:
            yield Passage(*each)


def _block(start, size, words):
    """Id, title and text of some passages; a passage is the same in whatever corpus."""
    dice = np.random.default_rng([start, 1])
    lengths = dice.integers(45, 135, BLOCK)
    ends = np.cumsum(lengths).tolist()
    text = [words[rank] for rank in _ranks(dice, ends[-1])]
    made, begin = [], 0
    for number, (end, (first, second)) in enumerate(zip(ends[:size], _names(start)[:size], strict=True), start):
        name, half = f"{words[first]} {words[second]}", (begin + end) // 2
        parts = (name, *text[begin:half], name, *text[half:end], words[second])
        made.append((str(number), name, " ".join(parts)))
        begin = end
    return made


def _names(start):
    """For each passage of a block two words, as many rare ones as frequent ones on a scale of powers."""
    dice = np.random.default_rng([start, 2])
    return np.exp(dice.uniform(np.log(2_000), np.log(WORDS), (BLOCK, 2))).astype(np.int64).tolist()


def _ranks(dice, count, flat=2.7, common=1.05, rare=1.7):
    """Words by their frequency ranks: Mandelbrot's law with one exponent for common words and one for rare ones."""
    edges = (flat, flat + _COMMON, flat + WORDS)
    knee = edges[1] ** (rare - common)  # both laws give the same at the edge
    masses = [_mass(*edges[:2], common), knee * _mass(*edges[1:], rare)]
    heads = dice.random(count) < masses[0] / sum(masses)
    spread = dice.random(count)
    drawn = np.empty(count)
    drawn[heads] = _invert(spread[heads], *edges[:2], common)
    drawn[~heads] = _invert(spread[~heads], *edges[1:], rare)
    return (drawn - flat).astype(np.int64).tolist()


def _mass(low, high, exponent):
    return (high ** (1 - exponent) - low ** (1 - exponent)) / (1 - exponent)


def _invert(spread, low, high, exponent):
    low, high = (edge ** (1 - exponent) for edge in (low, high))
    return (low + spread * (high - low)) ** (1 / (1 - exponent))


class Meanings:
    """An encoder that has a vector for every number, and for queries that are near one; a text is "17" or "near 17".

    A vector is one of 20,000 centres and a step from it, both in 48 directions, and a little of all others. Vectors
    that point just anywhere would be of no use: of those, none is near another, and no index can tell which is nearest.
    """

    embedding, place = "generated", {}
    _WIDTH, _DIRECTIONS, _CENTRES = 384, 48, 20_000

    def __init__(self):
        dice = np.random.default_rng(4)
        self._axes = dice.normal(size=(self._DIRECTIONS, self._WIDTH)).astype(np.float32) / self._DIRECTIONS**0.5
        self._centres = dice.normal(size=(self._CENTRES, self._DIRECTIONS)).astype(np.float32)
        self._asked = {}  # making a vector of a query takes longer than searching for it

    def embed(self, texts, *, progress=None):
        numbers = np.array(list(map(int, texts)))
        blocks = [
            self._block(number)[numbers[numbers // BLOCK == number] % BLOCK] for number in np.unique(numbers // BLOCK)
        ]
        return self._finish(np.concatenate(blocks), np.random.default_rng([int(numbers[0]), 5]), 0.1)

    def embed_queries(self, texts):
        for text in texts:
            if text not in self._asked:
                self._asked[text] = self._near(int(text.split()[1]))
        return np.concatenate([self._asked[text] for text in texts])

    def _near(self, number):
        dice = np.random.default_rng([number, 6])
        place = self._block(number // BLOCK)[number % BLOCK]
        return self._finish(place[None] + 0.3 * dice.standard_normal((1, self._DIRECTIONS), np.float32), dice, 0.1)

    def _block(self, number):
        dice = np.random.default_rng([number, 7])
        steps = dice.standard_normal((BLOCK, self._DIRECTIONS), np.float32)
        return self._centres[dice.integers(0, self._CENTRES, BLOCK)] + 0.6 * steps

    def _finish(self, places, dice, noise):
        vectors = places @ self._axes + noise * dice.standard_normal((len(places), self._WIDTH), np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def generate_numbers(count):
    """So many passages whose text is their number."""
    return (Passage(str(number), "", str(number)) for number in range(count))


def ask_near(count, passages, seed=0):
    """Queries for `Meanings`."""
    return [f"near {number}" for number in np.random.default_rng([seed, 8]).integers(0, passages, count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", default="200000,1000000", help="sizes, with commas")
    parser.add_argument("--dense", action="store_true", help="vectors instead of words")
    parser.add_argument("--change", type=int, help="measure instead how long so many updates take")
    parser.add_argument("--follow", type=int, help="measure instead a folder of which so many passages change")
    parser.add_argument("--keep", type=Path, help="where indexes are left, so that a second run only searches them")
    given = parser.parse_args()
    sizes = [int(size) for size in given.passages.split(",")]
    if given.change:
        open_generated_encoders()
        print("| index | passages | changed | of processors s | built anew |\n| --- | ---: | ---: | ---: | ---: |")
        for count, kind in ((count, kind) for count in sizes for kind in (BM25, Dense, Hybrid)):
            with tempfile.TemporaryDirectory() as home:
                change(kind, count, given.change, Path(home) / "index")
        return
    if given.follow:
        print("| index | first | after the change | nothing changed | those alone | of processors, to those alone |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for count in sizes:
            with tempfile.TemporaryDirectory() if given.keep is None else nullcontext(given.keep) as folder:
                follow(count, given.follow, Path(folder))
        return
    print("| " + " | ".join(COLUMNS) + " |")
    print("| --- " + "| ---: " * (len(COLUMNS) - 1) + "|", flush=True)
    for count in sizes:
        with tempfile.TemporaryDirectory() if given.keep is None else nullcontext(given.keep) as folder:
            row = measure("dense" if given.dense else "bm25", count, Path(folder))
        shown = [format(row[name], style) if name in row else "" for name, style in COLUMNS.items()]
        print("| " + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
