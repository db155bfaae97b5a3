"""A program's calls twice: DSPy's own way, and the short way."""

from contextlib import contextmanager

import dspy
from dspy.lm15 import Message, Response, TextPart, Usage

from multihop.models import Scripted, as_lm
from multihop.runtime import inside_dspy, message_layout


@contextmanager
def dspys_own_way():
    """A block in which no function of DSPy is known."""
    known = inside_dspy.SOURCES.copy()
    inside_dspy.SOURCES.update({group: set() for group in known})
    inside_dspy._known.cache_clear()
    try:
        yield
    finally:
        inside_dspy.SOURCES.update(known)
        inside_dspy._known.cache_clear()


def both(scenario):
    """What the scenario gives DSPy's own way, which is what it gives the short way."""
    with dspys_own_way():
        wanted = scenario()
    assert scenario() == wanted
    return wanted


class Noting(Scripted):
    """A script that keeps the requests themselves."""

    def __init__(self, answers, **settings):
        super().__init__(answers, **settings)
        self.requests = []

    def respond(self, request):
        self.requests.append(request)
        return super().respond(request)


def asked(program, answers, question="Who?", **settings):
    """The prediction and the requests that led to it."""
    engine = Noting(answers)
    with dspy.context(lm=as_lm(engine, "noting", **settings)):
        prediction = program(question=question)
    fields = {name: value for name, value in prediction.toDict().items() if name != "cost"}
    return fields, {**prediction.cost, "seconds": 0, "waited": 0}, engine.requests


class Answering(Noting):
    """Answers in turn, whatever the prompt is."""

    def respond(self, request):
        self.requests.append(request)
        answer = self.answers[len(self.requests) - 1]
        if isinstance(answer, Exception):
            raise answer
        parts = [answer] if not isinstance(answer, list) else answer
        parts = [TextPart(each) if isinstance(each, str) else each for each in parts]
        usage = Usage(input_tokens=7, output_tokens=2, reasoning_tokens=1)
        return Response(None, request.model, Message("assistant", tuple(parts)), "stop", usage)


def of_entry(entry):
    """What a history says of a call, but when."""
    return {name: value for name, value in entry.items() if name not in ("timestamp", "uuid")}


def quicken(adapter):
    """The adapter as calls take it the short way."""
    return message_layout.quicken(adapter)[1]
