from multihop.serve.web.bodies import answer_example
from multihop.serve.web.chat_shapes import all_but_steps, annotations, completion

OTHER = {"claim": "Torun", "verdict": "contradicted", "passage": "p3", "title": "Lublin", "score": 0.7}
OTHER |= {"sentence": "He was born in Lublin.", "start": 0, "end": 22}
STEP = {**OTHER, "claim": "Jerzy Kowal directed Night Train.", "verdict": "supported", "passage": "p1"}
ABSTAINED = {
    "answer": "I do not know",
    "abstained": True,
    "best_guess": "Torun",
    "reason": "The best guess from 1 passage has a confidence of 21 %, and 50 % are asked for.",
    "confidence": 0.21,
}


def record(**changed):
    return {**answer_example(), **changed}


def test_citations_of_the_answer_are_its_annotations():
    (cited,) = answer_example()["citations"]
    (found,) = annotations(record(answer="In Torun.", citations=[cited, OTHER, STEP]))
    assert found == {
        "type": "url_citation",
        "url_citation": {
            "start_index": 3,
            "end_index": 8,
            "title": "Jerzy Kowal",
            "url": "passage:p2",
            "sentence": "Jerzy Kowal was born in Torun in 1922.",
        },
    }


def test_where_no_sentence_was_looked_for_the_passages_are():
    unread = record()
    del unread["citations"]
    (found,) = annotations(unread)
    assert found["url_citation"] == {"start_index": 0, "end_index": 5, "title": "Jerzy Kowal", "url": "passage:p2"}
    assert annotations(record(citations=[])) == []


def test_an_answer_that_was_withheld_is_content_and_no_refusal():
    said = completion("chatcmpl-1", 0, "tor", record(**ABSTAINED))
    (choice,) = said["choices"]
    assert choice["message"] == {
        "role": "assistant",
        "content": "I do not know",
        "refusal": None,
        "annotations": [],
    }
    assert choice["finish_reason"] == "stop"
    assert {name: said["multihop"][name] for name in ("abstained", "best_guess", "reason", "confidence")} == {
        name: ABSTAINED[name] for name in ("abstained", "best_guess", "reason", "confidence")
    }


def test_beside_the_answer_is_all_but_the_steps():
    told = all_but_steps(record(signals={"words": 1.0}, full_question="Where was Jerzy Kowal born?"))
    assert told.keys() == {
        *("program", "full_question", "passages", "evidence", "cost", "over_budget"),
        *("confidence", "calibrated", "citations", "abstained"),
    }
