import dspy
import pytest
import ujson

from multihop import BM25, InputError, Little, Question, clone, create
from multihop.__main__ import main
from multihop.optimize.cloning.from_gold import rows_of_gold


@pytest.fixture(scope="module")
def little():
    chains = [question for question in Little().questions() if question.type == "bridge"]
    return BM25.build(Little().passages()), chains[2:8]


def learned(little, tmp_path, name="mzqa", **more):
    with dspy.context(lm=None):  # nothing is asked
        return clone(create(name, little[0]), little[1], out=tmp_path, from_gold=True, **more)


def test_a_planner_learns_the_next_hop_at_each_state(little, tmp_path):
    cloned = learned(little, tmp_path)
    assert (cloned.questions, cloned.kept, cloned.files) == (6, 6, {"plan": tmp_path / "plan.jsonl"})
    rows = rows_of_gold(create("mzqa-bc", little[0]), little[1], ["plan"])
    assert [row["id"] for row in rows] == [question.id for question in little[1]]
    for row, question in zip(rows, little[1], strict=True):
        decisions = row["decisions"]
        hops = question.decomposition
        assert len(decisions) == len(hops)
        assert [len(each["inputs"]["history"]) for each in decisions] == list(range(len(hops)))
        assert {each["inputs"]["question"] for each in decisions} == {question.question}
        for later, hop in zip(decisions[1:], hops, strict=False):
            assert hop.answer in later["inputs"]["history"][-1]
    written = [ujson.loads(line)["messages"][-1]["content"] for line in (tmp_path / "plan.jsonl").open()]
    said = [each["outputs"]["sub_question"] for row in rows for each in row["decisions"]]
    assert said[0] == little[1][0].decomposition[0].question
    assert all(sub_question in text for sub_question, text in zip(said, written, strict=True))


def test_the_words_are_those_that_labeled_demonstrations_show(little, tmp_path):
    from multihop.optimize.prompts.steps import scenes_for, step_examples

    program = create("ircot", little[0])
    learned(little, tmp_path, "ircot")
    pool = step_examples(program, scenes_for(program, little[1]))["think"]
    written = (tmp_path / "think.jsonl").read_text().splitlines()
    assert len(written) == len(pool.examples)
    for line, example in zip(written, pool.examples, strict=True):
        assert example.shown.thought in ujson.loads(line)["messages"][-1]["content"]


def test_any_step_of_any_program_can_learn(little, tmp_path):
    cloned = learned(little, tmp_path, "tor", steps=["review"])
    assert cloned.rows["review"] > 6
    assert not (tmp_path / "run").exists()


def test_the_command_asks_nothing(tmp_path, capsys):
    assert main(["clone", "mzqa", "-q", "little", "--limit", "3", "--from-gold", "--out", str(tmp_path)]) == 0
    assert "3 of 3 questions kept" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plan.jsonl"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"steps": ["pla"]}, "did you mean 'plan'"),
        ({"from_run": "runs/mzqa"}, "not from both"),
        ({"best": 0.5}, "gives its paths no value"),
    ],
)
def test_what_cannot_be_is_told(more, told, little, tmp_path):
    with pytest.raises(InputError, match=told):
        learned(little, tmp_path, **more)
    assert not list(tmp_path.iterdir())


def test_questions_without_gold_are_no_lesson(little, tmp_path):
    with pytest.raises(InputError, match="of none of the 1 questions the gold can be read"):
        learned((little[0], [Question(id="q", question="Who?", answers=())]), tmp_path)


def test_an_lm_is_refused_where_nothing_is_asked(tmp_path, capsys):
    assert main(["clone", "mzqa", "--from-gold", "--lm", "local", "--out", str(tmp_path)]) == 2
    assert "--from-gold asks nothing, so it takes no --lm" in capsys.readouterr().err
