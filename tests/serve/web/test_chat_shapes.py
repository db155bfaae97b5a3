from multihop.serve.web.bodies import answer_example
from multihop.serve.web.chat_shapes import all_but_steps, annotations


def record(**changed):
    return {**answer_example(), **changed}


def test_citations_of_the_answer_are_its_annotations():
    (found,) = annotations(record(answer="In Torun."))
    assert found == {
        "type": "url_citation",
        "url_citation": {
            "start_index": 0,
            "end_index": 9,
            "title": "Jerzy Kowal",
            "url": "passage:p2",
            "sentence": "Jerzy Kowal was born in Torun in 1922.",
        },
    }
    assert annotations(record(citations=[])) == []


def test_beside_the_answer_is_all_but_the_steps():
    told = all_but_steps(record(full_question="Where was Jerzy Kowal born?"))
    assert told.keys() == {
        *("program", "full_question", "passages", "evidence", "cost", "over_budget", "citations"),
    }
