"""An index learns its corpus: each part of the encoder by questions made of the pages, and what helps is kept."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import InputError
from ...data import Question
from ...encoder import Encoder
from ...encoder.maps import Maps, holds_maps, write_maps
from ...retrieval import Dense, Hybrid, open_index
from ...retrieval.adapted_folder import ADAPTED
from .made_questions import MadeQuestions, make_questions
from .query_map import dense_of, found_ids, learn_query_map
from .verdict_maps import JUDGE, Pool, Reader, Verdict, fit, pools
from .worth import Worth, worth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUESTIONS = 2000
"""Questions to make of a corpus at most: of fewer, a gain of one point is not told from chance."""
JUDGED = 240
"""Those of them at most whose findings are judged and read: that takes longest, and few weights need few."""


@dataclass(frozen=True)
class Learned:
    """The parts that an index has learned, and their worth on questions that were held back."""

    parts: dict[str, Worth]
    """The worth of each part: "embedding", "judge" and "reader"."""
    kept: tuple[str, ...]
    """The parts that ship."""
    learned: int
    """Questions that were learned from."""
    held_back: int
    folder: Path | None
    """What was written; None where nothing helps."""


def adapt(
    folder: str | os.PathLike[str],
    *,
    questions: int = QUESTIONS,
    seed: int = 0,
    watch: Callable[[str], None] = lambda doing: None,
) -> Learned:
    """Teach an index its corpus, without a label: what helps on questions held back is written into its folder.

    The index then asks by it, and programs over the index judge by it; its fingerprint says so. The encoder itself
    stays as it is, and so does every other index. Nothing is embedded anew.

    Args:
        folder: An index of kind dense or hybrid, whose encoder is the built-in one or of `multihop train`.
        questions: The number of questions to make; where the pages give fewer, there are fewer.
        seed: Another seed makes other questions.
        watch: Called with what is being done.

    Raises:
        InputError: The index is of another kind, the corpus is too small or not in English, or gives too few questions.
    """
    home = Path(folder).expanduser()
    index, encoder = open_to_learn(home)
    watch("reading the corpus")
    asked = make_questions(list(index), questions, seed=seed, watch=watch)
    maps, parts = Maps(), {}
    for name, tried, told in _learn(index, encoder, asked, watch):
        parts[name] = told
        if told.is_better:
            maps = replace(maps, **tried)
    kept = tuple(name for name, told in parts.items() if told.is_better)
    learned = Learned(parts, kept, len(asked.learned), len(asked.held_back), home / ADAPTED if kept else None)
    if kept:
        about = {"corpus": index.fingerprint, "seed": seed, "parts": {name: parts[name]._asdict() for name in kept}}
        write_maps(home / ADAPTED, maps, base=encoder.folder, over=encoder.fingerprint, about=about)
    else:
        forget(home)
    return learned


def open_to_learn(home: Path) -> tuple[Dense | Hybrid, Encoder]:
    """An index that can learn, as if it had learned nothing yet, and the encoder that made its vectors.

    Raises:
        InputError: It cannot; the message says why.
    """
    index: Any = open_index(home)
    if not isinstance(index, Dense | Hybrid):
        raise InputError(f"{home} is of kind '{index.kind}'; an index of kind dense or hybrid learns its corpus.")
    made_by = dense_of(index).made_by
    if not isinstance(made_by, Encoder):
        raise InputError(
            f"the vectors of {home} are of another sentence encoder; the built-in one learns, or one of "
            "`multihop train`."
        )
    return index.asked_by(made_by), made_by


def forget(folder: str | os.PathLike[str]) -> bool:
    """Delete what an index has learned; True if it had learned something.

    Examples:
        >>> from multihop.training.adapting.adapting import forget
        >>> forget("no/such/index")
        False
    """
    home = Path(folder).expanduser() / ADAPTED
    if not holds_maps(home):
        return False
    gone = home.with_name(f".{ADAPTED}.gone")  # half deleted, it would be damaged
    shutil.rmtree(gone, ignore_errors=True)
    home.rename(gone)
    shutil.rmtree(gone)
    return True


def _learn(
    index: Dense | Hybrid, encoder: Encoder, asked: MadeQuestions, watch: Callable[[str], None]
) -> "Iterator[tuple[str, dict[str, NDArray[Any]], Worth]]":
    """Each part with its map, and its worth on the questions held back."""
    watch(f"teaching the embedding with {len(asked.learned):,} questions")
    matrix = learn_query_map(dense_of(index), encoder, asked.learned)
    if matrix is not None:
        mapped = encoder.with_maps(Maps(query=matrix))
        told = _worth_of_asking(index, encoder, mapped, asked.held_back)
        yield "embedding", {"query": matrix}, told
        if told.is_better:
            encoder = mapped  # the others see what is found then
    learned, held_back = asked.learned[: 2 * JUDGED // 3], asked.held_back[: JUDGED // 3]
    watch(f"judging what {len(learned) + len(held_back):,} questions find")
    judged = [pools(index, encoder, some) for some in (learned, held_back)]
    watch("teaching the judge")
    weights, told = _fitted(JUDGE, *judged)
    yield "judge", {"judge": weights}, told
    if told.is_better:
        judged = [[pool.judged_by(Maps(judge=weights)) for pool in some] for some in judged]
    watch("teaching the reader")
    weights, told = _fitted(Reader(encoder), *judged)
    yield "reader", {"reader": weights}, told


def _worth_of_asking(index: Dense | Hybrid, encoder: Encoder, mapped: Encoder, questions: Sequence[Question]) -> Worth:
    """The worth of the mapped encoder by vectors alone; that in the index's whole search, where it loses there."""
    vectors, whole = (
        worth(questions, *(found_ids(each, asks, questions) for asks in (encoder, mapped)))
        for each in (dense_of(index), index)
    )
    return whole if whole.gain < -whole.error else vectors


def _fitted(verdict: Verdict, learned: list[Pool], held_back: list[Pool]) -> "tuple[NDArray[np.float64], Worth]":
    """The map of a verdict, and its worth where the pages found are ranked by it."""
    import numpy as np

    rows = [verdict.features(pool) for pool in learned]
    gold = np.concatenate([pool.gold[: len(each)] for pool, each in zip(learned, rows, strict=True)])
    weights = fit(np.concatenate(rows), gold, verdict.usual)
    told = [verdict.features(pool) for pool in held_back]
    before, after = (
        [verdict.ranked(pool, each @ some[:-1] + some[-1]) for pool, each in zip(held_back, told, strict=True)]
        for some in (np.array([*verdict.usual, 0.0]), weights)
    )
    return weights, worth([pool.question for pool in held_back], before, after)
