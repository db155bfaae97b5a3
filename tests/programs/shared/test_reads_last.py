"""Methods whose last step reads: without it they return the same passages, no answer, and pay no reading call."""

import random

import dspy
import pytest

from multihop import BM25, PROGRAMS, create, scripted
from multihop.data import Question
from multihop.evaluation import evaluate
from multihop.programs import program_named
from multihop.retrieval import Passage
from multihop.runtime import settings_of

READS_LAST = sorted(name for name in PROGRAMS if "reads" in settings_of(program_named(name)))
PAGES = [Passage(f"p{n}", f"Page {n}", f"This is page {n} of {n % 7} and {n % 5}.") for n in range(40)]


def guess(prompt):
    """A completion that depends on the prompt alone."""
    dice = random.Random(repr(sorted(prompt.inputs.items())))
    made = {
        "action": lambda: dice.choice(["search", "search", "finish"]),
        "enough": lambda: dice.random() < 0.2,
        "relevant": lambda: dice.random() < 0.9,
        "answerable": lambda: dice.random() < 0.7,
        "sub_questions": lambda: [f"page {dice.randrange(40)}" for _ in range(2)],
    }
    return {field.name: made.get(field.name, lambda: f"page {dice.randrange(40)}")() for field in prompt.output_fields}


def test_these_methods_do():
    assert READS_LAST == [
        "cor", "decomp", "decompose", "efficientrag", "ircot", "iter-retgen", "one-step", "one-step-cot",
        "ranked-rag", "react", "resp", "self-ask",
    ]  # fmt: skip


@pytest.mark.parametrize("name", READS_LAST)
def test_the_passages_are_the_same_and_no_reading_call_is_made(name, tiny_encoder):
    retriever = BM25.build(PAGES)
    whole, short = create(name, retriever), create(name, retriever, reads=False)
    assert (short.most_calls(), short.settings["reads"]) == (whole.most_calls() - 1, False)
    saved = set()
    with dspy.context(lm=scripted(guess)):
        for number in range(6):
            question = f"Which page is {number} of 3?"
            read, found = whole(question=question), short(question=question)
            assert [each.id for each in found.passages] == [each.id for each in read.passages]
            saved.add(read.cost["calls"] - found.cost["calls"])
            assert (found.answer is None) or read.cost["calls"] == found.cost["calls"]
    assert 1 in saved
    assert saved <= ({0, 1} if name in ("react", "self-ask") else {1})


def test_an_answer_that_was_not_read_is_not_measured(tmp_path):
    pages = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")]
    asked = [Question(id="q", question="Where was Ada born?", answers=("London",), supporting=("p1",))]
    program = create("one-step", BM25.build(pages), reads=False)
    with dspy.context(lm=scripted([])):
        run = evaluate(program, asked, out=tmp_path, progress=False)
    (row,) = run.rows()
    measured = row["metrics"]
    assert (measured["em"], measured["f1"], measured["recall@5"], measured["K"]) == (None, None, 1.0, 1.0)
