"""Measures EfficientRAG's labeler, tagger and filter against labels that follow from gold, on questions kept back.

python benchmarks/hop_queries.py kept.jsonl                                # the built-in encoder
python benchmarks/hop_queries.py kept.jsonl --weights on-hotpotqa --questions 100

Under each query on the way of a question, made of gold as for a training: the share of passages tagged rightly, of
those that help and of all others, F1 of the marked words of those that help, and F1 of the words of the next query.
"""

import argparse

from multihop import open_questions
from multihop.encoder import USEFUL, Encoder
from multihop.training.hop_lessons import words_in
from multihop.training.mix import Material, make_lessons


def f1(right, made):
    """F1 of what was made, both as collections of places or words; 1 where both are empty."""
    same = len(set(right) & set(made))
    return 2 * same / (len(set(right)) + len(set(made))) if right or made else 1.0


def tagging(encoder, lessons, continue_at, useful_at):
    """The share of helping passages and of others that are tagged rightly, and F1 of the marks of the former."""
    chunks = [each for lesson in lessons for each in lesson.candidates]
    labels = encoder.label([each.pair for each in chunks])
    tags = {True: [], False: []}
    marks = []
    for chunk, label in zip(chunks, labels, strict=True):
        tags[chunk.relevant].append((label.relevant >= continue_at) == chunk.relevant)
        if chunk.useful:
            text = chunk.pair.passage
            marks.append(f1(words_in(text, chunk.useful), words_in(text, label.marks(useful_at))))
    return [sum(each) / len(each) for each in (tags[True], tags[False], marks)]


def filtering(encoder, lessons):
    """F1 of the words of the next query."""
    queries = [query for lesson in lessons for query in lesson.queries]
    picked = encoder.filter([(query.pair.question, query.pair.passage) for query in queries])
    scores = []
    for query, made in zip(queries, picked, strict=True):
        sides = (
            (query.pair.question, query.asked),
            (query.pair.passage, query.found or [(0, len(query.pair.passage))]),
        )
        scores.append(
            f1([text[slice(*word)] for text, spans in sides for word in words_in(text, spans)], made.query.split())
        )
    return sum(scores) / len(scores)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="training questions that nothing was trained on, with paragraphs of their own")
    parser.add_argument("--weights", help="the folder of an encoder; the built-in one unless told")
    parser.add_argument("--questions", type=int, default=100, help="the first so many")
    parser.add_argument("--continue-at", type=float, default=0.5)
    parser.add_argument("--useful-at", type=float, default=USEFUL)
    given = parser.parse_args()
    questions = list(open_questions(given.file))[: given.questions]
    encoder = Encoder.load(given.weights)
    material = Material(questions)
    of_labeler, of_filter = (make_lessons(part, material) for part in ("labeler", "filter"))
    helping, others, marks = tagging(encoder, of_labeler, given.continue_at, given.useful_at)
    print(f"{len(of_labeler)} queries on the ways of {len(questions)} questions, {len(of_filter)} of them filtered")
    print(f"tagged rightly: {100 * helping:.1f} of 100 that help, {100 * others:.1f} of 100 others")
    queries = filtering(encoder, of_filter)
    print(f"F1 of marked words {100 * marks:.1f}, of the words of the next query {100 * queries:.1f}")


if __name__ == "__main__":
    main()
