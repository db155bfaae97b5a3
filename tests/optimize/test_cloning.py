"""Cloning: a step's decisions of a run, or of gold, as the very messages that the step is asked with."""

from itertools import islice

import dspy
import pytest
import ujson
from openai_server import OpenAIServer
from simulated import simulated

import multihop
from multihop import BM25, InputError, Little, Passage, Question, clone, create, evaluate, load, open_lm, scripted
from multihop.cli.lm_options import LMOptions, LMs
from multihop.evaluation.journal import read_rows
from multihop.optimize import chat_rows, cloning
from multihop.optimize.artefact import SavedProgram
from multihop.optimize.finetuning import Tuned
from multihop.optimize.tuning_rows import Lessons, decisions_of_run

SMALL = {name: {"iterations": 2, "depth": 3} for name in ("mzqa", "lats", "lats-mzqa")} | {"tor": {"depth": 2}}


@pytest.fixture(scope="module")
def little():
    made = Little()
    retriever, questions = BM25.build(made.passages()), list(islice(made.questions(), 6))
    return retriever, questions, simulated(questions, iter(retriever), error_rate=0.1, known=0.0)


def run(little, name, out):
    """A program, and the folder of its run."""
    program = create(name, little[0], **SMALL.get(name, {}))
    with dspy.context(lm=little[2]):
        evaluate(program, little[1], out=out, concurrency=1)
    return program


def rows_of(file):
    return [ujson.loads(line)["messages"] for line in file.read_text(encoding="utf-8").splitlines()]


def anything(prompt):
    known = {"bool": False, "int": 5, "list[str]": ["x"]}
    return {field.name: known.get(field.type, f"{field.name}?") for field in prompt.output_fields}


@pytest.mark.parametrize("name", ["resp", "tor", "ranked-rag", "ircot"])
def test_rows_are_the_very_messages_that_an_lm_of_ones_own_gets_at_every_step(name, little, tmp_path):
    program = create(name, little[0], cloned=create(name, little[0]).steps, **SMALL.get(name, {}))
    with OpenAIServer(anything) as server, dspy.context(lm=open_lm("server/x", api_base=server.url)):
        evaluate(program, little[1][:2], out=tmp_path / "run", concurrency=1)
        asked = [body["messages"] for body in server.bodies]
    _, made = decisions_of_run(tmp_path / "run", program, *program.steps)
    learned = [row["messages"] for row in chat_rows(program, [each for some in made.values() for each in some])]
    assert {row[-1]["role"] for row in learned} == {"assistant"}
    assert sorted(map(str, asked)) == sorted(str(row[:-1]) for row in learned)


@pytest.mark.parametrize(("name", "driven"), [("mzqa", "mzqa-bc"), ("lats-mzqa", "lats-bc")])
def test_a_search_is_cloned_by_the_path_that_it_chose(name, driven, little, tmp_path, monkeypatch):
    program, told = run(little, name, tmp_path / "run"), []
    monkeypatch.setattr(
        cloning, "finetune", lambda *given, **more: told.append((*given, more)) or Tuned(lm="fake/cloned", base="b")
    )
    done = clone(program, from_run=tmp_path / "run", out=tmp_path, start_from="openai/base", options={"n_epochs": 2})
    rows = rows_of(tmp_path / "plan.jsonl")
    journal = list(read_rows(tmp_path / "run"))
    assert (done.questions, done.kept, done.rows) == (6, 6, sum(len(row["evidence"]) for row in journal))
    ((model, given, more),) = told
    assert (model, [row["messages"] for row in given], more["name"]) == ("openai/base", rows, f"{name}-plan")
    assert more["n_epochs"] == 2
    clone_of = load(done.artefact, little[0])
    assert (clone_of.name, clone_of.depth, clone_of.cloned) == (driven, 3, ("plan",))
    assert clone_of.lms["plan"].model == "fake/cloned"
    assert SavedProgram.read(done.artefact).about["lm"].startswith("multihop/simulated")
    # the clone's first call is one that it was trained on
    planner, asked = scripted(anything), []
    complete = planner.engine.complete
    planner.engine.complete = lambda request: (asked.append(request.messages[-1].text), complete(request))[1]
    program = load(done.artefact, little[0], settings={"lms": {"plan": planner}})
    with dspy.context(lm=little[2]):
        program(question=journal[0]["question"])
    assert asked[0] in {row[1]["content"] for row in rows}


def test_every_call_is_a_decision_with_its_passages_in_full_and_right_answers_can_be_chosen(little, tmp_path):
    program = run(little, "tor", tmp_path)
    journal = list(read_rows(tmp_path))
    count, kept = decisions_of_run(tmp_path, program, "review")
    kept = list(kept.values())
    texts = {str(passage) for passage in little[0]}
    assert (count, [len(each) for each in kept]) == (6, [row["cost"]["calls_by_role"]["review"] for row in journal])
    assert all(set(each.inputs["path"]) <= texts for some in kept for each in some)
    right = [each for each, row in zip(kept, journal, strict=True) if row["metrics"]["em"] == 1.0]
    assert list(decisions_of_run(tmp_path, program, "review", only_right=True)[1].values()) == right
    assert 0 < len(right) < 6
    assert list(decisions_of_run(tmp_path, program, "review", limit=2)[1].values()) == kept[:2]


def test_a_step_that_is_no_planner_drives_the_program_that_asks_it(little, tmp_path, monkeypatch):
    monkeypatch.setattr(cloning, "finetune", lambda *given, **more: Tuned(lm="server/judge", base="b"))
    program = run(little, "mzqa", tmp_path / "run")
    done = clone(program, from_run=tmp_path / "run", out=tmp_path, step="evaluate", start_from="fake/base")
    assert load(done.artefact, little[0]).name == "mzqa"
    saved = SavedProgram.read(done.artefact)
    with pytest.raises(InputError, match="asks server/judge for the step evaluate, .* --lm evaluate=server/judge"):
        LMs(LMOptions()).open_all(saved, ["local"])
    assert LMs(LMOptions()).open_all(saved, ["local", "evaluate=local"])[0].model.startswith("multihop/local")


def test_a_text_that_is_also_a_passages_id_stays_a_text(tmp_path):
    """Where titles are ids, a list of titles is none of passages."""
    pages = BM25.build([Passage("Ada", "Ada", "A mathematician.")])

    class Named(multihop.Program):
        name = "named"

        def set_up(self):
            signature = dspy.Signature("passages: list[str], names: list[str], question -> answer")
            self.answer = dspy.Predict(signature.with_updated_fields("names", desc="names that were proposed"))

        async def aforward(self, question):
            hits = await self.find(question, 1)
            return await self.ask(self.answer, passages=hits, names=["Ada"], question=question)

    program = Named(pages)
    with dspy.context(lm=scripted(lambda prompt: {"answer": "Ada"})):
        evaluate(program, [{"id": "q", "question": "Who is Ada?", "answers": ["Ada"]}], out=tmp_path)
    ((decision,),) = decisions_of_run(tmp_path, program, "answer")[1].values()
    assert decision.inputs == {"passages": ["Ada | A mathematician."], "names": ["Ada"], "question": "Who is Ada?"}


def test_what_does_not_belong_together_is_refused(little, tmp_path):
    program = run(little, "ircot", tmp_path)
    changed, other = create("ircot", little[0]), BM25.build([Passage("p", "Ada", "A mathematician.")])
    changed.think.signature = changed.think.signature.append("more", dspy.InputField())
    for asked, step, message in (
        (create("one-step", little[0]), "answer", "is a run of 'ircot', not of 'one-step'"),
        (program, "thinks", "unknown step of 'ircot' 'thinks'; did you mean 'think'"),
        (create("ircot", other), "think", r"passages that .* shows are not in this corpus, such as"),
        (create("ircot", lambda query, k: []), "think", "this retriever does not give its passages"),
        (changed, "think", "the step 'think' of .* has the fields"),
    ):
        with pytest.raises(InputError, match=message):
            decisions_of_run(tmp_path, asked, step)
    with pytest.raises(InputError, match="'one-step' has no planner to clone; these have: .*mzqa"):
        clone(create("one-step", little[0]), from_run=tmp_path, out=tmp_path)
    for both in ({}, {"from_run": tmp_path, "from_gold": little[1]}):
        with pytest.raises(InputError, match="give one of them"):
            clone(program, out=tmp_path, **both)


def test_right_answers_are_asked_for_where_they_are_known_and_there_are_some(little, tmp_path):
    program = create("one-step", little[0])
    with dspy.context(lm=scripted(lambda prompt: {"reasoning": "", "answer": "nobody at all"})):
        evaluate(program, little[1], out=tmp_path / "unmeasured", metrics=[])
        evaluate(program, little[1], out=tmp_path / "wrong")
    for folder, message in (("unmeasured", "did not measure 'em'"), ("wrong", "none of the 6 answers is right")):
        with pytest.raises(InputError, match=message):
            clone(program, from_run=tmp_path / folder, out=tmp_path, step="answer", only_right=True)


def test_gold_says_the_next_hop_at_each_state_in_the_words_of_labeled_demonstrations(little, tmp_path):
    chains = [question for question in Little().questions() if question.type == "bridge"][2:8]
    lessons = Lessons(create("mzqa-bc", little[0]), chains, ["plan"])
    lessons.add_gold()
    planned = list(lessons.decisions.values())
    assert len(planned) == len(chains)
    for decisions, question in zip(planned, chains, strict=True):
        hops = question.decomposition
        assert [len(each.inputs["history"]) for each in decisions] == list(range(len(hops)))
        assert {each.inputs["question"] for each in decisions} == {question.question}
        assert all(hop.answer in each.inputs["history"][-1] for each, hop in zip(decisions[1:], hops, strict=False))
    with dspy.context(lm=None):  # nothing is asked
        done = clone(create("mzqa", little[0]), from_gold=chains, out=tmp_path)
    assert (done.kept, done.rows) == (6, sum(map(len, planned)))
    said = [each.outputs["sub_question"] for decisions in planned for each in decisions]
    assert all(sub_question in row[-1]["content"] for sub_question, row in zip(said, rows_of(done.file), strict=True))
    assert clone(create("tor", little[0]), from_gold=chains, out=tmp_path, step="review").rows > 6
    with pytest.raises(InputError, match="did you mean 'plan'"):
        clone(create("mzqa", little[0]), from_gold=chains, out=tmp_path, step="pla")
    with pytest.raises(InputError, match="of none of the 1 questions the gold can be read"):
        clone(create("mzqa", little[0]), from_gold=[Question(id="q", question="Who?", answers=())], out=tmp_path)
