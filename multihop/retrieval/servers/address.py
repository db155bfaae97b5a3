"""The address of a server, with the part that is only sent and the part that may be shown."""

import os
import re
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from ...base import InputError

_ADDRESS = re.compile(r"(?:(?P<kind>[A-Za-z]+):)?(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
_GONE = re.compile(r"(?P<elastic>elasticsearch:.*)|milvus:.*|.*\.db#\w*", re.IGNORECASE | re.DOTALL)
"""Addresses of Elasticsearch and Milvus, which earlier versions took."""
_FORM = "write it like http://localhost:8000, opensearch:https://localhost:9200/INDEX or colbert:http://localhost:8893"


def is_address(source: str | os.PathLike[str]) -> bool:
    """True if this is written as the address of a server.

    Examples:
        >>> from multihop.retrieval.servers.address import is_address
        >>> [is_address(each) for each in ("http://localhost:8000", "opensearch:https://here/wiki", "hub:hotpotqa")]
        [True, True, False]
    """
    return any(form.fullmatch(str(source)) for form in (_ADDRESS, _GONE))


class Address(NamedTuple):
    """A server's address, taken apart so that a password in it is only ever sent, never shown or written down."""

    kind: str
    """The prefix of the address: "opensearch"; empty if it has none."""
    url: str
    """The address without login, query and fragment, and without a slash at its end."""
    query: str
    """The part after its question mark."""
    login: tuple[str, str] | None
    """The name and the password that were written in it."""

    @classmethod
    def read(cls, text: str) -> "Address":
        """The address in a text.

        Raises:
            InputError: It is none, or has no host or an impossible port; the message does not repeat a password.

        Examples:
            >>> from multihop.retrieval.servers.address import Address
            >>> address = Address.read("opensearch:https://ada:secret@here.org:9200/wiki/?text=body")
            >>> address.kind, address.url, address.options
            ('opensearch', 'https://here.org:9200/wiki', {'text': 'body'})
            >>> print(address)
            https://here.org:9200/wiki
        """
        gone = _GONE.fullmatch(text.strip())
        if gone:
            raise InputError(
                f"'{hide_login(text)}' is an address of {'Elasticsearch' if gone['elastic'] else 'Milvus'}, which is "
                "asked by a function of your own, as OneStep(search, k=5); docs/retrieval.md has it in five lines."
            )
        found = _ADDRESS.fullmatch(text.strip())
        if found is None:
            raise InputError(f"'{hide_login(text)}' is no address of a server; {_FORM}.")
        try:
            parts = urlsplit(found["url"])
            host, port = parts.hostname, parts.port
        except ValueError:  # its words may hold a part of a password
            problem = "its port cannot be read (in a login, / is written %2F and ? is written %3F)"
            raise InputError(f"{hide_login(text)!r} is no address of a server, {problem}; {_FORM}.") from None
        if not host or re.search(r"\s", found["url"]) or not found["url"].isprintable():
            raise InputError(f"{hide_login(text)!r} is no address of a server, it names no host; {_FORM}.")
        login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        place = f"[{host}]" if ":" in host else host
        place += "" if port is None else f":{port}"
        url = urlunsplit((parts.scheme.lower(), place, parts.path.rstrip("/"), "", ""))
        return cls((found["kind"] or "").lower(), url, parts.query, login)

    @property
    def options(self) -> dict[str, str]:
        """The query as names with values."""
        return {name: values[-1] for name, values in parse_qs(self.query).items()}

    @property
    def path(self) -> str:
        """The part after the host."""
        return urlsplit(self.url).path

    @property
    def identity(self) -> str:
        """16 hexadecimal digits that stand for the address and its query, whatever the login."""
        return blake2b(f"{self.url}?{self.query}".encode(), digest_size=8).hexdigest()

    def at(self, path: str) -> "Address":
        """The same server, asked at another path."""
        parts = urlsplit(self.url)
        return self._replace(url=urlunsplit((parts.scheme, parts.netloc, path, "", "")))

    def __str__(self) -> str:
        """The part that may be shown: neither the login nor the query, since keys are also passed in queries."""
        return self.url

    def __repr__(self) -> str:
        return f"Address({self.url})"


def hide_login(text: str) -> str:
    """The text with nothing between "//" and "@", even where a password breaks the address, and no query."""
    return re.sub(r"//\S*@", "//", text).partition("?")[0]
