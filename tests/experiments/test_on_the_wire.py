"""The rows of the papers' tables as an LM's server sees them: decoding and demonstrations; and their settings."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import dspy
import pytest
import ujson
from openai_server import OpenAIServer
from paper_tables import OF_PAPERS
from published_settings import CLONED, DECODING, THINKS, settings_of_row, shots_of_row
from small_corpus import write_lines

from multihop import BM25, Little, clone, create, evaluate, open_lm, scripted
from multihop.__main__ import main
from multihop.experiments import open_experiment, reproduce
from multihop.experiments.study import StudyRuns
from multihop.lms.local_engine import Local
from multihop.programs import program_named
from multihop.runtime.settings import check_setting, settings_of

DECODED = ("temperature", "top_p", "max_tokens", "max_completion_tokens")
OURS = {"temperature": 0.0, "max_tokens": 1024}
"""What a server is told where a paper says nothing."""


@pytest.mark.parametrize("name", OF_PAPERS)
def test_every_row_is_set_as_in_the_paper(name):
    experiment = open_experiment(name)
    for row in experiment.rows:
        valid = settings_of(program_named(row.program))
        for question_set in experiment.sets:
            made = experiment.settings(row, question_set)
            program = create(row.program, lambda query, k: [], **made)
            for setting, value in settings_of_row(name, row.name, row.program, question_set).items():
                wanted = check_setting(row.program, setting, value, valid)
                assert program.settings[setting] == wanted, (row.name, setting)


@pytest.mark.parametrize(
    "name",
    [
        "resp-table-1",
        "tor-table-4",
        *(pytest.param(name, marks=pytest.mark.seconds) for name in ("efficientrag-table-3", "mzqa-table-6")),
    ],
)
def test_a_server_is_asked_as_in_the_paper(name, town, tmp_path, tiny_encoder, monkeypatch):
    experiment = open_experiment(name)
    paper, engine, prompts, seen = name.partition("-")[0], Local(), [], set()

    def reply(prompt):
        prompts.append(prompt)
        return engine.reply(prompt)

    asked = StudyRuns.answer

    def answer(study, planned, number):
        seen.add(planned.row.name)
        if planned.most_calls == 0:
            return  # it asks nothing, which tests of its program say
        prompts.clear()
        server.bodies.clear()
        asked(study, planned, number)
        assert server.bodies, planned.row.name
        for body in server.bodies:
            assert {each: body[each] for each in DECODED if each in body} == OURS | DECODING[paper], planned.row.name
        for prompt in prompts:
            check(prompt, name, planned.row)

    monkeypatch.setattr(StudyRuns, "answer", answer)
    cases = [text for each in experiment.sets.values() for text in each.asking]
    files = ["-q", asking(cases, town, tmp_path) if cases else town["questions"], "-c", town["corpus"]]
    files += ["--train", town["train"]] if any(row.shots for row in experiment.rows) else []
    files += ["--out", str(tmp_path / "out")]
    options = ["--limit", "1", "--budget-calls", "6", "--repeats", "1", "--cache", "off", "--quiet"]
    with OpenAIServer(reply) as server:
        assert main(["reproduce", name, "--lm", f"server/m@{server.url}", *files, *options]) == 0
    assert seen == {row.name for row in experiment.rows}


def asking(cases, town, folder):
    """A file of questions in these words."""
    lines = Path(town["questions"]).read_text().splitlines()[: len(cases)]
    asked = [{**ujson.loads(line), "question": text} for line, text in zip(lines, cases, strict=True)]
    return write_lines(folder / "cases.jsonl", asked)


def check(prompt, name, row):
    outputs = {each.name for each in prompt.output_fields}
    cloned = CLONED.get(row.name, CLONED.get(row.program)) in outputs
    assert len(prompt.demonstrations) == (0 if cloned else shots_of_row(name, row.name, row.program)), row.name
    if thought := THINKS.get(row.program, set()) & outputs:
        plain = (name, row.name, "analysis" in thought) == ("tor-table-4", "Direct", True)
        assert ("reasoning" in outputs) is not plain, row.name


def anything(prompt):
    """Some value for every field, by its name or its type."""
    known = {"action": "search", "score": "5", "bool": False}
    return {field.name: known.get(field.name, known.get(field.type, "Who wrote it?")) for field in prompt.output_fields}


def on_hotpotqa(experiment, name):
    """One row of the experiment, on one set."""
    row = replace(experiment.row(name), published=experiment.row(name).published[:2])
    sets = {"hotpotqa": experiment.sets["hotpotqa"]}
    return replace(experiment, sets=sets, columns=experiment.columns[:2], rows=(row,))


def trained_on(name, settings, folder):
    """The messages of each conversation, without the answer, that a clone of the program's planner is trained on."""
    program = create(name, BM25.build(Little().passages()), **settings)
    with dspy.context(lm=scripted(anything)):
        evaluate(program, islice(Little().questions(), 1), out=folder / "run")
    file = clone(program, from_run=folder / "run", out=folder).file
    return [ujson.loads(line)["messages"][:-1] for line in file.read_text().splitlines()]


def test_a_cloned_step_is_asked_as_it_was_trained(town, tmp_path):
    """Neither demonstrations nor a schema that the server keeps to come in between; the other steps show 15."""
    table = on_hotpotqa(open_experiment("mzqa-table-6"), "LATS-BC")
    (row,) = table.rows
    settings = {**table.settings(row, "hotpotqa"), "iterations": 1}
    trained = trained_on("lats", settings, tmp_path / "clone")
    others = scripted(anything)
    with OpenAIServer(anything, keeps_to_schema=True) as server:
        reproduce(
            table,
            out=tmp_path / "study",
            lm=others,
            lms={row.step_lms["plan"]: open_lm("server/clone", api_base=server.url)},
            questions=town["questions"],
            corpus=town["corpus"],
            train={None: town["train"]},
            repeats=1,
            limit=1,
        )
        asked = [body["messages"] for body in server.bodies]
    assert [len(messages) for messages in asked] == [2] * len(asked)
    assert all(messages in asked for messages in trained)
    assert row.shots == 15
    assert {len(prompt.demonstrations) for prompt in others.engine.prompts} == {15}


@pytest.mark.parametrize("name", [name for name in OF_PAPERS if name.startswith("mzqa-")])
def test_a_row_of_a_clone_says_which_step_is_cloned(name):
    """Else the step would be shown the row's demonstrations."""
    rows = open_experiment(name).rows
    cloned = [row for row in rows if "-BC" in row.name]
    assert [row.cloned for row in cloned] == [tuple(row.step_lms) for row in cloned]
    assert all(len(row.cloned) == 1 for row in cloned)
    others = [row for row in rows if row not in cloned]
    assert {lm for row in others for lm in row.step_lms.values()} <= {"gpt-4-1106-preview"}
