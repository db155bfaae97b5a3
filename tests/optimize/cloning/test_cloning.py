from itertools import islice

import dspy
import fake_provider
import pytest
import ujson
from simulated import simulated

from multihop import BM25, InputError, Little, Question, RunFailed, clone, create, load, scripted
from multihop.__main__ import main
from multihop.optimize.cloning.cloning import chosen
from multihop.optimize.finetuning.chat_file import chat_rows
from multihop.optimize.finetuning.finetuning import provider_named
from multihop.runtime import Decision

FAKE = "fake_provider:FakeProvider"
SMALL = {name: {"iterations": 3, "depth": 3} for name in ("mzqa", "lats", "lats-mzqa")}


class Nothing:
    def search(self, queries, k):
        return [[] for _ in queries]


@pytest.fixture(scope="module")
def little():
    made = Little()
    retriever, questions = BM25.build(made.passages()), list(islice(made.questions(), 12))
    return retriever, questions, simulated(questions, iter(retriever), error_rate=0.1, known=0.0)


@pytest.fixture(autouse=True)
def nothing_trained():
    fake_provider.TRAINED.clear()


def check_chat_file(path):
    """The rules of OpenAI's chat fine-tuning format, line by line."""
    rows = [ujson.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows
    for row in rows:
        assert set(row) == {"messages"}
        messages = row["messages"]
        assert isinstance(messages, list)
        assert all(set(message) == {"role", "content"} for message in messages)
        assert all(isinstance(message["content"], str) and message["content"] for message in messages)
        assert [message["role"] for message in messages] == ["system", "user", "assistant"]
    return rows


def journal(folder):
    return [ujson.loads(line) for line in (folder / "run" / "questions.jsonl").read_text().splitlines()]


def do(little, name, out, **more):
    retriever, questions, lm = little
    with dspy.context(lm=lm):
        return clone(create(name, retriever, **SMALL.get(name, {})), questions, out=out, **more)


@pytest.mark.parametrize(
    ("name", "driven", "step"),
    [
        ("mzqa", "mzqa-bc", "plan"),
        ("lats", "lats-bc", "plan"),
        ("lats-mzqa", "lats-bc", "plan"),
        ("ircot", "ircot", "think"),
    ],
)
def test_a_whole_cloning(name, driven, step, little, tmp_path, capsys):
    done = do(little, name, tmp_path, start_from="fake/base", provider=FAKE, options={"epochs": 2})
    rows = check_chat_file(tmp_path / f"{step}.jsonl")
    assert done.rows == {step: len(rows)}
    assert done.kept == done.questions == 12
    assert [("fake/base", rows, "chat", {"epochs": 2})] == fake_provider.TRAINED
    assert done.model == "fake/base-cloned"
    assert capsys.readouterr().out == ""
    program = load(done.artefact, little[0])
    assert program.name == driven
    assert program.lms[step].model == "fake/base-cloned"
    if name in SMALL:
        assert program.depth == 3


def test_the_clone_is_asked_exactly_as_it_was_trained(little, tmp_path):
    do(little, "mzqa", tmp_path, model="fake/cloned")
    trained = {row["messages"][1]["content"] for row in check_chat_file(tmp_path / "plan.jsonl")}
    planner = scripted(lambda prompt: {"sub_question": "Who?"})
    asked = []
    complete = planner.engine.respond
    planner.engine.respond = lambda request: (asked.append(request.messages[-1].text), complete(request))[1]
    program = load(tmp_path / "program.json", little[0], settings={"lms": {"plan": planner}, "stops": ()})
    kept = journal(tmp_path)[0]
    with dspy.context(lm=little[2]):
        prediction = program(question=kept["question"])
    assert prediction.cost["calls"] == 3 * 3 + 1
    assert asked[0] in trained


def test_every_state_of_the_chosen_path_is_a_row(little, tmp_path):
    retriever, questions, lm = little
    with dspy.context(lm=lm):
        prediction = create("mzqa", retriever, **SMALL["mzqa"])(question=questions[0].question)
    decisions = create("mzqa", retriever).decisions(questions[0].question, prediction, [])
    steps = [step["sub_question"] for step in prediction.evidence]
    assert [decision.outputs["sub_question"] for decision in decisions] == steps
    assert [len(decision.inputs["history"]) for decision in decisions] == list(range(len(steps)))


def thoughts(rows):
    return [each for row in rows for each in row["decisions"] if each["step"] == "think"]


def test_every_question_is_learned_from_unless_only_right_answers_are_asked_for(little, tmp_path):
    every = do(little, "ircot", tmp_path)
    rows = journal(tmp_path)
    assert (every.kept, every.rows) == (12, {"think": len(thoughts(rows))})
    right = [row for row in rows if row["metrics"]["em"] == 1.0]
    fewer = do(little, "ircot", tmp_path, only_right=True)
    assert fewer.kept == len(right) < 12
    assert fewer.rows == {"think": len(thoughts(right))}
    assert all(set(piece) == {"analysis", "passages"} for row in right for piece in row["evidence"])


def test_right_answers_cannot_be_asked_for_where_none_is_known(little, tmp_path):
    blind = [Question(id="q", question="Who?", answers=())]
    with dspy.context(lm=little[2]), pytest.raises(InputError, match="none of the questions has an answer"):
        clone(create("ircot", little[0]), blind, out=tmp_path, only_right=True)
    wrong = [Question(id="q", question="Who?", answers=("nobody at all",))]
    lm = scripted(lambda prompt: {"thought": "So the answer is Ada.", "reasoning": "", "enough": True, "answer": "Ada"})
    with dspy.context(lm=lm), pytest.raises(InputError, match="none of the 1 answers is right"):
        clone(create("ircot", little[0]), wrong, out=tmp_path / "wrong", only_right=True)


def test_a_program_that_gives_no_value_has_no_best_share(little, tmp_path):
    with pytest.raises(InputError, match="gives its paths no value"):
        do(little, "ircot", tmp_path, best=0.5)
    with pytest.raises(InputError, match="above 0 and at most 1, not 50"):
        do(little, "ircot", tmp_path, best=50)


def test_the_most_valuable_share_of_the_paths_is_kept_with_gold_and_without(little, tmp_path):
    retriever, questions, lm = little
    blind = [Question(id=each.id, question=each.question, answers=()) for each in questions]
    for folder, asked in (("gold", questions), ("blind", blind)):
        with dspy.context(lm=lm):
            made = create("mzqa", retriever, **SMALL["mzqa"])
            done = clone(made, asked, out=tmp_path / folder, best=0.25)
        values = sorted((row["counts"]["reward"] for row in journal(tmp_path / folder)), reverse=True)
        kept = chosen(journal(tmp_path / folder), 0.25)
        assert (done.questions, done.kept) == (12, 3)
        assert sorted((row["counts"]["reward"] for row in kept), reverse=True) == values[:3]
        assert done.rows["plan"] == sum(len(row["decisions"]) for row in kept)


def test_issued_again_it_asks_and_trains_nothing_anew(little, tmp_path):
    first = do(little, "ircot", tmp_path, start_from="fake/base", provider=FAKE)
    silent = scripted([])
    silent.model = little[2].model
    with dspy.context(lm=silent):
        again = clone(create("ircot", little[0]), little[1], out=tmp_path, start_from="fake/base", provider=FAKE)
    assert again == first
    assert len(fake_provider.TRAINED) == 1


def test_files_for_other_steps_may_be_written(little, tmp_path):
    done = do(little, "ircot", tmp_path, steps=["think", "read"])
    assert set(done.files) == {"think", "read"}
    check_chat_file(tmp_path / "read.jsonl")
    assert done.model is None
    assert not (tmp_path / "program.json").exists()


def test_a_step_without_decisions_is_refused(little, tmp_path):
    with pytest.raises(InputError, match="no decision of step 'plan' was kept; there are decisions of: read, think"):
        do(little, "ircot", tmp_path, steps=["plan"])


def test_a_program_without_a_planner_is_refused(little, tmp_path):
    with pytest.raises(InputError, match="'one-step' has no planner to clone; these have: .*mzqa"):
        do(little, "one-step", tmp_path)


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        ("nobody", "unknown fine-tuning provider"),
        ("no_module:X", "cannot be imported"),
        ("fake_provider:X", "unknown fine-tuning provider in module fake_provider: 'X'"),
        ("fake_provider:NotATrainer", "is not a DSPy provider that can fine-tune"),
        (None, "nobody is known who fine-tunes 'groq/base'"),
    ],
)
def test_who_cannot_train_is_refused(provider, message, little, tmp_path):
    with pytest.raises(InputError, match=message):
        do(little, "ircot", tmp_path, start_from="groq/base", provider=provider)


def test_a_provider_that_says_on_its_class_alone_that_it_can_is_believed():
    kind = type(made := provider_named("databricks"))
    assert (made.finetunable, made.TrainingJob, kind.__name__) == (True, kind.TrainingJob, "DatabricksProvider")


def test_a_failed_training_says_so_and_leaves_the_files(little, tmp_path):
    with pytest.raises(RunFailed, match="fine-tuning 'fake/base' failed: no quota"):
        do(little, "ircot", tmp_path, start_from="fake/base", provider=FAKE, options={"fail": True})
    check_chat_file(tmp_path / "think.jsonl")
    assert not (tmp_path / "model.json").exists()


def test_rows_are_grouped_by_step_whatever_their_order():
    program = create("ircot", Nothing())
    inputs = {"passages": ["a | b"], "thoughts": [], "question": "Who?"}
    rows = chat_rows(
        program,
        [
            Decision("think", inputs, {"thought": "t1", "enough": False}),
            Decision("read", {"passages": [], "question": "Who?"}, {"reasoning": "r", "answer": "Ada"}),
            Decision("think", inputs, {"thought": "t2", "enough": True}),
        ],
    )
    assert {step: len(conversations) for step, conversations in rows.items()} == {"think": 2, "read": 1}
    assert "t2" in rows["think"][1]["messages"][2]["content"]


@pytest.mark.usefixtures("tiny_encoder")
def test_the_command_carries_it_through(tmp_path, capsys):
    arguments = ["clone", "ircot", "--limit", "15", "--out", str(tmp_path / "c")]
    code = main([*arguments, "--finetune", "fake/base", "--provider", FAKE, "--train-set", "epochs=1"])
    out = capsys.readouterr().out
    assert code == 0
    assert "of 15 questions kept" in out
    assert "model fake/base-cloned" in out
    assert fake_provider.TRAINED[0][3] == {"epochs": 1}
    check_chat_file(tmp_path / "c" / "think.jsonl")
    assert main(["clone", "one-step", "--out", str(tmp_path / "d")]) == 2
    assert "has no planner to clone" in capsys.readouterr().err
