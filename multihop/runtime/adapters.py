"""The adapters with which steps are asked, one for each form in which an LM answers best.

DSPy's own adapters first explain a form, then fill it in. Small LMs read the explanation as part of the task: on
training questions of HotpotQA their answers were right far more often without it.
"""

import copy
import functools
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio.to_thread
import dspy
from dspy.adapters.utils import format_field_value, get_annotation_name, parse_value, serialize_for_json
from dspy.utils.exceptions import AdapterParseError
from pydantic.fields import FieldInfo

from ..signatures import ContinueText
from ..signatures.output_types import HIGHEST, Score
from ..signatures.step_signature import origin_of
from .prompt_texts import texts_of

_KINDS = {"str": "text", "bool": "true or false", "int": "a whole number", "list[str]": "a list of texts"}


class KeepingTexts:
    """Before an adapter's own class: the prompts are written from texts in which DSPy finds no parts (`as_texts`)."""

    given: dspy.Adapter
    """The adapter itself."""

    def __call__(self, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
        """The outputs of one call."""
        return super().__call__(lm, lm_kwargs, signature, *_as_texts(signature, demos, inputs))  # type: ignore[misc]

    async def acall(self, lm: Any, lm_kwargs: Any, signature: Any, demos: Any, inputs: Any) -> Any:
        """The outputs of one call, awaited."""
        kind, texts = type(self.given), _as_texts(signature, demos, inputs)
        if _depth(kind, "acall") <= _depth(kind, "__call__"):
            return await super().acall(lm, lm_kwargs, signature, *texts)  # type: ignore[misc]
        # Only its `__call__` has what the adapter adds, such as the advice of `dspy.Refine`.
        call = functools.partial(self.given, lm, lm_kwargs, signature, *texts)
        return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)  # DSPy can stream from such a thread


def keeping_texts(adapter: dspy.Adapter) -> dspy.Adapter:
    """The adapter, as a subclass of its class that keeps texts."""
    if isinstance(adapter, KeepingTexts):
        return adapter
    kind: Any = type(adapter)
    twin = object.__new__(_keeping_class(kind))
    vars(twin).update(vars(adapter), given=adapter)
    return twin


@functools.cache
def _keeping_class(kind: Any) -> Any:
    # In a new class DSPy tells its callbacks of `format` and `parse` once more: here they are as they are without that.
    write, read = (getattr(each, "__wrapped__", each) for each in (kind.format, kind.parse))

    def format(self: Any, signature: Any, demos: list[Any], inputs: dict[str, Any]) -> Any:  # noqa: A001 - DSPy's name
        return write(self, signature, *_as_texts(signature, demos, inputs))

    def parse(self: Any, signature: Any, completion: str) -> Any:
        try:
            return read(self, signature, completion)
        except RecursionError:
            raise AdapterParseError(kind.__name__, signature, completion, message="it is nested too deeply") from None

    body = {"format": format, "parse": parse, "__module__": kind.__module__, "__doc__": KeepingTexts.__doc__}
    return type(kind.__name__, (KeepingTexts, kind), body)


def _as_texts(signature: Any, demos: list[Any], inputs: Any) -> tuple[list[Any], Any]:
    return [texts_of(signature, demo) for demo in demos], texts_of(signature, inputs)


def _depth(kind: type, name: str) -> int:
    """The number of classes between this one and the one that defines the method."""
    return next((depth for depth, each in enumerate(kind.__mro__) if name in vars(each)), len(kind.__mro__))


@contextmanager
def asking_in_texts() -> Iterator[None]:
    """A block in which DSPy's own modules, such as those of its optimizers, write their prompts from such texts."""
    with dspy.context(adapter=keeping_texts(given_adapter() or dspy.ChatAdapter())):
        yield


def given_adapter() -> dspy.Adapter | None:
    """The adapter that the user has set, if one is."""
    adapter = dspy.settings.adapter
    return adapter.given if isinstance(adapter, KeepingTexts) else adapter


class PlainAdapter(dspy.JSONAdapter):  # type: ignore[misc]
    """Asks for a single text as it is, and for anything else as a JSON object, held to a schema where the LM can."""

    def __call__(self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: Any, inputs: Any) -> Any:
        """The outputs of one call."""
        return _home(signature).__call__(self, lm, lm_kwargs, signature, demos, inputs)

    async def acall(self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: Any, inputs: Any) -> Any:
        """The outputs of one call, awaited."""
        return await _home(signature).acall(self, lm, lm_kwargs, signature, demos, inputs)

    def format_field_description(self, signature: Any) -> str:
        """The inputs that have a description."""
        described = [(name, field) for name, field in signature.input_fields.items() if _description(name, field)]
        return "\n".join(f"{_title(name)}: {_description(name, field)}." for name, field in described)

    def format_field_structure(self, signature: Any) -> str:
        """The form of the reply."""
        if (name := lone_text(signature)) is not None:
            about = _description(name, signature.output_fields[name])
            return f"Reply with the {_title(name).lower()} alone" + (f": {about}." if about else ".")
        lines = ["Reply with a JSON object:"]
        for name, field in signature.output_fields.items():
            about = _description(name, field)
            lines.append(f'"{name}" ({_kind(field)})' + (f": {about}" if about else ""))
        return "\n".join(lines)

    def format_system_message(self, signature: Any) -> str:
        """The instructions, then what is given and what is asked for."""
        fields = self.format_field_description(signature), self.format_field_structure(signature)
        return "\n\n".join(text for part in (signature.instructions, *fields) if (text := part.strip()))

    def format_user_message_content(
        self, signature: Any, inputs: Mapping[str, Any], prefix: str = "", suffix: str = "", main_request: bool = False
    ) -> str:
        """The inputs under their names, and the name of the text that is asked for."""
        fields = signature.input_fields.items()
        parts = [prefix, *(_named(name, field, inputs[name]) for name, field in fields if name in inputs), suffix]
        if (name := lone_text(signature)) is not None:
            parts.append(f"{_title(name)}:")
        return "\n\n".join(part for part in parts if part)

    def format_assistant_message_content(
        self, signature: Any, outputs: Mapping[str, Any], missing_field_message: str | None = None
    ) -> str:
        """A demonstration's outputs, as the LM is to write them."""
        if (name := lone_text(signature)) is not None:
            return str(outputs.get(name, missing_field_message))
        return str(super().format_assistant_message_content(signature, outputs, missing_field_message))

    def format_finetune_data(
        self, signature: Any, demos: list[dict[str, Any]], inputs: dict[str, Any], outputs: dict[str, Any]
    ) -> dict[str, list[Any]]:
        """The messages of a call and its answer, for an LM to learn: JSON in one line, each value of its type."""
        fields = signature.output_fields.items()
        values = {name: parse_value(outputs[name], field.annotation) for name, field in fields}
        name = lone_text(signature)
        said = values[name] if name else json.dumps(serialize_for_json(values), ensure_ascii=False)
        return {"messages": [*self.format(signature, demos, inputs), {"role": "assistant", "content": said}]}

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """The outputs in a completion."""
        name = lone_text(signature)
        if name is None:
            return dict(super().parse(signature, completion))
        text = re.sub(rf"^[*\s]*{_title(name)}[*\s]*:[*\s]*", "", completion, flags=re.IGNORECASE).strip()
        if text.count('"') == 2 and text[0] == text[-1] == '"':
            text = text[1:-1].strip()
        if not text:
            raise AdapterParseError("PlainAdapter", signature, completion, message="the completion is empty")
        return {name: text}


def lone_text(signature: Any) -> str | None:
    """The name of the output, where it is one text and nothing else is asked for."""
    outputs = list(signature.output_fields.items())
    return outputs[0][0] if len(outputs) == 1 and outputs[0][1].annotation is str else None


def _home(signature: Any) -> Any:
    """The adapter of DSPy's that makes the call: the one that asks for JSON, or one that asks for no form."""
    return dspy.JSONAdapter if lone_text(signature) is None else dspy.ChatAdapter


def _kind(field: FieldInfo) -> str:
    """The type of an output in words."""
    if field.annotation is Score:
        return f"a whole number from 0 to {HIGHEST}"
    name = get_annotation_name(field.annotation)
    return str(_KINDS.get(name, name))


def _named(name: str, field: FieldInfo, value: Any) -> str:
    if isinstance(value, str):
        return f"{_title(name)}:\n{value}" if "\n" in value else f"{_title(name)}: {value}"
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return f"{_title(name)}:\n" + ("\n\n".join(value) or "none")
    return f"{_title(name)}: {format_field_value(field, value)}"


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _description(name: str, field: FieldInfo) -> str:
    extra: Any = field.json_schema_extra or {}
    text = str(extra.get("desc", "")).strip().rstrip(".")
    return "" if text == f"${{{name}}}" else text  # DSPy's own word for none


class ContinuingAdapter(PlainAdapter):
    """Has a model go on with its own text, as search agents are trained: one message asks, and the reply is begun."""

    async def acall(self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: Any, inputs: Any) -> Any:
        """The outputs of one call, which ends where the text is to be looked at; llama.cpp repeats the text before."""
        stops = {"stop": list(origin_of(signature).ends)}  # type: ignore[attr-defined]
        outputs = await super().acall(lm, {**stops, **lm_kwargs}, signature, demos, inputs)
        return [{**each, "continuation": each["continuation"].removeprefix(inputs["transcript"])} for each in outputs]

    def format(self, signature: Any, demos: list[dict[str, Any]], inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
        """A demonstration's question and its text, then the question and the text so far."""
        messages = []
        for values in (*(demo for demo in demos if "continuation" in demo), inputs):
            asked = f"{' '.join(signature.instructions.split())} Question: {values['question']}\n"
            text = values.get("transcript", "") + (values["continuation"] if values is not inputs else "")
            messages += [{"role": "user", "content": asked}, {"role": "assistant", "content": text}]
        return messages if inputs.get("transcript") else messages[:-1]

    def parse(self, signature: Any, completion: str) -> dict[str, Any]:
        """The completion as it is."""
        return {"continuation": completion}


class _SystemMessagesOnce:
    """An adapter that writes a system message once: it is the same for every question, and much work."""

    def format_system_message(self, signature: Any) -> str:
        return _written(super().format_system_message, signature, signature.instructions)  # type: ignore[misc]


@functools.lru_cache(512)
def _written(write: Any, signature: Any, _instructions: str) -> str:
    return str(write(signature))


def _written_once(kind: Any, **options: Any) -> dspy.Adapter:
    body = {"format": kind.format.__wrapped__, "parse": kind.parse.__wrapped__}
    return keeping_texts(type(kind.__name__, (_SystemMessagesOnce, kind), body)(**options))


_CHAT = _written_once(dspy.ChatAdapter, use_json_adapter_fallback=False)
_AS_JSON, _PLAIN = map(_written_once, (dspy.JSONAdapter, PlainAdapter))
_CONTINUING = keeping_texts(ContinuingAdapter())


def tuned_adapter(lm: str) -> dspy.Adapter:
    """The adapter for steps of an LM that was trained on them, by its name: the one of its training.

    On a server of one's own these are plain words, the shortest form; a host's LM learns DSPy's marked fields.
    """
    return _PLAIN if lm.startswith("server/") else _CHAT


def adapter_of(
    attempt: int, lm: dspy.BaseLM | None, signature: type[dspy.Signature] | None = None, *, tuned: bool = False
) -> dspy.Adapter:
    """The adapter of an attempt: the one that is set, else the one for the form that the LM is asked in (`open_lm`)."""
    adapter = given_adapter()
    if adapter is None and tuned and lm is not None:
        return tuned_adapter(lm.model)
    if adapter is None:
        is_own = lm is not None and lm.model.startswith("server/")  # it can go on with its text; hosted ones may not
        if is_own and signature is not None and issubclass(origin_of(signature), ContinueText):
            return _CONTINUING
        if attempt == 1:
            return _AS_JSON
        return _CHAT if getattr(lm, "structured", "text") == "text" else _PLAIN
    if not getattr(adapter, "use_json_adapter_fallback", False) or isinstance(adapter, dspy.JSONAdapter):
        return keeping_texts(adapter)
    if attempt == 1:  # what DSPy's adapter would do by itself, uncounted
        return _AS_JSON
    adapter = copy.copy(adapter)
    adapter.use_json_adapter_fallback = False
    return keeping_texts(adapter)


def asks_for_text_alone(signature: type[dspy.Signature], lm: dspy.BaseLM | None, *, tuned: bool = False) -> bool:
    """True if the LM is first asked for the one text that the signature wants, and for nothing around it."""
    return lone_text(signature) is not None and isinstance(adapter_of(0, lm, signature, tuned=tuned), PlainAdapter)
