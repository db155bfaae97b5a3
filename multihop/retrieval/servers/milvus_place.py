"""The place of a collection of Milvus: a file of this machine, or a cluster."""

import os
import re
from typing import NamedTuple
from urllib.parse import urlsplit

from ...base import InputError
from .address import MILVUS, hide_login

_FORM = "write it like milvus:indexes/mine.db#wiki or milvus:https://localhost:19530#wiki"
_NAME = re.compile(r"[A-Za-z_]\w{0,200}", re.ASCII)


class MilvusPlace(NamedTuple):
    """A collection and what holds it."""

    uri: str
    """The whole path of a file of Milvus Lite, or the address of a cluster."""
    collection: str
    """The name of the collection."""

    @classmethod
    def read(cls, text: str) -> "MilvusPlace":
        """The place that an address names.

        Raises:
            InputError: It names none, or holds a login.
        """
        where, _, collection = text.strip().removeprefix(MILVUS).partition("#")
        shown = hide_login(text)
        if not text.strip().startswith(MILVUS) or not where or not _NAME.fullmatch(collection):
            raise InputError(f"'{shown}' names no collection of Milvus (letters, digits and _ behind a #); {_FORM}.")
        if "://" not in where:
            if not where.endswith(".db"):
                raise InputError(f"'{shown}': a file of Milvus Lite ends in .db; {_FORM}.")
            return cls(os.path.abspath(os.path.expanduser(where)), collection)
        try:
            parts = urlsplit(where)
            host, _ = parts.hostname, parts.port
        except ValueError:  # its words may hold a part of a password
            host, parts = None, urlsplit("")
        if parts.scheme.lower() not in ("http", "https") or not host:
            raise InputError(f"'{shown}' is no address of Milvus; {_FORM}.")
        if "@" in parts.netloc or parts.query:
            raise InputError(
                f"'{shown}': a login is no part of this address; set MILVUS_TOKEN to NAME:PASSWORD or a key."
            )
        return cls(where.rstrip("/"), collection)

    @property
    def embedded(self) -> bool:
        """True if Milvus runs in this process, over a file."""
        return "://" not in self.uri

    def __str__(self) -> str:
        """The whole place, which holds no secret."""
        return f"{self.uri}#{self.collection}"
