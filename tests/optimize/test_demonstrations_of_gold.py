"""Demonstrations of every step keep what they must, where gold tells the sub-questions and where it does not.

They are balanced, copy what is to be copied, and give nothing away that their inputs do not hold.
"""

from collections import Counter
from dataclasses import replace

import pytest
from pydantic import TypeAdapter

import multihop.signatures
from multihop.data.gold import read_gold
from multihop.data.names_in_text import as_written
from multihop.optimize.gold_examples import GOLD_STEPS, make_pool
from multihop.optimize.searched_path import search_paths

COUNTS = (1, 3, 12)
MOST = 0.7
"""The largest share of one verdict among three demonstrations or more."""
SCARCE = {"CompletePath", "CompletePathAloud"}
"""Steps that not every question has an example for."""
FROM_MEMORY = {"AnswerQuestion", "AnswerStepFromMemory", "AnswerOwnQuestion", "SplitQuestion"}
"""Steps that are to say what no input says."""


def texts_of(values):
    return [str(text) for value in values for text in (value if isinstance(value, list) else [value])]


def problems(step, demo, scene):
    """Everything that is wrong with one demonstration, each in a few words."""
    fields = getattr(multihop.signatures, step).fields
    for field, value in demo.items():
        TypeAdapter(fields[field].annotation).validate_python(value, strict=True)
    inputs, outputs = texts_of(demo.inputs().values()), demo.labels().toDict()
    answers = [answer for answer in scene.path.question.answers if answer.lower() not in ("yes", "no")]
    said = ((field, text) for field, value in outputs.items() for text in texts_of([value]) if field != "score")
    for field, text in said:
        if step not in FROM_MEMORY:
            for answer in answers:
                if as_written(text, answer) and not any(as_written(each, answer) for each in inputs):
                    yield f"leak: {field} says '{answer}'"
            copied = field in ("answer", "sub_answer", "sentence", "candidates") and text.lower() not in ("yes", "no")
            if copied and text not in ("", "no information") and not any(as_written(each, text) for each in inputs):
                yield f"copy: {field} is '{text}'"


@pytest.mark.parametrize("told", ["sub-questions too", "gold pages alone"])
def test_demonstrations_are_balanced_leak_nothing_and_copy_what_is_there(told, little):
    retriever, questions, pages = little
    if told == "gold pages alone":
        questions = [replace(question, decomposition=()) for question in questions]
    staged = search_paths(read_gold(questions, pages.values()).paths, retriever)
    by_question = {scene.path.question.id: scene for scene in staged}
    for step, made in GOLD_STEPS.items():
        pool = make_pool(made, getattr(multihop.signatures, step), staged)
        assert bool(pool.examples) == (told == "sub-questions too" or not made.needs_hops)
        examples = {id(example.shown): example for example in pool.examples}
        for count in COUNTS if pool.questions >= COUNTS[-1] else ():
            demos = pool.choose(count, seed=count, step=step)
            chosen = [examples[id(demo)] for demo in demos]
            assert len({example.question for example in chosen}) == count
            for field, value in demos[0].labels().items():
                if count > 1 and (isinstance(value, bool) or field == "action"):
                    assert max(Counter(demo[field] for demo in demos).values()) <= max(MOST * count, 2)
            assert [each for e in chosen for each in problems(step, e.shown, by_question[e.question])] == []
        assert pool.questions >= COUNTS[-1] or step in SCARCE or not pool.examples
