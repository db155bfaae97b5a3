"""The call of any search function, read off its signature."""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from ...base import InputError

_BATCH = frozenset({"queries", "questions", "texts", "batch"})
_SINGLE = frozenset({"query", "question", "text", "q"})
_COUNT = frozenset({"k", "top_k", "topk", "n", "limit", "size", "num_results", "n_results", "max_results"})
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_ANY_NUMBER = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class SearchCall:
    """A function that searches, and the way to call it."""

    function: Callable[..., Any]
    name: str
    """Its name in errors."""
    batch: bool
    """True if it takes all queries at once."""
    waits: bool
    """True if it is an async function."""
    k_name: str | None
    """The argument for the number of hits; "" if it is the second by place, None if there is none."""

    @classmethod
    def read(cls, function: Callable[..., Any], name: str, *, batch: bool, like: Any = None) -> "SearchCall":
        """The way to call a function, read off its signature.

        Args:
            function: The function to call.
            name: Its name, for the error.
            batch: True if it follows `search(queries, k)`, unless its signature says otherwise.
            like: The object that has the signature, if not the function.

        Raises:
            InputError: It cannot be called with a query and a number of hits.

        Examples:
            >>> from multihop.retrieval.wrapped.search_call import SearchCall
            >>> call = SearchCall.read(lambda query, *, top_k=5: [query] * top_k, "mine", batch=False)
            >>> call.batch, call.k_name, call("Po", 2)
            (False, 'top_k', ['Po', 'Po'])
        """
        # A function, or an object whose __call__ is one.
        waits = any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004
        try:
            parameters = list(inspect.signature(like or function).parameters.values())
        except (TypeError, ValueError):  # written in C
            return cls(function, name, batch, waits, "")
        if not parameters or parameters[0].kind not in (*_BY_PLACE, Parameter.VAR_POSITIONAL):
            raise InputError(f"{name} takes no query; it must be callable as {_form(batch)}.")
        k_name = _k_name(parameters, batch)
        for place, other in enumerate(parameters[1:], 1):
            given = other.name == k_name or (k_name == "" and place == 1 and other.kind in _BY_PLACE)
            if other.default is Parameter.empty and other.kind not in _ANY_NUMBER and not given:
                raise InputError(
                    f"{name} cannot be called without '{other.name}'; it must be callable as {_form(batch)}."
                )
        return cls(function, name, _takes_batch(parameters[0], batch), waits, k_name)

    def __call__(self, queries: Any, k: int) -> Any:
        """The function's result, or the awaitable for it."""
        if self.k_name is None:
            return self.function(queries)
        return self.function(queries, **{self.k_name: k}) if self.k_name else self.function(queries, k)

    def __str__(self) -> str:
        return self.name


def _form(batch: bool) -> str:
    return "search(queries, k)" if batch else "f(query, k)"


def _takes_batch(first: Parameter, otherwise: bool) -> bool:
    """True if the first argument is a list of queries, by its annotation or else by its name."""
    if first.annotation is not Parameter.empty:
        declared = str(getattr(first.annotation, "__name__", first.annotation))
        kind = declared.partition("[")[0].rpartition(".")[2].casefold()
        if kind in ("str", "list", "sequence", "iterable", "tuple"):
            return kind != "str"
    return first.name in _BATCH if first.name in _BATCH | _SINGLE else otherwise


def _k_name(parameters: list[Parameter], batch: bool) -> str | None:
    second = parameters[1] if len(parameters) > 1 and parameters[1].kind in _BY_PLACE else None
    if second is not None and second.name in _COUNT:
        return ""
    for parameter in parameters[1:]:
        if parameter.name in _COUNT and parameter.kind not in (*_ANY_NUMBER, Parameter.POSITIONAL_ONLY):
            return parameter.name
    # In a search(queries, k) the second argument may have any name; in other functions it may be anything.
    if second is not None and second.default is Parameter.empty and (batch or second.annotation in (int, "int")):
        return ""
    return _k_of_wrapper({parameter.kind for parameter in parameters}, batch)


def _k_of_wrapper(kinds: Collection[Any], batch: bool) -> str | None:
    """The name for the number of hits, for a wrapper that passes all arguments on; None if it takes no more."""
    by_place = Parameter.VAR_POSITIONAL in kinds
    if Parameter.VAR_KEYWORD in kinds and not (batch and by_place):
        return "k"
    return "" if by_place else None
