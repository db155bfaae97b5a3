"""An encoder's description in its own files: sentence-transformers' layout, or a bare transformer's."""

from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import ujson

from ...base import DamagedFileError, InputError, unknown

PoolingKind = Literal["mean", "cls", "max", "last"]
Similarity = Literal["cosine", "dot"]
_POOLINGS: dict[str, PoolingKind] = {
    "cls": "cls",
    "cls_token": "cls",
    "mean": "mean",
    "mean_tokens": "mean",
    "max": "max",
    "max_tokens": "max",
    "lasttoken": "last",
}
"""The kind of pooling for each name that sentence-transformers has for it."""
_ORDER = ("Transformer", "Pooling", "Dense", "Normalize")
_SHIFTED = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet"})
"""Kinds of transformers that count positions from 2 on, so that two of them are no room for tokens."""
_WINDOW = 512


class Description(NamedTuple):
    """The way from the tokens of a text to its vector, and the way two vectors are compared."""

    pooling: PoolingKind
    similarity: Similarity
    query_prefix: str
    """The text put before a query."""
    passage_prefix: str
    """The text put before a passage."""
    window: int
    """Tokens of a text that are read at most, the special ones included; what is over is left out."""
    lower_case: bool
    transformer: str
    """The folder of the transformer, within the encoder's."""
    layers: tuple[str, ...] = ()
    """The folders of the layers behind the pooling, in order."""


def read_description(home: Path, **given: str | None) -> Description:
    """The folder's description, with the given values in place of its own.

    Without sentence-transformers' files, a text's vector is the mean of its tokens', and vectors are compared by their
    cosine; those of Contriever, which comes without such files, by their product.

    Args:
        home: The encoder's folder.
        **given: `pooling`, `similarity`, `query_prefix` and `passage_prefix`; None leaves it to the folder.

    Raises:
        InputError: The encoder has a part that is not run here; or a name is unknown.
    """
    parts = _parts(home)
    transformer = next((str(part.get("path") or "") for part in parts if _kind(part) == "Transformer"), "")
    settings = read_settings_file(home / "config_sentence_transformers.json")
    config = read_settings_file(home / transformer / "config.json")
    sentences = read_settings_file(home / transformer / "sentence_bert_config.json")
    prompts = settings.get("prompts") or {}
    if not (isinstance(prompts, dict) and all(isinstance(prompt, str) for prompt in prompts.values())):
        raise DamagedFileError(f"the prompts in {home / 'config_sentence_transformers.json'} are not texts by name.")
    otherwise = prompts.get(str(settings.get("default_prompt_name") or ""), "")
    found: dict[str, Any] = {
        "pooling": _pooling(home, parts),
        "similarity": _similarity(settings, parts, config),
        "query_prefix": prompts.get("query", otherwise),
        "passage_prefix": next((prompts[name] for name in ("document", "passage") if name in prompts), otherwise),
    }
    chosen: dict[str, Any] = {name: found[name] if given.get(name) is None else given[name] for name in found}
    for name, valid in (("pooling", get_args(PoolingKind)), ("similarity", get_args(Similarity))):
        if chosen[name] not in valid:
            raise unknown(name, chosen[name], valid)
    window = _window(home, sentences, config, read_settings_file(home / transformer / "tokenizer_config.json"))
    lower_case = bool(sentences.get("do_lower_case"))
    layers = tuple(str(part.get("path") or "") for part in parts if _kind(part) == "Dense")
    return Description(**chosen, window=window, lower_case=lower_case, transformer=transformer, layers=layers)


def read_settings_file(path: Path, otherwise: Any = None) -> Any:
    """The content of a file of JSON; empty, or `otherwise`, if there is no file."""
    if not path.is_file():
        return {} if otherwise is None else otherwise
    try:
        content = ujson.loads(path.read_bytes())
    except ValueError as error:
        raise DamagedFileError(f"{path} is not JSON: {error}.") from error
    if otherwise is None and not isinstance(content, dict):
        raise DamagedFileError(f"{path} is not a JSON object.")
    return content


def _parts(home: Path) -> list[dict[str, Any]]:
    """The modules that texts go through, in order; none where the folder does not say."""
    parts = read_settings_file(home / "modules.json", [])
    if not (isinstance(parts, list) and all(isinstance(part, dict) and "type" in part for part in parts)):
        raise DamagedFileError(f"{home / 'modules.json'} is not a list of modules.")
    for part in parts:
        if _kind(part) not in _ORDER:
            raise InputError(
                f"the encoder in {home} has a part that is not run here, {_kind(part)}; take one whose modules.json "
                f"has only {', '.join(_ORDER)}."
            )
    kinds = [_kind(part) for part in parts]
    if kinds != sorted(kinds, key=_ORDER.index):
        raise InputError(
            f"the encoder in {home} has its parts in an order that is not run here, {', '.join(kinds)}; it can be "
            f"{', '.join(_ORDER)}."
        )
    return parts


def _kind(part: dict[str, Any]) -> str:
    return str(part["type"]).rpartition(".")[2]


def _pooling(home: Path, parts: list[dict[str, Any]]) -> str:
    path = next((str(part.get("path") or "") for part in parts if _kind(part) == "Pooling"), None)
    if path is None:
        return "mean"
    config = read_settings_file(home / path / "config.json")
    named = config.get("pooling_mode")
    modes = list(map(str, named)) if isinstance(named, list) else [str(named)] if named else []
    modes += [name.removeprefix("pooling_mode_") for name, on in config.items() if on is True and "_mode_" in name]
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        listed = " and ".join(modes) or "nothing"
        raise InputError(
            f"the encoder in {home} pools by {listed}, which is not done here; it can be one of "
            f"{', '.join(get_args(PoolingKind))}."
        )
    if config.get("include_prompt") is False:
        raise InputError(f"the encoder in {home} leaves its prompt out of the pooling, which is not done here.")
    return _POOLINGS[modes[0]]


def _similarity(settings: dict[str, Any], parts: list[dict[str, Any]], config: dict[str, Any]) -> str:
    if any(_kind(part) == "Normalize" for part in parts):
        return "cosine"
    if settings.get("similarity_fn_name"):
        return str(settings["similarity_fn_name"])
    return "dot" if not parts and config.get("architectures") == ["Contriever"] else "cosine"


def _window(home: Path, sentences: dict[str, Any], config: dict[str, Any], tokenizer: dict[str, Any]) -> int:
    shift = 2 if str(config.get("model_type")) in _SHIFTED else 0
    positions = config.get("max_position_embeddings")
    length = sentences.get("max_seq_length") or tokenizer.get("model_max_length")
    for name, value in (("max_position_embeddings", positions), ("length of a text", length)):
        if value is not None and not isinstance(value, int | float):
            raise DamagedFileError(f"the encoder in {home} has no number as {name}, but {value!r:.40}.")
    lengths = [length, positions and positions - shift]
    known = [int(length) for length in lengths if length and length < 1 << 20]  # "no limit" is a huge number there
    return min(known, default=_WINDOW)
