"""Asks a real LM whether its first thought of a chain is enough, where one retrieval cannot have found everything.

    python benchmarks/first_thought.py server/qwen2.5-coder-1.5b@http://localhost:8080/v1 --shared ../shared/data
    python benchmarks/first_thought.py server/qwen2.5-coder-1.5b@http://localhost:8080/v1 --questions 20 --forms now

Training questions of 2WikiMultiHopQA of which BM25's first five passages lack a gold one, so that the right verdict is
always no; three wordings of the step `think` of `ircot`.
"""

import argparse
import asyncio
from itertools import islice
from pathlib import Path

import dspy

from multihop import BM25, open_lm, open_questions
from multihop.signatures import ThinkOneSentence

NEVER_GUESS = """Continue the line of thought towards the answer by exactly one sentence.

State one fact that the passages hold and the answer takes, with full names. Never guess: a fact that no passage states
has to be searched for first, so name what is missing instead. Only once the passages state every fact, say the answer.
"""
STATED = "true only if the passages state every fact that the answer takes; false if one was guessed or is missing"


def missing_first() -> type[dspy.Signature]:
    """The step with an output before the thought that names what is missing."""
    outputs = {
        "missing": (str, dspy.OutputField(desc="a fact that the answer takes and no passage states; empty if none is")),
        "thought": (str, dspy.OutputField(desc="one sentence: the next fact, or the answer")),
        "enough": (bool, dspy.OutputField(desc="true if nothing is missing and the sentence gives the answer")),
    }
    inputs = {name: (field.annotation, field) for name, field in ThinkOneSentence.input_fields.items()}
    return dspy.Signature({**inputs, **outputs}, NEVER_GUESS)


FORMS = {
    "now": ThinkOneSentence,
    "never guess": ThinkOneSentence.with_instructions(NEVER_GUESS).with_updated_fields("enough", desc=STATED),
    "missing first": missing_first(),
}


def main() -> None:
    """Ask, and print the share of wrong verdicts of each form."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lm")
    parser.add_argument("--shared", type=Path, default=Path("../shared/data"))
    parser.add_argument("--questions", type=int, default=10)
    parser.add_argument("--forms", nargs="+", default=list(FORMS), choices=FORMS)
    given = parser.parse_args()
    asked = list(islice(lacking(given.shared / "2wikimultihopqa.train.jsonl.gz"), given.questions))
    with dspy.context(lm=open_lm(given.lm), adapter=dspy.JSONAdapter()):
        for form in given.forms:
            said = asyncio.run(verdicts(FORMS[form], asked))
            print(f"{form}: {sum(said)} of {len(said)} say that it is enough", flush=True)


def lacking(path):
    """Questions with the five passages of the first retrieval, where a gold paragraph is not among them."""
    questions = list(islice(open_questions(path), 24, 300))
    retriever = BM25.build(list({page.id: page for question in questions for page in question.passages}.values()))
    for question in questions:
        passages = [hit.passage for hit in retriever.search([question.question], 5)[0]]
        if not set(question.supporting) <= {passage.id for passage in passages}:
            yield question.question, [str(passage) for passage in passages]


async def verdicts(form, asked) -> list[bool]:
    """The verdict of each first thought."""
    step = dspy.Predict(form)
    thoughts = (step.acall(passages=passages, thoughts=[], question=question) for question, passages in asked)
    return [bool(thought.enough) for thought in await asyncio.gather(*thoughts)]


if __name__ == "__main__":
    main()
