"""Measures what of the prompts of each method a prefix cache serves, and what the LM has to compute.

    python benchmarks/prefix_cache.py
    python benchmarks/prefix_cache.py --methods rap mzqa --steps

The questions are of the generated world, searched with BM25, and answered by the simulated LM. Each prompt is written
in three forms: marked fields ("chat", for LMs of which nothing is known), JSON, and plain words (for LMs that keep to a
schema: servers of one's own and model files); each in the order of inputs that a step had before, and has now.
"""

import argparse
from collections import Counter
from itertools import islice

import dspy

from multihop import BM25, World, create, simulated
from multihop.programs import PROGRAMS
from multihop.runtime import PlainAdapter, PrefixCache, Tokens, estimate_tokens
from multihop.signatures.step_signature import origin_of

METHODS = ("lats", "rap", "ircot", "tor", "mzqa", "resp", "react")
FORMS = {"chat": dspy.ChatAdapter(), "JSON": dspy.JSONAdapter(), "plain": PlainAdapter()}
BEFORE = {
    "AnswerOwnQuestion": ("history", "question", "sub_question"),
    "AnswerStepFromMemory": ("history", "question", "sub_question"),
    "AskOwnQuestion": ("history", "question"),
    "AskOwnQuestions": ("history", "number", "question"),
    "EvaluateHistory": ("history", "question"),
    "NextSubQuestion": ("history", "question"),
    "ProposeSubQuestions": ("history", "number", "question"),
    "RateStep": ("history", "question"),
}
"""The order of inputs that steps had before."""


class Recording(dspy.ChatAdapter):
    """The chat form, which keeps what it was given to write."""

    def __init__(self):
        super().__init__()
        self.given = []

    def format(self, signature, demos, inputs):
        self.given.append((signature, demos, inputs))
        return super().format(signature, demos, inputs)


def in_order(signature, order):
    """The same signature with its inputs in that order."""
    fields = signature.input_fields
    for name in fields:
        signature = signature.delete(name)
    for place, name in enumerate(order):
        signature = signature.insert(place, name, fields[name], fields[name].annotation)
    return signature


def ask(method, world, questions):
    """The inputs that the steps of the method were given, question by question."""
    kind = PROGRAMS[method]
    program = create(method, BM25.build(world.passages()) if kind.retrieves else None)
    for question in questions:
        adapter = Recording()
        with dspy.context(lm=simulated(questions, world.passages()), adapter=adapter):
            program(question=question.question)
        yield adapter.given


def measure(asked, form, order):
    """Tokens sent and tokens computed a question, and the computed ones of each step."""
    sent, computed, steps, ordered = 0, 0, Counter(), {}
    for given in asked:
        cache = PrefixCache()
        for signature, demos, inputs in given:
            step = origin_of(signature).__name__
            if step not in ordered:
                ordered[step] = in_order(signature, order[step]) if step in order else signature
            prompt = FORMS[form].format(ordered[step], demos, inputs)
            into, before = estimate_tokens(prompt, []).into, cache.tokens
            cache.add("m", prompt, Tokens(into, 0))
            sent += into
            steps[step] += into - (cache.tokens - before)
        computed -= cache.tokens
    computed += sent
    return sent / len(asked), computed / len(asked), {step: count / len(asked) for step, count in steps.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--steps", action="store_true", help="what each step computes")
    given = parser.parse_args()
    world = World()
    questions = list(islice(world.questions(), given.questions))
    print(f"{given.questions} questions of the generated world, simulated LM; tokens a question")
    print(
        f"{'':10} {'calls':>6} {'form':>6} {'sent':>8}  {'computed before':>16} {'now':>8} {'ratio':>6} {'of sent':>8}"
    )
    totals = {}
    for method in given.methods:
        asked = list(ask(method, world, questions))
        for form in FORMS:
            _, before, _ = measure(asked, form, BEFORE)
            sent, now, steps = measure(asked, form, {})
            calls = sum(map(len, asked)) / len(asked)
            print(
                f"{method:10} {calls:6.1f} {form:>6} {sent:8,.0f}  {before:16,.0f} {now:8,.0f} {now / before:6.2f} "
                f"{now / sent:8.0%}",
                flush=True,
            )
            totals[method, form] = [before, now]
            for step, count in steps.items() if given.steps else ():
                print(f"{'':10} {step:40} {count:8,.0f}")
    together = [method for method in ("lats", "rap", "ircot") if method in given.methods]
    print(f"\n{', '.join(together)} together, computed")
    for form, was in (("chat", "chat"), ("JSON", "JSON"), ("plain", "plain"), ("plain", "JSON")) if together else ():
        before = sum(totals[method, was][0] for method in together)
        now = sum(totals[method, form][1] for method in together)
        print(f"{form:>6} now, {was:>6} before: {now:8,.0f} of {before:8,.0f}: {now / before:.2f}")


if __name__ == "__main__":
    main()
