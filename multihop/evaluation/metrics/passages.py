"""Recall of the gold paragraphs among the passages that came, and how gold is recognised there.

Recall is of gold paragraphs, as in HippoRAG's and EfficientRAG's tables, and never of the answer string. A passage that
is returned twice counts once. Questions without known gold paragraphs, and programs that do not retrieve, have no
recall; that is not a 0. K is the number of passages that a program takes to get there (see `count_passages`).

A corpus need not have the ids that the questions name. The first that applies decides, for each question:

- **id**: the id of one of the question's own paragraphs (gold or not) came back.
- **text**: the text of one of them came back under another id. A gold paragraph that goes by its title in its set, and
  whose text did not come, is then still recognised by its title.
- **title**: the ids are of another kind than the question's (numbers against titles, say), and the title of one of its
  paragraphs came back.
- otherwise nothing was recognised: all gold is missing, and this question alone does not show whether it had to be.

Where titles repeat, one passage counts for one gold paragraph: the best ranked passage of a title for the first gold
paragraph of that title, the next one for the second. Case, spaces and HTML entities do not matter.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from typing import Any, ClassVar, NamedTuple

from ...base.texts import say_count
from ...retrieval import Passage
from .metric import Metric

KINDS = ("id", "text", "title")
"""The ways in which a passage can be recognised as a gold one, the surest first."""
UNRECOGNISED = "nothing recognised"
"""Passages came, and none could be told to be one of the question's."""
NO_GOLD = "no gold known"
NO_PASSAGES = "no passages returned"


class Match(NamedTuple):
    """The places of a question's gold paragraphs among the returned passages."""

    by: str
    """"id", "text" or "title"; else why there is no figure, or why it rests on other questions."""
    ranks: dict[str, int]
    """The place of each gold paragraph that came, from 0, by its id."""
    gold: int
    """The number of gold paragraphs."""

    @property
    def applies(self) -> bool:
        """True if there is something to measure: the gold is known and the program retrieves."""
        return self.by not in (NO_GOLD, NO_PASSAGES)


def match_gold(question: Any, prediction: Any) -> Match:
    """Match the passages of a prediction to the gold of a question; the result depends on nothing else."""
    came = rank_passages(prediction)
    match = match_passages(question, came)
    return match if match.by == NO_GOLD or came or _retrieves(prediction) else match._replace(by=NO_PASSAGES)


def match_passages(question: Any, came: Sequence[Passage]) -> Match:
    """Match passages to the gold; no passages at all are a miss."""
    gold = list(dict.fromkeys(getattr(question, "supporting", None) or ()))
    if not gold:
        return Match(NO_GOLD, {}, 0)
    own = {passage.id: passage for passage in getattr(question, "passages", None) or ()}
    known = {*gold, *own, *(getattr(question, "context_ids", None) or ())}
    if any(passage.id in known for passage in came):
        return Match("id", _places(gold, came, lambda name: name, lambda passage: passage.id), len(gold))
    texts = {normal(passage.text) for passage in own.values()} - {""}
    titles = {name: normal(own[name].title if name in own else name) for name in gold}
    if any(normal(passage.text) in texts for passage in came):
        return Match("text", _places_by_text(gold, came, own, titles), len(gold))
    named = {*titles.values(), *(normal(passage.title) for passage in own.values())} - {""}
    if _of_another_kind(came, known, own.values()) and any(_title(passage) in named for passage in came):
        return Match("title", _places(gold, came, titles.__getitem__, _title), len(gold))
    return Match(UNRECOGNISED, {}, len(gold))


def describe_matching(counts: Mapping[str, int]) -> str:
    """A sentence on how recall was matched, or why there is none, from the questions by way; empty if all by ids."""
    if counts.keys() == {"id"}:
        return ""
    ways = [f"{way} ({say_count(counts[way], 'question')})" for way in KINDS if counts.get(way)]
    if not ways:
        reasons = {
            UNRECOGNISED: "none of the passages that came is known to the questions by id, text or title, "
            "so nobody knows whether the corpus holds the gold ones",
            NO_PASSAGES: "the program returned no passages",
            NO_GOLD: "the questions name no gold passages",
        }
        return "".join([f"no recall: {reason}" for kind, reason in reasons.items() if counts.get(kind)][:1])
    parts = [f"recall matched by {' and '.join(ways)}"]
    if counts.get(UNRECOGNISED):
        parts.append(f"in {say_count(counts[UNRECOGNISED], 'question')} no gold was found, which counts as 0")
    if left_out := counts.get(NO_GOLD, 0) + counts.get(NO_PASSAGES, 0):
        parts.append(f"{say_count(left_out, 'question')} left out, without gold or without passages")
    return "; ".join(parts)


def rank_passages(prediction: Any) -> list[Passage]:
    """The passages that came, best first, each id once; none for a program that does not retrieve."""
    passages: dict[str, Passage] = {}
    for passage in getattr(prediction, "passages", None) or ():
        passages.setdefault(passage.id, passage)
    return list(passages.values())


def count_passages(prediction: Any) -> int:
    """The K of recall@K: the size of the pool where the program keeps one, else how many distinct passages came.

    A program that keeps a pool says so with the counter `pool`: so many of the passages it returns, the first ones, are
    those that it found helpful.
    """
    came = len(rank_passages(prediction))
    return int(min(came, (getattr(prediction, "counts", None) or {}).get("pool", came)))


def normal(text: str) -> str:
    """A text or title in the form in which it is compared."""
    return " ".join(unescape(text).casefold().split())


def _title(passage: Passage) -> str:
    return normal(passage.title)


def _places(
    gold: Iterable[str],
    came: Iterable[Passage | None],
    key_of_gold: Callable[[str], str],
    key_of_passage: Callable[[Passage], str],
) -> dict[str, int]:
    """The place of the passage that counts for each gold paragraph: one passage for one paragraph, in their order."""
    places: dict[str, list[int]] = {}
    for place, passage in enumerate(came):
        if passage is not None and (key := key_of_passage(passage)):
            places.setdefault(key, []).append(place)
    return {name: waiting.pop(0) for name in gold if (waiting := places.get(key_of_gold(name)))}


def _places_by_text(
    gold: Sequence[str], came: Sequence[Passage], own: Mapping[str, Passage], titles: Mapping[str, str]
) -> dict[str, int]:
    """The places by the texts of the gold; by title for gold that goes by its title and whose text did not come."""
    with_text = [name for name in gold if name in own]
    ranks = _places(with_text, came, lambda name: normal(own[name].text), lambda passage: normal(passage.text))
    by_title = [name for name in gold if name not in ranks and normal(name) == titles[name]]
    left = [passage if place not in ranks.values() else None for place, passage in enumerate(came)]
    return ranks | _places(by_title, left, titles.__getitem__, _title)


def _retrieves(prediction: Any) -> bool:
    """True if the program looks for passages, so that none at all is a miss."""
    cost = getattr(prediction, "cost", None) or {}
    return bool(getattr(prediction, "retrieves", False) or cost.get("retrievals"))


def _of_another_kind(came: Iterable[Passage], known: Iterable[str], own: Iterable[Passage]) -> bool:
    """True if the corpus's ids are evidently made in another way than the question's."""
    came, own = list(came), list(own)
    if any(passage.id == passage.title for passage in own) or not own:  # the question's ids are, or may be, titles
        return not any(passage.id == passage.title for passage in came)
    return {_form(passage.id) for passage in came}.isdisjoint(map(_form, known))


def _form(identifier: str) -> str:
    """The form of an id: a number, made of a title and its content, a code, or a name."""
    if identifier.isdecimal():
        return "number"
    if re.search(r"#[0-9a-f]{8}$", identifier):
        return "content"
    return "code" if re.fullmatch(r"\S*\d\S*", identifier) else "name"


class PlaceMetric(Metric):
    """A number made of the places of the gold passages among the first k that came."""

    kind: ClassVar[str]
    """The name before the "@"."""
    needs = "gold passages, or without passages that came"

    def __init__(self, k: int | None = None) -> None:
        """Among the first `k` passages; by default among all that came, or the pool where the program keeps one."""
        self.k = k
        self.name = f"{self.kind}@{'K' if k is None else k}"

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A number between 0.0 and 1.0; None where no gold paragraphs are known, or the program does not retrieve."""
        match, k = match_gold(gold, prediction), self._among(prediction)
        places = sorted(place for place in match.ranks.values() if place < k)
        return self.of(places, match.gold) if match.applies else None

    def of(self, places: Sequence[int], gold: int) -> float:
        """The number for the places that gold passages have, from 0, and how many gold passages there are."""
        raise NotImplementedError

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The gold passages that are missing."""
        return explain_missing(gold, prediction, self._among(prediction)) or "All gold passages were found."

    def _among(self, prediction: Any) -> int:
        return count_passages(prediction) if self.k is None else self.k


class Recall(PlaceMetric):
    """|gold among the first k| / |gold|; without k, among the first K ("recall@K", to be read with "K").

    Examples:
        >>> import dspy
        >>> from multihop import Passage, Question
        >>> from multihop.evaluation.metrics import Recall
        >>> question = Question(id="q", question="Who?", answers=("Ada",), supporting=("p1", "p9"))
        >>> came = dspy.Prediction(passages=[Passage("p1", "Ada", "..."), Passage("p2", "Bob", "...")])
        >>> Recall(5).measure(question, came)
        0.5
        >>> Recall(5)(question, came).feedback
        'Missing 1 of 2 gold passages: p9.'
    """

    kind = "recall"
    version: ClassVar[int] = 2

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the number; recall@K is one version ahead, since it once was of all that came."""
        return {"version": self.version + (self.k is None)}

    def of(self, places: Sequence[int], gold: int) -> float:
        """The share of gold passages that came."""
        return len(places) / gold


class AllRecall(Recall):
    """1.0 if every gold paragraph is among the first k, else 0.0."""

    kind = "all-recall"

    def of(self, places: Sequence[int], gold: int) -> float:
        """1.0 or 0.0."""
        return float(len(places) == gold)


class NDCG(PlaceMetric):
    """The gain of the gold passages, discounted by their places, over that of the best ranking: trec_eval's ndcg_cut.

    Examples:
        >>> from multihop.evaluation.metrics import NDCG
        >>> round(NDCG(10).of([0, 3], gold=2), 3)
        0.877
    """

    kind = "ndcg"

    def of(self, places: Sequence[int], gold: int) -> float:
        """Between 0.0, nothing found, and 1.0, all in front."""
        best = range(gold if self.k is None else min(gold, self.k))
        return _gain(places) / _gain(best)


class ReciprocalRank(PlaceMetric):
    """1 / the place of the first gold passage, 0.0 where none came; its mean over the questions is the MRR."""

    kind = "mrr"

    def of(self, places: Sequence[int], gold: int) -> float:
        """1.0, 0.5, 0.333, and so on."""
        return 1 / (places[0] + 1) if places else 0.0


class AveragePrecision(PlaceMetric):
    """The mean, over the gold passages, of the share of gold down to each; its mean over the questions is the MAP."""

    kind = "map"

    def of(self, places: Sequence[int], gold: int) -> float:
        """Between 0.0 and 1.0; a gold passage that did not come counts as 0."""
        return sum(found / (place + 1) for found, place in enumerate(places, 1)) / gold


class Success(PlaceMetric):
    """1.0 if any gold passage is among the first k, else 0.0."""

    kind = "success"

    def of(self, places: Sequence[int], gold: int) -> float:
        """1.0 or 0.0."""
        return float(bool(places))


class PassageCount(Metric):
    """The number of distinct passages that came, or that are in a program's pool: the K of recall@K."""

    name = "K"
    version: ClassVar[int] = 2

    def measure(self, gold: Any, prediction: Any) -> float | None:
        """A whole number."""
        return float(count_passages(prediction))

    def explain(self, gold: Any, prediction: Any, score: float) -> str:
        """The number in words."""
        return f"{score:.0f} passages came."


def explain_missing(gold: Any, prediction: Any, k: int | None = None) -> str:
    """The gold passages not among the first k, by title where the question knows it; empty if none is missing."""
    match = match_gold(gold, prediction)
    gold_ids = dict.fromkeys(gold.supporting) if match.applies else {}
    missing = [name for name in gold_ids if name not in match.ranks or (k is not None and match.ranks[name] >= k)]
    titles = {passage.id: passage.title for passage in getattr(gold, "passages", None) or ()}
    names = [titles.get(identifier) or identifier for identifier in missing]
    return f"Missing {len(missing)} of {len(gold_ids)} gold passages: {', '.join(names)}." if missing else ""


def _gain(places: Sequence[int]) -> float:
    return sum(1 / math.log2(place + 2) for place in places)
