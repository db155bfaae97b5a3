"""A retriever, signatures and a program for tests of programs; questions that an echo answers, for tests of runs."""

import dspy

from multihop import Question, scripted
from multihop.evaluation import evaluate
from multihop.programs import Direct
from multihop.retrieval import Hit, Passage
from multihop.runtime import Program, together


class FakeRetriever:
    """Returns passages named after the query and remembers every batch it was asked for."""

    def __init__(self, fail=None):
        self.batches = []
        self.fail = fail

    def search(self, queries, k):
        self.batches.append((list(queries), k))
        if self.fail:
            raise self.fail
        return [[Hit(Passage(f"{q}-{i}", f"About {q}", f"text {i}"), float(k - i)) for i in range(k)] for q in queries]


class Guess(dspy.Signature):
    """Guess."""

    question: str = dspy.InputField()
    answer: str = dspy.OutputField()


class Read(dspy.Signature):
    """Read."""

    passages: list[str] = dspy.InputField()
    answer: str = dspy.OutputField()


class Steps(Program):
    """Guesses `rounds` times while the budget lasts, then reads what it guessed."""

    retrieves = False
    rounds: int = 3

    def set_up(self):
        self.guess = dspy.Predict(Guess)
        self.read = dspy.Predict(Read)

    async def aforward(self, question):
        guesses = []
        for _ in range(self.rounds):
            guess = await self.attempt(self.ask(self.guess, question=question))
            if guess is None:
                break
            guesses.append(guess.answer)
        return await self.ask(self.read, passages=guesses)


class Fan(Program):
    """Guesses at each word of the question at the same time, then reads all guesses."""

    retrieves = False

    def set_up(self):
        self.guess = dspy.Predict(Guess)
        self.read = dspy.Predict(Read)

    async def aforward(self, question):
        found = await together(*(self.ask(self.guess, question=word) for word in question.split()))
        return await self.ask(self.read, passages=[guess.answer for guess in found])


def echo(prompt):
    return {"answer": prompt.inputs.get("question") or " ".join(prompt.inputs["passages"])}


def ask(program, lm, question="q"):
    with dspy.context(lm=lm):
        return program(question=question)


def words(number):
    """Questions to which `echo` has the right answer."""
    return [Question(id=f"q{i:02}", question=f"word{i}", answers=(f"word{i}",)) for i in range(number)]


def evaluated(lm, questions, out=None, program=None, **options):
    """The finished run of an LM, or of a script for one."""
    lm = lm if isinstance(lm, dspy.LM) else scripted(lm)
    with dspy.context(lm=lm):
        return evaluate(program or Direct(), questions, out=out, progress=False, **options)
