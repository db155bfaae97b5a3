"""The places outside itself that the file of a saved program names: what it would contact, and what it would read."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ..base import DamagedFileError, InputError, read_small
from ..data.little.little import is_little
from ..encoder.sentences.home import is_fetched, is_hub_name
from ..retrieval.index_folder import MANIFEST
from ..retrieval.servers.address import hide_login
from .compiled_for import compiled_for
from .corpus_path import find_corpus

_ELSEWHERE = re.compile(r"[A-Za-z_][\w.]+:|[/\\]{2}", re.ASCII)
"""The beginning of a source that is no path of this machine: an address, `hub:`, a share of another machine."""
_ENCODERS = ("encoder_folder", "checkpoint_place")
"""Where the manifest of an index says which encoder made it: a folder, or a name on the hub."""


class Reach(NamedTuple):
    """The places outside itself that a saved program's file names, each by the place in the file that names it."""

    contacts: dict[str, str]
    """Servers and names on the hub; no login of an address is shown."""
    reads: dict[str, str]
    """Files and folders of this machine."""
    settings: dict[str, str]
    """The addresses among its settings; that of the LM of a step as "lms.STEP"."""
    encoders: tuple[str, ...]
    """The encoders of its index that would be fetched from the hub, as they are not on this machine yet."""


def reach_of(ours: Mapping[str, Any], path: str | os.PathLike[str]) -> Reach:
    """The places that the block of a saved program names; nothing is opened but the manifest of the index.

    Examples:
        >>> from multihop.optimize.reach import reach_of
        >>> block = {"corpus": "http://ada:4711@here.org", "about": {}, "settings": {"weights": "mine"}}
        >>> found = reach_of(block, "one.json")
        >>> found.contacts, found.reads
        ({'corpus': 'http://here.org'}, {'weights': 'mine'})
    """
    contacts: dict[str, str] = {}
    reads: dict[str, str] = {}
    encoders: tuple[str, ...] = ()
    corpus, lm = ours["corpus"], compiled_for(ours["about"])
    if corpus is not None and not is_little(corpus) and names_server(corpus):
        contacts["corpus"] = corpus
    elif corpus is not None and not is_little(corpus):
        reads["corpus"] = _place(corpus, path)
        encoders = tuple(name for name in _encoders(Path(reads["corpus"])) if not is_fetched(name))
        contacts |= {f"encoder of the corpus{f' {n}' * (n > 1)}": name for n, name in enumerate(encoders, 1)}
    if lm is not None and holds_address(lm):
        contacts["lm"] = lm
    texts = dict(texts_in(ours["settings"]))
    settings = {name: text for name, text in texts.items() if holds_address(text)}
    contacts |= settings
    if "weights" in texts and "weights" not in settings:
        reads["weights"] = texts["weights"]
    return Reach({name: hide_login(text) for name, text in contacts.items()}, reads, settings, encoders)


def names_server(corpus: str) -> bool:
    """True if a corpus is not on this machine: whatever is no path.

    Examples:
        >>> from multihop.optimize.reach import names_server
        >>> list(filter(names_server, ("little", "./wiki", "hub:musique", "xy:z", "//host/wiki")))
        ['hub:musique', 'xy:z', '//host/wiki']
    """
    return _ELSEWHERE.match(corpus) is not None


def holds_address(text: str) -> bool:
    """True if an LM's name or a setting holds an address, behind whatever prefix.

    Examples:
        >>> from multihop.optimize.reach import holds_address
        >>> holds_address("server/qwen3@http://host:8000/v1"), holds_address("openai/gpt-4.1"), holds_address("a // b")
        (True, False, False)
    """
    return re.search(r"//\S", text) is not None and re.search(r"\s", text) is None


def texts_in(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value made of dicts and lists, with the names that lead to it.

    Examples:
        >>> from multihop.optimize.reach import texts_in
        >>> list(texts_in({"lms": {"read": "openai/gpt-5"}, "k": 5}))
        [('lms.read', 'openai/gpt-5')]
    """
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from texts_in(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each, name)


def _place(corpus: str, path: str | os.PathLike[str]) -> str:
    try:
        return find_corpus(corpus, path)
    except InputError:  # it is not there, which whoever opens it is told
        return corpus


def _encoders(folder: Path) -> Iterator[str]:
    """The names on the hub by which an index finds its encoders."""
    found: dict[str, None] = {}
    manifests = [folder / MANIFEST, *sorted(folder.glob(f"*/{MANIFEST}"))] if os.path.isdir(folder) else []
    for manifest in manifests:
        try:
            described = ujson.loads(read_small(manifest))
        except (OSError, ValueError, DamagedFileError, InputError):
            continue  # whoever opens it is told
        for name, text in texts_in(described):
            here = os.path.isdir(os.path.expanduser(text))
            if name.rpartition(".")[2] in _ENCODERS and is_hub_name(text) and not here:
                found[text] = None
    yield from found
