import pytest
from exam_author import write_or_read
from shelf import inputs, run

from multihop import BM25, Passage, scripted
from multihop.evaluation.exam import Kept
from multihop.programs.exam import WriteExam, shared_names

TRAIN = Passage("1", "Night Train", "Night Train is a film. It was directed by Jerzy Kowal.")
KOWAL = Passage("2", "Jerzy Kowal", "Jerzy Kowal lived alone. He was born in Torun.")
TORUN = Passage("3", "Torun", "Torun lies on the Vistula.")
ALONE = Passage("4", "Bread", "It is baked from flour.")
PAGES = [TRAIN, KOWAL, TORUN, ALONE]


def written(page=KOWAL, reply=write_or_read, **settings):
    return run(WriteExam(BM25.build(PAGES), retries=0, **{"unanswerable": 0, **settings}), scripted(reply), str(page))


def test_a_question_needs_its_passages_and_says_which_sentences():
    prediction, prompts = written()
    assert prediction.answer == "What is the last word on the name on the page Night Train?"
    assert prediction.evidence == [
        {
            "question": prediction.answer,
            "answers": ["Torun"],
            "answerable": True,
            "supporting": ["1", "2"],
            "supporting_sents": [("1", 1), ("2", 1)],
            "type": "bridge",
            "hops": 2,
            "gold": "derived",
        }
    ]
    both, again, first, second = (each["passages"] for each in inputs(prompts, "described"))
    assert both == again[-2:] == [str(TRAIN), str(KOWAL)]  # again among others that are like the one with the answer
    assert (str(TRAIN) in first, str(KOWAL) in first) == (True, False)  # alone
    assert (str(TRAIN) in second, str(KOWAL) in second) == (False, True)
    assert prediction.cost["calls_by_role"] == {"ask_about": 1, "describe": 1, "read": 4}
    assert Kept().measure(None, prediction) == 1.0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("answer", "Rome"),  # not in the passage
        ("answer", "Jerzy Kowal"),  # gives itself away
        ("question", "Where was he born?"),
        ("description", "the Kowal on the page Night Train"),
        ("description", "the baked flour"),  # finds another passage
    ],
)
def test_what_is_not_sound_is_not_kept(field, value):
    def reply(prompt):
        said = write_or_read(prompt)
        return {**said, field: value} if field in said and "described" not in said else said

    prediction, prompts = written(reply=reply)
    assert (prediction.answer, prediction.evidence, inputs(prompts, "described")) == ("", [], [])


@pytest.mark.parametrize(
    "answer",
    [lambda pages: "Torun", lambda pages: "not mentioned"],
    ids=["one passage is enough", "nobody can answer"],
)
def test_a_reader_must_need_all_passages(answer):
    def reply(prompt):
        said = write_or_read(prompt)
        return {**said, "answer": answer(prompt.inputs["passages"])} if "described" in said else said

    assert written(reply=reply)[0].answer == ""


def test_two_draws_must_agree():
    draws = iter(["Torun", "Rome", "not mentioned", "not mentioned"])

    def reply(prompt):
        said = write_or_read(prompt)
        return {**said, "answer": next(draws)} if "described" in said else said

    assert written(reply=reply, tries=1)[0].answer == ""


def test_a_question_without_an_answer_is_one_that_no_passage_found_answers():
    def reply(prompt):
        said = write_or_read(prompt)
        return {**said, "answer": "not mentioned"} if "described" in said else said

    prediction, _ = written(reply=reply, unanswerable=1)
    (record,) = prediction.evidence
    assert (record["answers"], record["answerable"], record["supporting"]) == ([], False, [])
    assert prediction.cost["calls_by_role"] == {"ask_missing": 1, "describe": 1, "read": 2}
    assert written(unanswerable=1)[0].answer == ""


def test_three_passages_describe_a_name_in_the_description():
    def reply(prompt):
        three = len(prompt.inputs.get("passages", ())) == 3
        return {"described": "x", "answer": "Vistula"} if three else write_or_read(prompt)

    prediction, _ = written(TORUN, reply, pages=3)
    assert prediction.answer == "What is the last word on the name on the page the name on the page Night Train?"
    assert prediction.evidence[0]["supporting"] == ["1", "2", "3"]


def test_links_are_the_title_first_then_names_that_few_have():
    assert shared_names(KOWAL, PAGES) == [("Jerzy Kowal", TRAIN), ("Torun", TORUN)]
    assert written(ALONE)[0].counts == {"links": 0}
