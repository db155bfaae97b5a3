"""A new method in sixty lines: guess, check the guess against what it retrieves, and guess again.

python examples/new_method.py
"""

import dspy

from multihop import BM25, Little, Program, evaluate, local


class Guess(dspy.Signature):
    """Answer the question as well as you can from the passages and from what was wrong with earlier guesses."""

    passages: list[str] = dspy.InputField()
    history: list[str] = dspy.InputField(desc="earlier guesses")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="the short answer alone")


class CheckGuess(dspy.Signature):
    """Decide whether the passages prove the guess."""

    passages: list[str] = dspy.InputField()
    candidate: str = dspy.InputField(desc="the guess")
    question: str = dspy.InputField()
    enough: bool = dspy.OutputField()


class GuessAndCheck(Program):
    """The first guess that the passages it leads to prove; the last one if none is proven."""

    name = "guess-and-check"

    turns: int = 3
    k: int = 5

    def set_up(self):
        self.guess = dspy.Predict(Guess)
        self.check = dspy.Predict(CheckGuess)

    async def aforward(self, question):
        guesses, hits = [], await self.find(question, self.k)
        for _ in range(self.turns):
            guess = await self.attempt(
                self.ask(self.guess, passages=hits, history=guesses, question=question), reserve=0
            )
            if guess is None:  # the budget has run out, or the LM could not be understood
                break
            guesses.append(guess.answer)
            hits = await self.attempt(self.find(f"{question} {guess.answer}", self.k)) or hits
            check = await self.attempt(
                self.ask(self.check, passages=hits, candidate=guess.answer, question=question), reserve=0
            )
            if check is None or check.enough:
                break
        passages = [hit.passage for hit in hits]
        return dspy.Prediction(answer=guesses[-1] if guesses else "", passages=passages, counts={"turns": len(guesses)})


if __name__ == "__main__":
    program = GuessAndCheck(BM25.build(Little().passages()))
    with dspy.context(lm=local()):
        run = evaluate(program, Little().questions())
    print({name: round(metric["mean"], 3) for name, metric in run.summary["metrics"].items()})
    print("calls a question:", run.summary["cost"]["calls"]["mean"])
