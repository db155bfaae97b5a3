"""LMs on a server of one's own that speaks OpenAI's protocol: llama.cpp, vLLM, SGLang, Ollama, LM Studio.

DSPy is told of such a server by its public door, `register_provider`, so that what the server can do reaches it: a JSON
schema that constrains the answer, and a switch for models that can think before they answer.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..base import InputError, unknown

if TYPE_CHECKING:
    import dspy

PROVIDER = "server"
"""The provider under which DSPy knows these servers, and so the beginning of their models' names."""
Structured = Literal["auto", "schema", "json", "text"]
"""The form in which an answer is asked for: "schema" for JSON that the server holds to the step's fields, "json" for
JSON, "text" for fields with marks between them; "auto" for a schema where the server keeps to one, else text."""
STRUCTURED = get_args(Structured)
SchemaPlace = Literal["json_schema", "json_object"]
"""The type of `response_format` with which a server takes a schema: OpenAI's own, or JSON mode with a schema beside it,
as llama-cpp-python's server takes it."""
_WORD = "zebra"
_PATIENCE = 120.0
"""Seconds in which a server answers a few tokens, even if it has to load the model first."""

_registering = threading.Lock()
_schema_places: dict[tuple[str, str], SchemaPlace | None] = {}
"""The answers of `schema_place` in this process, by address and model."""


def check_structured(structured: str) -> None:
    """Refuse another form.

    Raises:
        InputError: It is none of `Structured`.
    """
    if structured not in STRUCTURED:
        raise unknown("form of answers", structured, STRUCTURED)


def server_lm(
    model: str,
    api_base: str,
    *,
    api_key: str | None = None,
    structured: Structured = "auto",
    thinking: bool | None = None,
    **options: Any,
) -> dspy.LM:
    """The model on the server.

    Args:
        model: Its name there.
        api_base: The server's address, such as "http://localhost:8000/v1".
        api_key: Its key, if it wants one.
        structured: The form in which answers are asked for. With "auto" and "schema" the server is asked once in this
            process how it takes a schema.
        thinking: True or False for models that can think before they answer; None for their own default.
        **options: For `dspy.LM`.
    """
    import dspy
    from dspy.lm15 import (
        AccessPolicy,
        ModelSupport,
        OpenAIChatCompat,
        ProviderDefinition,
        register_provider,
        unregister_provider,
    )

    key = api_key or "EMPTY"
    place = schema_place(api_base, model, key) if structured in ("auto", "schema") else None
    if structured == "auto":
        structured = "text" if place is None else "schema"
    if thinking is not None:
        options["chat_template_kwargs"] = {"enable_thinking": thinking}
    definition = ProviderDefinition.chat(
        AccessPolicy(provider=PROVIDER, env_keys=(), base_url=api_base),
        compat=OpenAIChatCompat(thinking_format="qwen_chat_template"),
        placeholder_key="EMPTY",
    )
    if place == "json_object":
        from .json_mode import taking_schemas_in_json_mode

        definition = taking_schemas_in_json_mode(definition)
    with _registering:  # an LM keeps the registration that it is made under
        register_provider(definition, supports=ModelSupport(response_schema=structured == "schema"), replace=True)
        try:
            # The native engine, by name: "auto" would hand over to LiteLLM where a request cannot be mapped, and what
            # the server cannot take is then dropped instead of refused.
            lm = dspy.LM(f"{PROVIDER}/{model}", api_base=api_base, api_key=key, **{"engine": "lm15", **options})
        finally:
            unregister_provider(PROVIDER)
    lm.structured = structured
    return lm


def schema_place(api_base: str, model: str, api_key: str) -> SchemaPlace | None:
    """The place of a schema in a request to whose answers the server then keeps; None if it keeps to none.

    It is asked once in this process. A server that does not answer is not remembered: its first real call tells what is
    wrong.
    """
    import httpx

    known = (api_base, model)
    if known not in _schema_places:
        answers: dict[SchemaPlace, bool | None] = {}
        for place in get_args(SchemaPlace):
            try:
                answers[place] = _ask_with_schema(api_base, model, api_key, place)
            except httpx.HTTPError:
                return None
            if answers[place]:
                break
        kept = [place for place, answer in answers.items() if answer]
        if not kept and None in answers.values():
            return None
        _schema_places[known] = kept[0] if kept else None
    return _schema_places[known]


def _ask_with_schema(api_base: str, model: str, api_key: str, place: SchemaPlace) -> bool | None:
    """True if the model says the one word that the schema allows, which nobody asked for; None if it is not asked."""
    import httpx

    schema = {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": [_WORD]}},
        "required": ["word"],
        "additionalProperties": False,
    }
    named = {"json_schema": {"name": "word", "schema": schema, "strict": True}}
    body = {
        "model": model,
        "messages": [{"role": "user", "content": "Say hello."}],
        "max_tokens": 32,
        "temperature": 0,
        "response_format": {"type": place, **(named if place == "json_schema" else {"schema": schema})},
    }
    reply = httpx.post(
        f"{api_base.rstrip('/')}/chat/completions",
        json=body,
        headers={"Authorization": f"Bearer {api_key}"},
        timeout=httpx.Timeout(_PATIENCE, connect=5.0),
    )
    if reply.status_code in (401, 403, 404) or reply.status_code >= 500 or reply.status_code == 429:
        return None
    try:
        said = reply.json()["choices"][0]["message"]["content"]
        return bool(json.loads(said) == {"word": _WORD})
    except (ValueError, LookupError, TypeError):
        return False


def check_address(api_base: str) -> None:
    """Refuse what is no address of a server.

    Raises:
        InputError: It does not begin as one.
    """
    if not api_base.startswith(("http://", "https://")):
        raise InputError(f"api_base '{api_base}' is not an address; write it like http://localhost:8000/v1.")
