"""Measures the sentences that are cited for answers, against the gold sentences of HotpotQA and 2WikiMultiHopQA.

    python benchmarks/citations.py                       # dev questions, one-step over BM25 with the built-in LM
    python benchmarks/citations.py --retriever hybrid    # over the hybrid index
    python benchmarks/citations.py --verdicts            # the verdicts on answers that are known to be right or wrong
    python benchmarks/citations.py --fit                 # the weights, from the first training questions of each set

Beside what the library cites stand two simple ways: every sentence in which the answer stands, and the first sentence
of the first two passages. "Reach" is the share of gold sentences whose passage was found at all. The verdict of an
answer is set beside whether it is right. The time with `grounds` is that of the processor, with empty caches, of the
first 40 questions of each set. What was asked is kept, and the same command goes on from it.
"""

import argparse
import asyncio
import json
import random
import time
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import get_args

import dspy
import numpy as np
from dev_sets import open_retriever_of

from multihop import BM25, Encoder, create, local, open_questions
from multihop.english.details import details, words_of
from multihop.english.normal_form import normal_form
from multihop.evaluation.cited_sentences import cited_facts
from multihop.evaluation.metrics import CitePrecision, CiteRecall, ExactMatch, SupportingF1
from multihop.runtime.grounds.answer_sentences import LIKELY, MOST, Clues, answer_verdict, clues, read_answer, stands_in
from multihop.runtime.grounds.citation import Verdict
from multihop.runtime.grounds.citations import of_answer
from multihop.runtime.grounds.passage_sentences import sentences_of
from multihop.runtime.grounds.signals import FIRST

SETS = ("hotpotqa", "2wikimultihopqa")
TIMED = 40
"""Questions of each set that are also answered without citing, to compare the time."""
WAYS = ("cited", "answer stands", "first sentences")
RIDGE = 1.0
CLOSED = ("yes", "no")
PAIR = 2
"""Passages whose first sentence the simplest way cites."""


def goes_on(path, questions, make):
    """The rows of all questions; those that the file lacks are made, and added to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {row["id"]: row for row in map(json.loads, path.read_text().splitlines())} if path.exists() else {}
    for number, question in enumerate(questions):
        if question.id not in kept:
            kept[question.id] = {"id": question.id, **make(question, number)}
            with path.open("a") as file:
                file.write(json.dumps(kept[question.id]) + "\n")
    return [kept[question.id] for question in questions]


def as_cited(prediction, spans):
    """The prediction with these sentences cited instead."""
    citations = [
        {"claim": prediction.answer, "verdict": "supported", "passage": page.id, "start": start, "end": end}
        for page, (start, end) in spans
    ]
    return dspy.Prediction(answer=prediction.answer, passages=prediction.passages, citations=citations)


def simple_ways(prediction):
    """The prediction with what two simple ways cite."""
    pages, form = [page for page in prediction.passages[:FIRST] if page.text.strip()], normal_form(prediction.answer)
    every = [(page, span) for page in pages for span in sentences_of(page.text)]
    yield as_cited(prediction, [each for each in every if stands_in(form, each[0].text[slice(*each[1])])])
    yield as_cited(prediction, [(page, sentences_of(page.text)[0]) for page in pages[:PAIR]])


def measured(question, predictions):
    """Precision, recall and F1 of each prediction's citations."""
    metrics = CitePrecision(), CiteRecall(), SupportingF1()
    return [[metric.measure(question, prediction) for metric in metrics] for prediction in predictions]


def seconds_of(program, question):
    """The prediction, and the processor's seconds that it took with nothing in the encoder's caches."""
    encoder = Encoder.load()
    for cache in (encoder.judgements, encoder.readings, encoder.labels):
        cache.forget()
    began = time.process_time()
    prediction = program(question=question.question)
    return prediction, time.process_time() - began


def ask(plain, citing):
    """The maker of a dev question's row."""

    def make(question, number):
        row = {"without": seconds_of(plain, question)[1]} if number < TIMED else {}
        prediction, row["with"] = seconds_of(citing, question)
        found = {passage.id for passage in prediction.passages[:FIRST]}
        gold = question.supporting_sents
        cited = of_answer(prediction.citations, prediction.answer)
        return row | {
            "right": ExactMatch().measure(question, prediction),
            "verdict": cited[0]["verdict"] if cited else "none",
            "sentences": len([each for each in cited if each["passage"]]),
            "reach": sum(name in found for name, _ in gold) / len(gold),
            "ways": measured(question, [prediction, *simple_ways(prediction)]),
        }

    return make


def report(name, rows):
    """The tables of a set."""
    reach = 100 * fmean(row["reach"] for row in rows)
    print(f"\n{name}: {len(rows)} questions, {reach:.1f} % of gold sentences within reach\n")
    print("| way | precision | recall | F1 |\n| --- | ---: | ---: | ---: |")
    for place, way in enumerate(WAYS):
        means = [fmean(row["ways"][place][number] for row in rows) for number in range(3)]
        print(f"| {way} | {' | '.join(f'{100 * mean:.1f}' for mean in means)} |")
    print(f"\n{fmean(row['sentences'] for row in rows):.1f} sentences an answer")
    print("\n| verdict | answers | right |\n| --- | ---: | ---: |")
    for verdict, count in Counter(row["verdict"] for row in rows).most_common():
        right = fmean(row["right"] for row in rows if row["verdict"] == verdict)
        print(f"| {verdict} | {count} | {100 * right:.1f} % |")
    timed = [row for row in rows if "without" in row]
    if timed:
        without, with_grounds = (sum(row[side] for row in timed) for side in ("without", "with"))
        print(f"\ntime with grounds: {with_grounds / without:.2f} x that without ({len(timed)} questions)", flush=True)


def wrong_answers(question, text, others, dice):
    """Answers that are wrong: another name, date or number of the passages, and the answer of another question."""
    gold, said = set(words_of(question.answer)), normal_form(question.question)
    kind = next((each.kind for each in details(f"x {question.answer}")), "name")
    found = [text[each.start : each.end] for each in details(text) if each.kind == kind and gold.isdisjoint(each.words)]
    near = [each for each in found if normal_form(each) and not stands_in(normal_form(each), said)]
    if near:
        yield "wrong, of the passages", dice.choice(near)
    far = [each for each in others if not stands_in(normal_form(each), text) and normal_form(each) not in CLOSED]
    yield "wrong, of another question", dice.choice(far)


def judge_answers(retriever, others):
    """The maker of a row: the verdict on each kind of answer to the question."""

    def make(question, number):
        dice = random.Random(number)
        pages = [hit.passage for hit in retriever.search([question.question], FIRST)[0] if hit.passage.text.strip()]
        reading, text = asyncio.run(read_answer(question.question, pages)), " ".join(map(str, pages))
        right = normal_form(question.answer)
        if right in CLOSED:
            answers = [(f"{'right' if each == right else 'wrong'}, yes or no", each) for each in CLOSED]
        else:
            answers = list(wrong_answers(question, text, others, dice))
            if stands_in(right, text):
                answers.append(("right, in the passages", question.answer))
        return {"verdicts": {kind: answer_verdict(question.question, answer, reading) for kind, answer in answers}}

    return make


def report_verdicts(name, rows):
    """The table of a set: the share of each verdict among answers of a kind."""
    print(f"\n{name}\n\n| answers | number | {' | '.join(get_args(Verdict))} |\n| --- {'| ---: ' * 4}|")
    for kind in sorted({kind for row in rows for kind in row["verdicts"]}):
        given = Counter(row["verdicts"][kind] for row in rows if kind in row["verdicts"])
        shares = " | ".join(f"{100 * given[each] / given.total():.0f} %" for each in get_args(Verdict))
        print(f"| {kind} | {given.total()} | {shares} |", flush=True)


def clue_rows(program):
    """The maker of a training question's row: the clues of every sentence found, and which are gold."""

    def make(question, number):
        prediction = program(question=question.question)
        pages = [page for page in prediction.passages[:FIRST] if page.text.strip()]
        reading = asyncio.run(read_answer(question.question, pages))
        sentences = list(clues(question.question, prediction.answer, reading))
        facts = [cited_facts(question, as_cited(prediction, [(page, span)])) for page, span, _ in sentences]
        gold = set(question.supporting_sents)
        return {
            "clues": [list(each) for *_, each in sentences],
            "gold": [bool(gold.intersection(each)) for each in facts],
            "all": len(gold),
        }

    return make


def fitted(rows):
    """The bias and the weights of a logistic curve, by Newton's method with a ridge on clues of equal spread."""
    x, y = np.array([each for row in rows for each in row["clues"]]), np.array([g for row in rows for g in row["gold"]])
    mean, spread = x.mean(0), x.std(0)
    scaled, weights = np.c_[(x - mean) / spread, np.ones(len(x))], np.zeros(x.shape[1] + 1)
    ridge = np.diag([RIDGE] * x.shape[1] + [0.0])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        bend = (scaled * (likely * (1 - likely))[:, None]).T @ scaled + ridge
        weights += np.linalg.solve(bend, scaled.T @ (y - likely) - ridge @ weights)
    raw = weights[:-1] / spread
    return weights[-1] - raw @ mean, raw


def scores(rows, bias, weights, least):
    """Mean precision, recall and F1 of the sentences from a probability on, as `likely_sentences` takes them."""
    found = []
    for row in (row for row in rows if row["clues"]):
        likely = 1 / (1 + np.exp(-(bias + np.array(row["clues"]) @ weights)))
        order = np.argsort(-likely)[:MOST]
        chosen = [place for place in order if likely[place] >= least] or order[:1]
        hits = sum(row["gold"][place] for place in chosen)
        found.append((hits / len(chosen), hits / row["all"], 2 * hits / (len(chosen) + row["all"])))
    return [100 * float(mean) for mean in np.mean(found, 0)]


def fit(given):
    """Fit on training questions, and say what each threshold would cite of the half that was not fitted on."""
    rows = []
    for name in SETS:
        questions = list(open_questions(given.shared / f"{name}.train.jsonl.gz"))
        retriever = BM25.build({page.id: page for question in questions for page in question.passages}.values())
        asked = [question for question in questions[: given.questions or 250] if question.supporting_sents]
        rows += goes_on(given.out / f"{name}-train.jsonl", asked, clue_rows(create("one-step", retriever)))
    halves = rows[::2], rows[1::2]
    print("| from | precision | recall | F1 |\n| ---: | ---: | ---: | ---: |")
    for least in (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5):
        both = [scores(half, *fitted(other), least) for half, other in (halves, halves[::-1])]
        print(f"| {least} | {' | '.join(f'{mean:.1f}' for mean in np.mean(both, 0))} |")
    bias, weights = fitted(rows)
    told = ", ".join(f"{name}={weight:.3f}" for name, weight in zip(Clues._fields, weights, strict=True))
    print(f"\n{len(rows)} questions: bias {bias:.3f}, {told}; cited from {LIKELY} on")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="fit the weights on training questions")
    parser.add_argument("--verdicts", action="store_true", help="judge answers that are right or wrong")
    parser.add_argument("--sets", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--retriever", choices=("bm25", "dense", "hybrid"), default="bm25")
    parser.add_argument("--weights", help="the folder of an encoder, for the index")
    parser.add_argument("--questions", type=int, help="of each set; all dev questions with gold sentences unless told")
    parser.add_argument("--out", type=Path, default=Path("runs/citations"), help="where the work is kept")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"), help="the folder of real sets")
    parser.add_argument("--indexes", type=Path, default=Path("indexes/dev"), help="where indexes are kept")
    given = parser.parse_args()
    if not given.shared.is_dir():
        raise SystemExit(f"there are no question sets in {given.shared}; give their folder with --shared")
    given.indexes.mkdir(parents=True, exist_ok=True)
    with dspy.context(lm=local(), cache=False):
        if given.fit:
            fit(given)
        for name in [] if given.fit else given.sets.split(","):
            retriever = open_retriever_of(given.retriever, name, given)
            questions = open_questions(given.shared / f"{name}.dev.jsonl.gz")
            asked = [each for each in questions if each.supporting_sents][: given.questions]
            if given.verdicts:
                make = judge_answers(retriever, [each.answer for each in asked])
                report_verdicts(name, goes_on(given.out / f"{name}-verdicts.jsonl", asked, make))
                continue
            programs = (create("one-step", retriever, grounds=grounds) for grounds in (False, True))
            report(name, goes_on(given.out / f"{name}-{given.retriever}.jsonl", asked, ask(*programs)))


if __name__ == "__main__":
    main()
