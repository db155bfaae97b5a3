import re

import pytest
import ujson
from openai_server import OpenAIServer


def priced(folder, of_input, of_output):
    """The option for a file that knows the price of the model."""
    price = f"{{input = {of_input}, output = {of_output}}}"
    (folder / "lms.toml").write_text(f'[own]\nmodel = "server/m"\nprice = {price}\n')
    return "--lms", folder / "lms.toml"


@pytest.fixture
def prices(tmp_path):
    return priced(tmp_path, 1.0, 10.0)


@pytest.fixture
def lm(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with OpenAIServer(lambda prompt: {"answer": "Po"}) as server:
        yield server, ("--lm", f"server/m@{server.url}", "--cache", "off")


def test_a_run_stops_with_1_when_its_money_is_spent_and_goes_on_with_more(run, prices, lm, tmp_path):
    server, options = lm
    command = ("evaluate", "direct", "--limit", 8, "--out", tmp_path / "run", "--concurrency", 1, *options, *prices)
    code, _, said = run(*command, "--budget-usd", 0.0003)
    asked = server.answered
    assert (code, 0 < asked < 8) == (1, True)
    assert "multihop: the budget of $0.0003 is spent" in said
    code, out, _ = run(*command, "--budget-usd", 1)
    assert (code, server.answered) == (0, 8)
    assert [word for word in out.split() if word in ("tokens", "usd", "errors")][:3] == ["tokens", "usd", "errors"]
    assert f"${(server.tokens['in'] + 10 * server.tokens['out']) / 1e6:.3g}" in out


def test_what_has_no_price_gets_no_budget_in_dollars(run, lm, tmp_path):
    server, options = lm
    for command in (("ask", "Which?", "-p", "direct"), ("evaluate", "direct", "--out", tmp_path / "run")):
        code, _, said = run(*command, *options, "--budget-usd", 1)
        assert (code, server.requests) == (2, 0)
        assert "a budget in dollars needs the price of server/m, which is not known" in said
    code, _, said = run("serve", "direct", *options, "--port", 0, "--budget-usd", 1)
    assert (code, "needs the price of server/m" in said) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_compiled_study_has_dollars(run, lm, tmp_path):
    _, options = lm
    command = ("compile", "direct", "--variants", "zero-shot", "--dev-limit", 3, "--to", tmp_path / "it.json", *options)
    code, out, _ = run(*command, *priced(tmp_path, 2, 2))  # so that tokens are dollars
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    (head,) = (line for line in lines if line[:1] == ["variant"])
    row = next(line for line in lines if line[:1] == ["zero-shot"])
    assert head[-4:] == ["tokens", "usd", "to", "compile"]
    assert float(row[-2].strip("$")) == pytest.approx(2e-6 * float(row[-3]), rel=0.01)


def test_a_reproduced_table_has_dollars(run, prices, lm, tmp_path):
    server, options = lm
    command = (
        "reproduce",
        "resp-table-1",
        "-q",
        "little",
        "-c",
        "little",
        "--rows",
        "Standard RAG",
        "--limit",
        2,
        "--out",
        tmp_path / "it",
    )
    code, out, _ = run(*command, *options, *prices)
    usd = (server.tokens["in"] + 10 * server.tokens["out"]) / 1e6
    table = ujson.loads((tmp_path / "it" / "table.json").read_text())
    assert code == 0
    (paid,) = {row["paid_usd"] for row in table["rows"] if row["n"]}
    assert paid == pytest.approx(usd, abs=1e-12)
    assert f"LM calls, ${usd:.3g}" in " ".join(out.split())


def test_comparisons_have_dollars(run, prices, lm, tmp_path):
    _, options = lm
    for name, more in (("a", prices), ("b", prices), ("c", ())):
        run("evaluate", "direct", "--limit", 2, "--out", tmp_path / name, *options, *more)
    _, two, _ = run("compare", tmp_path / "a", tmp_path / "b")
    assert re.search(r"usd a question +\$0.000", two)
    assert "1.00 x" in next(line for line in two.splitlines() if "usd a question" in line)
    _, many, _ = run("compare", tmp_path / "a", tmp_path / "b", tmp_path / "c")
    rows = [line.split() for line in many.splitlines() if line.split()[:1] in (["A"], ["C"])]
    assert rows[0][-1].startswith("$0.000")
    assert rows[1][-1] == "unknown"
