"""Any LM by its name, checked before its first call: the built-in one, a provider's, or one on a server of your own."""

import os
import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from ..base import InputError, MissingKeyError, check_known, missing_key, unknown
from ..base.errors import check_lm_name, hide_login, remember_secrets, shown_variable, without_secrets
from ..base.files import misfit, read_toml
from ..base.imports import dspy, lm15
from .own_server import PROVIDER, STRUCTURED, Structured, server_lm

_OWN_SERVERS = (PROVIDER, "hosted_vllm", "ollama", "openai")
"""Providers that may be written before the name of a model on your own server."""
_PATHS = ("/", "./", "../", "~")
"""Beginnings of a path, as no provider's name begins."""
_NATIVE = (
    "anthropic", "azure", "deepseek", "gemini", "groq", "hosted_vllm", "moonshot", "ollama", "ollama_chat", "openai",
    "openrouter", "xai",
)  # fmt: skip
"""Providers that DSPy reaches without LiteLLM."""


def open_lm(
    name: str,
    *,
    api_base: str | None = None,
    api_key: str | None = None,
    structured: Structured = "auto",
    thinking: bool | None = None,
    **options: Any,
) -> "dspy.LM":
    """The LM of that name, ready to call; a name or a credential that cannot work is refused here, without a call.

    Args:
        name: "local", or "provider/model" as `dspy.LM` spells it, such as "openai/gpt-4.1-mini". A server of your own
            may be named with it, as in "server/qwen3-8b@http://localhost:8000/v1".
        api_base: Address of an OpenAI-compatible server of your own (llama.cpp, vLLM, SGLang, Ollama, LM Studio). The
            model is then "server/<model>"; "openai/", "hosted_vllm/" and "ollama/" mean the same. Such a server gets
            `api_key` or a placeholder, never a key from the environment.
        api_key: The provider's key; without it, the provider's environment variable is read at every call.
        structured: The form in which answers are asked for, of hosted LMs too: "schema" for JSON that the server holds
            the model to, or "json", both under plain words; or "text", DSPy's marked fields, of about twice the tokens.
            "auto" is "schema" for servers of your own that keep to one, as they are asked once, else "text".
        thinking: True for a model on a server of your own that thinks before it answers. By default, and with False,
            one that can be told not to does not.
        **options: Passed on to `dspy.LM`, such as `temperature` and `max_tokens`.

    Examples:
        >>> from multihop.lms import open_lm
        >>> lm = open_lm("server/qwen3-8b@http://localhost:8000/v1", structured="schema")
        >>> lm.model, lm.kwargs["api_base"]
        ('server/qwen3-8b', 'http://localhost:8000/v1')
    """
    model, address = split_address(name)
    check_lm_name(model)
    remember_secrets({"api_key": api_key, "api_base": address or api_base, **options})
    if address and api_base is not None:
        raise InputError(f"LM '{name}' names its server; it takes no other api_base.")
    api_base = address or api_base
    check_known("form of answers", structured, STRUCTURED)
    # Without this, the first call tries to download a price list, and warns at length where there is no network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    if runs_here(model):
        if api_base is not None or api_key is not None:
            raise InputError(f"LM '{model}' runs in this process; it takes no api_base and no api_key.")
        from .local_engine import local

        return local(**options)
    provider, served = _provider_and_model(model, api_base)
    if api_base is not None:
        return server_lm(served, api_base, api_key=api_key, structured=structured, thinking=thinking, **options)
    if thinking is not None:
        raise InputError(f"LM '{model}' is hosted; how it thinks is a parameter of its own, such as reasoning_effort.")
    lm = _hosted(model, provider, api_key, options)
    lm.structured = "text" if structured == "auto" else structured
    return lm


def _provider_and_model(name: str, api_base: str | None) -> tuple[str, str]:
    """The two parts of a name, which must be of an LM that can be reached with or without such an address."""
    _refuse_files(name)
    if name.removeprefix("multihop/").partition("@")[0] == "scripted":
        raise InputError(f"LM '{name}' is made in code, from its own answers: see multihop.lms.scripted.")
    provider, _, model = name.partition("/")
    if not (provider and model):
        raise InputError(
            f'LM \'{name}\' names no provider; write "provider/model", such as "openai/gpt-4.1-mini", '
            f'or "local" for the one that needs none. Providers: {", ".join(_native_providers())}, and LiteLLM\'s.'
        )
    if api_base is not None and provider not in _OWN_SERVERS:
        raise unknown("provider for a server of your own", provider, _OWN_SERVERS)
    if api_base is None and provider == PROVIDER:
        raise InputError(
            f"LM '{name}' is on a server of your own: write its address behind it, {name}@http://HOST:PORT/v1."
        )
    return provider, model


def split_address(name: str) -> tuple[str, str | None]:
    """The name of an LM and the address that was written behind it with "@", if one was."""
    found = re.fullmatch(r"(.+?)@(https?://.*)", name)
    return (found[1], found[2]) if found else (name, None)


def runs_here(name: str) -> bool:
    """True if the LM of that name is `local`, which runs in this process: no server, no key."""
    return name.removeprefix("multihop/").partition("@")[0] == "local"


def _refuse_files(name: str) -> None:
    """Refuse a model file and a model folder."""
    is_file = name.endswith(".gguf")
    is_path = name.startswith(_PATHS) or os.path.isfile(os.path.join(name, "config.json"))
    if name.partition("/")[0] in _OWN_SERVERS or not (is_file or is_path):
        return
    start = "llama-server -m FILE --port 8080" if is_file else "vllm serve FOLDER --port 8080"
    raise InputError(
        f"'{name}' is a model on the disk, and these are asked through a server: start `{start}` (or Ollama, LM "
        "Studio) and say --lm server/NAME@http://localhost:8080/v1 (docs/guide/compile.md)."
    )


def _hosted(name: str, provider: str, api_key: str | None, options: dict[str, Any]) -> "dspy.LM":
    lm = dspy.LM(name, **options, **({} if api_key is None else {"api_key": api_key}))
    if not isinstance(lm.engine, str):
        return lm
    variables = _missing_natively(lm, api_key)
    if variables is None:
        variables = _missing_in_litellm(name, provider, has_key=api_key is not None)
    if variables:
        raise missing_key(f"LM '{name}'", variables, also=" (in Python also api_key=)")
    return lm


def _missing_natively(lm: "dspy.LM", api_key: str | None) -> tuple[str, ...] | None:
    """The variables that may hold the key the provider lacks; None where DSPy leaves the provider to LiteLLM."""
    from dspy.clients.engines import LM15Engine

    declared = tuple(each.definition for each in lm15.registered_providers())
    try:
        found = LM15Engine(lm15.RouterConfig(env={}, providers=declared), model_type=lm.model_type).resolve(lm.model)
    except (lm15.UnknownModelError, lm15.UnsupportedFeatureError):
        return None
    router = lm15.LMRouter(
        lm15.RouterConfig(api_keys={found.provider: api_key} if api_key else None, providers=declared)
    )
    try:
        router.lm(f"{found.provider}:{found.model}")
    except lm15.MissingCredentialError as error:
        return tuple(error.env_keys)
    except lm15.NotConfiguredError:  # a login or a setting, which only a call can tell
        # DSPy reads the key of xAI, where lm15 itself asks for a login.
        return ("XAI_API_KEY",) if found.provider == "xai" and not os.environ.get("XAI_API_KEY") else ()
    finally:
        router.close()
    return ()


def _missing_in_litellm(name: str, provider: str, *, has_key: bool) -> tuple[str, ...]:
    """The variables that a provider only LiteLLM reaches lacks; where it asks for more than a key, a call must tell."""
    import litellm

    if provider not in {str(getattr(each, "value", each)) for each in litellm.provider_list}:
        hint = unknown("LM provider", provider, _native_providers())
        raise InputError(f"{hint}, any other that LiteLLM knows, or a server of your own with api_base=.")
    missing = () if has_key else tuple(litellm.validate_environment(name)["missing_keys"])
    return missing if all(variable.endswith("_API_KEY") for variable in missing) else ()


def _native_providers() -> list[str]:
    """The prefixes DSPy reaches without LiteLLM."""
    return sorted({*_NATIVE, *(each.id for each in lm15.registered_providers())})


Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]


class DescribedLM(BaseModel):
    """One LM of the file."""

    model_config = ConfigDict(extra="allow", frozen=True)

    model: Text
    """The model, as `open_lm` takes it."""
    api_base: Text | None = None
    """The address of its server, where it is one of your own."""
    key_env: Text | None = None
    """The environment variable that holds its key; None for the provider's usual one."""
    price: dict[str, Any] | None = None
    """Dollars for a million tokens, as `multihop.priced_by` takes them."""

    @property
    def priced_model(self) -> str:
        """The model as prices name it: "server/MODEL" on a server of your own, however its provider is written."""
        model, address = split_address(self.model)
        return f"{PROVIDER}/{model.partition('/')[2]}" if address or self.api_base else model

    @property
    def options(self) -> dict[str, Any]:
        """The parameters of the LM's calls, such as the temperature."""
        return dict(self.model_extra or {})

    @property
    def key(self) -> str | None:
        """The key, from the environment; None where no variable is named."""
        if self.key_env is None:
            return None
        if key := os.environ.get(self.key_env):
            return key
        variable = shown_variable(self.key_env)
        error = MissingKeyError(f"LM '{self.model}' needs a key: {variable} is not set in the environment.")
        error.variables = (variable,)
        raise error


def read_lms(path: str | os.PathLike[str]) -> dict[str, DescribedLM]:
    r"""The LMs of a file by name.

    Each is a table: `model`, and as far as they are needed `api_base`, `key_env` (the environment variable that holds
    the key), `price` and parameters of `dspy.LM` such as `temperature`, `max_tokens` and `timeout`.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.lms import read_lms
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "lms.toml"
        >>> _ = path.write_text('[small]\nmodel = "openai/m"\napi_base = "http://localhost:8001/v1"\ntemperature = 0\n')
        >>> small = read_lms(path)["small"]
        >>> small.model, small.api_base, small.options
        ('openai/m', 'http://localhost:8001/v1', {'temperature': 0})
    """
    given = read_toml(path)
    if not given:
        raise InputError(f"{path} describes no LM; each is a table, written [NAME] with model = ... under it.")
    return {name: _described(f"{path}, [{name}]", table) for name, table in given.items()}


def _described(place: str, table: Any) -> DescribedLM:
    try:
        described = DescribedLM.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{place}: {misfit(error)}; an LM is a table [NAME] with model = ... under it.") from None
    for name, value in described.options.items():
        if without_secrets({name: value}) != {name: value}:
            raise InputError(
                f"{place}, {name}: a key is never written into a file; "
                "put it into an environment variable and name that one with key_env."
            )
    if described.api_base is not None and hide_login(described.api_base) != described.api_base:
        raise InputError(f"{place}, api_base: write the address alone, such as {hide_login(described.api_base)}.")
    return described
