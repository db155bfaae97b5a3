"""The judgements that were made last, so that none is made twice."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

from .judgement import Judgement
from .layout import Pair

MOST = 1 << 12


class Remembered:
    """Judgements by their pair; the oldest are forgotten.

    A program labels what it finds, the reader reads the same passages after it, and other programs show the same
    passages under the same question again and again.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._judgements: OrderedDict[Pair, Judgement] = OrderedDict()
        self._lock = Lock()

    def judge(self, pairs: Sequence[Pair], judge: Callable[[list[Pair]], Sequence[Judgement]]) -> list[Judgement]:
        """The judgements in the order of the pairs; `judge` is asked once for each of those that nobody remembers."""
        with self._lock:
            known = {pair: self._judgements[pair] for pair in pairs if pair in self._judgements}
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        if missing:
            known.update(zip(missing, judge(missing), strict=True))
        with self._lock:
            for pair in known:
                self._judgements[pair] = known[pair]
                self._judgements.move_to_end(pair)
            while len(self._judgements) > self._most:
                self._judgements.popitem(last=False)
        return [known[pair] for pair in pairs]

    def forget(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._judgements.clear()
