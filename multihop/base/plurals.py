"""Numbers of things in words, one of them without an s."""


def say_count(number: int, noun: str) -> str:
    """The number and its noun.

    Examples:
        >>> from multihop.base.plurals import say_count
        >>> say_count(1, "LM call"), say_count(1200, "retrieval")
        ('1 LM call', '1,200 retrievals')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
