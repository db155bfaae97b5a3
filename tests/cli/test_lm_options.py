"""`evaluate`, `ask` and `reproduce` with LMs on several servers, a judge, samples and repeats."""

import pytest
import ujson
from openai_server import OpenAIServer

ASKED = [{"id": f"q{i}", "question": f"Who wrote book {i}?", "answers": [f"Author {i}"]} for i in range(12)]


def answer(prompt):
    """Right for even numbers; for odd ones right in other words, or at 9 wrong."""
    number = int(prompt.inputs["question"].split("book ")[1].rstrip("?"))
    odd = "nobody" if number == 9 else f"It is Author {number}"
    return {"reasoning": "", "answer": odd if number % 2 else f"Author {number}"}


def judge(prompt):
    return {"correct": "nobody" not in prompt.inputs["answer"]}


@pytest.fixture
def servers():
    with OpenAIServer(answer) as one, OpenAIServer(judge) as other:
        yield one, other


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "asked.jsonl"
    path.write_text("".join(f"{ujson.dumps(each)}\n" for each in ASKED))
    return path


def read(path):
    return ujson.loads(path.read_text())


def test_a_judge_is_asked_and_its_cost_stands_apart(run, servers, questions, tmp_path):
    out = tmp_path / "run"
    command = [
        "evaluate", "direct", "-q", questions, "--lm", f"server/m@{servers[0].url}", "--metric", "acc",
        "--judge-lm", f"openai/judge@{servers[1].url}", "--out", out,
    ]  # fmt: skip
    code, table, said = run(*command)
    assert code == 0, said
    assert (servers[0].requests, servers[1].requests) == (12, 12)
    summary = read(out / "summary.json")
    means = {name: round(summary["metrics"][name]["mean"], 3) for name in ("em", "acc", "judged")}
    assert means == {"em": 0.5, "acc": 0.917, "judged": 0.917}
    assert summary["cost"]["calls"]["total"] == 12
    assert (summary["paid"]["calls"], summary["paid"]["judging"]["calls"]) == (24, 12)
    assert list(summary["paid"]["judging"]["tokens"]) == ["server/judge"]
    tokens = servers[1].tokens.total()
    assert f"of which 12 calls, {tokens:,} tokens to judge answers." in (out / "summary.md").read_text()
    assert [word for word in ("acc", "judged", "91.7", "to judge answers") if word not in table] == []
    assert "| judged | 91.7 |" in (out / "summary.md").read_text()
    assert run(*command)[0] == 0
    assert (servers[0].requests, servers[1].requests) == (12, 12)
    header = read(out / "run.json")
    judge = {"version": 2, "lm": "server/judge", "decoding": {"max_tokens": 1024, "temperature": 0.0}}
    assert header["identity"]["metrics"]["judged"] == judge
    assert header["endpoints"] == {"answer": servers[0].url, "judged": servers[1].url}


def test_a_step_has_an_lm_on_a_server_of_its_own(run, servers, questions, tmp_path):
    out = tmp_path / "run"
    code, _, said = run(
        "evaluate", "cot", "-q", questions, "--lm", "local", "--lm", f"answer=server/m@{servers[0].url}",
        "--lm-set", "temperature=0.4", "--limit", 2, "--out", out,
    )  # fmt: skip
    assert code == 0, said
    header = read(out / "run.json")
    assert header["endpoints"] == {"answer.predict": servers[0].url}
    assert header["identity"]["lm"]["answer.predict"]["decoding"]["temperature"] == 0.4
    assert {body["temperature"] for body in servers[0].bodies} == {0.4}


def test_repeats_are_shown_as_mean_lowest_and_highest(run, servers, questions, tmp_path):
    out = tmp_path / "runs"
    command = [
        "evaluate", "direct", "-q", questions, "--lm", f"server/m@{servers[0].url}",
        "--lm-set", "temperature=0",
        "--sample", 4, "--out", out,
    ]  # fmt: skip
    code, table, said = run(*command, "--repeats", 2)
    assert code == 0, said
    assert "server/m: decoded greedily, so that another seed asks anew and is likely to get the same answers." in said
    assert "direct, repeat-2 4/4" in said
    assert servers[0].requests == 2 * 4
    assert "4 questions, 0 errors in all runs." in table
    em = read(out / "summary.json")["metrics"]["em"]
    shown = [f"{100 * em[name]:.1f}" for name in ("mean", "lowest", "highest")]
    assert ["em", *shown] in [line.split()[:4] for line in table.splitlines()]
    assert "All runs together paid 8 LM calls." in " ".join(table.split())
    ids = [
        {row["id"] for row in map(ujson.loads, (out / f"repeat-{n}" / "questions.jsonl").read_text().splitlines())}
        for n in (1, 2)
    ]
    assert ids[0] == ids[1]
    assert "Asked: 4 drawn with seed 0 of all." in (out / "summary.md").read_text()
    code, _, said = run("compare", out, out / "repeat-1")
    assert (code, said) == (2, f"multihop: {out} holds repeats; give one of them, such as {out}/repeat-1.\n")


def test_another_seed_at_temperature_0_asks_anew_and_says_what_to_expect(run, servers, questions, tmp_path):
    command = ["evaluate", "direct", "-q", questions, "--lm", f"server/m@{servers[0].url}", "--limit", 3]
    for seed, told in ((0, False), (2, True)):
        code, _, said = run(*command, "--lm-set", "temperature=0", "--seed", seed, "--out", tmp_path / str(seed))
        assert code == 0
        assert ("decoded greedily" in said) == told
    assert servers[0].requests == 6
    run(*command, "--seed", 3, "--out", tmp_path / "3")
    assert servers[0].requests == 9
