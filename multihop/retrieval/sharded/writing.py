"""Changes of an index in shards: additions are dealt to the smallest, removals go to the one that holds the passage."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base import flush_folder
from .. import living_index
from ..bm25 import BM25
from ..dense import BLOCK, Dense
from ..hybrid import share_passages
from ..living.changes_file import sweep
from ..living.corpus import CorpusPart, check_some_left
from ..living_index import SHARE, State
from ..passage import Passage
from ..words.joining import join_counts
from ..words.statistics import add_up
from .building import whole_counts
from .changes import Positions, ShardedChanges, sweep_positions, write_added, write_first
from .layout import MEANINGS, WORDS, ShardedManifest, shard_name
from .passages import ShardedPassages
from .shard import Shard, ShardCounts

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

States = list[dict[str, State[Any]]]
"""For each shard the states of its indexes, by their folders."""


class Moment(NamedTuple):
    """The shards of an index at one moment, as who changes it has them open."""

    manifest: ShardedManifest
    shards: list[Shard]

    @property
    def is_whole(self) -> bool:
        """True if each shard is one part, of which nothing was removed."""
        return all(shard.corpus.is_whole for shard in self.shards)

    @property
    def is_loose(self) -> bool:
        """True if so much has changed that each shard should become one part; none can become one of nothing."""
        corpora = [shard.corpus for shard in self.shards]
        changed, large = sum(each.changed for each in corpora), sum(each.parts[0].left for each in corpora)
        return changed > max(living_index.LEAST, large // SHARE) and all(map(len, corpora))

    @property
    def states(self) -> States:
        """The states of all indexes."""
        return [{part: index._state for part, index in shard.parts.items()} for shard in self.shards]


class ShardedWriter:
    """Changes the shards in a folder; what it writes counts once its manifest is published."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def change(self, now: Moment, passages: ShardedPassages, ids: Iterable[str], added: list[Passage]) -> Moment:
        """Remove the passages with these ids and add others.

        Raises:
            InputError: One is not there, or is there already, or none would be left; nothing is changed.
        """
        found = passages.find_all(ids)
        if not (found or added):
            return now
        check_some_left(len(passages) + len(added) - len(found))
        places: list[list[int]] = [[] for _ in now.shards]
        for number, place in found:
            places[number].append(place)
        removed = set(found)
        passages.refuse({id_ for id_, at in passages.find([each.id for each in added]).items() if at not in removed})
        changes = ShardedChanges.of(now.manifest, self._home)
        dealt, positions = _deal(added, [len(shard.corpus) for shard in now.shards], changes.following)
        states: States = []
        orders: list[NDArray[int64]] = []
        for shard, out, new, at in zip(now.shards, places, dealt, positions, strict=True):
            orders.append(_joined(shard.positions.without(out), at))
            states.append({part: index._plan(out, new) for part, index in shard.parts.items()})
        return self._published(now, states, orders, changes._replace(following=changes.following + len(added)))

    def settle(self, now: Moment) -> Moment:
        """The same, with parts that are joined with no others."""
        if now.is_whole or not all(len(shard.corpus) for shard in now.shards):
            return now
        states = [{part: index._plan_settled() for part, index in shard.parts.items()} for shard in now.shards]
        orders = [shard.positions.added for shard in now.shards]
        return self._published(now, states, orders, ShardedChanges.of(now.manifest, self._home))

    def made_whole(self, before: Moment) -> list[dict[str, CorpusPart]]:
        """One part for each index of each shard; their words are weighed by all of them."""
        made: list[dict[str, CorpusPart]] = [{} for _ in before.shards]
        words = [index for shard in before.shards if isinstance(index := shard.parts.get(WORDS), BM25)]
        counts = [join_counts((part.index, part.gone) for part in each._state.corpus.parts) for each in words]
        whole = whole_counts([ShardCounts(list(each.stems), each.in_all()) for each in counts])
        for parts, index, own, all_ in zip(made, words, counts, whole, strict=False):
            parts[WORDS] = index.made_whole_of(own, all_)
        for parts, shard in zip(made, before.shards, strict=True):
            meanings = shard.parts.get(MEANINGS)
            if isinstance(meanings, Dense):
                parts[MEANINGS] = meanings._made_whole(meanings._state)
        return made

    def take_whole(self, now: Moment, before: Moment, made: list[dict[str, CorpusPart]]) -> Moment:
        """Put one part in the place of those that it was made of, without what was removed meanwhile."""
        states: States = []
        orders, firsts = [], []
        for shard, earlier, parts in zip(now.shards, before.shards, made, strict=True):
            was: dict[str, State[Any]] = {part: index._state for part, index in earlier.parts.items()}
            states.append({part: index._plan_whole(was[part], parts[part]) for part, index in shard.parts.items()})
            if any(state is shard.parts[part]._state for part, state in states[-1].items()):
                return now  # it is another index now
            firsts.append(earlier.positions.of_left())
            left = sum(part.left for part in shard.corpus.parts[1 : len(earlier.corpus.parts)])
            orders.append(shard.positions.added[left:])
        changes = ShardedChanges.of(now.manifest, self._home)
        changes = changes._replace(dealt=False, first=changes.number + 1)
        return self._published(now, states, orders, changes, firsts)

    def _published(
        self,
        now: Moment,
        states: States,
        orders: "Sequence[NDArray[int64]]",
        changes: ShardedChanges,
        firsts: "Sequence[NDArray[int64]] | None" = None,
    ) -> Moment:
        """From here on the index is in these states, with these positions of what was added to each shard."""
        statistics = None
        if now.manifest.words is not None:
            searches = [each[WORDS].search for each in states]
            whole = all(each[WORDS].corpus.is_whole for each in states)
            statistics = None if whole else add_up([search.statistics for search in searches])
        changes = changes._replace(
            shards=tuple({part: state.changes for part, state in each.items()} for each in states),
            number=changes.number + 1,
            statistics=statistics,
        )
        if firsts is not None:
            write_first(self._home, changes, firsts)
        write_added(self._home, changes, orders)
        for shard, each in zip(now.shards, states, strict=True):
            self._flush(shard, each)
        passages = sum(len(next(iter(each.values())).corpus) for each in states)
        manifest = replace(now.manifest, passages=passages, changes=changes.described())
        manifest.publish(self._home, changes.files)
        manifest = ShardedManifest.read(self._home)  # as others read it
        shards = []
        for number, (shard, each, added) in enumerate(zip(now.shards, states, orders, strict=True)):
            first = shard.positions.first if firsts is None else firsts[number]
            corpus = next(iter(each.values())).corpus
            positions = Positions(corpus, (manifest.order, number), first, added)
            shards.append(shard.changed(each, positions, statistics))
        return Moment(manifest, shards)

    def _flush(self, shard: Shard, states: dict[str, State[Any]]) -> None:
        """What is new of a shard is on the disk, its passages once."""
        folder = self._home / shard_name(shard.number)
        if len(states) == 2:
            known = shard.parts[WORDS]._state.changes.parts
            for name in set(states[WORDS].changes.parts) - set(known):
                share_passages(folder, name)
        for part, state in states.items():
            if state is not shard.parts[part]._state:
                flush_folder(folder / part, files=False)

    def sweep(self, now: Moment) -> None:
        """Delete what no longer counts."""
        sweep_positions(self._home, ShardedChanges.of(now.manifest, self._home))
        for shard in now.shards:
            for part, index in shard.parts.items():
                sweep(self._home / shard_name(shard.number) / part, index._state.changes, self._home)


def _deal(added: list[Passage], sizes: list[int], following: int) -> tuple[list[list[Passage]], list[list[int]]]:
    """The new passages of each shard and their positions: the smallest gets the next block."""
    dealt: list[list[Passage]] = [[] for _ in sizes]
    positions: list[list[int]] = [[] for _ in sizes]
    sizes = list(sizes)
    for start in range(0, len(added), BLOCK):
        block = added[start : start + BLOCK]
        smallest = sizes.index(min(sizes))
        dealt[smallest] += block
        positions[smallest] += range(following + start, following + start + len(block))
        sizes[smallest] += len(block)
    return dealt, positions


def _joined(left: "NDArray[int64]", new: list[int]) -> "NDArray[int64]":
    import numpy as np

    return np.concatenate([left, np.array(new, np.int64)])
