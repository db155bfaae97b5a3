"""Finds where a value that was written differs from the type that says what is written."""

import sys
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from multihop.runtime import steps

KINDS = {
    "find": steps.FindStep,
    "branches": steps.BranchesStep,
    "over budget": steps.BudgetStep,
    "tree": steps.TreeStep,
    "label": steps.LabelStep,
    "filter": steps.FilterStep,
    "combine": steps.CombineStep,
    "stop": steps.StopStep,
}
"""Every kind of step that has a name; any other step is an LM call."""


def misfits(value, kind, place):
    """The places where a value is not of its kind."""
    if kind is steps.TrajectoryStep:
        kind = KINDS.get(value["step"], steps.AskStep)
    origin = get_origin(kind)
    if is_typeddict(kind) and not isinstance(value, dict):
        return {f"{place} is {value!r}, not {kind.__name__}"}
    if is_typeddict(kind):
        hints = get_type_hints(kind, vars(sys.modules[kind.__module__]))
        missing = {f"{place} lacks {name}" for name in kind.__required_keys__ - value.keys()}
        unknown = {f"{place} has {name}" for name in value.keys() - hints.keys()}
        known = [misfits(value[name], hints[name], f"{place}.{name}") for name in value.keys() & hints.keys()]
        return missing.union(unknown, *known)
    if origin in (list, dict) and not isinstance(value, origin):
        return {f"{place} is {value!r}, not {kind}"}
    if origin is list:
        return set().union(*(misfits(each, *get_args(kind), f"{place}[]") for each in value))
    if origin is dict:
        return set().union(*(misfits(each, get_args(kind)[1], f"{place}[{key!r}]") for key, each in value.items()))
    if origin is tuple:
        if not isinstance(value, list | tuple) or len(value) != len(get_args(kind)):
            return {f"{place} is {value!r}, not {kind}"}
        pairs = zip(value, get_args(kind), strict=True)
        return set().union(*(misfits(each, what, f"{place}[{at}]") for at, (each, what) in enumerate(pairs)))
    if origin in (Union, types.UnionType):
        found = [misfits(value, each, place) for each in get_args(kind)]
        return set() if set() in found else set().union(*found)
    if origin is Literal:
        return set() if value in get_args(kind) else {f"{place} is {value!r}"}
    if kind is Any or isinstance(value, (int, float) if kind is float else kind):
        return set()
    return {f"{place} is {value!r}, not {kind}"}
