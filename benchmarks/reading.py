"""Measures how well an encoder reads: questions of one page that the built-in encoder has never seen, by file.

python benchmarks/reading.py                                    # the built-in encoder
python benchmarks/reading.py --weights encoder --items 100      # another one, at most so many of each file

Of a question with its paragraph: EM and F1 of the likeliest span, whether yes and no are told apart, and whether the
paragraph is said to hold the answer. "hit@1": how often the paragraph is the most relevant among what BM25 finds.
"""

import argparse
import random
import re
import zlib
from collections import defaultdict
from hashlib import blake2b
from pathlib import Path
from statistics import fmean

from multihop import BM25, Encoder
from multihop.data import open_questions
from multihop.encoder import Pages, Pair
from multihop.evaluation.metrics.answer import exact_match, f1
from multihop.retrieval import Passage
from multihop.training.gold_ways import gold_pages
from multihop.training.lessons import misleading, verdict_of

COLUMNS = ("f1", "em", "yes/no", "holds", "hit@1", "bm25@1")
RIVALS = 9
"""Paragraphs that compete with the right one, at most."""
HELD_BACK = 0.03
"""The share of the paragraphs that was held back, with all their questions, when the built-in encoder was trained."""


def scores_of(question, reading, text):
    """Scores the reading of the question's own paragraph."""
    holds = reading.holds + reading.yes + reading.no > 0.5
    if not question.answerable:
        return {"holds": float(not holds)}
    if verdict := verdict_of(question.answer):
        return {"yes/no": float((reading.yes > reading.no) == (verdict == "yes")), "holds": float(holds)}
    read = text[reading.answers[0].start : reading.answers[0].end] if reading.answers else ""
    return {
        "f1": max(f1(read, each, "musique") for each in question.answers),
        "em": max(exact_match(read, each) for each in question.answers),
        "holds": float(holds),
    }


def is_held_back(question):
    """True if the built-in encoder has not seen it: by a hash of the words of its first paragraph."""
    words = " ".join(re.findall(r"\w+", (gold_pages(question) or question.passages)[0].text.lower()))
    return int.from_bytes(blake2b(words.encode(), digest_size=4).digest()) < HELD_BACK * 2**32


def draw(name, questions, most):
    """The held-back questions that one paragraph answers, at most so many."""
    every = [each for each in questions if is_held_back(each) and len(each.supporting) < 2]
    random.Random(zlib.crc32(name.encode())).shuffle(every)
    return every[:most]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", help="the folder of an encoder; the built-in one unless told")
    parser.add_argument("--items", type=int, default=100, help="of each file at most")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args(arguments)
    encoder = Encoder.load(given.weights)
    files = {
        path.name.split(".")[0]: list(open_questions(path))
        for path in sorted((given.shared / "reading").glob("*.train.jsonl.gz"))
    }
    if not files:
        raise SystemExit(f"there is no folder 'reading' with files in {given.shared}; give its folder with --shared")
    texts = {(page.title, page.text) for questions in files.values() for each in questions for page in each.passages}
    retriever = BM25.build([Passage(f"{place}", *text) for place, text in enumerate(sorted(texts))])
    every = defaultdict(list)
    print(f"| file | questions | {' | '.join(COLUMNS)} |\n| --- {'| ---: ' * (len(COLUMNS) + 1)}|")
    for name, questions in files.items():
        drawn, found = draw(name, questions, given.items), defaultdict(list)
        if not drawn:
            continue
        rankings = retriever.search([question.question for question in drawn], RIVALS + 3)
        for question, hits in zip(drawn, rankings, strict=True):
            page = (gold_pages(question) or question.passages)[0]
            pages = [hit.passage for hit in hits]
            titled = bool(page.title)
            rivals = [each for each in misleading(question, [page], pages) if each.title or not titled]
            asked_of = [page, *(rivals[:RIVALS] if question.supporting else ())]
            shown = [str(each) if titled else each.text for each in asked_of]
            judgements = encoder.judge([Pair(question.question, text) for text in shown])
            (reading,) = encoder.read([Pages(question.question, (shown[0],))])
            for column, score in scores_of(question, reading, shown[0]).items():
                found[column].append(score)
            if question.supporting:
                best = max(range(len(shown)), key=lambda place: judgements[place].relevant)
                found["hit@1"].append(float(best == 0))
                found["bm25@1"].append(float(bool(pages) and pages[0].text == page.text))
        for column, values in found.items():
            every[column] += values
        print(row(name, len(drawn), found), flush=True)
    print(row("all", "", every))


def row(source, count, found):
    """A line of the table."""
    cells = [f"{100 * fmean(found[name]):.1f}" if found[name] else "" for name in COLUMNS]
    return f"| {source} | {count} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
