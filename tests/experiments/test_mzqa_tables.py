"""A step that a clone answers is asked as it was trained, and each table says which step that is."""

from dataclasses import replace
from itertools import islice

import dspy
import pytest
import ujson
from openai_server import OpenAIServer

from multihop import BM25, Little, clone, create, evaluate, open_lm, scripted
from multihop.experiments import experiment_names, open_experiment, reproduce


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


@pytest.mark.parametrize("name", [name for name in experiment_names() if name.startswith("mzqa-")])
def test_a_row_of_a_clone_says_which_step_is_cloned(name):
    """Else the step would be shown the row's demonstrations."""
    rows = open_experiment(name).rows
    cloned = [row for row in rows if "-BC" in row.name]
    assert [row.cloned for row in cloned] == [tuple(row.step_lms) for row in cloned]
    assert all(len(row.cloned) == 1 for row in cloned)
    others = [row for row in rows if row not in cloned]
    assert {lm for row in others for lm in row.step_lms.values()} <= {"gpt-4-1106-preview"}
