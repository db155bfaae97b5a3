"""An adapter's messages at less cost: what depends on a signature alone is made once for it.

DSPy writes a signature's system message, and makes the schemas and validators of its fields, anew for every call. Here
they are kept for as long as the signature lives. What is written is the same to the last byte, what is read is equal,
and errors are DSPy's own: a completion that cannot be read at once is handed to DSPy.
"""

import enum
import functools
import json
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin
from weakref import WeakKeyDictionary

import dspy
from pydantic import TypeAdapter

from . import inside_dspy

_to_json = json.JSONEncoder(ensure_ascii=False).encode


class Layout:
    """What of formatting and parsing depends on a signature alone."""

    def __init__(self, signature: Any) -> None:
        self.instructions = signature.__doc__
        self.fields = {
            name: (field, field.annotation, list(field.metadata), dict(field.json_schema_extra))
            for name, field in signature.__pydantic_fields__.items()
        }
        self.inputs = dict(signature.input_fields)
        self.outputs = dict(signature.output_fields)
        self.lists = {name for name, field in self.inputs.items() if field.annotation == list[str]}
        self.readers = {name: _reader(field.annotation) for name, field in self.outputs.items()}
        self.texts: dict[tuple[str, str], str] = {}
        """What an adapter's method says of the signature, by the method's name and the kind of adapter."""
        self.formats: dict[bool, Any] = {}
        """The model of its outputs that is sent as a schema, by whether tools are called natively."""
        self.plain = not any(
            field.annotation is dspy.History
            or dspy.Type.extract_custom_type_from_annotation(field.rebuild_annotation())
            for field in signature.__pydantic_fields__.values()
        )
        """Whether it is without types of DSPy's own, such as `dspy.Image`; the others are left to DSPy."""

    def fits(self, signature: Any) -> bool:
        """Whether the signature is still what it was: its instructions and descriptions can be set."""
        fields = signature.__pydantic_fields__
        if signature.__doc__ != self.instructions or len(fields) != len(self.fields):
            return False
        for name, field in fields.items():
            known = self.fields.get(name)
            if known is None or field is not known[0] or field.annotation is not known[1]:
                return False
            if field.metadata != known[2] or field.json_schema_extra != known[3]:
                return False
        return True

    def takes(self, name: str, value: Any) -> bool:
        """Whether DSPy finds nothing to warn of in an input."""
        field = self.inputs[name]
        if type(value) is field.annotation or value is None:
            return True
        if type(value) is list and name in self.lists and all(type(each) is str for each in value):
            return True
        undeclared = field.json_schema_extra.get(inside_dspy.IS_TYPE_UNDEFINED, False)
        return bool(undeclared or inside_dspy.predict._is_value_compatible_with_type(value, field.annotation))


_layouts: WeakKeyDictionary[Any, Layout] = WeakKeyDictionary()


def layout_of(signature: Any) -> Layout:
    """The signature's layout, made when it is first asked for and whenever the signature was changed since."""
    layout = _layouts.get(signature)
    if layout is None or not layout.fits(signature):
        layout = _layouts[signature] = Layout(signature)
    return layout


# Values as text, and back


@functools.cache
def _builtin_adapters() -> dict[type, TypeAdapter[Any]]:
    return {kind: TypeAdapter(kind) for kind in (bool, int, float, type(None), list, tuple, dict, set)}


def _plain(value: Any) -> Any:
    """DSPy's `serialize_for_json`."""
    adapter = _builtin_adapters().get(type(value))
    if adapter is None:
        return inside_dspy.utils.serialize_for_json(value)
    try:
        return adapter.dump_python(value, mode="json", fallback=str)
    except Exception:
        return str(value)


def _text(field: Any, value: Any) -> Any:
    """DSPy's `format_field_value`."""
    if type(value) is str:
        return value
    if field.annotation is str and isinstance(value, list):
        return inside_dspy.utils.format_field_value(field, value)
    plain = _plain(value)
    return _to_json(plain) if isinstance(plain, dict | list) else str(plain)


def _reader(annotation: Any) -> Callable[[Any], Any]:
    """DSPy's `parse_value` for one annotation; where it raises anything, DSPy is to be asked."""
    if annotation is str:
        return str
    read = functools.partial(inside_dspy.utils.parse_value, annotation=annotation)
    if get_origin(annotation) is Literal:
        members = get_args(annotation)
        return lambda value: value if type(value) is str and value in members else read(value)
    if isinstance(annotation, enum.EnumMeta):
        return read
    try:
        validate = TypeAdapter(annotation).validate_python
    except Exception:
        return read
    if get_origin(annotation) in (Union, UnionType) and {str, type(None)} <= {*get_args(annotation)}:
        return validate

    often = {text: read(text) for text in ("True", "False")} if annotation is bool else {}

    def read_value(value: Any) -> Any:
        if not isinstance(value, str):
            return validate(value)
        if value in often:
            return often[value]
        try:
            found = json.loads(value)  # where that is possible, json_repair does nothing else
        except ValueError:
            return read(value)
        return read(value) if found == "" else validate(found)

    return read_value


def _sections(completion: str) -> Iterator[tuple[str, str]]:
    """The sections of a completion by their headers; no field is named as what stands before the first."""
    name = ""
    lines: list[str] = []
    for line in completion.splitlines():
        match = inside_dspy.field_header_pattern.match(line.strip()) if "[[ ## " in line else None
        if match is None:
            lines.append(line)
            continue
        yield name, "\n".join(lines).strip()
        rest = line[match.end() :].strip()
        name, lines = match.group(1), [rest] if rest else []
    yield name, "\n".join(lines).strip()


def read_completion(kind: str, layout: Layout, signature: Any, completion: str) -> dict[str, Any] | None:
    """The fields of a completion in which nothing need be repaired; None for any other."""
    fields: dict[str, Any] = {}
    try:
        for name, value in json.loads(completion).items() if kind == "json" else _sections(completion):
            if name in layout.readers and name not in fields:
                fields[name] = layout.readers[name](value)
        if len(fields) < len(layout.outputs):
            fields = inside_dspy.utils.apply_output_field_defaults(signature, fields)
        return {name: fields[name] for name in layout.outputs}
    except Exception:
        return None


# What takes the place of an adapter's methods


def text_of(method: str, layout: Layout, kind: str, adapter: Any, signature: Any) -> Any:
    """What the adapter's method says of a signature; asked once where it depends on nothing else."""
    text = layout.texts.get((method, kind))
    if text is None:
        text = getattr(type(adapter), method)(adapter, signature)
        if layout.plain:
            layout.texts[method, kind] = text
    return text


def _system(kind: str, adapter: Any, signature: Any) -> Any:
    return text_of("format_system_message", layout_of(signature), kind, adapter, signature)


def _user(
    kind: str,
    adapter: Any,
    signature: Any,
    inputs: Mapping[str, Any],
    prefix: str = "",
    suffix: str = "",
    main_request: bool = False,
) -> str:
    layout, parts = layout_of(signature), [prefix]
    for name, field in layout.inputs.items():
        if name in inputs:
            parts.append(f"[[ ## {name} ## ]]\n{_text(field, inputs.get(name))}")
    if main_request:
        parts.append(text_of("user_message_output_requirements", layout, kind, adapter, signature))
    return "\n\n".join([*parts, suffix]).strip()


def _assistant(kind: str, adapter: Any, signature: Any, outputs: Any, missing_field_message: str | None = None) -> str:
    fields = layout_of(signature).outputs
    values = {name: outputs.get(name, missing_field_message) for name in fields}
    if kind == "json":
        return json.dumps(_plain(values), indent=2, ensure_ascii=False)
    sections = (f"[[ ## {name} ## ]]\n{_text(field, values[name])}" for name, field in fields.items())
    return "\n\n".join(sections).strip() + "\n\n[[ ## completed ## ]]\n"


def _parse(kind: str, adapter: Any, signature: Any, completion: str) -> dict[str, Any]:
    layout = layout_of(signature)
    fields = None
    if layout.plain and not is_watched(adapter):
        fields = read_completion(kind, layout, signature, completion)
    return type(adapter).parse(adapter, signature, completion) if fields is None else fields


def _response_format(kind: str, adapter: Any, lm: Any, lm_kwargs: dict[str, Any], signature: Any) -> None:
    layout, native = layout_of(signature), adapter.use_native_function_calling
    wanted = layout.plain and "response_format" in lm.supported_params and lm.supports_response_schema
    if wanted and native in layout.formats:
        lm_kwargs["response_format"] = layout.formats[native]
        return
    type(adapter)._prepare_response_format(adapter, lm, lm_kwargs, signature)
    if wanted and isinstance(lm_kwargs["response_format"], type):
        layout.formats[native] = lm_kwargs["response_format"]


_QUICKER: dict[str, Callable[..., Any]] = {
    "format_system_message": _system,
    "format_user_message_content": _user,
    "format_assistant_message_content": _assistant,
    "parse": _parse,
    "_prepare_response_format": _response_format,
}


_twins: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def quicken(adapter: Any) -> tuple[str | None, Any]:
    """What the adapter writes, and the adapter, or a copy that writes and reads the same at less cost.

    It writes as `ChatAdapter` ("chat") or as `JSONAdapter` ("json"); any other (None) is left alone.

    Examples:
        >>> import dspy
        >>> from multihop.runtime.message_layout import quicken
        >>> adapter, signature = dspy.ChatAdapter(), dspy.Signature("question -> answer")
        >>> kind, quick = quicken(adapter)
        >>> quick.format(signature, [], {"question": "Who?"}) == adapter.format(signature, [], {"question": "Who?"})
        True
    """
    kind = _kind_of(adapter)
    if kind is None or "original" in vars(adapter):
        return kind, adapter
    twin = _twins.get(adapter)
    if twin is None or vars(vars(twin)["original"]) != vars(adapter):
        original, twin = object.__new__(type(adapter)), object.__new__(type(adapter))
        vars(original).update(vars(adapter))  # not the adapter itself, which could then never be forgotten
        quicker = {name: functools.partial(function, kind, original) for name, function in _QUICKER.items()}
        vars(twin).update(vars(adapter), original=original, **quicker)
        _twins[adapter] = twin
    return kind, twin


def _kind_of(adapter: Any) -> str | None:
    own: dict[str, Any] = vars(adapter)
    kind: Any = type(adapter)
    if ("original" not in own and own.keys() & _QUICKER.keys()) or kind.__hash__ is not object.__hash__:
        return None
    return inside_dspy.adapter_kind(kind)


def is_watched(instance: Any) -> bool:
    """Whether a callback listens to what the adapter, LM or module does."""
    return bool(dspy.settings.callbacks or getattr(instance, "callbacks", None))
