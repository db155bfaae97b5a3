"""Spans of questions, steps, calls and retrievals, as OpenTelemetry's exporter in memory gets them."""

import asyncio
import json

import dspy
import pytest
from openai_server import OpenAIServer
from toys import FakeRetriever, Steps, echo

from multihop import Direct, OneStep, caching, create, open_lm, priced_by, scripted, start_tracing
from multihop.runtime.observe import watching

otel = pytest.importorskip("opentelemetry.sdk.trace", reason="spans need the extra [otel], which is not installed")
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402

PRICES = {"server/m": {"input": 1.0, "output": 10.0, "cached": 0.5}}


@pytest.fixture
def traced():
    """Starts tracing, and gives the provider and the spans."""
    exporter, provider = InMemorySpanExporter(), otel.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    started = []

    def start(**options):
        started.append(start_tracing(provider=provider, **options))
        return provider, exporter

    yield start
    for tracing in started:
        tracing.stop()
    assert watching._watchers == []


def tree(spans):
    """Each span's name under that of its parent."""
    names = {span.context.span_id: span.name for span in spans}
    return sorted((names.get(span.parent.span_id, "?") if span.parent else "", span.name) for span in spans)


def test_a_question_its_steps_its_calls_and_its_retrievals(traced):
    _, exporter = traced()
    with OpenAIServer(lambda prompt: {"answer": "Po"}, prompt_cached=16) as server, priced_by(PRICES):
        program = OneStep(FakeRetriever(), k=2)
        lm = open_lm("server/m", api_base=server.url, temperature=0.5)
        with dspy.context(lm=lm), caching("run"):
            cost = program(question="Where is Torun?").cost
            again = program(question="Where is Torun?").cost
    spans = exporter.get_finished_spans()
    call, step, *_ = [span for span in spans if not span.name.startswith("retrieval")]
    assert tree(spans[:4]) == [
        ("", "invoke_agent one-step"),
        ("invoke_agent one-step", "retrieval FakeRetriever"),
        ("invoke_agent one-step", "step answer"),
        ("step answer", "chat m"),
    ]
    into, out = server.tokens["in"], server.tokens["out"]
    assert dict(call.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "server",
        "gen_ai.request.model": "m",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.max_tokens": 1024,
        "multihop.step": "answer",
        "server.address": "127.0.0.1",
        "server.port": int(server.url.split(":")[2].split("/")[0]),
        "multihop.cached": False,
        "gen_ai.usage.input_tokens": into,
        "gen_ai.usage.output_tokens": out,
        "gen_ai.usage.cache_read.input_tokens": 16,
        "multihop.cost.usd": cost["usd"],
    }
    assert call.kind.name == "CLIENT"
    assert dict(step.attributes) == {"multihop.step": "answer", "gen_ai.agent.name": "one-step"}
    found = next(span for span in spans if span.name.startswith("retrieval"))
    assert dict(found.attributes) == {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "FakeRetriever",
        "gen_ai.retrieval.top_k": 2,
        "multihop.hits": 2,
    }
    assert found.kind.name == "CLIENT"
    first, second = (span for span in spans if span.name == "invoke_agent one-step")
    assert (first.attributes["multihop.cost.usd"], first.attributes["multihop.paid.usd"]) == (cost["usd"],) * 2
    assert (second.attributes["multihop.cost.usd"], second.attributes["multihop.paid.usd"]) == (again["usd"], 0.0)
    kept = [span for span in spans if span.name == "chat m"][1]
    assert kept.attributes["multihop.cached"] is True
    assert not [name for name in kept.attributes if name.startswith("gen_ai.usage")], "it used nothing"


def test_texts_are_in_spans_only_where_they_are_wanted(traced):
    _, exporter = traced()

    def told():
        spans = exporter.get_finished_spans()
        exporter.clear()
        said = [(span.name, dict(span.attributes), span.status.description, list(span.events)) for span in spans]
        return json.dumps(said, default=str), spans

    program = OneStep(FakeRetriever())
    for answers in ([{"answer": "hidden"}], [ValueError("hidden")]):
        with dspy.context(lm=scripted(answers)):
            try:
                program(question="hidden?")
            except Exception as error:
                assert "hidden" in str(error)  # noqa: PT017
        assert "hidden" not in told()[0]
    traced(texts=True)
    watching._watchers.pop(0)
    with dspy.context(lm=scripted([{"answer": "hidden"}])):
        program(question="hidden?")
    text, spans = told()
    assert text.count("hidden?") >= 4
    asked = json.loads(spans[-1].attributes["gen_ai.input.messages"])
    assert asked == [{"role": "user", "parts": [{"type": "text", "content": "hidden?"}]}]
    found = next(span for span in spans if span.name.startswith("retrieval"))
    assert found.attributes["gen_ai.retrieval.query.text"] == "hidden?"
    documents = json.loads(found.attributes["gen_ai.retrieval.documents"])
    hits = FakeRetriever().search(["hidden?"], program.k)[0]
    assert documents == [{**hit.passage._asdict(), "score": hit.score} for hit in hits]


def test_providers_go_by_the_names_of_the_conventions(traced):
    _, exporter = traced()
    for model in ("mistral/small", "openai/gpt-4.1", "own"):
        lm = scripted(echo)
        lm.model = model
        with dspy.context(lm=lm):
            Direct()(question="Who?")
    calls = [span for span in exporter.get_finished_spans() if span.name.startswith("chat")]
    told = [(each.attributes["gen_ai.provider.name"], each.attributes["gen_ai.request.model"]) for each in calls]
    assert told == [("mistral_ai", "small"), ("openai", "gpt-4.1"), ("unknown", "own")]


def test_what_fails_is_an_error_by_its_name(traced):
    _, exporter = traced()
    with dspy.context(lm=scripted(echo)), pytest.raises(OSError, match="disk"):
        OneStep(FakeRetriever(fail=OSError("disk")))(question="Who?")
    spans = {span.name: span for span in exporter.get_finished_spans()}
    for name in ("retrieval FakeRetriever", "invoke_agent one-step"):
        assert spans[name].status.status_code.name == "ERROR"
        assert spans[name].attributes["error.type"] == "OSError"


@pytest.mark.at_once
def test_parents_are_right_whatever_runs_at_once(traced):
    provider, exporter = traced()
    tracer, program = provider.get_tracer("an application"), Steps(rounds=2)

    async def main():
        async def one(number):
            with tracer.start_as_current_span(f"request {number}"):
                return await program.acall(question=f"word{number}")

        return await asyncio.gather(*map(one, range(20)))

    async def in_threads():
        with tracer.start_as_current_span("in a thread"):
            await asyncio.gather(*(asyncio.to_thread(program, question=f"w{n}") for n in range(4)))

    with dspy.context(lm=scripted(echo, latency=0.002)):
        asyncio.run(main())
        asyncio.run(in_threads())
    spans = exporter.get_finished_spans()
    by_id = {span.context.span_id: span for span in spans}
    questions = [span for span in spans if span.name.startswith("invoke_agent")]
    assert len(questions) == 24
    above = [by_id[span.parent.span_id].name for span in questions]
    assert sorted(above) == sorted([*(f"request {n}" for n in range(20)), *["in a thread"] * 4])
    for span in spans:
        if span.name.startswith("chat"):
            step = by_id[span.parent.span_id]
            assert step.attributes["multihop.step"] == span.attributes["multihop.step"]
            assert step.context.trace_id == span.context.trace_id
        if span.name.startswith("step"):
            assert by_id[span.parent.span_id].name.startswith("invoke_agent")
    assert sum(span.name.startswith("chat") for span in spans) == 24 * 3


def test_what_is_done_ahead_is_a_step_only_once_it_is_asked_for(traced):
    _, exporter = traced()
    from multihop import World, lexical
    from multihop.retrieval import BM25

    world = World(questions=1, seed=3)
    question = next(iter(world.questions())).question
    program = create("tor", BM25.build(world.passages()))
    with dspy.context(lm=lexical()):
        cost = program(question=question).cost
    names = [span.name for span in exporter.get_finished_spans()]
    assert sum(name.startswith("step") for name in names) <= cost["calls"]
    assert sum(name.startswith("retrieval") for name in names) == cost["retrievals"]
    assert names.count("invoke_agent tor") == 1


def test_after_it_is_stopped_nothing_is_traced(traced):
    provider, exporter = traced()
    with start_tracing(provider=provider):
        pass
    watching._watchers.clear()
    assert not watching.is_anybody_watching()
    with dspy.context(lm=scripted(echo)):
        Direct()(question="Who?")
    assert exporter.get_finished_spans() == ()
