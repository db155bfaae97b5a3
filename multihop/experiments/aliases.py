"""Other names of the models, encoders and corpora that papers name, so that "not the published one" is said truly."""

import functools
import tomllib
from pathlib import Path
from typing import Any

from ..lms.lm_by_name import split_address


def is_published_lm(published: str, model: str) -> bool:
    """True if the model is the published one, under whichever of its names.

    Args:
        published: The name that the paper has for it.
        model: The name that it is asked under.
    """
    name = split_address(model)[0].removeprefix("multihop/").partition("@")[0]
    return _plain(name) in map(_plain, _aliases("lms").get(_plain(published), (published,)))


def is_published_retriever(published: str, name: str) -> bool:
    """True if the retriever is the published one: a dense one by its encoder's folder or name on the hub."""
    return _plain(name) in map(_plain, _aliases("retrievers").get(_plain(published), (published,)))


def is_known_lm(name: str) -> bool:
    """True if the name is that of a model which some paper used, and not one that is made, such as a cloned planner."""
    return _plain(name) in _aliases("lms")


def is_published_corpus(published: str, source: str, question_set: str) -> bool:
    """True if the source is the published corpus of the question set, by its file's or its folder's name."""
    known = _aliases("corpora").get(_plain(published), ())
    names = known.get(question_set, ()) if isinstance(known, dict) else known
    here = {_plain(part.partition(".")[0]) for part in Path(source).parts[-2:]}
    return not here.isdisjoint(map(_plain, names))


def _plain(name: str) -> str:
    """The last part of the name, in lower case, letters and digits alone."""
    last = name.rstrip("/").rpartition("/")[2]
    return "".join(character for character in last.lower() if character.isalnum())


@functools.cache
def _aliases(kind: str) -> dict[str, Any]:
    """The other names of one kind of thing, by the plain form of the published one."""
    content = tomllib.loads(Path(__file__).with_name("aliases.toml").read_text(encoding="utf-8"))
    return {_plain(name): names for name, names in content[kind].items()}
