"""The base of every engine of ours, which answers prompts in this process, and the scripted one for tests."""

import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Self

from ..base import InputError, NotCopied
from ..base.imports import dspy, lm15
from .prompt import Prompt, parse_prompt, system_text, write_completion

_PIECE = re.compile(r"\S+\s*|\s+")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_counting = threading.Lock()
"""Held while a scripted LM counts a call, so that answers and prompts agree."""
ScriptedAnswer = dict[str, Any] | str | Exception
"""Output fields by name, a raw completion as it stands, or an error to raise."""


class Engine(NotCopied):
    """The synchronous half of a model that runs in this process; a subclass says only how to `reply`.

    Copying gives the same engine, since optimizers deep-copy programs and the LMs in them.

    Examples:
        >>> import dspy
        >>> from multihop.lms import Engine, as_lm
        >>> class Parrot(Engine):
        ...     def reply(self, prompt):
        ...         return {"answer": prompt.inputs["question"]}
        >>> with dspy.context(lm=as_lm(Parrot(), "parrot@1")):
        ...     dspy.Predict("question -> answer")(question="Who?").answer
        'Who?'
    """

    def reply(self, prompt: Prompt) -> dict[str, Any] | str:
        """The output fields by name, or a raw completion as it is."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to reply.")

    def complete(self, request: "lm15.Request") -> "lm15.Response":
        """One answer."""
        prompt = parse_prompt(request)
        return self.response(request, prompt, self.reply(prompt))

    def stream(self, request: "lm15.Request") -> "Iterator[lm15.StreamEvent]":
        """One answer as stream events, word by word."""
        yield from _events(self.complete(request))

    def response(self, request: "lm15.Request", prompt: Prompt, reply: dict[str, Any] | str) -> "lm15.Response":
        """The reply as a completion of the request; tokens are counted as words and punctuation marks."""
        completion = reply if isinstance(reply, str) else write_completion(reply, prompt.style)
        asked = "\n".join([system_text(request), *(message.text or "" for message in request.messages)])
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(completion)]),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=len(_TOKEN.findall(asked)), output_tokens=len(_TOKEN.findall(completion))),
        )

    def dump_state(self) -> dict[str, Any]:
        """The values from which `load_state` rebuilds this engine: plain JSON, no secrets."""
        return {}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The engine that `dump_state` described."""
        return cls(**state)


class AsyncEngine(NotCopied):
    """The asynchronous half of any `Engine`."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    async def complete(self, request: "lm15.Request") -> "lm15.Response":
        """One answer."""
        return self.engine.complete(request)

    async def stream(self, request: "lm15.Request") -> "AsyncIterator[lm15.StreamEvent]":
        """One answer as stream events, word by word."""
        for event in _events(await self.complete(request)):
            yield event

    def dump_state(self) -> dict[str, Any]:
        """The engine's own state."""
        return self.engine.dump_state()

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """Refuse to be loaded: a state does not say of which engine it is. A subclass knows its engine."""
        raise InputError("an LM with an engine of your own is not loaded; set it anew after loading.")


def as_lm(engine: Engine, name: str, *, twin: AsyncEngine | None = None, **options: Any) -> "dspy.LM":
    """The engine as `dspy.LM("multihop/<name>")`, ready for `dspy.context(lm=...)`.

    Answers are not cached and failures not retried unless `options`, which go to `dspy.LM`, say so: an engine in this
    process is as fast as the cache, and fails the same way every time.

    Args:
        engine: The engine that answers.
        name: Its name and version, such as "parrot@1".
        twin: Its asynchronous half; `AsyncEngine` if not given.
        **options: For `dspy.LM`.
    """
    options = {"cache": False, "num_retries": 0, **options}
    return dspy.LM(f"multihop/{name}", engine=engine, async_engine=twin or AsyncEngine(engine), **options)


def _events(response: "lm15.Response") -> "Iterator[lm15.StreamEvent]":
    for event in lm15.response_to_events(response):
        if isinstance(event, lm15.StreamDeltaEvent) and isinstance(event.delta, lm15.TextDelta):
            for piece in _PIECE.findall(event.delta.text):
                yield lm15.StreamDeltaEvent(delta=lm15.TextDelta(text=piece, part_index=event.delta.part_index))
        else:
            yield event


class Scripted(Engine):
    """Answers from a list, in order, or from a function of the prompt; it keeps every prompt it was asked.

    In a list, or returned by the function, an answer is a dict of output fields, a raw completion, or an exception to
    raise. Raise the errors of `dspy.lm15` to play a provider's failures.
    """

    def __init__(self, answers: Iterable[ScriptedAnswer] | Callable[[Prompt], ScriptedAnswer]) -> None:
        if isinstance(answers, str | dict):
            raise InputError("scripted answers come as a list, one item a call; put this one in brackets.")
        self.answers = answers if callable(answers) else tuple(answers)
        self.prompts: list[Prompt] = []
        """Every prompt asked so far, in the order of the calls."""

    def reply(self, prompt: Prompt) -> dict[str, Any] | str:
        """The next answer, or what the function says."""
        with _counting:
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

    def dump_state(self) -> dict[str, Any]:
        """Refuse to be saved: its answers are code, or too many."""
        raise InputError("a scripted LM cannot be saved; set it anew after loading.")


def scripted(answers: Iterable[ScriptedAnswer] | Callable[[Prompt], ScriptedAnswer], **options: Any) -> "dspy.LM":
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
    return as_lm(Scripted(answers), "scripted", **options)
