import pytest
from exam_author import write_or_read
from shelf import inputs, run

from multihop import BM25, Passage, scripted
from multihop.evaluation.exam import kept
from multihop.programs.exam import WriteExam, facts_of, shared_names

TRAIN = Passage("1", "Night Train", "Night Train is a film. It was directed by Jerzy Kowal.")
KOWAL = Passage("2", "Jerzy Kowal", "Jerzy Kowal lived alone. He was born in Torun.")
TORUN = Passage("3", "Torun", "Torun lies on the Vistula.")
PAGES = [TRAIN, KOWAL, TORUN, Passage("4", "Bread", "It is baked from flour.")]


def written(page=KOWAL, wrong=(), read=None, **settings):
    def reply(prompt):
        said = write_or_read(prompt)
        if "passages" in prompt.inputs:
            return {**said, "answer": read(**prompt.inputs)} if read else said
        return {**said, **{name: text for name, text in dict(wrong).items() if name in said}}

    program = WriteExam(BM25.build(PAGES), retries=0, **{"unanswerable": 0, **settings})
    return run(program, scripted(reply), str(page))


def test_a_question_needs_its_passages_and_says_which_sentences():
    prediction, prompts = written()
    assert prediction.answer == "Is 'nuroT' of the one on page <Night Train>?"
    (record,) = prediction.evidence
    assert [record[each] for each in ("answers", "supporting", "hops")] == [["Torun"], ["1", "2"], 2]
    assert record["supporting_sents"] == [("1", 1), ("2", 1)]
    (described,) = inputs(prompts, "description")
    assert described["text"] == "It was directed by ___."
    name, single, both, second, first, again = (each["passages"] for each in inputs(prompts, "described"))
    assert (name, single, both) == ([str(TRAIN)], [str(KOWAL)], [str(TRAIN), str(KOWAL)])
    assert (str(TRAIN) in second, str(KOWAL) in second) == (False, True)  # alone among others
    assert (str(TRAIN) in first, str(KOWAL) in first) == (True, False)
    assert again[-2:] == both
    assert len(again) > 2
    assert prediction.cost["calls_by_role"] == {"ask_about": 1, "describe": 1, "read": 6}
    assert kept(None, prediction) == 1.0


@pytest.mark.parametrize(
    ("wrong", "calls"),
    [
        ({"question": "Where was he born?"}, 1),  # without the name
        ({"question": "Was Jerzy Kowal born in Torun?"}, 1),  # gives its answer away
        ({"description": "the director Kowal"}, 2),  # part of the name
        ({"description": "the director"}, 2),  # fits others
        ({"description": "the director of Day Train"}, 2),  # not what the page says
        ({"description": "the one who was born in Torun"}, 2),  # holds the answer
    ],
)
def test_what_is_not_sound_is_dropped_before_it_is_read(wrong, calls):
    prediction, prompts = written(wrong=wrong, tries=1)
    assert (prediction.answer, prediction.evidence, len(prompts)) == ("", [], calls)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (["a town"], 1),  # the description is not the name's
        (["Jerzy Kowal", "Rome"], 2),  # the name's page does not say so
        (["Jerzy Kowal", "Torun", "not mentioned"], 3),
        (["Jerzy Kowal", "Torun", "Torun", "Torun"], 4),  # one passage is enough
        (["Jerzy Kowal", "Torun", "Torun", "not mentioned", "not mentioned", "Rome"], 6),  # not twice
    ],
)
def test_a_reader_must_find_each_piece_and_need_all_passages(said, read):
    replies = list(said)
    prediction, prompts = written(read=lambda **_: replies.pop(0), tries=1)
    assert (prediction.answer, len(inputs(prompts, "described"))) == ("", read)


def test_a_question_does_not_name_the_page_that_answers_it():
    page = Passage("5", "Prize 1990", "The prize of 1990 went to Jerzy Kowal, and was given in Rome.")
    program = WriteExam(BM25.build([*PAGES, page]), retries=0, unanswerable=0)
    asked = {"kind": "director", "question": "Where did Jerzy Kowal get Prize 1990?"}
    prediction, prompts = run(program, scripted([asked] * 3), str(page))
    assert (prediction.answer, len(prompts)) == ("", 1)


def test_a_question_without_an_answer_is_one_that_no_passage_found_answers():
    prediction, _ = written(unanswerable=1)
    assert [prediction.evidence[0][each] for each in ("answers", "answerable", "supporting")] == [[], False, []]
    assert prediction.cost["calls_by_role"] == {"ask_about": 1, "describe": 1, "read": 3}
    assert written(read=lambda **_: "Jerzy Kowal", unanswerable=1, tries=1)[0].answer == ""


def test_three_passages_hold_together_by_two_names():
    prediction, _ = written(TORUN, pages=3)
    assert prediction.answer == "Is 'alutsiV' of the one on page <the one on page <Night Train>>?"
    assert prediction.evidence[0]["supporting"] == ["1", "2", "3"]


def test_names_are_titles_and_capitals_but_no_dates_no_parts_and_no_common_words():
    page = Passage("5", "", "In May the City of Torun met Jerzy Kowal's Group of the North, and the City had no group.")
    assert shared_names(KOWAL, PAGES) == [("Jerzy Kowal", TRAIN), ("Torun", TORUN)]
    others = [KOWAL, Passage("6", "", "The City of Torun, a city, wrote to the Group of the North in May.")]
    assert [name for name, _ in shared_names(page, others)] == ["Jerzy Kowal", "City of Torun", "Group of the North"]


def test_facts_are_whole_names_and_numbers_that_the_other_page_lacks():
    page = Passage(
        "7",
        "Kite 4",
        "Kite 4, made in Lund since 1970 by Piet Haan, weighs 9 kg. In the Lund plant it cost 8. A Kite 4 fell.",
    )
    assert facts_of(page, "Kite 4", Passage("8", "Haan", "Piet Haan made the Kite 4.")) == ["Lund", "1970", "9 kg", "8"]
