import dspy
import pytest
import ujson
from learner import GOLD, OnePage, learner

from multihop import InputError, compile_variants, create, load
from multihop.__main__ import main
from multihop.data import Question
from multihop.optimize.gold_examples import ExamplePool, StepExample

DEV = list(GOLD)[10:34]
KINDS = ("zero-shot", "labeled-1", "given")


def strong_in_two_of_three(prompt, model):
    """Each set of demonstrations makes another third of the questions wrong."""
    shown = len(prompt.demonstrations)
    return int(prompt.inputs["question"].removesuffix("?").rpartition(" ")[2]) % 3 != min(shown, 2)


def studied(to, variants=KINDS, demos=2):
    shots = {"answer": [{"passages": ["x"], "question": f"{n}?", "answer": "y"} for n in range(demos)]}
    questions = [Question(id=each, question=each, answers=(GOLD[each],)) for each in GOLD]
    with dspy.context(lm=learner(strong_in_two_of_three)):
        return compile_variants(
            create("one-step", OnePage()), variants, train=questions[:10], dev=questions[10:34], to=to, demos=shots
        )


@pytest.fixture
def world_of_steps(monkeypatch):
    """One demonstration for the variant that takes it from gold: these questions have no supporting passages."""
    example = dspy.Example(passages=["x"], question="q", answer="y").with_inputs("passages", "question")
    made = {"answer": ExamplePool((StepExample(example, "an answer", "q"),), ("an answer",))}
    monkeypatch.setattr("multihop.optimize.study._Compiling.make_examples", lambda *_: made)


@pytest.mark.usefixtures("world_of_steps")
def test_dspy_votes_alike_with_the_programs_that_were_kept(tmp_path):
    done = studied(tmp_path / "p.json")
    assert [outcome.f1["mean"] for outcome in done.outcomes] == [pytest.approx(2 / 3)] * 3
    programs = [load(tmp_path / "p.json.work" / "variants" / f"{name}.json", OnePage()) for name in KINDS]
    with dspy.context(lm=learner(strong_in_two_of_three)):
        together = dspy.Ensemble(reduce_fn=dspy.majority).compile(programs)
        answers = [together(question=question).answer for question in DEV]
        alone = [programs[0](question=question).answer for question in DEV]
    assert answers == [GOLD[question] for question in DEV]
    assert alone != answers


@pytest.mark.parametrize("name", ["tor", "mzqa"])
def test_searches_vote_too(name):
    settings = {"mzqa": {"iterations": 2, "depth": 2}}.get(name, {})
    programs = [create(name, OnePage(), **settings) for _ in range(3)]
    for shown, program in enumerate(programs):
        program.read.demos = [dspy.Example(question="q", answer="y").with_inputs("question")] * shown
    with dspy.context(lm=learner(strong_in_two_of_three)):
        together = dspy.Ensemble(reduce_fn=dspy.majority).compile(programs)
        assert [together(question=question).answer for question in DEV[:3]] == [GOLD[each] for each in DEV[:3]]


@pytest.mark.usefixtures("world_of_steps")
def test_own_demonstrations_must_be_given_and_an_ensemble_is_made_by_dspy(tmp_path):
    with pytest.raises(InputError, match=r"'ensemble' is gone: load the files in FILE\.work/variants and give them to"):
        studied(tmp_path / "p.json", variants=["zero-shot", "ensemble"])
    with dspy.context(lm=learner(strong_in_two_of_three)), pytest.raises(InputError, match="'given' needs demonstr"):
        compile_variants(create("one-step", OnePage()), ["given"], train=[], dev=[], to=tmp_path / "p.json")


@pytest.mark.usefixtures("world_of_steps")
def test_other_demonstrations_do_not_go_on_with_the_work_of_the_first(tmp_path):
    first = studied(tmp_path / "p.json")
    assert studied(tmp_path / "p.json").outcomes == first.outcomes
    with pytest.raises(InputError, match=r"given.json was made with other demonstrations; choose another file"):
        studied(tmp_path / "p.json", demos=3)


def test_the_command_compiles_with_own_demonstrations(tmp_path, capsys, tiny_encoder):
    shots = tmp_path / "shots.json"
    shots.write_text(ujson.dumps({"answer": [{"question": "Who wrote Emma?", "answer": "Jane Austen"}]}))
    arguments = ["compile", "one-step", "--train-limit", "4", "--dev-limit", "4"]
    arguments += ["--demos", str(shots), "--variants", "zero-shot,labeled-1", "--to", str(tmp_path / "p.json")]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if "±" in line][:3] == list(KINDS)
