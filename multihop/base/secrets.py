"""Keeps secrets out of files: recognises names that hold a key, and cuts from an address what gives access to it."""

from urllib.parse import urlsplit, urlunsplit

_WORDS = ("key", "token", "secret", "password", "credential", "authorization")


def names_secret(name: str) -> bool:
    """True if a parameter of that name holds a key; a count of tokens does not.

    Examples:
        >>> from multihop.base.secrets import names_secret
        >>> [name for name in ("api_key", "azure_ad_token", "max_tokens", "temperature") if names_secret(name)]
        ['api_key', 'azure_ad_token']
    """
    name = name.lower()
    return not name.endswith("tokens") and any(word in name for word in _WORDS)


def public_address(address: str) -> str:
    """The address without a user, a password and a query, any of which may be a key.

    Examples:
        >>> from multihop.base.secrets import public_address
        >>> public_address("https://me:4711@lm.example.org:8000/v1?code=4711")
        'https://lm.example.org:8000/v1'
    """
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
