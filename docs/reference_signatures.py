"""Signatures as a reader wants them: types alone, without the modules that they come from and the checks on them."""

import inspect
import re
from typing import Any

LONGEST = 100
"""A signature that is longer stands on several lines."""


def signature(name: str, value: Any) -> str:
    """The signature of a value, as Python has it; nothing where Python cannot tell."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parameters = [each for each in found.parameters.values() if each.name != "self"]
    if inspect.isclass(value):  # what it returns is what it is
        found = found.replace(return_annotation=inspect.Signature.empty)
    said = brief(str(found.replace(parameters=parameters)))
    if len(name + said) > LONGEST:
        arguments = _arguments(parameters)
        ends = said.rpartition(") -> ")[2] if ") -> " in said else ""
        said = "(\n    " + ",\n    ".join(arguments) + ",\n)" + (f" -> {ends}" if ends else "")
    return f"{'async ' * inspect.iscoroutinefunction(value)}{name}{said}"


def _arguments(parameters: list[inspect.Parameter]) -> list[str]:
    """The arguments one by one, with the star before those that are given by name alone."""
    shown, starred = [], False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not starred:
            shown.append("*")
        starred = starred or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        shown.append(brief(str(each)))
    return shown


def brief(annotation: str) -> str:
    """Without the modules that types come from, and without the checks that go with a type.

    >>> brief("folder: os.PathLike[str] | multihop.retrieval.passage.Passage")
    'folder: PathLike[str] | Passage'
    >>> brief("calls: Optional[Annotated[int, FieldInfo(metadata=[Ge(ge=0)])]] = None")
    'calls: Optional[int] = None'
    >>> brief("**options: *<class 'multihop.evaluation.repeats.RunOptions'>")
    '**options: Unpack[RunOptions]'
    >>> brief("makes: Makes = <class 'multihop.retrieval.bm25.BM25'>")
    'makes: Makes = BM25'
    >>> brief("ends: Callable[[~Item], bool] = <function Moves.<lambda> at 0x7f00>")
    'ends: Callable[[Item], bool] = ...'
    >>> brief("needs: ForwardRef('tuple[int, ...]') = (), told: Tell = <function nothing at 0x7f00>")
    'needs: tuple[int, ...] = (), told: Tell = nothing'
    """
    bare = re.sub(r"ForwardRef\('([^']*)'[^)]*\)", r"\1", unchecked(annotation))
    bare = re.sub(r"\b(multihop|collections|typing|dspy|os|pathlib)(\.\w+)*\.(?=\w)", "", bare)
    bare = re.sub(r"= <function (?:[\w.]*\.)?<lambda>[^>]*>", "= ...", bare)
    bare = re.sub(r"= <(?:class '|function )(\w+)[^>]*>", r"= \1", bare)
    bare = re.sub(r"\*<class '(\w+)'>", r"Unpack[\1]", bare)
    return re.sub(r"(?<!\w)~(?=\w)", "", bare)


def unchecked(annotation: str) -> str:
    """The annotation with `Annotated[X, ...]` as X alone."""
    before, found, rest = annotation.rpartition("Annotated[")  # the last one holds no other
    if not found:
        return annotation
    depth, comma = 0, None
    for place, sign in enumerate(rest):
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth == 0 and comma is None:
            comma = place
        if depth < 0:
            return unchecked(before.removesuffix("typing.") + rest[:comma] + rest[place + 1 :])
    return annotation
