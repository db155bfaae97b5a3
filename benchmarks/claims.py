"""Measures the verdicts on conclusions, with claims that are known to be so, to be otherwise, or to be told nowhere.

    python benchmarks/claims.py

Claims are made of the gold sentences of training questions of HotpotQA and 2WikiMultiHopQA, beside the question's own
passages: a sentence as it is (supported), with a name, date or number in another's place (contradicted), with a "not"
(contradicted), or of another question (not found). Of 2WikiMultiHopQA's triples they are made in other words, "The
director of Emma is Ada.": as it is, with the object of another triple of the same relation, of another question, and
near: the subject, and a relation that no triple tells, with an object that stands nowhere (not found; some pages do
tell otherwise, so that not every "contradicted" is wrong here). Half of them, every other one, is there to choose
thresholds by and to fit the curve with; what is printed is of the other half.
"""

import argparse
import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from citations import fitted

from multihop import open_questions
from multihop.english.details import details, words_of
from multihop.runtime.grounds.claims import ClaimCheck

VERDICTS = ("supported", "contradicted", "not found")
SHOWN = 5
"""Passages beside a claim."""
WORDS = 6
"""The fewest words of a gold sentence that is a claim."""
PHRASES = {
    "director": ("The director of {} is {}.", "{} was directed by {}."),
    "country of citizenship": ("The country of citizenship of {} is {}.", "{} is from {}."),
    "date of birth": ("The date of birth of {} is {}.", "{} was born on {}."),
    "country": ("The country of {} is {}.", "{} is in {}."),
    "date of death": ("The date of death of {} is {}.", "{} died on {}."),
    "place of birth": ("The place of birth of {} is {}.", "{} was born in {}."),
    "father": ("The father of {} is {}.", "{} is the child of {}."),
    "mother": ("The mother of {} is {}.", "{} is the child of {}."),
    "publication date": ("The publication date of {} is {}.", "{} was released on {}."),
    "country of origin": ("The country of origin of {} is {}.", "{} comes from {}."),
    "place of death": ("The place of death of {} is {}.", "{} died in {}."),
    "performer": ("The performer of {} is {}.", "{} is performed by {}."),
    "composer": ("The composer of {} is {}.", "The music of {} was composed by {}."),
    "spouse": ("The spouse of {} is {}.", "{} was married to {}."),
}
WORKS = ("director", "composer", "performer", "publication date", "country of origin", "country")


class Claim(NamedTuple):
    """A claim with its truth."""

    kind: str
    text: str
    truth: str
    passages: list
    question: str
    gold: str = ""
    """The id of the passage that it is of."""


def shown(question, first, dice):
    """The passages beside a claim of one of them: that, the other gold ones, and some of the others."""
    order = {first: 0, **dict.fromkeys((each for each in question.supporting if each != first), 1)}
    others = dice.sample(question.passages, len(question.passages))
    picked = sorted(others, key=lambda page: order.get(page.id, 2))[:SHOWN]
    return dice.sample(picked, len(picked))


def gold_sentences(questions):
    """Every gold sentence that is long enough: its question, its passage's id, and its text."""
    for question in questions:
        split = {page.id: parts for page, parts in zip(question.passages, question.sentences, strict=True)}
        for page, place in question.supporting_sents:
            text = split[page][place].strip() if place < len(split[page]) else ""
            if len(text.split()) >= WORDS:
                yield question, page, text


def swapped(text, pool, around, dice):
    """The sentence with a detail of the same kind in the place of one; None if it has none to swap."""
    for detail in dice.sample(found := details(text), len(found)):
        for other in dice.sample(pool[detail.kind], 20):
            if other not in around and detail.words.isdisjoint(words_of(other)):
                return text[: detail.start] + other + text[detail.end :]
    return None


def from_sentences(questions, dice):
    """Claims of gold sentences, in their own words."""
    gold = list(gold_sentences(questions))
    pool = defaultdict(list)
    for *_, text in gold:
        for detail in details(text):
            pool[detail.kind].append(text[detail.start : detail.end])
    for number, (question, page, text) in enumerate(gold):
        pages = shown(question, page, dice)
        around = " ".join(map(str, pages))
        denied = re.sub(r"\b(is|was|are|were)\b", r"\1 not", text, count=1)
        if number % 4 == 0:
            yield Claim("sentence", text, "supported", pages, question.question, page)
        elif number % 4 == 1 and (other := swapped(text, pool, around, dice)):
            yield Claim("detail swapped", other, "contradicted", pages, question.question, page)
        elif number % 4 == 2 and denied != text:
            yield Claim("denied", denied, "contradicted", pages, question.question, page)
        elif number % 4 == 3:
            foreign, _, text = gold[(number * 7 + 13) % len(gold)]
            if not set(foreign.supporting) & {each.id for each in pages}:
                yield Claim("another question's", text, "not found", pages, question.question)


def from_triples(questions, dice):
    """Claims of triples, in other words than those of the passages."""
    triples = [
        (question, page.id, hop.triple)
        for question in questions
        for hop in question.decomposition
        if hop.triple and hop.triple[1] in PHRASES
        for page in question.passages
        if page.id in question.supporting and page.name.lower() == hop.triple[0].lower()
    ]
    objects = defaultdict(list)
    told = defaultdict(set)
    for _, _, (subject, relation, value) in triples:
        objects[relation].append(value)
        told[subject].add(relation)
    for number, (question, page, (subject, relation, value)) in enumerate(triples):
        pages = shown(question, page, dice)
        around = " ".join(map(str, pages))

        def phrase(subject, relation, value):
            return dice.choice(PHRASES[relation]).format(subject, value)

        def elsewhere(relation, around=around, value=value):
            same = set(value.lower().split())
            return dice.choice(
                [each for each in objects[relation] if each not in around and not same & set(each.lower().split())]
            )

        if number % 4 == 0:
            yield Claim("triple", phrase(subject, relation, value), "supported", pages, question.question, page)
        elif number % 4 == 1:
            yield Claim(
                "object swapped",
                phrase(subject, relation, elsewhere(relation)),
                "contradicted",
                pages,
                question.question,
                page,
            )
        elif number % 4 == 2:
            foreign, _, triple = triples[(number * 5 + 3) % len(triples)]
            if not set(foreign.supporting) & {each.id for each in pages}:
                yield Claim("another question's triple", phrase(*triple), "not found", pages, question.question)
        else:
            others = [each for each in PHRASES if each not in told[subject] and (each in WORKS) == (relation in WORKS)]
            near = dice.choice(others)
            yield Claim("near", phrase(subject, near, elsewhere(near)), "not found", pages, question.question)


def table(title, rows):
    """The counts of verdicts by kind, and the precision and the recall of each verdict."""
    print(f"\n{title}\n\n| claims | truth | number | {' | '.join(VERDICTS)} |\n| --- | --- | ---: {'| ---: ' * 3}|")
    for kind, truth in dict.fromkeys((claim.kind, claim.truth) for claim, _ in rows):
        given = Counter(verdict for claim, verdict in rows if claim.kind == kind)
        shares = " | ".join(f"{100 * given[each] / given.total():.0f} %" for each in VERDICTS)
        print(f"| {kind} | {truth} | {given.total()} | {shares} |")
    print("\n| verdict | precision | recall |\n| --- | ---: | ---: |")
    for each in VERDICTS:
        right = sum(claim.truth == verdict == each for claim, verdict in rows)
        given, true = sum(verdict == each for _, verdict in rows), sum(claim.truth == each for claim, _ in rows)
        print(f"| {each} | {100 * right / max(1, given):.1f} % | {100 * right / max(1, true):.1f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    given = parser.parse_args()
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    learnt = []
    for name in ("hotpotqa", "2wikimultihopqa"):
        questions, dice = list(open_questions(given.shared / f"{name}.train.jsonl.gz")), random.Random(0)
        claims = [*from_sentences(questions, dice), *from_triples(questions, dice)]
        dice.shuffle(claims)
        checked = [(claim, ClaimCheck(claim.passages, claim.question).check(claim.text)) for claim in claims]
        checked = [(claim, check) for claim, check in checked if check]
        learnt += [(claim, check) for claim, check in checked[::2]]
        rows = [(claim, check.verdict) for claim, check in checked[1::2]]
        table(f"{name}, {len(rows)} claims", rows)
        own = [check.sentence.passage.id == claim.gold for claim, check in checked[1::2] if claim.gold]
        print(f"\nthe nearest sentence is of the right passage: {100 * np.mean(own):.1f} %")
    rows = [
        {"clues": [[check.covered, check.missing]], "gold": [claim.truth == "supported"]}
        for claim, check in learnt
        if claim.kind != "denied"
    ]
    bias, (covered, missing) = fitted(rows)
    print(f"\nfitted on the other half: bias {bias:.2f}, covered {covered:.2f}, missing {missing:.2f}")


if __name__ == "__main__":
    main()
