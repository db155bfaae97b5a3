"""Scores and verdicts by probability, in the programs that decide by them."""

import dspy
import pytest
from shelf import Shelf
from weighed import weighed

from multihop import (
    ChainOfReviews,
    ClonedMZQA,
    InputError,
    RetrieveSummarizePlan,
    TreeOfReviews,
    create,
    load,
    save,
    scripted,
)
from multihop.programs import PROGRAMS
from multihop.programs.shared.score import is_so, read_score
from multihop.runtime import settings_of
from multihop.view.pictures.choosing import picture_trajectory


def verdict(**expected):
    return dspy.Prediction(enough=False, score=4, expected=expected)


@pytest.mark.parametrize(("at", "so"), [(0.4, True), (0.41, False), (0.0, True)])
def test_a_verdict_is_yes_from_its_threshold_on(at, so):
    assert is_so(verdict(enough=0.4), "enough", at) is so


def test_words_count_where_nothing_was_weighed():
    said = dspy.Prediction(enough=True, score=4)
    assert (is_so(said, "enough", at=1.0), read_score(said), read_score(verdict(score=6.5))) == (True, 0.4, 0.65)


def reviewing(relevant, enough):
    """A review whose words are the likelier ones, with these probabilities of yes, and an answer."""
    sides = {"relevant": relevant, "enough": enough}
    said = {name: {"true": each, "false": round(1 - each, 6)} for name, each in sides.items()}
    return [{**said, "analysis": ""}, {"answer": "x"}]


@pytest.mark.parametrize(
    ("probabilities", "settings", "action"),
    [
        ((0.9, 0.4), {}, "search"),
        ((0.9, 0.4), {"enough_at": 0.3}, "accept"),
        ((0.9, 0.6), {"enough_at": 0.7}, "search"),
        ((0.4, 0.6), {}, "reject"),
        ((0.4, 0.6), {"relevant_at": 0.3}, "accept"),
        ((0.9, 0.4), {"enough_at": 0.3, "decide": "words"}, "search"),
    ],
)
def test_a_tree_of_reviews_accepts_what_is_probable_enough(probabilities, settings, action):
    program = TreeOfReviews(Shelf(q="a"), depth=1, **{"decide": "logprobs", **settings})
    with dspy.context(lm=weighed(reviewing(*probabilities))):
        prediction = program(question="q")
    (node,) = next(step["tree"] for step in prediction.trajectory if step["step"] == "tree")["children"]
    expected = dict(zip(("relevant", "enough"), probabilities, strict=True))
    assert (node["action"], node["review"].get("expected")) == (action, expected if program.weighed_steps else None)


def test_a_picture_of_reviews_shows_the_probabilities():
    with dspy.context(lm=weighed(reviewing(0.9, 0.4))):
        prediction = TreeOfReviews(Shelf(q="a"), depth=1, decide="logprobs")(question="q")
    picture = picture_trajectory(prediction.trajectory, "q")
    assert picture["root"]["children"][0]["texts"][0] == ("verdict", "relevant (0.90), not enough (0.40)")


@pytest.mark.parametrize(("at", "turns"), [(0.5, 2), (0.3, 1)])
def test_a_chain_of_reviews_ends_where_it_is_probable_enough(at, turns):
    review = {"reasoning": "…", **reviewing(0.9, 0.4)[0], "query": "s"}
    lm = weighed([*[review] * turns, {"answer": "x"}])
    with dspy.context(lm=lm):
        program = ChainOfReviews(Shelf(q="a", s="b"), turns=2, decide="logprobs", enough_at=at)
        assert program(question="q").cost["calls_by_role"] == {"review": turns, "read": 1}


@pytest.mark.parametrize(("at", "plans"), [(0.5, 1), (0.3, 0)])
def test_resp_plans_on_until_it_is_probable_enough(at, plans):
    def reply(prompt):
        name = prompt.output_fields[0].name
        said = {"summary": "s", "enough": {"false": 0.6, "true": 0.4}, "sub_question": "t", "answerable": True}
        rest = {"sub_answer": "u", "answer": "x", **said}
        return {each.name: rest[each.name] for each in prompt.output_fields} if name in rest else {}

    program = RetrieveSummarizePlan(Shelf(q="a", t="b"), turns=2, decide="logprobs", enough_at=at)
    with dspy.context(lm=weighed(reply)):
        assert program(question="q").cost["calls_by_role"].get("plan", 0) == plans


def test_a_score_of_mzqa_is_the_mean_of_what_the_lm_might_have_said():
    def reply(prompt):
        said = {"sub_question": "s", "sentence": "s", "result": "r", "answer": "x", "reasoning": "…"}
        said["score"] = {"9": 0.5, "4": 0.3, "2": 0.2}
        return {field.name: said[field.name] for field in prompt.output_fields}

    with dspy.context(lm=weighed(reply)):
        prediction = ClonedMZQA(Shelf(s="a"), depth=1, decide="logprobs")(question="q")
    tree = next(step["tree"] for step in prediction.trajectory if step["step"] == "tree")
    assert tree["children"][0]["reward"] == pytest.approx(0.61)


WEIGHING = [name for name, kind in PROGRAMS.items() if "decide" in settings_of(kind)]


def test_the_programs_that_decide():
    searches = {"mzqa", "mzqa-bc", "tot-bfs", "tot-dfs", "rap", "lats", "lats-mzqa", "lats-bc"}
    assert set(WEIGHING) == {"tor", "cor", "resp", *searches}


@pytest.mark.parametrize("name", WEIGHING)
def test_their_weighed_steps_are_steps_and_an_lm_without_probabilities_is_refused_at_once(name):
    shelf, lm = Shelf(q="a"), scripted([])
    program = create(name, shelf, decide="logprobs")
    assert set(program.weighed_steps) <= set(program.steps)
    assert program.settings["decide"] == "logprobs"
    with dspy.context(lm=lm), pytest.raises(InputError, match="multihop/scripted tells none"):
        program(question="q")
    assert (lm.engine.prompts, shelf.batches) == ([], [])


def test_another_source_of_verdicts_is_refused_with_those_there_are():
    with pytest.raises(InputError, match="setting 'decide' of MZQA cannot be 'guess'.*'words' or 'logprobs'"):
        create("mzqa", Shelf(), decide="guess")


def test_a_saved_program_decides_as_it_did(tmp_path):
    program = TreeOfReviews(Shelf(q="a"), depth=1, decide="logprobs", enough_at=0.3)
    save(program, tmp_path / "tor.json")
    loaded = load(tmp_path / "tor.json", retriever=Shelf(q="a"))
    assert (loaded.settings["decide"], loaded.settings["enough_at"]) == ("logprobs", 0.3)
    with dspy.context(lm=weighed(reviewing(0.9, 0.4))):
        assert loaded(question="q").counts["evidence"] == 1
