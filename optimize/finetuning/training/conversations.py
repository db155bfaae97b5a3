"""Conversations as tokens: what the model is shown, and the answer that it learns to say."""

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from ....base import InputError
from ....base.errors import first_line
from ....base.texts import say_count
from .base_model import BaseModel

_QUESTION = re.compile(r"\[\[ ## question ## \]\]\n(.*?)\n\n", re.DOTALL)


class Example(NamedTuple):
    """A conversation as tokens."""

    tokens: tuple[int, ...]
    """All tokens, the token that ends the answer included."""
    asked: int
    """The number of them that the model is shown; it learns to say the others."""
    question: str
    """The question that it belongs to."""


class Examples(NamedTuple):
    """The conversations of a training."""

    trained: list[Example]
    """Those that are trained on."""
    held_out: list[Example]
    """Those that are not."""
    left_out: int
    """The number of those that are too long."""


def make_examples(base: BaseModel, rows: Sequence[dict[str, Any]], *, longest: int, held_out: float) -> Examples:
    """The rows as tokens, with a share of the questions held out.

    Raises:
        InputError: There is nothing to learn from them; the message says why.
    """
    if not rows:
        raise InputError("there are no conversations to train on.")
    if len({row["messages"][-1]["content"] for row in rows}) == 1:
        raise InputError(f"all {len(rows)} conversations have the same answer, so there is nothing to learn from them.")
    limit = min(longest, base.context or longest)
    end = _end(base, rows[0]["messages"])
    examples = [example_of(base, row["messages"], end) for row in rows]
    kept = [example for example in examples if len(example.tokens) <= limit]
    if not kept:
        shortest = min(len(example.tokens) for example in examples)
        raise InputError(
            f"all {len(rows)} conversations are longer than {limit:,} tokens (the shortest has {shortest:,}); "
            f"{base.name} reads {base.context or longest:,}, and longest is {longest:,}."
        )
    out = {example.question for example in kept if is_held_out(example.question, held_out)}
    trained = [example for example in kept if example.question not in out]
    if not trained:  # so few questions that all are held out
        trained, out = kept, set()
    return Examples(trained, [each for each in kept if each.question in out], len(rows) - len(kept))


def left_out_line(count: int, of: int, longest: int) -> str:
    """A line about conversations that are too long.

    Examples:
        >>> from multihop.optimize.finetuning.training.conversations import left_out_line
        >>> left_out_line(2, 300, 4096)
        '2 conversations of 300 are longer than 4,096 tokens and left out'
    """
    verb = "is" if count == 1 else "are"
    return f"{say_count(count, 'conversation')} of {of:,} {verb} longer than {longest:,} tokens and left out"


def is_held_out(question: str, share: float) -> bool:
    """True for about that share of all questions, and always for the same ones.

    Examples:
        >>> from multihop.optimize.finetuning.training.conversations import is_held_out
        >>> sum(is_held_out(f"Who wrote book {n}?", 0.1) for n in range(1000))
        98
    """
    return int.from_bytes(blake2b(question.encode(), digest_size=8).digest(), "big") < share * 2**64


def example_of(base: BaseModel, messages: Sequence[dict[str, str]], end: Sequence[int]) -> Example:
    """A conversation as tokens.

    The answer stands as it was given right after what the model is asked with, whatever the chat template makes of
    answers of earlier turns: so it is asked, and so it shall answer.
    """
    asked = base.tokenizer(_laid_out(base, messages[:-1]), add_special_tokens=False)["input_ids"]
    answer = base.tokenizer(messages[-1]["content"], add_special_tokens=False)["input_ids"]
    return Example((*asked, *answer, *end), len(asked), question_of(messages))


def question_of(messages: Iterable[dict[str, str]]) -> str:
    r"""The question of a conversation: the field of that name, or else all that the user says first.

    Examples:
        >>> from multihop.optimize.finetuning.training.conversations import question_of
        >>> question_of([{"role": "user", "content": "[[ ## question ## ]]\nWho?\n\n[[ ## history ## ]]\n[]"}])
        'Who?'
    """
    said = next((message["content"] for message in messages if message["role"] == "user"), "")
    field = _QUESTION.search(said)
    return field[1] if field else said


def _laid_out(base: BaseModel, messages: Sequence[dict[str, str]], *, asking: bool = True) -> str:
    """The messages as the model's chat template lays them out."""
    try:
        text = base.tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=asking)
    except Exception as error:  # whatever a template raises
        raise InputError(
            f"the chat template of {base.name} does not take a conversation of "
            f"{', '.join(message['role'] for message in messages)}: {first_line(error)}"
        ) from error
    return str(text)


def _end(base: BaseModel, messages: Sequence[dict[str, str]]) -> list[int]:
    """The token with which the chat template ends an answer, or else the one that ends a text."""
    whole, asked = _laid_out(base, messages, asking=False), _laid_out(base, messages[:-1])
    _, found, after = whole.rpartition(messages[-1]["content"].strip())
    if not found:  # the template has made other words of the answer
        after = whole.removeprefix(asked) if whole.startswith(asked) else ""
    special = set(base.tokenizer.all_special_ids)
    for token in base.tokenizer(after, add_special_tokens=False)["input_ids"]:
        if token in special:
            return [int(token)]
    if base.tokenizer.eos_token_id is None:
        raise InputError(f"the tokenizer of {base.name} has no token that ends an answer.")
    return [int(base.tokenizer.eos_token_id)]
