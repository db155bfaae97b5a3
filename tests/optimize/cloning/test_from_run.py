from itertools import islice

import dspy
import pytest
import ujson
from simulated import simulated

from multihop import BM25, InputError, Little, Passage, clone, create, evaluate, load, scripted
from multihop.cli.opening.lm_choice import open_lm_for
from multihop.cli.opening.lms import LMs
from multihop.optimize.artefact import about_artefact
from multihop.optimize.cloning.cloning import Watched
from multihop.optimize.cloning.from_run import lm_of_run, rows_of_run
from multihop.optimize.saved_program import SavedProgram

SMALL = {"mzqa": {"iterations": 3, "depth": 3}, "tor": {"depth": 2}}


@pytest.fixture(scope="module")
def little():
    made = Little()
    retriever, questions = BM25.build(made.passages()), list(islice(made.questions(), 4))
    return retriever, questions, simulated(questions, iter(retriever), error_rate=0.1, known=0.0)


def run(little, program, out):
    _, questions, lm = little
    with dspy.context(lm=lm):
        return evaluate(program, questions, out=out, concurrency=1)


def decisions(rows, step):
    return [[each for each in row["decisions"] if each["step"] == step] for row in rows]


@pytest.mark.parametrize(("name", "step"), [("ircot", "think"), ("one-step", "answer"), ("mzqa", "plan")])
def test_a_plain_run_holds_what_a_run_for_cloning_writes_down(name, step, little, tmp_path):
    program = create(name, little[0], **SMALL.get(name, {}))
    step = step if step in program.steps else program.steps[0]
    run(little, program, tmp_path / "plain")
    run(little, Watched(program), tmp_path / "watched")
    plain, watched = (rows_of_run(tmp_path / each, program, [step]) for each in ("plain", "watched"))
    assert len(plain) == len(watched) == 4
    assert decisions(plain, step) == decisions(watched, step)
    assert all(decisions(plain, step))


def test_every_call_of_a_step_is_a_decision_with_its_passages_in_full(little, tmp_path):
    program = create("tor", little[0], **SMALL["tor"])
    run(little, program, tmp_path)
    (row, *_) = rows_of_run(tmp_path, program, ["review"])
    texts = {str(passage) for passage in little[0]}
    assert {each["step"] for each in row["decisions"]} == {"review"}
    assert all(set(each["inputs"]["path"]) <= texts for each in row["decisions"])
    assert len(row["decisions"]) == row["cost"]["calls_by_role"]["review"]


def test_another_step_than_the_planner_can_be_learned(little, tmp_path):
    program = create("mzqa", little[0], **SMALL["mzqa"])
    run(little, program, tmp_path)
    rows = rows_of_run(tmp_path, program, ["evaluate"])
    counts = [row["cost"]["calls_by_role"]["evaluate"] for row in rows]
    assert [len(each) for each in decisions(rows, "evaluate")] == counts


def test_a_text_that_is_also_a_passages_id_stays_a_text(tmp_path):
    """Where titles are ids, a list of titles is none of passages."""

    class Named(create("one-step", BM25.build([Passage("Ada", "Ada", "A mathematician.")])).__class__):
        name = "named"

        def set_up(self):
            signature = dspy.Signature("passages: list[str], names: list[str], question -> answer")
            self.answer = dspy.Predict(signature.with_updated_fields("names", desc="names that were proposed"))

        async def aforward(self, question):
            hits = await self.find(question, 1)
            answer = (await self.ask(self.answer, passages=hits, names=["Ada"], question=question)).answer
            return dspy.Prediction(answer=answer, passages=[hit.passage for hit in hits])

    program = Named(BM25.build([Passage("Ada", "Ada", "A mathematician.")]))
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Ada"})):
        evaluate(program, [{"id": "q", "question": "Who is Ada?", "answers": ["Ada"]}], out=tmp_path)
    ((decision,),) = [row["decisions"] for row in rows_of_run(tmp_path, program, ["answer"])]
    assert decision["inputs"] == {"passages": ["Ada | A mathematician."], "names": ["Ada"], "question": "Who is Ada?"}


def test_what_does_not_belong_together_is_refused(little, tmp_path):
    program = create("ircot", little[0])
    run(little, program, tmp_path)
    with pytest.raises(InputError, match="is a run of 'ircot', not of 'one-step'; clone 'ircot' from it"):
        rows_of_run(tmp_path, create("one-step", little[0]), ["answer"])
    with pytest.raises(InputError, match="unknown step of 'ircot' 'thinks'; did you mean 'think'"):
        rows_of_run(tmp_path, program, ["thinks"])
    other = create("ircot", BM25.build([Passage("p", "Ada", "A mathematician.")]))
    with pytest.raises(InputError, match=r"passages that .* shows are not in this corpus, such as"):
        rows_of_run(tmp_path, other, ["think"])
    served = create("ircot", lambda query, k: [])
    with pytest.raises(InputError, match="this retriever does not give its passages"):
        rows_of_run(tmp_path, served, ["think"])
    changed = create("ircot", little[0])
    changed.think.signature = changed.think.signature.append("more", dspy.InputField())
    with pytest.raises(InputError, match="the step 'think' of .* has the fields"):
        rows_of_run(tmp_path, changed, ["think"])


def test_the_lm_of_a_run_is_told_without_its_address(little, tmp_path):
    run(little, create("ircot", little[0]), tmp_path)
    assert lm_of_run(tmp_path, "think")["lm"].startswith("multihop/simulated")


def test_a_step_is_cloned_from_a_run_without_asking_anything(little, tmp_path):
    retriever, _, _ = little
    program = create("resp", retriever)
    run(little, program, tmp_path / "run")
    asked = []
    with dspy.context(lm=scripted(lambda prompt: asked.append(prompt))):
        every = clone(program, from_run=tmp_path / "run", out=tmp_path / "all", steps=["judge"])
        right = clone(program, from_run=tmp_path / "run", out=tmp_path / "right", steps=["judge"], only_right=True)
        used = clone(program, from_run=tmp_path / "run", out=tmp_path / "used", steps=["judge"], model="fake/judge")
    assert asked == []
    rows = [ujson.loads(line) for line in (tmp_path / "run" / "questions.jsonl").read_text().splitlines()]
    assert every.rows == {"judge": sum(row["cost"]["calls_by_role"].get("judge", 0) for row in rows)}
    assert (every.questions, every.kept) == (4, 4)
    assert right.kept == sum(row["metrics"]["em"] == 1.0 for row in rows) < 4
    assert not (tmp_path / "all" / "run").exists()
    loaded = load(used.artefact, retriever)
    assert (loaded.name, loaded.cloned, loaded.lms["judge"].model) == ("resp", ("judge",), "fake/judge")
    assert about_artefact(used.artefact)["lm"].startswith("multihop/simulated")


def test_a_step_that_is_no_planner_drives_the_program_that_asks_it(little, tmp_path):
    program = create("mzqa", little[0], **SMALL["mzqa"])
    run(little, program, tmp_path / "run")
    done = clone(program, from_run=tmp_path / "run", out=tmp_path / "out", steps=["evaluate"], model="fake/evaluate")
    assert load(done.artefact, little[0]).name == "mzqa"


def test_right_answers_are_asked_for_of_a_run_that_measured_them(little, tmp_path):
    program = create("resp", little[0])
    with dspy.context(lm=little[2]):
        evaluate(program, little[1], out=tmp_path / "run", metrics=[])
    with pytest.raises(InputError, match="run did not measure 'em', so nobody knows which answers are right"):
        clone(program, from_run=tmp_path / "run", out=tmp_path / "out", steps=["judge"], only_right=True)


def test_a_model_on_the_disk_is_named_as_its_server_names_it(little, tmp_path):
    program = create("resp", little[0])
    with pytest.raises(InputError, match="'./clones/judge' is a model on the disk.* start `vllm serve FOLDER"):
        clone(program, from_run=tmp_path / "run", out=tmp_path / "out", steps=["judge"], model="./clones/judge")
    run(little, program, tmp_path / "run")
    done = clone(program, from_run=tmp_path / "run", out=tmp_path / "out", steps=["judge"], model="server/judge")
    saved = SavedProgram.read(done.artefact)
    with pytest.raises(InputError, match="asks server/judge for the step judge, .* --step-lm judge=server/judge@http"):
        open_lm_for(saved, "local", LMs())
    assert open_lm_for(saved, "local", LMs(), step_lms=["judge=local"]).model.startswith("multihop/local")
