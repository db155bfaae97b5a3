"""An LM that answers right only because of what stands in its prompt, and a writer of instructions for it."""

import dspy

from multihop.base import InputError
from multihop.lms import Engine, as_lm, parse_prompt
from multihop.retrieval import Hit, Passage

LESSON = "Name the thing itself, and nothing else."
GOLD = {f"What is number {number}?": f"thing {number}" for number in range(40)}
EASY = frozenset(list(GOLD)[:40:2])
"""Questions that are answered right by whoever is asked, so that there are right runs to learn from."""


class OnePage:
    """A retriever that finds the same page whatever it is asked."""

    def search(self, queries, k):
        return [[Hit(Passage("p", "Things", "There are many things."), 1.0)] for _ in queries]


class Learner(Engine):
    """Keeps a search going, and answers right if `knows(prompt, model)` says that its prompt makes it."""

    def __init__(self, knows, *, everywhere=False):
        super().__init__()
        self.knows = knows
        self.everywhere = everywhere
        """True if all steps need the lesson, and not only the one that answers."""

    def complete(self, request):
        prompt = parse_prompt(request)
        names = {field.name for field in prompt.output_fields}
        answers = "answer" in names and "action" not in names
        right = not (answers or self.everywhere) or self.knows(prompt, request.model)
        return self.response(request, prompt, reply(prompt, right=right))


def reply(prompt, *, right):
    question = prompt.inputs.get("question", "")
    good = {"answer": GOLD.get(question, "x"), "relevant": True, "enough": True, "score": "7", "action": "search"}
    good |= {"actions": ["search: things"], "sub_questions": [f"And {question}"]}
    bad = {"bool": False, "list[str]": [], "int": "0"}
    return {
        field.name: good.get(field.name, "things") if right else bad.get(field.type, "nonsense")
        for field in prompt.output_fields
    }


def learner(knows, **options):
    return as_lm(Learner(knows, **options), "learner@1", cache=False)


def is_told(prompt, model=""):
    """True if the instructions hold the lesson."""
    return LESSON in prompt.instructions


def is_shown(prompt, model=""):
    """True if a demonstration answers its question right."""
    shown = ((each.inputs.get("question"), each.outputs.get("answer")) for each in prompt.demonstrations)
    return any(GOLD.get(question) == answer for question, answer in shown)


def is_easy(prompt, model=""):
    return prompt.inputs.get("question") in EASY


class Writer(Engine):
    """Writes the lesson wherever an optimizer asks for instructions, advice, or a description."""

    def __init__(self, lesson):
        super().__init__()
        self.lesson = lesson

    def complete(self, request):
        try:
            prompt = parse_prompt(request)
        except InputError:  # GEPA asks in a form of its own
            return self.response(request, None, f"```\n{self.lesson}\n```")
        values = {
            field.name: {"read": self.lesson, "step": self.lesson} if field.type.startswith("dict") else self.lesson
            for field in prompt.output_fields
        }
        return self.response(request, prompt, values)


def writer(lesson=LESSON):
    return as_lm(Writer(lesson), "writer@1", cache=False)


def examples(questions):
    return [dspy.Example(question=each, answers=(GOLD[each],)).with_inputs("question") for each in questions]
