import inspect

import pytest

from multihop.evaluation.same_arguments import takes_arguments_of


def boil(egg: str, *, minutes: float = 4.5) -> None:
    """Boil an egg.

    Args:
        egg: The egg.
        minutes: Less for a soft one.

    Raises:
        ValueError: It is raw.

    Examples:
        >>> boil("brown")
    """


@takes_arguments_of(boil)
def fry(*arguments, **options) -> str:
    """Fry an egg.

    Examples:
        >>> fry("white")
        'fried'
    """
    boil(*arguments, **options)
    return "fried"


def test_the_signature_is_that_of_the_other_but_for_what_is_returned():
    assert str(inspect.signature(fry)) == "(egg: str, *, minutes: float = 4.5) -> str"
    assert (fry.__name__, fry("white", minutes=2)) == ("fry", "fried")
    with pytest.raises(TypeError, match="unexpected keyword argument 'seconds'"):
        fry("white", seconds=5)


def test_its_docstring_says_of_the_arguments_what_that_of_the_other_does():
    assert inspect.getdoc(fry).splitlines() == [
        "Fry an egg.",
        "",
        "Args:",
        "    egg: The egg.",
        "    minutes: Less for a soft one.",
        "",
        "Raises:",
        "    ValueError: It is raw.",
        "",
        "Examples:",
        '    >>> fry("white")',
        "    'fried'",
    ]


def test_a_function_without_a_docstring_has_none_of_arguments():
    @takes_arguments_of(boil)
    def drop(*arguments): ...

    assert "minutes" in drop.__doc__
    assert takes_arguments_of(lambda egg: egg)(lambda *arguments: None).__doc__ == ""
