"""The fields of a class as a table: of a step's contract, or of a record whose fields are explained in place."""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import dspy
from reference_signatures import brief


def fields(value: type) -> str:
    """The tables of a class's fields; nothing where it has none that are explained."""
    if issubclass(value, dspy.Signature):
        parts = {"Is told": value.input_fields, "Returns": value.output_fields}
        return "\n\n".join(f"## {title}\n\n{_table(_described(found))}" for title, found in parts.items())
    texts = field_texts(value)
    return f"## Fields\n\n{_table((name, kind, texts.get(name, '')) for name, kind in _kinds(value))}" if texts else ""


def field_texts(value: type) -> dict[str, str]:
    """The docstring under each field, those of the classes that it extends among them."""
    found: dict[str, str] = {}
    for base in reversed(vars(value).get("__orig_bases__", value.__bases__)):
        if isinstance(base, type) and base.__module__.startswith("multihop."):
            found |= field_texts(base)
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return found
    body = getattr(tree, "body", [])
    for field, after in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            found[ast.unparse(field.target)] = " ".join(inspect.cleandoc(after.value.value).split())
    return found


def _kinds(value: type) -> Iterable[tuple[str, str]]:
    annotations: dict[str, Any] = {}
    for base in reversed(value.__mro__):
        if base.__module__.startswith("multihop."):
            annotations |= vars(base).get("__annotations__", {})
    return ((name, brief(inspect.formatannotation(kind))) for name, kind in annotations.items() if name[0] != "_")


def _described(found: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    for name, field in found.items():
        text = field.json_schema_extra.get("desc", "")
        yield name, brief(inspect.formatannotation(field.annotation)), "" if text == f"${{{name}}}" else text


def _table(rows: Iterable[tuple[str, str, str]]) -> str:
    lines = ["| name | type | what it is |", "| --- | --- | --- |"]
    for name, kind, text in rows:
        lines.append(f"| `{name}` | `{_cell(kind)}` | {_cell(text)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
