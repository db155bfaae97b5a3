import io

import dspy
import pytest
import ujson
from rich.console import Console

from multihop import Passage, compile_variants, create, save, scripted, with_demonstrations
from multihop.__main__ import main
from multihop.cli.show_prompts import WIDEST, messages_of, show_program
from multihop.data import Question
from multihop.optimize.artefact import SavedProgram

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


def page(program, saved, width):
    console = Console(file=io.StringIO(), width=width)
    show_program(program, SavedProgram.read(saved), console)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 160])
def test_the_page_shows_every_step_with_its_words_fields_and_demonstrations(resp, saved, width):
    lines = [line.strip() for line in page(resp, saved, width)]
    assert max(len(line) for line in lines) <= min(width, WIDEST)
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
    made = with_demonstrations(resp, {"judge": [{**SHOT, "evidence": [" ".join(words)]}]})
    save(made, tmp_path / "made.json")
    shown = " ".join(page(made, tmp_path / "made.json", 80)).split()
    assert [word for word in shown if word in words] == words


def test_the_messages_are_those_that_are_sent():
    program = with_demonstrations(create("one-step", nothing), {"answer": [{"question": "a", "answer": "b"}]})
    lm = scripted(lambda prompt: {"answer": "x"})
    sent, reply = [], lm.engine.respond
    lm.engine.respond = lambda request: (sent.append(request), reply(request))[1]
    program.retriever = create("one-step", lambda query, k: [Passage("p", "Emma", "A novel.")]).retriever
    with dspy.context(lm=lm):
        program(question="Who?")
    shown = messages_of(program, "answer", {"question": "Who?", "passages": ["Emma | A novel."]})
    (request,) = sent
    system = request.system if isinstance(request.system, str) else "".join(part.text for part in request.system)
    asked = [{"role": "system", "content": system}]
    assert shown == asked + [{"role": each.role, "content": each.text} for each in request.messages]


def test_show_prints_a_saved_program_without_a_corpus_or_an_lm(saved, capsys):
    assert main(["show", saved]) == 0
    out = capsys.readouterr().out
    assert "resp, saved in" in out
    assert "given F1 50.0" in out
    assert "1 demonstration" in out


def test_as_json_its_demonstrations_can_be_shown_again(saved, capsys):
    assert main(["show", saved, "--json"]) == 0
    shown = ujson.loads(capsys.readouterr().out)
    assert (shown["program"], shown["settings"]["turns"], shown["about"]["optimizer"]) == ("resp", 2, "given")
    demos = {step["name"]: step["demonstrations"] for step in shown["steps"]}
    assert demos == {"summarize": [], "answer": [], "judge": [SHOT], "plan": [], "read": []}
    again = with_demonstrations(create("resp", nothing, turns=2), demos)
    assert [dict(demo) for demo in again.judge.demos] == [SHOT]


def test_show_prints_the_messages_of_a_step(saved, capsys):
    given = ["--question", "Who wrote Emma?"]
    assert main(["show", saved, "--prompt", "judge", *given, "--json"]) == 0
    messages = ujson.loads(capsys.readouterr().out)
    assert "{evidence}" in messages[-1]["content"]
    assert main(["show", saved, "--prompt", "judge", *given]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.endswith("──")] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert messages[0]["content"].strip("\n") in out


def test_a_compiled_program_says_what_it_was_compiled_for(tmp_path, capsys):
    asked = [Question(id=str(n), question=f"Which {n}?", answers=("a",)) for n in range(4)]
    with dspy.context(lm=scripted(lambda prompt: {"answer": "a"})):
        compile_variants(create("direct"), ["zero-shot"], train=asked[:2], dev=asked[2:], to=tmp_path / "p.json")
    assert main(["show", str(tmp_path / "p.json")]) == 0
    assert "multihop/scripted" in capsys.readouterr().out
