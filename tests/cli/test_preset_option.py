"""`--preset` where a program is asked, evaluated and compiled: settings, decoding, and what is told of the rest."""

import pytest
import ujson
from answering import reply
from openai_server import OpenAIServer


@pytest.fixture
def server():
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(ujson.dumps({"id": "p1", "title": "Ada", "text": "Ada was born in London."}) + "\n")
    return str(path)


def asking(server, corpus):
    return ["-c", corpus, "--lm", f"server/m@{server.url}"]


def test_a_question_is_asked_with_the_settings_and_the_decoding_of_the_preset(run, server, corpus):
    given = ["ask", "Where was Ada born?", "-p", "mzqa", "--preset", "mzqa/table-1", "--set", "iterations=1"]
    code, out, errors = run(*given, *asking(server, corpus), "--json")
    assert code == 0, errors
    assert {(body["temperature"], body["top_p"]) for body in server.bodies} == {(0.1, 1.0)}
    settings = ujson.loads(out)["settings"]
    assert [settings[name] for name in ("iterations", "reuse", "k")] == [1, "none", 6]
    assert (
        "mzqa/table-1: settings and decoding are the paper's; besides, it shows no demonstrations, and has " in errors
    )
    assert "gpt-3.5-turbo-1106, BM25 (Elasticsearch), IRCoT's corpora of Wikipedia" in " ".join(errors.split())


def test_decoding_of_ones_own_counts_before_that_of_the_preset(run, server, corpus):
    given = ["ask", "Where was Ada born?", "-p", "direct", "--preset", "mzqa/table-1", "--lm-set", "temperature=0.7"]
    assert run(*given, *asking(server, corpus)[2:])[0] == 0
    assert {(body["temperature"], body["top_p"]) for body in server.bodies} == {(0.7, 1.0)}


def test_a_run_is_evaluated_with_the_preset(run, server, tmp_path):
    given = ["evaluate", "ircot", "--preset", "tor/table-2", "--limit", "1", "--out", str(tmp_path / "run"), "--quiet"]
    assert run(*given, "--lm", f"server/m@{server.url}")[0] == 0
    assert {body["temperature"] for body in server.bodies} == {0.0}
    settings = ujson.loads((tmp_path / "run" / "run.json").read_text())["identity"]["program"]["settings"]
    assert [settings[name] for name in ("k", "turns", "max_passages")] == [5, 3, 15]


def test_what_is_compiled_has_the_settings_of_the_preset(run, server, tmp_path):
    saved = tmp_path / "resp.json"
    given = ["compile", "resp", "--preset", "resp/table-1", "--set", "turns=2", "--variants", "zero-shot", "--quiet"]
    limits = ["--train-limit", "1", "--dev-limit", "1", "--to", str(saved)]
    assert run(*given, *limits, "--lm", f"server/m@{server.url}")[0] == 0
    assert {body.get("max_tokens", body.get("max_completion_tokens")) for body in server.bodies} == {200}
    code, out, _ = run("show", str(saved), "--json")
    assert (code, ujson.loads(out)["settings"]["turns"], ujson.loads(out)["settings"]["k"]) == (0, 2, 5)


@pytest.mark.parametrize(
    ("preset", "sentence"),
    [
        ("tor/table-10", "unknown preset 'tor/table-10'; did you mean 'tor/table-1'? Valid: "),
        ("tor/table-1", "not of 'resp'; presets that fit: resp/paper."),
    ],
)
def test_a_preset_that_cannot_be_used_is_refused_before_anything_is_asked(preset, sentence, run, server, corpus):
    code, _, errors = run("ask", "Who?", "-p", "resp", "--preset", preset, *asking(server, corpus))
    assert (code, server.requests) == (2, 0)
    assert sentence in " ".join(errors.split())
