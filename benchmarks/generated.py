"""Passages, queries and vectors by the million, the same every time, made block by block and never held."""

import multiprocessing
from contextlib import contextmanager

import numpy as np

from multihop import Passage
from multihop.retrieval.inverted_index import STOP_WORDS

BLOCK = 4096
WORDS = 3_000_000
_COMMON = 8_000
"""Words up to here fall off by Zipf's law; those after them faster, as in large corpora of English."""
_SYLLABLES = [a + b for a in "bcdfghklmnprtvz" for b in ("a", "e", "i", "o", "u", "an", "or", "il", "en", "um")]


def vocabulary():
    """The words from the most frequent to the rarest: English stop words, then words of two or three syllables."""
    count = len(_SYLLABLES)
    parts = [(rank % count, rank // count % count, rank // count**2) for rank in range(count, WORDS + count)]
    words = [_SYLLABLES[a] + _SYLLABLES[b] + (_SYLLABLES[c] if c else "") for a, b, c in parts]
    words[: len(STOP_WORDS)] = sorted(STOP_WORDS)
    return words


def generate_passages(count):
    """So many passages of 95 words or so, each about a thing of two words that it names three times."""
    words = vocabulary()
    for start in range(0, count, BLOCK):
        yield [Passage(*each) for each in _block(start, min(BLOCK, count - start), words)]


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
