"""The address by which clients know a passage."""

from urllib.parse import quote


def address_of(id_: str) -> str:
    """The passage's id where that is an address, as in some corpora; else one made of it.

    Examples:
        >>> from multihop.serve.passage_address import address_of
        >>> address_of("https://example.org/Po"), address_of("p 1")
        ('https://example.org/Po', 'passage:p%201')
    """
    return id_ if id_.startswith(("http://", "https://")) else f"passage:{quote(id_, safe='', errors='replace')}"
