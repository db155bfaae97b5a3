"""LMs on a server of one's own that speaks OpenAI's protocol: llama.cpp, vLLM, SGLang, Ollama, LM Studio.

DSPy is told of such a server by its public door, `register_provider`, so that what the server can do reaches it: a JSON
schema that constrains the answer, and a switch for models that can think before they answer.
"""

from __future__ import annotations

import json
import threading
import warnings
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import urlsplit

from ..base import InputError, unknown
from ..base.secrets import public_address
from .family import decoding, family_of

if TYPE_CHECKING:
    import dspy
    import httpx

PROVIDER = "server"
"""The provider under which DSPy knows these servers, and so the beginning of their models' names."""
Structured = Literal["auto", "schema", "json", "text"]
"""The form in which an answer is asked for: "schema" for JSON that the server holds to the step's fields, "json" for
JSON, "text" for fields with marks between them; "auto" for a schema where the server keeps to one, else text."""
STRUCTURED = get_args(Structured)
SchemaPlace = Literal["json_schema", "json_object"]
"""The type of `response_format` with which a server takes a schema: OpenAI's own, or JSON mode with a schema beside it,
as llama-cpp-python's server takes it."""
SWITCHES = ("chat_template_kwargs", "reasoning_effort")
"""The parameters that say whether, or how long, a model thinks before it answers."""
OLLAMA_PORT = 11434
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
        thinking: True for a model that thinks before it answers; by default, and with False, one that can be told not
            to does not.
        **options: For `dspy.LM`. Greedy unless a temperature is given, whatever the server would do by itself, and at
            most 1,024 tokens an answer, 4,096 with thoughts.

    Raises:
        InputError: The model cannot think, or cannot be told not to; or the server keeps to no schema that was asked
            for.
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

    from .served_lm import AsyncServedLM, ServedLM

    key = api_key or "EMPTY"
    options = {**_switch(model, api_base, thinking, options), **_decoding(model, thinking, options)}
    place = schema_place(api_base, model, key, options) if structured in ("auto", "schema") else None
    if structured == "schema" and place is None and (api_base, model) in _schema_places:
        raise InputError(f"the server at {api_base} does not keep to a schema: ask it for 'json' or 'text', or 'auto'.")
    if structured == "auto":
        structured = "text" if place is None else "schema"
    definition = ProviderDefinition.chat(
        AccessPolicy(provider=PROVIDER, env_keys=(), base_url=api_base),
        compat=OpenAIChatCompat(
            max_tokens_field="max_tokens",  # llama-cpp-python and Ollama leave its newer name unread
            thinking_format="reasoning_effort" if "reasoning_effort" in options else "qwen_chat_template",
        ),
        placeholder_key="EMPTY",
    )
    definition = replace(definition, adapter=ServedLM, async_adapter=AsyncServedLM)
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


def _decoding(model: str, thinking: bool | None, given: Mapping[str, Any]) -> dict[str, Any]:
    family = family_of(model)
    return decoding(family, given, thinks=family.thinks(thinking) if family else bool(thinking))


def _switch(model: str, api_base: str, thinking: bool | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that tell a model on a server to think or not to; none where `options` have some of these."""
    if any(name in options for name in SWITCHES):
        return {}
    family = family_of(model)
    if family is not None:
        values = family.switches(model, thinking)
    else:
        values = {} if thinking is not False else {"enable_thinking": False}
    if values.get("enable_thinking"):
        if family is not None and family.thinking == "asked":
            raise InputError(f"'{model}' thinks only if its server is started so; thinking=True cannot ask for it.")
        return {}
    if "reasoning_effort" in values or not values:
        return dict(values)
    if urlsplit(api_base).port == OLLAMA_PORT:  # it takes no values of chat templates
        return {"reasoning_effort": "none"}
    return {"chat_template_kwargs": values}


def schema_place(
    api_base: str, model: str, api_key: str, options: Mapping[str, Any] = MappingProxyType({})
) -> SchemaPlace | None:
    """The place of a schema in a request to whose answers the server then keeps; None if it keeps to none.

    It is asked once in this process. A server that does not answer is not remembered: its first real call tells what is
    wrong.

    Args:
        api_base: The server's address.
        model: The model's name there.
        api_key: The server's key.
        options: Parameters of its calls, of which those are sent along that tell it not to think.
    """
    import httpx

    known = (api_base, model)
    switch = {name: options[name] for name in SWITCHES if name in options}
    if known not in _schema_places:
        answers: dict[SchemaPlace, bool | None] = {}
        failed = True
        for place in get_args(SchemaPlace):
            try:
                reply = _ask_with_schema(api_base, model, api_key, place, switch)
            except httpx.HTTPError:
                return None
            answers[place] = _keeps(reply)
            failed &= reply.status_code == 500
            if answers[place]:
                break
        if failed:
            warnings.warn(
                f"the server at {public_address(api_base)} fails (500) where it is given a JSON schema; its log "
                "says why. Unless --structured schema is given, it is asked without one.",
                stacklevel=2,
            )
        kept = [place for place, answer in answers.items() if answer]
        if not kept and None in answers.values():
            return None
        _schema_places[known] = kept[0] if kept else None
    return _schema_places[known]


def _ask_with_schema(
    api_base: str, model: str, api_key: str, place: SchemaPlace, switch: Mapping[str, Any]
) -> httpx.Response:
    """The server's reply to a call whose schema allows one word only, which its prompt does not ask for."""
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
        **switch,
        "response_format": {"type": place, **(named if place == "json_schema" else {"schema": schema})},
    }
    return httpx.post(
        f"{api_base.rstrip('/')}/chat/completions",
        json=body,
        headers={"Authorization": f"Bearer {api_key}"},
        timeout=httpx.Timeout(_PATIENCE, connect=5.0),
    )


def _keeps(reply: httpx.Response) -> bool | None:
    """True if the reply is the one word that the schema allows; None if it is no answer at all."""
    if reply.status_code in (401, 403, 404) or reply.status_code >= 500 or reply.status_code == 429:
        return None
    try:
        (choice,) = reply.json()["choices"]
        said = choice["message"]["content"]
        if not said and choice.get("finish_reason") == "length":  # it was still thinking
            return None
        return bool(json.loads(said) == {"word": _WORD})
    except (ValueError, LookupError, TypeError):
        return False


def check_address(api_base: str) -> None:
    """Refuse what is no address of a server, and one that has more in it than where the server is.

    Raises:
        InputError: It does not begin as one, or has a login or a query, which would be told with the address.
    """
    if not api_base.startswith(("http://", "https://")):
        raise InputError(
            f"api_base '{public_address(api_base)}' is not an address; write it like http://localhost:8000/v1."
        )
    if public_address(api_base) != api_base.partition("#")[0]:
        raise InputError(
            f"write the address alone, {public_address(api_base)}: it has a login or a query in it. A key is passed as "
            "api_key=, or by the environment variable that key_env names in a file of LMs (--lms)."
        )
