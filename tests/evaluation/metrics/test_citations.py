import dspy
import pytest

from multihop import InputError, Passage, Question
from multihop.evaluation.metrics import CitePrecision, CiteRecall, SupportingExactMatch, SupportingF1, metric_named

ETNA = Passage("p1", "Etna", "Etna is a volcano. It is in Sicily. It smokes.")
SICILY = Passage("p2", "Sicily", "Sicily is an island. It belongs to Italy.")


def asked(*facts, supporting=("p1", "p2"), **told):
    return Question(
        id="q", question="Where is Etna?", answers=("Italy",), supporting=supporting, supporting_sents=facts, **told
    )


def cited(passage, sentence, claim="Italy"):
    start = passage.text.index(sentence)
    end = start + len(sentence)
    return {"claim": claim, "verdict": "supported", "passage": passage.id, "title": passage.title} | {
        "sentence": sentence, "start": start, "end": end, "score": 0.9
    }  # fmt: skip


NOTHING = {"claim": "Italy", "verdict": "not found", "passage": "", "title": "", "sentence": "", "start": 0, "end": 0}


def answered(*citations, passages=(ETNA, SICILY), **fields):
    return dspy.Prediction(**{"answer": "Italy", "passages": list(passages), "citations": list(citations), **fields})


def both(question, prediction, rules="hotpotqa"):
    return tuple(kind(rules).measure(question, prediction) for kind in (CitePrecision, CiteRecall))


def test_precision_is_over_what_is_cited_and_recall_over_what_is_gold():
    three = answered(cited(ETNA, "It is in Sicily."), cited(ETNA, "It smokes."), cited(SICILY, "It belongs to Italy."))
    assert both(asked(("p1", 1), ("p2", 1)), three) == (2 / 3, 1.0)
    assert both(asked(("p1", 0), ("p1", 1), ("p2", 0), ("p2", 1)), three) == (2 / 3, 0.5)
    said = CitePrecision()(asked(("p1", 0)), answered(cited(ETNA, "It smokes.")))
    assert said.feedback == "Gold and not cited: ('p1', 0); cited and not gold: ('p1', 2)."


def test_a_sentence_that_is_cited_twice_counts_once():
    twice = answered(cited(ETNA, "It is in Sicily."), cited(ETNA, "It is in Sicily."))
    assert both(asked(("p1", 1)), twice) == (1.0, 1.0)


def test_the_conclusions_on_the_way_are_not_the_answer():
    way = cited(ETNA, "It smokes.", claim="Etna smokes.")
    assert both(asked(("p1", 1)), answered(cited(ETNA, "It is in Sicily."), way)) == (1.0, 1.0)


def test_of_an_answer_that_was_withheld_the_best_guess_is_cited():
    withheld = answered(cited(ETNA, "It is in Sicily."), answer="I do not know", best_guess="Italy")
    assert both(asked(("p1", 1)), withheld) == (1.0, 1.0)


def test_finding_nothing_is_a_zero_and_not_citing_does_not_apply():
    assert both(asked(("p1", 1)), answered(NOTHING)) == (0.0, 0.0)
    assert both(asked(("p1", 1)), answered()) == (0.0, 0.0)
    assert both(asked(("p1", 1)), dspy.Prediction(answer="Italy", passages=[ETNA])) == (None, None)
    assert both(asked(), answered(cited(ETNA, "It smokes."))) == (None, None)
    with pytest.raises(InputError, match="cannot be measured on question 'q' without gold sentences"):
        CiteRecall()(asked(), answered())


def test_sentences_are_those_of_the_set_where_it_brings_them():
    own = Passage("p1", "Etna", "Etna is a volcano. It is in Sicily. It smokes.")
    split = (("Etna is", "a volcano.", " It is in Sicily. It smokes."),)
    question = asked(("p1", 1), ("p1", 2), passages=(own,), sentences=split)
    assert both(question, answered(cited(ETNA, "It smokes."))) == (1.0, 0.5)  # part of a longer sentence of the set
    assert both(question, answered(cited(ETNA, "Etna is a volcano."))) == (0.5, 0.5)  # two of the set's sentences


def test_a_sentence_that_the_text_lacks_is_never_cited():
    own = Passage("p1", "Etna", "It is in Sicily.")
    question = asked(("p1", 0), ("p1", 1), passages=(own,), sentences=(("Etna burns.", "It is in Sicily."),))
    assert both(question, answered(cited(own, "It is in Sicily."), passages=[own])) == (1.0, 0.5)


def test_paragraphs_are_recognised_as_for_recall():
    other_id = ETNA._replace(id="77")
    question = asked(("Etna", 1), supporting=("Etna",), passages=(ETNA._replace(id="Etna"),))
    assert both(question, answered(cited(other_id, "It is in Sicily."), passages=[other_id])) == (1.0, 1.0)


def test_musique_counts_paragraphs():
    two = answered(cited(ETNA, "It is in Sicily."), cited(ETNA, "It smokes."))
    assert both(asked(), two, "musique") == (1.0, 0.5)
    assert metric_named("cite-recall", rules="musique").measure(asked(), two) == 0.5


def test_supporting_facts_are_those_that_are_cited_unless_the_program_names_its_own():
    prediction = answered(cited(ETNA, "It is in Sicily."))
    question = asked(("p1", 1), ("p2", 1))
    assert SupportingF1().measure(question, prediction) == 2 / 3
    assert SupportingExactMatch().measure(asked(("p1", 1)), prediction) == 1.0
    assert SupportingF1().measure(question, answered(supporting_sents=[("p2", 1), ("p1", 1)])) == 1.0
