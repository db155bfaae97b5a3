"""OpenTelemetry spans of what programs do: a question, its steps, calls of LMs, retrievals.

Names and attributes are those of OpenTelemetry's conventions for generative AI (semantic-conventions-genai 0.1.0),
where these have one; what they have none for begins with "multihop.". What was asked, shown and answered is in a span
only where that is wanted.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..base import InputError, missing_extra
from ..base.secrets import hide_secrets
from ..runtime.observe.watching import add_watcher, remove_watcher
from ..runtime.observe.work import Work

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

_USAGE = {
    "tokens_in": "gen_ai.usage.input_tokens",
    "tokens_out": "gen_ai.usage.output_tokens",
    "prompt_cached": "gen_ai.usage.cache_read.input_tokens",
}
_OF_QUESTION = ("calls", "cached", "retrievals", "over_budget")
_PROVIDERS = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""The conventions' names of providers that LiteLLM names otherwise."""


class Tracing:
    """Makes a span of all work, until it is stopped; leaving it as a block stops it too."""

    def __init__(self, tracer: "Tracer", *, texts: bool) -> None:
        """Nothing is traced before `watch` is added as a watcher."""
        self._tracer, self._texts = tracer, texts

    def __enter__(self) -> "Tracing":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Trace no longer."""
        remove_watcher(self.watch)

    @contextmanager
    def watch(self, work: Work) -> Iterator[None]:
        """The span around a work."""
        from opentelemetry.trace import SpanKind

        kind = SpanKind.CLIENT if work.kind in ("call", "retrieval") else SpanKind.INTERNAL
        span = self._tracer.start_as_current_span(
            _name(work),
            kind=kind,
            attributes=_before(work),
            record_exception=False,  # an error's message may hold what was asked
            set_status_on_exception=False,
        )
        with span as current:
            try:
                yield
            finally:
                if current.is_recording():
                    self._finish(current, work)

    def _finish(self, span: "Span", work: Work) -> None:
        from opentelemetry.trace import StatusCode

        span.set_attributes(_after(work))
        if self._texts:
            span.set_attributes(_texts(work))
        if work.error is not None:
            span.set_attribute("error.type", type(work.error).__name__)
            span.set_status(StatusCode.ERROR, hide_secrets(str(work.error)) if self._texts else None)


def start_tracing(*, texts: bool = False, provider: "TracerProvider | None" = None) -> Tracing:
    """Send spans of all that programs do from now on, in every thread, to OpenTelemetry.

    Args:
        texts: True if spans hold questions, prompts, passages and answers.
        provider: The provider whose tracer is used; the global one by default, also where that is set only later.

    Raises:
        MissingExtraError: OpenTelemetry is not installed.
    """
    try:
        from opentelemetry import trace
    except ImportError as error:
        raise missing_extra("tracing", "otel", error) from None
    from .. import __version__

    tracing = Tracing(trace.get_tracer("multihop", __version__, provider), texts=texts)
    add_watcher(tracing.watch)
    return tracing


@contextmanager
def exporting(*, texts: bool = False) -> Iterator[None]:
    """A block whose spans go where the OTEL_* variables say, by default to a collector on this machine (OTLP, HTTP).

    Raises:
        MissingExtraError: OpenTelemetry is not installed.
        InputError: OTEL_TRACES_EXPORTER names something else than otlp, console or none.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
    except ImportError as error:
        raise missing_extra("--otel", "otel", error) from None
    import sys

    wanted = os.environ.get("OTEL_TRACES_EXPORTER", "otlp").strip() or "otlp"
    if wanted not in ("otlp", "console", "none"):
        raise InputError(f"OTEL_TRACES_EXPORTER is otlp, console or none here, not {wanted!r}.")
    named = "OTEL_SERVICE_NAME" in os.environ or "service.name" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    provider = TracerProvider(resource=Resource.create({} if named else {"service.name": "multihop"}))
    if wanted != "none":
        exporter: SpanExporter = OTLPSpanExporter() if wanted == "otlp" else ConsoleSpanExporter(out=sys.stderr)
        provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        with start_tracing(texts=texts, provider=provider):
            yield
    finally:
        provider.shutdown()


def _name(work: Work) -> str:
    if work.kind == "call":
        return f"chat {_model(work.name)[1]}"
    return f"{'invoke_agent' if work.kind == 'question' else work.kind} {work.name}"


def _before(work: Work) -> dict[str, Any]:
    """The attributes of a work when it begins, so that samplers can decide by them."""
    if work.kind == "question":
        return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": work.name}
    if work.kind == "step":
        return {"multihop.step": work.name, "gen_ai.agent.name": work.facts["program"]}
    if work.kind == "retrieval":
        return {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.data_source.id": work.name,
            "gen_ai.retrieval.top_k": work.facts["k"],
        }
    provider, model = _model(work.name)
    found = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        "multihop.step": work.facts["step"],
        **{f"gen_ai.request.{name}": value for name, value in work.facts["settings"].items() if value is not None},
    }
    return found | _server(work.facts["address"])


def _server(address: str) -> dict[str, Any]:
    place = urlsplit(address)
    found: dict[str, Any] = {"server.address": place.hostname} if place.hostname else {}
    return found | ({"server.port": place.port} if found and place.port else {})


def _after(work: Work) -> dict[str, Any]:
    """The attributes at the end. A call from the cache used nothing, so that whoever adds usage up pays for it once."""
    facts = work.facts
    if work.kind == "question":
        found = {f"multihop.{name}": facts[name] for name in _OF_QUESTION if name in facts}
        return found | _dollars(facts)
    if work.kind == "retrieval":
        return {"multihop.hits": facts["hits"]} if "hits" in facts else {}
    if work.kind == "step" or "cached" not in facts:
        return {}
    usage = {} if facts["cached"] else {name: facts[key] for key, name in _USAGE.items() if facts.get(key) is not None}
    return {"multihop.cached": facts["cached"], **usage, **_dollars(facts)}


def _dollars(facts: Mapping[str, Any]) -> dict[str, float]:
    names = {"usd": "multihop.cost.usd", "paid_usd": "multihop.paid.usd"}
    return {name: facts[key] for key, name in names.items() if facts.get(key) is not None}


def _texts(work: Work) -> dict[str, str]:
    texts = work.texts
    if work.kind == "call":
        prompt = (
            texts["prompt"] if isinstance(texts["prompt"], list) else [{"role": "user", "content": texts["prompt"]}]
        )
        asked = [_message(each["role"], each["content"]) for each in prompt]
        answered = [_message("assistant", each) for each in texts.get("outputs", ())]
        return {"gen_ai.input.messages": _json(asked), "gen_ai.output.messages": _json(answered)}
    if work.kind == "retrieval":
        found = {"gen_ai.retrieval.query.text": texts["query"]}
        return found | ({"gen_ai.retrieval.documents": _json(texts["passages"])} if "passages" in texts else {})
    if work.kind == "question":
        asked = [_message("user", texts["question"])]
        answered = [_message("assistant", texts["answer"])] if texts.get("answer") is not None else []
        return {"gen_ai.input.messages": _json(asked), "gen_ai.output.messages": _json(answered)}
    return {f"multihop.{name}": _json(value) for name, value in texts.items()}


def _message(role: str, content: Any) -> dict[str, Any]:
    text = content if isinstance(content, str) else _json(content)
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _model(name: str) -> tuple[str, str]:
    """The provider and the model: "openai" and "gpt-4.1" of "openai/gpt-4.1"."""
    provider, slash, model = name.partition("/")
    return (_PROVIDERS.get(provider, provider), model) if slash else ("unknown", name)
