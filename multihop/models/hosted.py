"""Any LM by its name, checked before the first call: ours, a hosted provider's, or one on a server of your own."""

import os
import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..base import InputError, missing_key, unknown
from ..base.lazily import Lazy

if TYPE_CHECKING:
    import dspy

_OURS: Mapping[str, Any] = Lazy(
    __package__, {"lexical": "lexical_engine.lexical:lexical", "local": "local_engine.local:local"}
)
_OWN_SERVERS = ("hosted_vllm", "ollama", "openai")
_MADE_IN_CODE = ("scripted", "simulated")


def open_lm(name: str, *, api_base: str | None = None, api_key: str | None = None, **options: Any) -> "dspy.LM":
    """The LM of that name, ready to call; a name or a credential that cannot work is refused here, without a call.

    Args:
        name: "local" or "lexical", or "provider/model" as `dspy.LM` spells it, such as "openai/gpt-4.1-mini" or
            "anthropic/claude-sonnet-4-5". A server of your own may be named with it, as in
            "openai/qwen3-8b@http://localhost:8000/v1".
        api_base: Address of an OpenAI-compatible server of your own (vLLM, SGLang, Ollama, llama.cpp), such as
            "http://localhost:8000/v1". The model is then "hosted_vllm/<model>", "ollama/<model>" or
            "openai/<model>". Such a server gets `api_key` or a placeholder, never a key from the environment.
        api_key: The provider's key; without it, the provider's environment variable is read at every call.
        **options: Passed on to `dspy.LM`, such as `temperature` and `max_tokens`.

    Examples:
        >>> from multihop.models import open_lm
        >>> open_lm("lexical").model
        'multihop/lexical@1'
        >>> open_lm("hosted_vllm/qwen3-8b", api_base="http://localhost:8000/v1").model
        'hosted_vllm/qwen3-8b'
        >>> open_lm("openai/qwen3-8b@http://localhost:8000/v1").kwargs["api_base"]
        'http://localhost:8000/v1'
    """
    whole, (name, address) = name, split_address(name)
    if address is not None:
        if api_base is not None:
            raise InputError(f"LM '{whole}' names its server; it takes no other api_base.")
        api_base = address
    # Without this, the first call tries to download a price list, and warns at length where there is no network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    ours = name.removeprefix("multihop/").partition("@")[0]
    if ours in _OURS:
        if api_base is not None or api_key is not None:
            raise InputError(f"LM '{name}' runs in this process; it takes no api_base and no api_key.")
        return _OURS[ours](**options)
    if ours.partition("-")[0] in _MADE_IN_CODE:
        raise InputError(
            f"LM '{name}' is made in code, from its own answers: see multihop.models.{ours.partition('-')[0]}."
        )
    provider, _, model = name.partition("/")
    if not (provider and model):
        raise InputError(
            f'LM \'{name}\' names no provider; write "provider/model", such as "openai/gpt-4.1-mini", '
            f'or "local" for the one that needs none. Providers: {", ".join(_native_providers())}, and LiteLLM\'s.'
        )
    if api_base is not None:
        return _own_server(name, provider, api_base, api_key, options)
    return _hosted(name, provider, api_key, options)


def split_address(name: str) -> tuple[str, str | None]:
    """The name of an LM and the address that was written behind it with "@", if one was.

    Examples:
        >>> from multihop.models.hosted import split_address
        >>> split_address("openai/qwen3-8b@http://localhost:8000/v1"), split_address("multihop/lexical@1")
        (('openai/qwen3-8b', 'http://localhost:8000/v1'), ('multihop/lexical@1', None))
    """
    found = re.fullmatch(r"(.+?)@(https?://.*)", name)
    return (found[1], found[2]) if found else (name, None)


def runs_here(name: str) -> bool:
    """True if the LM of that name is one of this library, which runs in this process: no server, no key.

    Examples:
        >>> from multihop.models.hosted import runs_here
        >>> [name for name in ("local", "multihop/lexical@1", "simulated", "openai/gpt-5") if runs_here(name)]
        ['local', 'multihop/lexical@1', 'simulated']
    """
    ours = name.removeprefix("multihop/").partition("@")[0].partition("-")[0]
    return ours in _OURS or ours in _MADE_IN_CODE


def _own_server(name: str, provider: str, api_base: str, api_key: str | None, options: dict[str, Any]) -> "dspy.LM":
    import dspy

    if not api_base.startswith(("http://", "https://")):
        raise InputError(f"api_base '{api_base}' is not an address; write it like http://localhost:8000/v1.")
    if provider not in _OWN_SERVERS:
        raise unknown("provider for a server of your own", provider, _OWN_SERVERS)
    # The native engine, by name: "auto" would hand over to LiteLLM where an OPENAI_BASE_URL is set, and what the
    # server cannot take is then dropped instead of refused.
    return dspy.LM(name, api_base=api_base, api_key=api_key or "EMPTY", **{"engine": "lm15", **options})


def _hosted(name: str, provider: str, api_key: str | None, options: dict[str, Any]) -> "dspy.LM":
    import dspy
    from dspy.clients.backend_selection import select_backend

    if api_key is not None:
        options = {**options, "api_key": api_key}
    lm = dspy.LM(name, **options)
    if not isinstance(lm.engine, str):
        return lm
    selected = select_backend(lm)
    if selected.resolution is None:
        variables = _missing_in_litellm(name, provider, has_key=api_key is not None)
    else:
        variables = _missing_natively(lm, selected.resolution, api_key)
    if variables:
        raise missing_key(name, variables)
    return lm


def _missing_natively(lm: "dspy.LM", resolution: Any, api_key: str | None) -> tuple[str, ...]:
    """The variables that may hold the key the provider lacks; none where it has one or needs none."""
    from dspy.lm15 import RouterConfig, registered_providers

    if resolution.declared:
        definition = next(each.definition for each in registered_providers() if each.id == resolution.provider)
        variables = tuple(definition.env_keys)
        has_key = api_key or definition.placeholder_key or any(os.environ.get(variable) for variable in variables)
        return () if has_key else variables
    keys = {resolution.provider: api_key} if api_key else None
    # By name: that package is typed and the rest of dspy is not, so a plain import would blind mypy to all of dspy.
    report = import_module("dspy._vendor.lm15.doctor").explain_auth(
        resolution.provider, config=RouterConfig(api_keys=keys)
    )
    kinds = (step.kind for step in report.steps)
    return () if report.configured else tuple(kind.removeprefix("env:") for kind in kinds if kind.startswith("env:"))


def _missing_in_litellm(name: str, provider: str, *, has_key: bool) -> tuple[str, ...]:
    """The same for a provider that only LiteLLM reaches; where it asks for more than a key, only a call can tell."""
    import litellm

    providers = {str(getattr(each, "value", each)) for each in litellm.provider_list}
    if provider not in providers:
        hint = unknown("LM provider", provider, _native_providers())
        raise InputError(f"{hint}, any other that LiteLLM knows, or a server of your own with api_base=.")
    missing = () if has_key else tuple(litellm.validate_environment(name)["missing_keys"])
    return missing if all(variable.endswith("_API_KEY") for variable in missing) else ()


def _native_providers() -> list[str]:
    """The prefixes DSPy reaches without LiteLLM."""
    from dspy.clients.engines.lm15_engine import LITELLM_PROVIDER_PREFIXES
    from dspy.lm15 import registered_providers

    return sorted({*LITELLM_PROVIDER_PREFIXES, *(each.id for each in registered_providers())})
