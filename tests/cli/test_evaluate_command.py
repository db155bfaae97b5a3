"""`evaluate` with LMs on servers, a judge, prices, repeats and references, and how it ends where servers fail."""

import pytest
import ujson
from answering import reply
from json_server import JsonServer
from openai_server import OpenAIServer

from multihop import InputError
from multihop.cli.lm_options import LMOptions, LMs

ADDRESS = "http://127.0.0.1:8001/v1"


def answer(prompt):
    """Right for even numbers; for odd ones right in other words, or at 9 wrong."""
    number = int(prompt.inputs["question"].split("book ")[1].rstrip("?"))
    odd = "nobody" if number == 9 else f"It is Author {number}"
    return {"reasoning": "", "answer": odd if number % 2 else f"Author {number}"}


@pytest.fixture
def server():
    with OpenAIServer(answer) as server:
        yield server


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "asked.jsonl"
    asked = [{"id": f"q{i}", "question": f"Who wrote book {i}?", "answers": [f"Author {i}"]} for i in range(12)]
    path.write_text("".join(f"{ujson.dumps(each)}\n" for each in asked))
    return path


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "lms.toml"
    path.write_text('[own]\nmodel = "server/m"\nprice = {input = 1.0, output = 10.0}\n')
    return "--lms", path


def read(path):
    return ujson.loads(path.read_text())


def usd(server):
    """What the answers of the server cost."""
    return (server.tokens["in"] + 10 * server.tokens["out"]) / 1e6


def test_a_judge_is_asked_and_its_cost_stands_apart(run, server, questions, tmp_path):
    out = tmp_path / "run"
    with OpenAIServer(lambda prompt: {"correct": "nobody" not in prompt.inputs["answer"]}) as judge:
        command = ("evaluate", "direct", "-q", questions, "--lm", f"server/m@{server.url}", "--metric", "acc")
        command += ("--judge-lm", f"openai/judge@{judge.url}", "--out", out)
        code, table, said = run(*command)
        assert (code, "direct 12/12" in said) == (0, True)
        assert [word for word in ("acc", "judged", "91.7", "to judge answers") if word not in table] == []
        assert run(*command)[0] == 0
        assert (server.requests, judge.requests) == (12, 12)
    summary, header = read(out / "summary.json"), read(out / "run.json")
    means = {name: round(summary["metrics"][name]["mean"], 3) for name in ("em", "acc", "judged")}
    assert means == {"em": 0.5, "acc": 0.917, "judged": 0.917}
    assert (summary["cost"]["calls"]["total"], summary["paid"]["judging"]["calls"]) == (12, 12)
    assert list(summary["paid"]["judging"]["tokens"]) == ["server/judge"]
    tokens = judge.tokens.total()
    assert f"of which 12 calls, {tokens:,} tokens to judge answers." in (out / "summary.md").read_text()
    judged = {"version": 2, "lm": "server/judge", "decoding": {"max_tokens": 1024, "temperature": 0.0}}
    assert header["identity"]["metrics"]["judged"] == judged
    assert header["endpoints"] == {"answer": server.url, "judged": judge.url}


def test_a_step_has_an_lm_on_a_server_of_its_own(run, server, questions, tmp_path):
    lms = ("--lm", "local", "--lm", f"answer=server/m@{server.url}", "--lm-set", "temperature=0.4")
    assert run("evaluate", "cot", "-q", questions, *lms, "--limit", 2, "--out", tmp_path / "run")[0] == 0
    header = read(tmp_path / "run" / "run.json")
    assert header["endpoints"] == {"answer.predict": server.url}
    assert header["identity"]["lm"]["answer.predict"]["decoding"]["temperature"] == 0.4
    assert {body["temperature"] for body in server.bodies} == {0.4}


def test_repeats_of_a_sample_ask_the_same_questions_anew(run, server, questions, tmp_path):
    out = tmp_path / "runs"
    command = ("evaluate", "direct", "-q", questions, "--lm", f"server/m@{server.url}", "--lm-set", "temperature=0")
    code, table, said = run(*command, "--sample", 4, "--repeats", 2, "--out", out)
    assert (code, server.requests) == (0, 2 * 4)
    assert "server/m: decoded greedily, so that another seed asks anew and is likely to get the same answers." in said
    assert "direct, repeat-2 4/4" in said
    assert "All runs together paid 8 LM calls." in " ".join(table.split())
    em = read(out / "summary.json")["metrics"]["em"]
    shown = [f"{100 * em[name]:.1f}" for name in ("mean", "lowest", "highest")]
    assert ["em", *shown] in [line.split()[:4] for line in table.splitlines()]
    rows = [(out / f"repeat-{n}" / "questions.jsonl").read_text().splitlines() for n in (1, 2)]
    first, second = ({ujson.loads(row)["id"] for row in each} for each in rows)
    assert first == second
    assert "Asked: 4 drawn with seed 0 of all." in (out / "summary.md").read_text()
    code, _, said = run("compare", out, out / "repeat-1")
    assert (code, said) == (2, f"multihop: {out} holds repeats; give one of them, such as {out}/repeat-1.\n")


def test_a_run_stops_with_1_when_its_money_is_spent_and_goes_on_with_more(run, server, prices, questions, tmp_path):
    command = ("evaluate", "direct", "-q", questions, "--out", tmp_path / "run", "--concurrency", 1, *prices)
    command += ("--lm", f"server/m@{server.url}")
    code, _, said = run(*command, "--budget-usd", 0.0003)
    assert (code, 0 < server.answered < 12) == (1, True)
    assert "multihop: the budget of $0.0003 is spent" in said
    assert "decoded greedily" not in said
    code, out, _ = run(*command, "--budget-usd", 1)
    assert (code, server.answered) == (0, 12)
    assert f"${usd(server):.3g}" in out


@pytest.mark.parametrize("command", ["ask Which? -p direct", "evaluate direct --out run", "serve direct --port 0"])
def test_what_has_no_price_gets_no_budget_in_dollars(run, server, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, said = run(*command.split(), "--lm", f"server/m@{server.url}", "--budget-usd", 1)
    assert (code, server.requests, list(tmp_path.iterdir())) == (2, 0, [])
    assert "a budget in dollars needs the price of server/m, which is not known" in said


def test_a_compiled_study_and_a_reproduced_table_have_dollars(run, prices, tmp_path):
    with OpenAIServer(reply) as server:
        lm = ("--lm", f"server/m@{server.url}", *prices, "--cache", "off")
        table = ("-q", "little", "-c", "little", "--rows", "Standard RAG", "--limit", 2, "--out", tmp_path / "table")
        assert run("reproduce", "resp-table-1", *table, *lm)[0] == 0
        (paid,) = {row["paid_usd"] for row in read(tmp_path / "table" / "table.json")["rows"] if row["n"]}
        assert paid == pytest.approx(usd(server), abs=1e-12)
        to = tmp_path / "it.json"
        code, out, _ = run("compile", "direct", "--variants", "zero-shot", "--dev-limit", 3, "--to", to, *lm)
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert next(line for line in lines if line[:1] == ["variant"])[-4:] == ["usd", "calls", "to", "compile"]
    assert next(line for line in lines if line[:1] == ["zero-shot"])[-2].startswith("$0.000")


@pytest.mark.usefixtures("tiny_encoder")
def test_references_stand_beside_the_program(run, tmp_path):
    run("index", "little", "--to", tmp_path / "index")
    asked = ("-q", "little", "--limit", 5, "-c", tmp_path / "index", "--out", tmp_path / "run")
    code, table, _ = run("evaluate", "direct", *asked, "--references", "--budget-calls", 3)
    assert code == 0
    assert [word for word in ("direct", "closed-book", "one-step", "gold-passages") if word not in table] == []
    gold = read(tmp_path / "run" / "references" / "gold-passages" / "summary.json")
    assert gold["metrics"]["recall@5"]["mean"] == 1.0


ALIKE = (
    "take direct: about the fewest tokens of those that 10 questions cannot tell from cot, the highest F1 of 2 10 "
    "questions do not tell cot from direct: F1 +20.0, 95 % interval -14.6 … +47.9, p = 0.500; cot takes {} x the tokens"
)
BEATEN = (
    "take cot: the highest F1 of 2 cot beats direct: F1 +100.0, 95 % interval +52.1 … +100.0, p = 0.002; cot takes {} x"
)
UNKNOWN = "or none is right, so nothing says which to take; not answered: direct 0 of 10, cot 0 of 10"


@pytest.mark.parametrize(
    ("right", "known", "told"),
    [((5, 7), True, ALIKE), ((0, 10), True, BEATEN), ((5, 7), False, UNKNOWN), ((0, 0), True, UNKNOWN)],
)
def test_of_several_programs_the_cheapest_that_cannot_be_told_from_the_best_is_to_be_taken(
    run, tmp_path, right, known, told
):
    def answers(prompt):
        number, steps = int(prompt.inputs["question"].split()[1][:-1]), len(prompt.output_fields) > 1
        return {**({"reasoning": "well " * 900} if steps else {}), "answer": "yes" if number < right[steps] else "no"}

    rows = [f'"Is {number}; or not?"{";yes" if known else ""}' for number in range(10)]
    path, out = tmp_path / "excel.csv", tmp_path / "runs"
    path.write_text("\r\n".join(["Frage;Antwort" if known else "Frage", *rows]), encoding="utf-8-sig")
    fields = ("--field", "question=Frage", *(("--field", "answer=Antwort") if known else ()))
    with OpenAIServer(answers) as server:
        asked = ("-q", path, *fields, "--lm", f"server/m@{server.url}", "--out", out)
        code, shown, _ = run("evaluate", "--programs", "direct, cot", *asked)
        tokens = [read(out / name / "summary.json")["cost"]["tokens"]["server/m"] for name in ("direct", "cot")]
        assert run("evaluate", "direct,cot", *asked)[:2] == (code, shown)
        assert (code, server.requests) == (0, 20)
    direct, cot = (each["in"] + each["out"] for each in tokens)
    assert told.format(f"{cot / direct:.1f}") in " ".join(shown.split())
    assert run("compare", out / "direct", out / "cot")[0] == 0


def test_a_server_that_fails_is_told_with_exit_code_1_and_asked_again_when_it_is_back(run, tmp_path):
    with OpenAIServer(reply, fault=lambda number: "dropped" if number >= 10 else None) as server:
        lm = ("--lm", f"server/m@{server.url}", "--lm-set", "num_retries=0", "--concurrency", 1)
        command = ("evaluate", "direct", *lm, "--limit", 15, "--out", tmp_path / "run")
        code, table, said = run(*command)
        assert (code, "errors" in table) == (1, True)
        assert "The last 5 questions all failed in this way; the same command asks them again" in said
        server.fault = lambda number: None
        assert run(*command)[0] == 0
        assert read(tmp_path / "run" / "summary.json")["n_ok"] == 15
        server.fault = lambda number: 500
        code, _, said = run("evaluate", "cot", *lm, "--limit", 3, "--out", tmp_path / "other")
        assert (code, "every question failed, the first with" in said) == (1, True)


@pytest.mark.parametrize(
    ("name", "given", "of_the_paper", "known"),
    [
        ("own", 0.7, 0.1, ("http://host/v1", 0.3)),
        (f"server/m@{ADDRESS}", 0.7, 0.1, (ADDRESS, 0.7)),
        (f"server/m@{ADDRESS}", None, 0.1, (ADDRESS, 0.1)),
        ("local", None, 0.1, (None, None)),
        ("local", 0.7, None, (None, 0.7)),
    ],
)
def test_a_file_counts_before_the_command_line_and_that_before_a_paper(name, given, of_the_paper, known, tmp_path):
    file = tmp_path / "lms.toml"
    file.write_text('[own]\nmodel = "server/big"\napi_base = "http://host/v1"\ntemperature = 0.3')
    options = LMOptions(lms=file, lm_set=[] if given is None else [f"temperature={given}"])
    lms = LMs(options, None if of_the_paper is None else {"temperature": of_the_paper})
    lm = lms.open(name)
    assert (lm.kwargs.get("api_base"), lm.kwargs.get("temperature")) == known
    if name != "local":
        judge = lms.open(name, alone=True)  # a judge takes no parameters but those of the file
        assert judge.kwargs["temperature"] == (0.3 if name == "own" else 0.0)


def test_a_server_without_the_model_is_refused_before_anything_is_asked(tmp_path):
    lms = LMs(LMOptions(lm_set=["structured=text"]), None)
    with JsonServer(lambda asked: {"data": [{"id": "qwen3:8b"}]}) as server:
        lms.open(f"server/qwen3:8b@{server.url}")
        lms.check_served()
        lms.open(f"server/qwen3:4b@{server.url}")
        with pytest.raises(InputError, match=r"has no model 'qwen3:4b'. It has: 'qwen3:8b'."):
            lms.check_served()
        lms.check_served(kept=tmp_path)  # a run that is there may have all its answers
        with pytest.raises(InputError, match="has no model"):
            lms.check_served(kept=tmp_path / "new")
