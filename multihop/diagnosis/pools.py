"""The share of the gold in a pool of candidates: hits for the question, and what these lead to by their titles."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ..data import Question
from ..evaluation.matching import match_passages
from ..retrieval import Hit, Passage, Retriever
from .named_pages import NamedPages, name_of
from .record import CandidatePool
from .searching import search_all

HITS = (20, 100)
"""Hits for the question in a pool."""
SEEDS = 10
"""The hits whose titles are followed, from the first on."""
TITLE_HITS = 10
"""Hits for a title."""
NAMESAKES = 20
"""Pages of one name at most; a name that more of them share leads nowhere."""


def measure_pools(
    questions: Sequence[Question],
    rankings: Sequence[Sequence[Hit]],
    retriever: Retriever,
    passages: Iterable[Passage],
    names: NamedPages,
) -> tuple[CandidatePool, ...]:
    """Pools around each question's hits; the passages are gone through once more, for the pages that hits name."""
    seeds = [[hit.passage for hit in ranking[:SEEDS]] for ranking in rankings]
    named = _named_pages({page.id: page for some in seeds for page in some}.values(), passages, names)
    by_title = _hits_for_titles({page.title for some in seeds for page in some if page.title.strip()}, retriever)
    pools = []
    for hits in HITS:
        for with_named, with_title_hits in ((False, False), (True, False), (True, True)):
            candidates = []
            for ranking, some in zip(rankings, seeds, strict=True):
                pool = [hit.passage for hit in ranking[:hits]]
                pool += [page for seed in some for page in named[seed.id]] if with_named else []
                pool += [page for seed in some for page in by_title.get(seed.title, ())] if with_title_hits else []
                candidates.append(list({page.id: page for page in pool}.values()))
            pools.append(_measure(hits, with_named, with_title_hits, questions, candidates))
    return tuple(pools)


def _measure(
    hits: int, named: bool, title_hits: bool, questions: Sequence[Question], pools: Sequence[Sequence[Passage]]
) -> CandidatePool:
    recalls = [match_passages(question, pool).recall() or 0.0 for question, pool in zip(questions, pools, strict=True)]
    return CandidatePool(
        hits=hits,
        named=named,
        title_hits=title_hits,
        size=sum(map(len, pools)) / len(pools),
        recall=sum(recalls) / len(recalls),
        complete=sum(recall == 1.0 for recall in recalls) / len(recalls),
    )


def _named_pages(seeds: Iterable[Passage], passages: Iterable[Passage], names: NamedPages) -> dict[str, list[Passage]]:
    """The pages that each seed names, by the seed's id."""
    named = {seed.id: names.names_in(seed.text, besides=name_of(seed)) for seed in seeds}
    needed = {name for some in named.values() for name in some}
    pages: defaultdict[str, list[Passage]] = defaultdict(list)
    for page in passages:
        if (name := name_of(page)) in needed and len(pages[name]) <= NAMESAKES:
            pages[name].append(page)
    return {
        seed: [page for name in some if len(pages[name]) <= NAMESAKES for page in pages[name]]
        for seed, some in named.items()
    }


def _hits_for_titles(titles: Iterable[str], retriever: Retriever) -> dict[str, list[Passage]]:
    queries = sorted(titles)
    rankings = search_all(retriever, queries, TITLE_HITS)
    return {title: [hit.passage for hit in hits] for title, hits in zip(queries, rankings, strict=True)}
