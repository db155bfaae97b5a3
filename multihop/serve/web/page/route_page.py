"""The page of a server's routes, made of what the server says of itself: each with a line that asks it."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ....base.texts import as_json
from .pages import Page, make_page


class ShownField(NamedTuple):
    """A field of a body."""

    name: str
    """Its name."""
    type: str
    """Its type, as JSON names it."""
    needed: bool
    """True if it must be there."""
    what: str
    """Its meaning; may be empty."""


class ShownRoute(NamedTuple):
    """A route."""

    method: str
    """Its method."""
    path: str
    """Its path."""
    what: str
    """Its answer, in a few words."""
    line: str
    """A line for a shell that asks it; empty where that takes a name that only its user knows."""
    fields: list[ShownField]
    """The fields of its body."""
    reply: str
    """Its reply in words; may be empty."""


def route_page(described: Mapping[str, Any], address: str, *, asks_for_key: bool) -> Page:
    """The page.

    Args:
        described: The server, as its OpenAPI description has it.
        address: The address of the server.
        asks_for_key: True if clients must send a key.
    """
    routes = list(routes_of(described, address, asks_for_key=asks_for_key))
    return make_page("docs.html", title="Routes", routes=routes, asks_for_key=asks_for_key, address=address)


def routes_of(described: Mapping[str, Any], address: str, *, asks_for_key: bool = False) -> Iterator[ShownRoute]:
    """The routes, in the order in which they were made.

    Examples:
        >>> from multihop.serve.web.page.route_page import routes_of
        >>> described = {"paths": {"/healthz": {"get": {"summary": "Whether the process lives", "responses": {}}}}}
        >>> next(routes_of(described, "http://localhost:8000")).line
        'curl http://localhost:8000/healthz'
    """
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            body = _body_of(route, described)
            line = "" if "{" in path else _line(address + path, body, streams=_streams(route), keyed=asks_for_key)
            reply = route["responses"].get("200", {}).get("description", "")
            shown = "" if reply == "Successful Response" else reply
            yield ShownRoute(method.upper(), path, route["summary"], line, list(_fields_of(body)), shown)


def _body_of(route: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema of a route's body, with an example; None where it takes none."""
    content = route.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    schema = dict(content.get("schema", {}))
    if reference := schema.get("$ref"):
        schema = described["components"]["schemas"][reference.rpartition("/")[2]]
    return {"example": content.get("example") or schema["examples"][0], **schema}


def _fields_of(body: Mapping[str, Any] | None) -> Iterator[ShownField]:
    for name, field in (body or {}).get("properties", {}).items():
        yield ShownField(name, _type_of(field), name in body.get("required", ()), field.get("description", ""))  # type: ignore[union-attr]


def _type_of(field: Mapping[str, Any]) -> str:
    kinds = [each.get("type", "object") for each in field.get("anyOf", [field]) if each.get("type") != "null"]
    return " or ".join(dict.fromkeys(kinds))


def _line(url: str, body: Mapping[str, Any] | None, *, streams: bool, keyed: bool) -> str:
    parts = ["curl", *(["-N"] if streams else []), shlex.quote(url)]
    if keyed:
        parts.append('-H "Authorization: Bearer $MULTIHOP_KEY"')
    if body is not None:
        parts += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(as_json(body['example']))}"]
    return " ".join(parts)


def _streams(route: Mapping[str, Any]) -> bool:
    return "text/event-stream" in route["responses"].get("200", {}).get("content", {})
