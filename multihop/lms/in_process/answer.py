"""One prompt and its answer in the making: which token comes next, and when the answer is whole."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.own_time import current_asker
from ..bounded_texts import LONGEST_TEXT
from .model import AnswerGrammar, Logits, Model, Tokens

Finish = Literal["stop", "length"]

FIRST = 256
"""Tokens among which those are looked for that a grammar allows, where the likeliest of all is one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The request's demands on an answer."""

    max_tokens: int
    """Tokens at most."""
    temperature: float = 0.0
    """0 for the likeliest token each time."""
    top_p: float = 1.0
    """The share of probability from which tokens are drawn."""
    top_k: int = 0
    """The number of tokens from which is drawn; 0 for all."""
    seed: int | None = None
    """The seed of what is drawn; None for another one each time."""
    stop: tuple[str, ...] = ()
    """Texts before which the answer ends."""
    logprobs: int | None = None
    """Likely tokens that are told at each place, beside the chosen one; None for no probabilities at all."""


class Likely(NamedTuple):
    """A token and the logarithm of its probability, which is the model's own, whatever a grammar rules out."""

    token: int
    logprob: float


class Chosen(NamedTuple):
    """A token of the answer, and the likeliest at its place of those that its grammar allows there."""

    token: int
    logprob: float
    likeliest: tuple[Likely, ...]


LONGEST_CYCLE = 64
"""Tokens of a passage that an answer repeats, at most, to be noticed."""
REPEATED = 128
"""Tokens that are nothing but repetitions, of four or more, of the same passage; then the answer is ended, since small
models go on so until their tokens are spent."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer."""

    text: str
    finish: Finish
    tokens_in: int
    """Tokens of the prompt."""
    cached: int
    """Those of them that were computed before, for another prompt."""
    tokens_out: int
    chosen: tuple[Chosen, ...] | None
    """Each token with its probability, where that was asked for."""


@dataclass(slots=True, eq=False)
class Call:
    """A prompt that is being computed, then an answer that is being written."""

    model: Model
    prompt: Tokens
    wanted: Wanted
    on_text: Callable[[str], None] | None = None
    """Told every piece of text as soon as it is certain."""
    future: Future[Answer] = field(default_factory=Future)
    """The answer; who cancels it ends the call."""
    grammar: AnswerGrammar | None = None
    """The form that the answer is held to."""
    sequence: Any = None
    """The place in the model's memory that the worker computes it in."""
    cached: int = 0
    """Tokens of the prompt that were there already."""
    asker: object = field(default_factory=lambda: current_asker.get() or object())
    """The question that it is made for."""
    seconds: float = 0.0
    """The seconds that the model took for it and what the same question asked beside it, without other questions."""
    tokens: list[int] = field(default_factory=list)
    """The tokens of the answer until now."""
    chosen: list[Chosen] = field(default_factory=list)
    text: str = ""
    _told: int = 0
    _random: np.random.Generator | None = None
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def __post_init__(self) -> None:
        if self.wanted.temperature > 0:
            self._random = np.random.default_rng(self.wanted.seed)

    def accept(self, logits: Logits) -> bool:
        """Choose the next token; True if the answer is whole with it."""
        token, allowed = self._choose(logits)
        if self.wanted.logprobs is not None:
            self.chosen.append(self._with_probabilities(token, logits, allowed, self.wanted.logprobs))
        if self.model.ends(token):
            return self._finish("stop")
        self.tokens.append(token)
        if self.grammar is not None:
            self.grammar.accept(token)
        self.text += self._decoder.decode(self.model.piece(token))
        if (end := self._stopped()) is not None:
            self.text = self.text[:end]
            return self._finish("stop")
        if len(self.tokens) >= self.wanted.max_tokens or (self.grammar is None and self._repeats()):
            return self._finish("length")
        self._tell_certain()
        return False

    def end(self) -> None:
        """Give back what the call holds."""
        if self.grammar is not None:
            self.grammar.close()

    def _stopped(self) -> int | None:
        """The place of the first stop text; None if there is none yet. None begins in what is told already."""
        places = [self.text.find(each, self._told) for each in self.wanted.stop]
        return min((place for place in places if place >= 0), default=None)

    def _choose(self, logits: Logits) -> tuple[int, Logits | None]:
        """The next token; and the logits of all that the grammar allows, if they had to be computed for it."""
        grammar = self.grammar
        if grammar is not None and (self._must_end(grammar) or self._rambles() or self._repeats()):
            if (closing := grammar.closing()) is not None:
                return closing, None
            allowed = grammar.mask(logits)
            return int(allowed.argmax()), allowed
        token = self._draw(logits)
        if grammar is None or grammar.allows(token):
            return token, None
        allowed = grammar.mask(logits)  # rarely needed: it goes through the whole vocabulary
        return self._draw(allowed), allowed

    def _must_end(self, grammar: AnswerGrammar) -> bool:
        """True if the tokens that are left are needed to end the answer."""
        return self.wanted.max_tokens - len(self.tokens) <= grammar.reserve

    def _rambles(self) -> bool:
        """True if the text that is being written is longer than any step asks for: small models repeat themselves."""
        return len(self.text) - self.text.rfind('"') > LONGEST_TEXT

    def _repeats(self) -> bool:
        """True if the last tokens are one passage again and again; looked at now and then."""
        if len(self.tokens) % (REPEATED // 8):
            return False
        for cycle in range(1, LONGEST_CYCLE + 1):
            last = self.tokens[-max(REPEATED, 4 * cycle) :]
            if len(last) < max(REPEATED, 4 * cycle):
                return False
            if last[cycle:] == last[:-cycle]:
                return True
        return False

    def _draw(self, logits: Logits) -> int:
        if self._random is None:
            return int(logits.argmax())
        wanted = self.wanted
        scaled = logits.astype(np.float64) / wanted.temperature
        order = None
        if wanted.top_k or wanted.top_p < 1.0:
            order = np.argsort(-scaled, kind="stable")[: wanted.top_k or None]
            scaled = scaled[order]
        weights = np.exp(scaled - scaled.max())
        if order is not None and wanted.top_p < 1.0:
            share = np.cumsum(weights) / weights.sum()
            weights = weights[: int(np.searchsorted(share, wanted.top_p)) + 1]
        sums = np.cumsum(weights)
        place = int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))
        place = min(place, len(sums) - 1)
        return place if order is None else int(order[place])

    def _with_probabilities(self, token: int, logits: Logits, allowed: Logits | None, count: int) -> Chosen:
        """The chosen token with the likeliest ones; where nothing is `allowed` yet, those that are among the first."""
        highest = float(logits.max())
        total = highest + float(np.log(np.exp(logits - highest).sum()))
        likeliest = _highest(logits if allowed is None else allowed, max(count, FIRST) if self.grammar else count)
        if self.grammar is not None and allowed is None:
            likeliest = likeliest[self.grammar.which(likeliest)]
        ranked = (Likely(int(each), float(logits[each]) - total) for each in likeliest[:count])
        return Chosen(token, float(logits[token]) - total, tuple(ranked))

    def _finish(self, finish: Finish) -> bool:
        self._tell(self.text[self._told :])
        answer = Answer(
            self.text,
            finish,
            len(self.prompt),
            self.cached,
            len(self.tokens),
            None if self.wanted.logprobs is None else tuple(self.chosen),
        )
        if not self.future.cancelled():
            self.future.set_result(answer)
        return True

    def _tell_certain(self) -> None:
        """Tell what cannot be the beginning of a stop text any more."""
        held = max((len(each) - 1 for each in self.wanted.stop), default=0)
        self._tell(self.text[self._told : max(self._told, len(self.text) - held)])

    def _tell(self, piece: str) -> None:
        if piece:
            self._told += len(piece)
            if self.on_text is not None:
                self.on_text(piece)


def share_out(seconds: float, computed: Sequence[Call]) -> None:
    """Divide the seconds of a step among the questions whose calls were computed in it.

    `computed` holds a call once for each of its parts in the step. What one question asks at once would be computed at
    once without the others too: each of its calls takes it all.
    """
    parts = Counter(call.asker for call in computed)
    for call in set(computed):
        call.seconds += seconds * parts[call.asker] / len(computed)


def _highest(logits: Logits, count: int) -> NDArray[np.int64]:
    """So many tokens at most, the likeliest first, without those that are ruled out."""
    count = min(count, len(logits) - 1)
    tokens = np.argpartition(-logits, count)[:count] if count else np.zeros(0, np.int64)
    tokens = tokens[np.isfinite(logits[tokens])]
    return tokens[np.argsort(-logits[tokens], kind="stable")]
