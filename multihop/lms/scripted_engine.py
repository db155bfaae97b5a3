"""An LM whose answers are written down beforehand, for tests that assert every call."""

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..base import InputError
from .engine import Engine, as_lm
from .prompt import Prompt

if TYPE_CHECKING:
    import dspy

ScriptedAnswer = dict[str, Any] | str | Exception
"""Output fields by name, a raw completion as it stands, or an error to raise."""


class Scripted(Engine):
    """Answers from a list, in order, or from a function of the prompt; it keeps every prompt it was asked.

    In a list, or returned by the function, an answer is a dict of output fields, a raw completion, or an exception to
    raise. Raise the errors of `dspy.lm15` to play a provider's failures.
    """

    def __init__(
        self, answers: Iterable[ScriptedAnswer] | Callable[[Prompt], ScriptedAnswer], *, latency: float = 0.0
    ) -> None:
        super().__init__(latency=latency)
        if isinstance(answers, str | dict):
            raise InputError("scripted answers come as a list, one item a call; put this one in brackets.")
        self.answers = answers if callable(answers) else tuple(answers)
        self.prompts: list[Prompt] = []
        """Every prompt asked so far, in the order of the calls."""
        self._lock = threading.Lock()

    def reply(self, prompt: Prompt) -> dict[str, Any] | str:
        """The next answer, or what the function says."""
        with self._lock:
            turn = len(self.prompts)
            self.prompts.append(prompt)
        if callable(self.answers):
            answer = self.answers(prompt)
        elif turn < len(self.answers):
            answer = self.answers[turn]
        else:
            asked = ", ".join(f"`{field.name}`" for field in prompt.output_fields)
            raise InputError(
                f"the script has {len(self.answers)} answers and this is call {turn + 1}, "
                f"which asks for {asked} given {prompt.inputs}."
            )
        if isinstance(answer, Exception):
            raise answer
        return answer

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def dump_state(self) -> dict[str, Any]:
        """Refuse to be saved.

        Raises:
            InputError: In any case.
        """
        raise InputError("a scripted LM cannot be saved; set it anew after loading.")


def scripted(
    answers: Iterable[ScriptedAnswer] | Callable[[Prompt], ScriptedAnswer], *, latency: float = 0.0, **options: Any
) -> "dspy.LM":
    """An LM that says what it is told to; its `engine` is the `Scripted` that knows what it was asked.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> lm = scripted([{"answer": "Ada"}])
        >>> with dspy.context(lm=lm):
        ...     dspy.Predict("question -> answer")(question="Who wrote it?").answer
        'Ada'
        >>> [prompt.inputs for prompt in lm.engine.prompts]
        [{'question': 'Who wrote it?'}]
    """
    return as_lm(Scripted(answers, latency=latency), "scripted", **options)
