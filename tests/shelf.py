"""A retriever with a script and an LM that answers by output field, for tests that assert every call."""

import dspy

from multihop import scripted
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


def by_field(**said):
    """An LM that answers by output field: a list is used up call by call, anything else answers every call.

    An answer is a dict of all fields, GARBAGE, or the value of that one field.
    """
    queues = {field: list(values) if isinstance(values, list) else values for field, values in said.items()}

    def reply(prompt):
        field = next(each.name for each in prompt.output_fields if each.name in queues)
        answer = queues[field].pop(0) if isinstance(queues[field], list) else queues[field]
        return answer if isinstance(answer, dict) or answer == GARBAGE else {field: answer}

    return scripted(reply)


def scripted_search(*, proposals=("s1", "s2"), plan="p", score="5", latency=0.0):
    """An LM that always proposes and plans the same, answers "about X", and scores with a value or a function."""

    def reply(prompt):
        given, fields = prompt.inputs, [field.name for field in prompt.output_fields]
        if "sub_questions" in fields:
            return {"sub_questions": list(proposals)}
        if "sub_question" in fields:
            return {"sub_question": plan}
        if "score" in fields:
            return {"reasoning": "r", "score": score(given["history"]) if callable(score) else score}
        if "result" in fields:
            return {"sentence": "quoted", "result": f"about {given['sub_question']}"}
        return {"answer": "read"}

    return scripted(reply, latency=latency)


def run(program, lm, question="q"):
    """The prediction and every prompt."""
    with dspy.context(lm=lm):
        prediction = program(question=question)
    return prediction, lm.engine.prompts


def inputs(prompts, field):
    """The inputs of all prompts that asked for a field."""
    return [prompt.inputs for prompt in prompts if any(each.name == field for each in prompt.output_fields)]
