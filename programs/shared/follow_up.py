"""A question that follows others of a conversation: it is made to stand alone, and then any program answers it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import dspy

from ...base.english import content_words
from ...runtime import Program
from ...signatures import StandAlone

TURNS = 3
"""Turns of a conversation that are read, the latest."""
LONGEST = 500
"""Characters of a turn's question, and of its answer, that are read; a follow-up may become longer by as many."""

SHOWN = (
    (["Who painted Guernica? -> Pablo Picasso"], "When did he leave Spain?", "When did Pablo Picasso leave Spain?"),
    (["In which city was Pablo Picasso born? -> Málaga"], "And Monet?", "In which city was Monet born?"),
    (["Who painted Guernica? -> Pablo Picasso"], "What flows through Rome?", "What flows through Rome?"),
)
"""Demonstrations of the step, which small LMs need: a conversation, a question, and the full one."""


class Turn(NamedTuple):
    """A question of a conversation, and its answer."""

    question: str
    """The question, as it was asked."""
    answer: str = ""
    """The answer; empty where there was none."""

    def __str__(self) -> str:
        """The turn as a prompt shows it, on one line."""
        texts = (_on_one_line(text)[:LONGEST] for text in self)
        return " -> ".join(text for text in texts if text)


class FollowUp(Program):
    """The answer of a program to a question that may point back to what was said before it.

    The program's LM writes the question again so that it makes sense by itself, from the last three turns; the program
    then answers that one. The call is a step of the question, within the program's budget. Where it cannot be made or
    understood, and where nothing was said before, the question is answered as it stands. A question that was written
    again is the prediction's `full_question`.

    Examples:
        >>> import dspy
        >>> from multihop import Direct, FollowUp, Turn, scripted
        >>> told = [Turn("Who discovered radium?", "Marie Curie")]
        >>> lm = scripted([{"full_question": "Who was Marie Curie's husband?"}, {"answer": "Pierre Curie"}])
        >>> with dspy.context(lm=lm):
        ...     prediction = FollowUp(Direct(), told)(question="Who was her husband?")
        >>> prediction.answer, prediction.full_question, prediction.cost["calls_by_role"]
        ('Pierre Curie', "Who was Marie Curie's husband?", {'stand_alone': 1, 'answer': 1})
    """

    name = "follow-up"
    calls = "1, and those of the program"
    retrieves = False

    def __init__(self, program: Program, conversation: Sequence[Turn] = (), **settings: Any) -> None:
        """The program after the turns of a conversation, the latest last."""
        lm = program.step_lms.get(program.planner or program.steps[0])
        limits = {name: getattr(program, name) for name in ("budget", "concurrency", "retries")}
        super().__init__(**{**limits, "lms": {"stand_alone": lm} if lm else None, **settings})
        self.program, self.gate = program, program.gate
        self.conversation = [text for turn in conversation[-TURNS:] if (text := str(turn))]
        self.stand_alone = dspy.Predict(StandAlone)
        self.stand_alone.demos = [dspy.Example(**dict(zip(StandAlone.fields, shown, strict=True))) for shown in SHOWN]

    def most_calls(self) -> int | None:
        """LM calls a question at most, retries apart."""
        most = self.program.most_calls()
        return None if most is None else most + bool(self.conversation)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Make the question stand alone, if there is anything it could lean on, and have it answered."""
        said = None
        if self.conversation:

            def check(said: dspy.Prediction) -> None:
                if not is_same_question(question, said.full_question):
                    raise ValueError("it is not the question.")

            asking = self.ask(self.stand_alone, check=check, conversation=self.conversation, question=question)
            said = await self.attempt(asking)
        full = _on_one_line(said.full_question) if said else question
        prediction = await self.program.acall(question=full)
        if full != question:
            prediction.full_question = full
        return prediction


def is_same_question(question: str, full: str) -> bool:
    """True if a full question may be the question with names for what points back, as far as its words tell.

    Small LMs now and then answer it, or repeat an earlier one: then half of its own words are gone, or its mark.
    """
    asked, kept = set(content_words(question)), set(content_words(full))
    is_question = "?" in full or "?" not in question
    is_long = len(full) > len(question) + LONGEST
    return is_question and not is_long and " -> " not in full and 2 * len(asked & kept) >= len(asked)


def _on_one_line(text: str) -> str:
    """The text on one line, without characters that no LM can be sent."""
    return " ".join(text.replace("\0", " ").encode("utf-8", "replace").decode().split())
