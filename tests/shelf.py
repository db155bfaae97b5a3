"""A retriever with a script and an LM that answers by output field, for tests that assert every call."""

import asyncio

import dspy

from multihop import scripted
from multihop.lms import AsyncEngine, as_lm
from multihop.retrieval import Hit, Passage


class Shelf:
    """Returns, for a query, the passages named in its script, best first; it remembers every batch."""

    def __init__(self, **found):
        self.found, self.batches = found, []

    def search(self, queries, k):
        self.batches.append((list(queries), k))
        return [[self.hit(name, rank) for rank, name in enumerate(self.found.get(q, "").split())][:k] for q in queries]

    def hit(self, name, rank):
        return Hit(page(name), 10.0 - rank)

    @property
    def asked(self):
        return [query for queries, _ in self.batches for query in queries]


def page(name):
    return Passage(name, name.upper(), f"text of {name}")


def shown(*names):
    """The passages as prompts show them."""
    return [str(page(name)) for name in names]


GARBAGE = "no fields at all"


class Slow(AsyncEngine):
    """An engine each of whose answers takes its time, without blocking the event loop."""

    def __init__(self, engine, seconds):
        super().__init__(engine)
        self.seconds = seconds

    async def complete(self, request):
        await asyncio.sleep(self.seconds)
        return await super().complete(request)


def slow(lm, seconds):
    """An LM that answers as this one does, so many seconds later."""
    return as_lm(lm.engine, lm.model.removeprefix("multihop/"), twin=Slow(lm.engine, seconds))


def by_field(**said):
    """An LM that answers by output field: a list is used up call by call, a function is given the prompt's inputs.

    An answer is a dict of all fields, GARBAGE, or the value of that one field; a reasoning goes without saying.
    """
    answers = {field: list(values) if isinstance(values, list) else values for field, values in said.items()}

    def reply(prompt):
        fields = [each.name for each in prompt.output_fields]
        field = next(each for each in fields if each in answers)
        answer = answers[field]
        if isinstance(answer, list):
            answer = answer.pop(0)
        elif callable(answer):
            answer = answer(prompt.inputs)
        if answer == GARBAGE:
            return answer
        reasoning = {"reasoning": "r"} if "reasoning" in fields else {}
        return reasoning | (answer if isinstance(answer, dict) else {field: answer})

    return scripted(reply)


def scripted_search(*, proposals=("s1", "s2"), plan="p", score="5"):
    """An LM that always proposes and plans the same, answers "about X", and scores with a value or a function."""
    return by_field(
        sub_questions=lambda given: list(proposals),
        sub_question=plan,
        score=(lambda given: score(given["history"])) if callable(score) else score,
        result=lambda given: {"sentence": "quoted", "result": f"about {given['sub_question']}"},
        answer="read",
    )


def run(program, lm, question="q"):
    """The prediction and every prompt."""
    with dspy.context(lm=lm):
        prediction = program(question=question)
    return prediction, lm.engine.prompts


def inputs(prompts, field):
    """The inputs of all prompts that asked for a field."""
    return [prompt.inputs for prompt in prompts if any(each.name == field for each in prompt.output_fields)]


def learned_from(program, lm):
    """The inputs and outputs of each step from which an optimizer of DSPy learns."""
    with dspy.context(lm=lm, trace=[]):
        program(question="q")
        return [(given, said) for _, given, said in dspy.settings.trace]


def tree(prediction):
    return next(step["tree"] for step in prediction.trajectory if step["step"] == "tree")
