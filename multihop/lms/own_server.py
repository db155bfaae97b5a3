"""LMs on your own server that speaks OpenAI's protocol: llama.cpp, vLLM, SGLang, Ollama, LM Studio.

DSPy is told of such a server by its public door, `register_provider`, so that what the server can do reaches it: a JSON
schema that constrains the answer, and a switch for models that can think before they answer.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Literal, get_args

from ..base import InputError
from ..base.errors import first_line, hide_login
from ..base.imports import dspy, httpx, lm15

PROVIDER = "server"
"""The provider under which DSPy knows these servers, and so the beginning of their models' names."""
Structured = Literal["auto", "schema", "json", "text"]
"""The form in which an answer is asked for: "schema" for JSON that the server holds to the step's fields, "json" for
JSON, "text" for fields with marks between them; "auto" for a schema where the server keeps to one, else text."""
STRUCTURED = get_args(Structured)
SWITCHES = ("chat_template_kwargs", "reasoning_effort")
"""The parameters that say whether, or how long, a model thinks before it answers."""
MAX_TOKENS, THINKING_TOKENS = 1024, 4096
"""Tokens of an answer unless the call says otherwise, without and with thoughts before it."""
_THINKS_BY_DEFAULT = re.compile(
    r"qwen-?3(?!\d|-?(?:next|vl|omni|embedding|reranker|guard)|.*(?:2507|coder))|smollm-?3", re.IGNORECASE
)
"""Models that think before they answer unless they are told not to: Qwen3, Qwen3.5, SmolLM3."""
_ALWAYS_THINKS = re.compile(r"deepseek-?r1|thinking-?2507|phi-?4.*reasoning", re.IGNORECASE)
"""Models that cannot be told not to."""
_THINKS_AS_LONG_AS_TOLD = re.compile(r"gpt-?oss", re.IGNORECASE)
_WORD = {"type": "string", "enum": ["zebra"]}
_SCHEMA = {"type": "object", "properties": {"word": _WORD}, "required": ["word"], "additionalProperties": False}
_PATIENCE = 120.0
"""Seconds in which a server answers a few tokens, even if it has to load the model first."""

_registering = threading.Lock()
_kept: dict[tuple[str, str], bool] = {}
"""True for each address and model that keeps to a schema, as this process has found out; false for the others."""


def server_lm(
    model: str,
    api_base: str,
    *,
    api_key: str | None = None,
    structured: Structured = "auto",
    thinking: bool | None = None,
    **options: Any,
) -> dspy.LM:
    """The model of that name on the server at an address; the other parameters are those of `open_lm`."""
    _check_address(api_base)
    key = api_key or "EMPTY"
    options = {**_decoding(model, thinking, options), **_switch(model, api_base, thinking, options), **options}
    keeps = structured in ("auto", "schema") and _keeps_to_schema(api_base, model, key, options)
    if structured == "schema" and _kept.get((api_base, model)) is False:
        raise InputError(f"the server at {api_base} does not keep to a schema: ask it for 'json' or 'text', or 'auto'.")
    if structured == "auto":
        structured = "schema" if keeps else "text"
    lm = _registered(model, api_base, key, options, response_schema=structured == "schema")
    lm.structured = structured
    return lm


def _registered(model: str, api_base: str, key: str, options: dict[str, Any], *, response_schema: bool) -> dspy.LM:
    """The LM, made while DSPy knows its server by our adapters."""
    from .served_lm import AsyncServedLM, ServedLM

    definition = lm15.ProviderDefinition.chat(
        lm15.AccessPolicy(provider=PROVIDER, env_keys=(), base_url=api_base),
        compat=lm15.OpenAIChatCompat(
            max_tokens_field="max_tokens",  # Ollama leaves its newer name unread
            thinking_format="reasoning_effort" if "reasoning_effort" in options else "qwen_chat_template",
        ),
        placeholder_key="EMPTY",
    )
    definition = replace(definition, adapter=ServedLM, async_adapter=AsyncServedLM)
    with _registering:  # an LM keeps the registration that it is made under
        lm15.register_provider(definition, supports=lm15.ModelSupport(response_schema=response_schema), replace=True)
        try:
            # The native engine, by name: "auto" would hand over to LiteLLM where a request cannot be mapped, and what
            # the server cannot take is then dropped instead of refused.
            return dspy.LM(f"{PROVIDER}/{model}", api_base=api_base, api_key=key, **{"engine": "lm15", **options})
        finally:
            lm15.unregister_provider(PROVIDER)


def _decoding(model: str, thinking: bool | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters where none are given: greedy, but drawn while it thinks, since greedy thoughts repeat."""
    if not (thinking or _ALWAYS_THINKS.search(model) or _THINKS_AS_LONG_AS_TOLD.search(model)):
        return {"max_tokens": MAX_TOKENS, "temperature": 0.0}
    drawn = {} if "temperature" in given else {"temperature": 0.6, "top_p": 0.95}
    return {"max_tokens": THINKING_TOKENS, **drawn}


def _switch(model: str, api_base: str, thinking: bool | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that tell a model on a server not to think; none where it may, or something else is given."""
    if thinking or any(name in given for name in SWITCHES):
        return {}
    if _THINKS_AS_LONG_AS_TOLD.search(model):
        return {"reasoning_effort": "low"}
    if thinking is False and _ALWAYS_THINKS.search(model):
        raise InputError(f"'{model}' cannot be told not to think.")
    if thinking is None and not _THINKS_BY_DEFAULT.search(model):
        return {}
    from .served_lm import is_ollama

    if is_ollama(api_base):  # it takes no values of chat templates
        return {"reasoning_effort": "none"}
    return {"chat_template_kwargs": {"enable_thinking": False}}


def _keeps_to_schema(api_base: str, model: str, api_key: str, options: Mapping[str, Any]) -> bool:
    """True if the server's answer is the one word that a schema allows, for which the prompt does not ask."""
    from .served_lm import ask_server

    if (api_base, model) in _kept:
        return _kept[api_base, model]
    body = {
        "model": model,
        "messages": [{"role": "user", "content": "Say hello."}],
        "max_tokens": 32,
        "temperature": 0,
        **{name: options[name] for name in SWITCHES if name in options},
        "response_format": {"type": "json_schema", "json_schema": {"name": "word", "schema": _SCHEMA, "strict": True}},
    }
    try:
        url = f"{api_base.rstrip('/')}/chat/completions"
        status, reply = ask_server("POST", url, key=api_key, seconds=_PATIENCE, body=body)
        if status in (401, 403, 404, 429) or status > 500:
            return False
        (choice,) = reply["choices"]
        if not choice["message"]["content"] and choice.get("finish_reason") == "length":  # it was still thinking
            return False
        keeps = bool(json.loads(choice["message"]["content"]) == {"word": "zebra"})
    except httpx.HTTPError:
        return False  # and nothing is remembered: its first call says why
    except (ValueError, LookupError, TypeError):
        keeps = False
    _kept[api_base, model] = keeps
    return keeps


def check_served(api_base: str, model: str, api_key: str = "EMPTY") -> None:
    """Refuse a server that is down, and one that has other models than the one that is asked for."""
    from .served_lm import ask_server

    address = api_base.rstrip("/")
    try:
        _, reply = ask_server("GET", f"{address}/models", key=api_key, seconds=2.0)
        names = [str(each["id"]) for each in reply["data"]]
    except httpx.HTTPError as error:
        raise InputError(
            f"no server answers at {address} ({first_line(error)}); start it, or give the address of one that runs."
        ) from None
    except (LookupError, TypeError, ValueError):
        return  # it has no list
    # A server's name may say more than the one that is asked for: a tag, or the folder it lies in.
    known = {form for name in names for form in (name, name.removesuffix(":latest"), PurePath(name).name)}
    if names and model not in known | {name.removesuffix(".gguf") for name in known}:
        listed = ", ".join(f"'{name}'" for name in names)
        raise InputError(f"the server at {api_base} has no model '{model}'. It has: {listed}.")


def _check_address(api_base: str) -> None:
    """Refuse what is no address of a server, and one with a login or a query, which would be told with it."""
    if not api_base.startswith(("http://", "https://")):
        raise InputError(
            f"api_base '{hide_login(api_base)}' is not an address; write it like http://localhost:8000/v1."
        )
    if hide_login(api_base) != api_base:
        raise InputError(
            f"write the address alone, {hide_login(api_base)}: it has a login or a query in it. A key is passed as "
            "api_key=, or by the environment variable that key_env names in a file of LMs (--lms)."
        )
