"""The identity of an LM in a run's files: its name and its decoding settings, no address and no key."""

from typing import Any, NotRequired

import dspy
from typing_extensions import TypedDict

from ..base.errors import names_secret
from ..base.texts import plain_value

_ADDRESS = ("api_base", "base_url", "headers", "extra_headers", "organization", "project")


class LMIdentity(TypedDict):
    """An LM without its address and key."""

    model: str
    """Its name, such as "openai/gpt-4.1"."""
    type: str
    """DSPy's kind of model, such as "chat"."""
    decoding: dict[str, Any]
    """The parameters it is called with, such as the temperature."""
    structured: NotRequired[str]
    """The form in which it is asked for its answers, where that is not plain text: "schema" or "json"."""


def lm_identity(lm: dspy.LM) -> LMIdentity:
    """The LM's name and parameters."""
    decoding = {
        name: plain_value(value)
        for name, value in sorted(lm.kwargs.items())
        if value is not None and name not in _ADDRESS and not names_secret(name)
    }
    identity: LMIdentity = {"model": lm.model, "type": lm.model_type, "decoding": decoding}
    if (form := getattr(lm, "structured", "text")) != "text":
        identity["structured"] = form
    return identity
