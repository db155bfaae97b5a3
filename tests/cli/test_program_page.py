import io

import dspy
import pytest
import ujson
from openai_server import OpenAIServer
from rich.console import Console

from multihop import Passage, create, load, open_lm, save, scripted, with_demonstrations
from multihop.cli.show_prompts import messages_of, show_program
from multihop.optimize.artefact import SavedProgram
from multihop.optimize.demonstrations import predictors_by_step
from multihop.runtime.adapters import adapter_of

SHOT = {
    "evidence": ["Jane Austen wrote Emma.", "She was born in Steventon."],
    "pathway": [],
    "question": "Where was the author of Emma born?",
    "enough": True,
}


def nothing(query, k):
    return []


@pytest.fixture
def resp():
    return with_demonstrations(create("resp", nothing, turns=2), {"judge": [SHOT]})


@pytest.fixture
def saved(resp, tmp_path):
    about = {"lm": "openai/gpt-5", "optimizer": "given", "scores": {"given": {"f1": {"mean": 0.5}}}}
    save(resp, tmp_path / "resp.json", about=about)
    return str(tmp_path / "resp.json")


def page(path):
    console = Console(file=io.StringIO(), width=80)
    show_program(load(path, nothing), SavedProgram.read(path), console)
    return [line.strip() for line in console.file.getvalue().splitlines()]


def test_the_page_shows_every_step_with_its_words_fields_and_demonstrations(saved):
    lines = page(saved)
    assert max(len(line) for line in lines) <= 80
    heads = [line.rstrip("─ ") for line in lines if line.endswith("───")]
    assert heads == [
        "summarize  0 demonstrations",
        "answer  0 demonstrations",
        "judge  1 demonstration",
        "plan  0 demonstrations",
        "read  0 demonstrations",
    ]
    assert "compiled for  openai/gpt-5" in lines
    assert "settings      turns=2" in lines
    start = lines.index("demonstration 1")
    assert lines[start + 1 : start + 6] == [
        "evidence  · Jane Austen wrote Emma.",
        "· She was born in Steventon.",
        "pathway   (none)",
        "question  Where was the author of Emma born?",
        "→ enough    True",
    ]


def test_nothing_of_a_long_demonstration_is_left_out(resp, tmp_path):
    words = [f"no{number}." for number in range(400)]
    save(with_demonstrations(resp, {"judge": [{**SHOT, "evidence": [" ".join(words)]}]}), tmp_path / "made.json")
    shown = " ".join(page(tmp_path / "made.json")).split()
    assert [word for word in shown if word in words] == words


def test_the_messages_are_those_that_are_sent():
    program = with_demonstrations(create("one-step", nothing), {"answer": [{"question": "a", "answer": "b"}]})
    lm = scripted(lambda prompt: {"answer": "x"})
    sent, reply = [], lm.engine.complete
    lm.engine.complete = lambda request: (sent.append(request), reply(request))[1]
    program.retriever = create("one-step", lambda query, k: [Passage("p", "Emma", "A novel.")]).retriever
    with dspy.context(lm=lm):
        program(question="Who?")
    shown = messages_of(program, "answer", {"question": "Who?", "passages": ["Emma | A novel."]})
    (request,) = sent
    system = request.system if isinstance(request.system, str) else "".join(part.text for part in request.system)
    asked = [{"role": "system", "content": system}]
    assert shown == asked + [{"role": each.role, "content": each.text} for each in request.messages]


def test_show_prints_a_saved_program_without_a_corpus_or_an_lm(saved, run):
    code, out, _ = run("show", saved)
    assert (code, "resp, saved in" in out, "given F1 50.0" in out) == (0, True, True)
    shown = ujson.loads(run("show", saved, "--json")[1])
    assert (shown["program"], shown["settings"]["turns"], shown["about"]["optimizer"]) == ("resp", 2, "given")
    demos = {step["name"]: step["demonstrations"] for step in shown["steps"]}
    assert demos == {"summarize": [], "answer": [], "judge": [SHOT], "plan": [], "read": []}


def test_show_prints_the_messages_of_a_step(saved, run):
    asked = ("show", saved, "--prompt", "judge", "--question", "Who wrote Emma?")
    messages = ujson.loads(run(*asked, "--json")[1])
    assert "{evidence}" in messages[-1]["content"]
    code, out, _ = run(*asked)
    heads = [line.split()[0] for line in out.splitlines() if line.endswith("──")]
    assert (code, heads) == (0, ["system", "user", "assistant", "user"])
    assert messages[0]["content"].strip("\n") in out


@pytest.mark.parametrize("step", ["judge", "read"])
def test_an_lm_that_keeps_to_schemas_gets_the_messages_and_the_schema_that_are_shown(saved, run, step):
    with OpenAIServer(
        lambda prompt: {"enough": True} if step == "judge" else {"answer": "Ada"}, keeps_to_schema=True
    ) as server:
        lm = f"server/m@{server.url}"
        shown = ujson.loads(run("show", saved, "--prompt", step, "--question", "Who?", "--lm", lm, "--json")[1])
        assert server.bodies == []  # nothing but whether it keeps to a schema was asked
        asked, predictor = open_lm(lm), predictors_by_step(load(saved, nothing))[step]
        with dspy.context(lm=asked, adapter=adapter_of(0, asked)):
            predictor(**{name: f"{{{name}}}" for name in predictor.signature.input_fields} | {"question": "Who?"})
    (body,) = server.bodies
    sent = body.get("response_format", {"json_schema": {"schema": None}})["json_schema"]["schema"]
    assert shown == {"messages": body["messages"], "schema": sent}


def test_a_hosted_lm_is_shown_in_the_plain_form_where_that_is_set(saved, run, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    asked = ("show", saved, "--prompt", "judge", "--lm", "openai/gpt-4.1-mini")
    assert "[[ ## evidence ## ]]" in run(*asked)[1]
    plain = run(*asked, "--lm-set", "structured=json")[1]
    assert ("[[ ##" in plain, "Reply with a JSON object" in plain) == (False, True)
    assert "schema ──" in plain
    assert run(*asked[:2], *asked[-2:])[0] == 2
