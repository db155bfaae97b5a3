import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("quiet_again")


@pytest.mark.parametrize(
    ("options", "kinds", "texts"),
    [
        ((), [], False),
        (("-v",), ["retrieval", "step", "question"], False),
        (("-vv",), ["retrieval", "call", "step", "question"], False),
        (("-v", "-v", "--log-texts"), ["retrieval", "call", "step", "question"], True),
    ],
)
def test_v_tells_of_the_work_on_the_error_stream(run, corpus, options, kinds, texts):
    command = ("ask", "Where is Torun?", "-c", corpus, "--lm", "lexical", "--cache", "off")
    code, answer, said = run(*command, *options)
    told = [line.split() for line in said.splitlines() if line[:2].isdigit()]
    assert code == 0
    assert list(dict.fromkeys(line[1] for line in told)) == kinds
    assert ("Where is Torun?" in said) == texts
    assert "tokens" in answer


def test_otel_writes_spans_where_the_variables_say(corpus):
    pytest.importorskip("opentelemetry.exporter.otlp", reason="spans need the extra [otel], which is not installed")
    command = [sys.executable, "-m", "multihop", "ask", "Where is Torun?", "-c", corpus, "--lm", "lexical", "--otel"]
    variables = {"OTEL_TRACES_EXPORTER": "console", "OTEL_SERVICE_NAME": "quiz", "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=variables)
    assert done.returncode == 0, done.stderr
    for said in ('"name": "invoke_agent one-step"', '"name": "chat lexical@1"', '"service.name": "quiz"'):
        assert said in done.stderr
    assert '"name": "' not in done.stdout
    assert "Torun" not in done.stderr.replace(str(corpus), "")


def test_another_exporter_and_a_missing_extra_are_one_sentence(run, corpus, monkeypatch):
    command = ("ask", "Where?", "-c", corpus, "--lm", "lexical", "--otel")
    for name in ("opentelemetry.sdk.trace", "opentelemetry.sdk.resources"):
        monkeypatch.setitem(sys.modules, name, None)
    code, _, said = run(*command)
    assert code == 2
    assert said.startswith("multihop: --otel needs the extra [otel]")
    assert "pip install 'multihop[otel]'" in said
    monkeypatch.undo()
    pytest.importorskip("opentelemetry.exporter.otlp", reason="spans need the extra [otel], which is not installed")
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    code, _, said = run(*command)
    assert (code, said) == (2, "multihop: OTEL_TRACES_EXPORTER is otlp, console or none here, not 'zipkin'.\n")
