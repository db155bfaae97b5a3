from exam_author import write_or_read
from shelf import inputs, run

from multihop import BM25, Passage, scripted
from multihop.evaluation.exam import kept
from multihop.programs.exam import WriteExam, shared_names

TRAIN = Passage("1", "Night Train", "Night Train is a film. It was directed by Jerzy Kowal.")
KOWAL = Passage("2", "Jerzy Kowal", "Jerzy Kowal lived alone. He was born in Torun.")
TORUN = Passage("3", "Torun", "Torun lies on the Vistula.")
PAGES = [TRAIN, KOWAL, TORUN, Passage("4", "Bread", "It is baked from flour.")]


def written(page=KOWAL, wrong=(), read=None, **settings):
    def reply(prompt):
        said = write_or_read(prompt)
        changed = wrong if "names" in prompt.inputs else {"answer": read(prompt.inputs["passages"])} if read else ()
        return {**said, **dict(changed)}

    program = WriteExam(BM25.build(PAGES), retries=0, **{"unanswerable": 0, **settings})
    return run(program, scripted(reply), str(page))


def test_a_question_needs_its_passages_and_says_which_sentences():
    prediction, prompts = written()
    assert prediction.answer == "What is the last word on the name on the page Night Train?"
    (record,) = prediction.evidence
    assert [record[each] for each in ("answers", "supporting", "hops")] == [["Torun"], ["1", "2"], 2]
    assert record["supporting_sents"] == [("1", 1), ("2", 1)]
    both, again, first, second = (each["passages"] for each in inputs(prompts, "described"))
    assert both == again[-2:] == [str(TRAIN), str(KOWAL)]  # again among others that are like the one with the answer
    assert (str(TRAIN) in first, str(KOWAL) in first) == (True, False)  # alone
    assert (str(TRAIN) in second, str(KOWAL) in second) == (False, True)
    assert prediction.cost["calls_by_role"] == {"write": 1, "read": 4}
    assert kept(None, prediction) == 1.0


def test_what_is_not_sound_is_not_kept():
    for wrong in (
        {"answer": "Rome"},  # not in the passage
        {"answer": "lived", "question": "Where was the Kowal on the page Night Train born?"},  # part of the name
        {"question": "Who on the page Night Train is from Torun?"},  # gives its answer away
    ):
        prediction, prompts = written(wrong=wrong, tries=1)
        assert (prediction.answer, prediction.evidence, inputs(prompts, "described")) == ("", [], [])


def test_a_reader_must_need_all_passages_and_say_the_same_twice():
    for draws in (["Torun"] * 4, ["not mentioned"] * 4, ["Torun", "Rome", "not mentioned", "not mentioned"]):
        assert written(read=lambda _, draws=draws: draws.pop(0), tries=1)[0].answer == ""


def test_a_question_without_an_answer_is_one_that_no_passage_found_answers():
    prediction, _ = written(read=lambda _: "not mentioned", unanswerable=1)
    assert [prediction.evidence[0][each] for each in ("answers", "answerable", "supporting")] == [[], False, []]
    assert prediction.cost["calls_by_role"] == {"write": 1, "read": 2}
    assert written(unanswerable=1, tries=1)[0].answer == ""


def test_three_passages_hold_together_by_two_names():
    prediction, _ = written(TORUN, read=lambda pages: "Vistula" if len(pages) >= 3 else "not mentioned", pages=3)
    assert prediction.evidence[0]["supporting"] == ["1", "2", "3"]


def test_links_are_the_title_first_then_names_that_few_have():
    assert shared_names(KOWAL, PAGES) == [("Jerzy Kowal", TRAIN), ("Torun", TORUN)]
