"""The variant `finetuned`: rows of every step, a training that is not made twice, the program that asks its model."""

from itertools import islice

import dspy
import pytest
import ujson
from openai_server import OpenAIServer
from simulated import simulated

from multihop import BM25, InputError, Little, compile_variants, create, load, open_lm
from multihop.base import MismatchError
from multihop.cli.lm_options import LMOptions, LMs
from multihop.evaluation.metrics import F1
from multihop.optimize.artefact import SavedProgram, as_written
from multihop.optimize.finetuning import FinetuneProvider, Tuned
from multihop.runtime.adapters import keeping_texts


@pytest.fixture(scope="module")
def little():
    retriever, questions = BM25.build(Little().passages()), list(islice(Little().questions(), 7))
    return retriever, questions, simulated(questions, iter(retriever), known=0.0, error_rate=0.0)


def anything(prompt):
    known = {"bool": True, "int": 5, "list[str]": ["x"]}
    return {field.name: known.get(field.type, "London") for field in prompt.output_fields}


def served(*names):
    return {"/v1/models": (200, {"data": [{"id": name} for name in names]})}


@pytest.fixture
def trainings(monkeypatch, tmp_path):
    """Each training that is asked for; nothing is trained."""
    made = []

    def tune(model, rows, *, name, tell, **options):
        made.append((model, rows, options))
        facts = {"base": model, "rows": "0", "rank": 16, "seed": options["seed"]}
        return Tuned(lm=f"server/{name}-{len(made)}", base=model, folder=tmp_path / "models" / name, facts=facts)

    monkeypatch.setattr("multihop.optimize.study.finetune", tune)
    return made


def study(program, little, to, **options):
    variants, told = options.pop("variants", ["zero-shot", "finetuned"]), options.pop("told", [])
    options = {"finetune": "base", "tell": told.append, **options}
    return compile_variants(program, variants, train=little[1][:4], dev=little[1][4:], to=to, **options)


def test_a_model_is_trained_once_on_every_step_and_scored_once_it_is_served(little, tmp_path, trainings):
    program, to, told = create("resp", little[0], turns=1), tmp_path / "p.json", []
    with OpenAIServer(anything, told=served("base")) as server:
        lm = open_lm("server/base", api_base=server.url, structured="text")
        with dspy.context(lm=lm):
            first = study(program, little, to, told=told)
            why = first.failed["finetuned"]
            assert why.startswith("server/resp-1 is trained; the server at ")
            assert "has no model 'resp-1'. It has: 'base'. Serve it, and give the same command again: vllm " in why
            assert first.best == "zero-shot"
            server.told.update(served("base", "resp-1"))
            server.bodies.clear()
            second = study(program, little, to)
            with pytest.raises(
                InputError, match="was made with other options of the training or passages; choose another file"
            ):
                study(program, little, to, finetune="another")
        asked = [body["messages"] for body in server.bodies if body["model"] == "resp-1"]
        ((model, rows, options),) = trainings
        assert (model, options["seed"], options["output"]) == ("base", 0, f"{to}.work/models")
        learned = {row["messages"][0]["content"] for row in rows}
        assert {each[0]["content"] for each in asked} <= learned
        assert len(learned) == len(program.steps)
        assert [outcome.variant for outcome in second.outcomes] == ["zero-shot", "finetuned"]
        assert second.best == "finetuned"  # of answers that are alike, in fewer tokens
        saved = SavedProgram.read(to)
        assert set(saved.step_lms.values()) == {"server/resp-1"} == {saved.lm}
        assert saved.about["tuned"]["base"] == "base"
        note = r"p.json asks server/resp-1 at every step.*start it \(vllm serve .* --lm server/resp-1@http://HOST"
        for given in (None, ["local"]):
            with pytest.raises(InputError, match=note):
                LMs(LMOptions()).open_all(saved, given)
        opened, lms = LMs(LMOptions()).open_all(saved, [f"server/resp-1@{server.url}"])
        assert set(lms["lms"].values()) == {opened}
        with pytest.raises(InputError, match=note):
            load(to, little[0], lm=lm)
        with pytest.warns(UserWarning, match=note):
            load(to, little[0])
        again = load(to, little[0], lm=opened)
        again(question="Who?")
        assert server.bodies[-1]["model"] == "resp-1"
    content = ujson.loads(to.read_text())
    del content["metadata"]["multihop"]["digest"]
    content["judge"]["signature"]["instructions"] = "Judge otherwise."
    to.write_text(as_written(content))
    with pytest.raises(MismatchError, match="was tuned on other prompts than this version writes"):
        load(to, little[0], settings={"lms": lms["lms"]})


def test_one_step_alone_may_ask_the_tuned_model_and_each_seed_trains_its_own(little, tmp_path, trainings):
    program = create("resp", little[0], turns=1)
    with OpenAIServer(anything, told=served("base", "resp-1", "resp-2")) as server:
        with dspy.context(lm=open_lm("server/base", api_base=server.url, structured="text")):
            made = study(program, little, tmp_path / "p.json", variants=["read=finetuned"], most_rows=20)
            study(program, little, tmp_path / "s.json", variants=["finetuned"], seeds=2, most_rows=20)
        assert {body["model"] for body in server.bodies} == {"base", "resp-1", "resp-2", "resp-3"} - {"resp-3"}
    saved = SavedProgram.read(made.artefact)
    assert (saved.step_lms, saved.settings["cloned"]) == ({"read": "server/resp-1"}, ["read"])
    assert saved.lm == "server/base"
    assert saved.about["tuned"]["folder"].endswith("models/resp")
    assert [options["seed"] for _, _, options in trainings] == [0, 0, 1]
    assert [len(rows) for _, rows, _ in trainings] == [20, 20, 20]
    assert trainings[1][1] != trainings[2][1]


def test_a_model_at_its_host_learns_every_call_of_right_runs_as_by_dspys_own_class(little, tmp_path, monkeypatch):
    program, told, lm = create("ircot", little[0]), [], little[2].copy()
    lm.provider = FinetuneProvider()
    for module in ("study", "finetuning"):
        monkeypatch.setattr(
            f"multihop.optimize.{module}.finetune",
            lambda model, rows, **_: told.append((model, rows)) or Tuned(lm=f"{model}-tuned", base=model),
        )
    with dspy.context(lm=lm):
        given = {"finetune": "openai/base", "learn_from": "runs", "variants": ["BootstrapFinetune"]}
        with pytest.raises(Exception, match="tuned"):  # nobody answers under that name
            study(program, little, tmp_path / "p.json", **given)
        runs = [program(question=question.question) for question in little[1][:4]]
    ((model, rows),) = told
    pairs = zip(runs, little[1], strict=False)
    right = [run for run, question in pairs if float(F1()(question.to_example(), run)) == 1.0]
    assert len(rows) == sum(run.cost["calls"] + run.cost["cached"] for run in right) > 0
    assert "[[ ## question ## ]]" in rows[0]["messages"][1]["content"]
    saved = SavedProgram.read(tmp_path / "p.json.work/variants/finetuned.json")
    assert saved.step_lms == dict.fromkeys(program.steps, f"{model}-tuned")
    student = program.deepcopy()  # and by DSPy's own class, on the calls of the same runs
    student.set_lm(lm)
    adapter, examples = keeping_texts(dspy.ChatAdapter()), [question.to_example() for question in little[1][:4]]
    theirs = dspy.BootstrapFinetune(metric=lambda *given: float(F1()(*given[:2])) == 1.0, adapter=adapter)
    with dspy.context(lm=lm, adapter=adapter):
        theirs.compile(student, trainset=examples)
    assert sorted(map(str, told[1][1])) == sorted(map(str, rows))


def test_a_step_with_an_lm_of_its_own_learns_nothing_and_no_base_is_refused_before_a_call(little, tmp_path, trainings):
    program = create("resp", little[0], turns=1, lms={"read": little[2]})
    asked = len(little[2].history)
    with dspy.context(lm=little[2]):
        with pytest.raises(InputError, match="nobody is known who fine-tunes multihop/simulated.*--finetune BASE"):
            study(program, little, tmp_path / "p.json", finetune=None)
        with pytest.raises(InputError, match="nobody is known who fine-tunes"):
            study(program, little, tmp_path / "p.json", finetune=None, variants=["judge=finetuned"])
        with pytest.raises(InputError, match="no variant trains one: add finetuned to the variants"):
            study(program, little, tmp_path / "p.json", variants=["zero-shot"])
        assert len(little[2].history) == asked
        with pytest.raises(InputError, match="is trained; where it is served is said with --lm server/BASE"):
            study(program, little, tmp_path / "p.json", variants=["finetuned"])
    saved = SavedProgram.read(tmp_path / "p.json.work/variants/finetuned.json")
    assert set(saved.settings["cloned"]) == {*program.steps} - {"read"}


@pytest.mark.parametrize(("name", "step"), [("mzqa-bc", "propose"), ("tot-bfs", "plan"), ("lats-bc", "answer")])
def test_a_step_that_is_never_asked_has_no_rows(little, tmp_path, trainings, name, step):
    program = create(name, little[0], depth=2)
    with dspy.context(lm=little[2]):
        assert step not in program(question=little[1][0].question).cost["calls_by_role"]
        with pytest.raises(InputError, match="is trained; where it is served"):
            study(program, little, tmp_path / "p.json", variants=["finetuned"])
    ((_, rows, _),) = trainings
    assert len({row["messages"][0]["content"] for row in rows}) == len(program.steps) - 1
    saved = SavedProgram.read(tmp_path / "p.json.work/variants/finetuned.json")
    assert "at every step" in saved.note_on_server()


def test_a_training_that_was_ended_learns_the_very_rows_that_it_began_with(little, tmp_path, monkeypatch):
    begun = []

    def end(model, rows, **_):
        begun.append(rows)
        raise KeyboardInterrupt

    monkeypatch.setattr("multihop.optimize.study.finetune", end)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), dspy.context(lm=little[2]):
            study(create("one-step", little[0]), little, tmp_path / "p.json", variants=["finetuned"])
    assert begun[0] == begun[1]
