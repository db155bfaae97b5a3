"""Rows to learn from: of gold and of right runs, none of a question that is held back, none twice, and told."""

import dspy
import pytest
import ujson
from simulated import simulated

from multihop import BM25, InputError, Little, Passage, Question, create
from multihop.optimize import write_rows
from multihop.optimize.tuning_rows import Lessons, unseen


@pytest.fixture(scope="module")
def little():
    pages = list(Little().passages())
    return BM25.build(pages), list(Little().questions())


def lessons(program, questions, **more):
    told = []
    made = Lessons(program, questions, program.steps, tell=told.append, **more)
    made.add_gold()
    return made, told


def texts(file):
    return [ujson.loads(line)["messages"] for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_reader_is_shown_what_its_search_finds_and_gold_where_nothing_says_the_answer(little):
    program = create("one-step", little[0], k=3)
    made, told = lessons(program, little[1])
    found = {question.question: question for question in little[1]}
    with dspy.context(lm=simulated(little[1], iter(little[0]), known=0.0, error_rate=0.0)):
        asked = {name: program(question=name).passages for name in found}
    as_ranked = 0
    for row in made.drawn():
        question = found[row.inputs["question"]]
        assert row.outputs["answer"] in question.answers
        as_ranked += row.inputs["passages"] == list(map(str, asked[question.question]))
        gold = [str(page) for page in little[0] if page.id in question.supporting]
        assert len(row.inputs["passages"]) == 3
        assert set(gold) & set(row.inputs["passages"])
    assert 0.5 < as_ranked / len(little[1]) < 1
    assert "rows that show passages lack a gold one" in told[-1]


def test_without_gold_only_what_a_passage_says_is_learned_in_the_words_it_uses(little):
    pages = BM25.build([Passage("a", "Ada", "Ada Lovelace, Countess of Lovelace, was born in London."), *little[0]])
    asked = [
        Question(id="a", question="Where was Ada Lovelace born?", answers=("London, England", "London")),
        Question(id="b", question="Where was Ada Lovelace married?", answers=("Ockham Park",)),
    ]
    made, told = lessons(create("one-step", pages), asked)
    ((row,),) = made.decisions.values()
    assert row.outputs == {"answer": "London"}
    assert told[1:] == ["1 of 2 questions are left out: no passage says their answer"]


def test_no_row_is_of_a_question_that_is_held_back_by_id_or_by_wording():
    held = [
        Question(id="d1", question="Who wrote Emma?", answers=("Jane Austen",)),
        Question(id="2", question="Who wrote Dracula?", answers=("Bram Stoker",)),
    ]
    train = [
        Question(id="t1", question="who wrote  'Emma'", answers=("Jane Austen",)),
        Question(id="d1", question="Who wrote Persuasion?", answers=("Jane Austen",)),
        Question(id="2", question="Who wrote Ulysses?", answers=("James Joyce",)),  # of a file that counts from 1, too
    ]
    assert [each.id for each in unseen(train, held)] == ["2"]


@pytest.mark.parametrize("most", [None, 40])
def test_rows_are_drawn_over_all_steps_none_twice_and_yes_or_no_as_often_as_asked(little, most):
    program = create("resp", little[0])
    made, told = lessons(program, [*little[1], *little[1][:5]], most=most)
    rows = made.drawn()
    keys = [ujson.dumps([row.step, row.inputs], sort_keys=True) for row in rows]
    assert len(set(keys)) == len(keys)
    assert {row.step for row in rows} == set(program.steps)
    if most:
        counts = [sum(row.step == step for row in rows) for step in program.steps]
        assert (sum(counts), max(counts) - min(counts)) == (40, 0)
        assert made.drawn() == rows
    reads = [row.outputs["answer"] in ("yes", "no") for row in rows if row.step == "read"]
    asked = [question.answer in ("yes", "no") for question in little[1]]
    assert sum(reads) / len(reads) <= sum(asked) / len(asked) + 1 / len(reads)
    assert told[-1].startswith(f"{len(rows)} rows: summarize ")


def test_neither_the_length_of_a_path_nor_the_pieces_of_evidence_say_that_they_are_enough(little):
    """A model that learned of gold alone would stop at the second passage, whatever it says."""
    for name, step, shown in (("tor", "review", "path"), ("resp", "judge", "evidence")):
        made, _ = lessons(create(name, little[0]), little[1])
        rows = [row for row in made.drawn() if row.step == step]
        enough = [(len(row.inputs[shown]), row.outputs["enough"]) for row in rows]
        assert {True, False} == {said for length, said in enough if length == 2}
        assert enough.count((2, False)) > enough.count((2, True)) / 2 > 0


def test_rows_alone_are_written_without_an_lm_and_those_of_runs_with_one(little, tmp_path):
    train, dev = little[1][:8], little[1][8:10]
    program, file, given = create("one-step", little[0]), tmp_path / "rows.jsonl", {"to": tmp_path / "p.json"}
    with dspy.context(lm=None):
        count = write_rows(program, file, train=train, dev=dev, **given)
    assert count == len(texts(file)) == 8
    assert not (tmp_path / "p.json.work").exists()
    with dspy.context(lm=simulated(little[1], iter(little[0]), known=0.0, error_rate=0.0)):
        write_rows(program, file, train=train, dev=dev, learn_from="runs", **given)
        right = {row[1]["content"].split("Question: ")[1].split("\n")[0] for row in texts(file)}
        assert right < {question.question for question in train}
        assert right
        write_rows(program, file, train=train, dev=dev, learn_from="both", **given)
        assert 8 <= len(texts(file)) <= 8 + len(right)
        with pytest.raises(InputError, match=r"\d LM calls are used up; give the same command again with more"):
            spent = {"learn_from": "runs", "max_calls": 3, "to": tmp_path / "few.json"}
            write_rows(program, file, train=train, dev=dev, **spent)
        search = create("mzqa", little[0], iterations=2)
        write_rows(search, file, train=train, dev=dev, learn_from="runs", to=tmp_path / "mzqa.json")
        assert len({row[0]["content"] for row in texts(file)}) == len(
            search.steps
        )  # the planner's from the path it chose
    with dspy.context(lm=None), pytest.raises(InputError, match="of none of the 1 questions the gold can be read"):
        write_rows(
            create("resp", little[0]), file, train=[Question(id="q", question="Who?", answers=())], dev=dev, **given
        )
