"""Measures how well an encoder reads: the questions that `multihop train` holds back of reading files, by source.

python benchmarks/reading.py                                    # the built-in encoder
python benchmarks/reading.py --weights encoder --items 100      # another one, at most so many of each source

Of a question with its paragraph: EM and F1 of the likeliest span, whether yes and no are told apart, and whether the
paragraph is said to hold the answer. "hit@1": how often the paragraph is the most relevant among what BM25 finds.
"""

import argparse
import random
import zlib
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from multihop import BM25, Encoder
from multihop.encoder import Pages, Pair
from multihop.evaluation.metrics.answer import exact_match, f1
from multihop.retrieval import Passage
from multihop.training.lessons.reading import misleading, reading_pool
from multihop.training.mix import open_material

COLUMNS = ("f1", "em", "yes/no", "holds", "hit@1", "bm25@1")
RIVALS = 9
"""Paragraphs that compete with the right one, at most."""


def as_shown(page, *, titled=True):
    """The paragraph as the judge is shown it."""
    return str(Passage("", page.title if titled else "", page.text))


def scores_of(item, reading, text):
    """Scores the reading of the item's own paragraph."""
    holds = reading.holds + reading.yes + reading.no > 0.5
    if item.kind == "none":
        return {"holds": float(not holds)}
    if item.kind != "span":
        return {"yes/no": float((reading.yes > reading.no) == (item.kind == "yes")), "holds": float(holds)}
    read = text[reading.answers[0].start : reading.answers[0].end] if reading.answers else ""
    return {
        "f1": max(f1(read, each, "musique") for each in item.answers),
        "em": max(exact_match(read, each) for each in item.answers),
        "holds": float(holds),
    }


def draw(items, most):
    """The held-back items that one paragraph answers, at most so many of each source."""
    by_source = defaultdict(list)
    for item in items:
        if item.held_back and len(item.supporting or item.paragraphs) == 1:
            by_source[item.source].append(item)
    for source, every in sorted(by_source.items()):
        random.Random(zlib.crc32(source.encode())).shuffle(every)
        yield source, every[:most]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", help="the folder of an encoder; the built-in one unless told")
    parser.add_argument("--items", type=int, default=100, help="of each source at most")
    parser.add_argument("--reading", type=Path, default=Path("../shared/data/reading"), help="the folder of the files")
    given = parser.parse_args()
    encoder = Encoder.load(given.weights)
    items = open_material(sorted(map(str, given.reading.glob("*.train.jsonl.gz")))).items
    if not items:
        raise SystemExit(f"there are no reading files in {given.reading}; give their folder with --reading")
    retriever = BM25.build(reading_pool(items))
    every = defaultdict(list)
    print(f"| source | items | {' | '.join(COLUMNS)} |\n| --- {'| ---: ' * (len(COLUMNS) + 1)}|")
    for source, drawn in draw(items, given.items):
        found = defaultdict(list)
        rankings = retriever.search([item.question for item in drawn], RIVALS + 3)
        for item, hits in zip(drawn, rankings, strict=True):
            page = (item.supporting or item.paragraphs)[0]
            pages = [hit.passage for hit in hits]
            rivals = misleading(item, pages, RIVALS, titled=bool(page.title)) if item.supporting else []
            shown = [as_shown(page), *(as_shown(each, titled=bool(page.title)) for each in rivals)]
            judgements = encoder.judge([Pair(item.question, text) for text in shown])
            (reading,) = encoder.read([Pages(item.question, (shown[0],))])
            for name, score in scores_of(item, reading, shown[0]).items():
                found[name].append(score)
            if item.supporting:
                best = max(range(len(shown)), key=lambda place: judgements[place].relevant)
                found["hit@1"].append(float(best == 0))
                found["bm25@1"].append(float(bool(pages) and pages[0].text == page.text))
        for name, values in found.items():
            every[name] += values
        print(row(source, len(drawn), found), flush=True)
    print(row("all", "", every))


def row(source, count, found):
    """A line of the table."""
    cells = [f"{100 * fmean(found[name]):.1f}" if found[name] else "" for name in COLUMNS]
    return f"| {source} | {count} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
