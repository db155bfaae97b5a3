import pytest
from exam_author import write_or_read
from shelf import inputs, run

from multihop import BM25, Passage, scripted
from multihop.evaluation.exam import kept
from multihop.programs.exam import WriteExam
from multihop.programs.shared.links import facts_of, fits, fits_another, kind_of, shared_names

TRAIN = Passage("1", "Night Train", "Night Train is a film. It was directed by Jerzy Kowal.")
KOWAL = Passage("2", "Jerzy Kowal", "Jerzy Kowal lived alone. He was born in Torun.")
TORUN = Passage("3", "Torun", "Torun lies on the Vistula.")
NAMES = {"Night": "Jerzy Kowal", "Day": "Ann Lee"}
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
    name, single, both, second, first, again = (each["passages"] for each in inputs(prompts, "answer"))
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
    assert (prediction.answer, len(inputs(prompts, "answer"))) == ("", read)


def test_a_question_does_not_name_the_page_that_answers_it():
    page = Passage("5", "Prize 1990", "The prize of 1990 went to Jerzy Kowal, and was given in Rome.")
    program = WriteExam(BM25.build([*PAGES, page]), retries=0, unanswerable=0)
    asked = {"question": "Where did Jerzy Kowal get Prize 1990?"}
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


def test_a_name_before_a_verb_is_a_fact_and_so_is_the_page_of_a_name_that_it_is_not_about():
    page = Passage(
        "7", "Fire 12", "That year Mia Roth led the search at Blue Foods because Ann Lee asked. Tom Falk wrote in 1990."
    )
    other = Passage("8", "Ann Lee", "Ann Lee is a nurse.")
    assert facts_of(page, "Ann Lee", other) == ["Mia Roth", "Blue Foods", "Fire 12"]


def test_a_description_says_of_a_thing_only_what_a_page_states():
    page = Passage("7", "Fire 12", "The report on Fire 12 was written by Mia Roth.")
    mia = Passage("8", "Mia Roth", "Mia Roth is a head nurse.")
    said = [
        "the head nurse who wrote on Fire 12",
        "the person who wrote on Fire 12",
        "the engineer who wrote on Fire 12",
    ]
    assert [fits(each, "Mia Roth", page, mia) for each in said] == [True, True, False]


def test_what_another_page_says_too_describes_no_single_thing():
    page, same = (
        Passage("7", "Case 1", "A pump failed at Blue Foods."),
        Passage("8", "Case 2", "A lamp failed at Blue Foods."),
    )
    assert fits_another("the pump that failed at Blue Foods", page, [same]) is False
    assert fits_another("the device that failed at Blue Foods", page, [same]) is True
    assert fits_another("the device that failed at Blue Foods in Case 1", page, [same]) is False
    asked = {"question": "Which case was about Tom?"}
    two = [Passage("8", "Case 8", "It was about Tom."), Passage("9", "Case 9", "It was about Tom.")]
    program = WriteExam(BM25.build([*two, Passage("10", "Tom", "Tom is a dog.")]), retries=0, unanswerable=0, tries=1)
    prediction, prompts = run(program, scripted([asked] * 2), str(two[0]))
    assert (prediction.answer, len(prompts)) == ("", 1)


@pytest.mark.parametrize(
    ("text", "kind"),  # of a page "Night team"
    [
        ("Kite 4 is a small desk lamp of 1970.", "desk lamp"),
        ("Emma is a 1973 French comedy film directed by Jo.", "comedy film"),
        ("Mia was an English nurse and writer.", "nurse"),
        ("Tom is a head of quality at Blue Foods.", "head of quality"),
        ("It has 20 members.", "team"),
    ],
)
def test_the_kind_of_a_thing_is_what_its_page_says_it_is(text, kind):
    assert kind_of(Passage("7", "Night team", text)) == kind
    assert kind_of(Passage("7", "Tom", "Tom led the team.")) == ""


def test_a_description_that_fits_another_page_too_gets_the_title_of_its_page():
    pages = [Passage(each, f"{each} Train", f"It was directed by {who} in 1990.") for each, who in NAMES.items()]
    replies = ["Jerzy Kowal", "Torun", "Torun", "Lund", "Lund", "Torun"]
    reply = {"question": "Where was Jerzy Kowal born?", "description": "the person who directed in 1990"}

    def said(prompt):
        return {"answer": replies.pop(0)} if "passages" in prompt.inputs else reply

    program = WriteExam(BM25.build([KOWAL, TORUN, *pages]), retries=0, unanswerable=0)
    prediction, _ = run(program, scripted(said), str(KOWAL))
    assert prediction.answer == "Where was the person who directed in 1990 (Night Train) born?"
