import dspy
import pytest

from multihop import local
from multihop.lms.local_engine.overlap import full_question
from multihop.signatures import StandAlone

BORN = "Where was Ada Lovelace born? -> London"
DIRECTED = "Who directed Night Train? -> Jerzy Kowal"
FLEMING = "In which country was the discoverer of penicillin born? -> Scotland"
POLAND = "In which country was Marie Curie born? -> Poland"


@pytest.mark.parametrize(
    ("conversation", "question", "full"),
    [
        ([BORN], "who was her husband?", "who was Ada Lovelace's husband?"),
        ([BORN], "Who met her in Paris?", "Who met Ada Lovelace in Paris?"),
        ([DIRECTED], "Where was he born?", "Where was Jerzy Kowal born?"),
        ([DIRECTED], "When was it released?", "When was Night Train released?"),
        ([DIRECTED, "Where was he born? -> Torun"], "When did he die?", "When did Jerzy Kowal die?"),
        ([BORN, DIRECTED], "Where was he born?", "Where was Jerzy Kowal born?"),
        ([FLEMING], "What is its capital?", "What is Scotland's capital?"),
        (["When was Emma written? -> 1815"], "Who read it?", "Who read Emma?"),
        (["Where is it? -> London"], "Who was he?", "Who was he?"),
        ([BORN], "On which river is it?", "On which river is London?"),
        ([POLAND], "What is its capital?", "What is Poland's capital?"),
        (["Was Marie Curie born in Poland? -> yes"], "Who married her?", "Who married Marie Curie?"),
        ([BORN], "Who directed It and They Live?", "Who directed It and They Live?"),
        ([BORN], "Which river is the longest?", "Which river is the longest?"),
        (["who? -> 5"], "Where was he born?", "Where was he born?"),
        ([], "Where was he born?", "Where was he born?"),
    ],
)
def test_pronouns_become_the_names_that_the_conversation_has(conversation, question, full):
    assert full_question(conversation, question) == full


def test_the_built_in_lm_makes_a_follow_up_stand_alone():
    with dspy.context(lm=local()):
        said = dspy.Predict(StandAlone)(conversation=[BORN], question="Who was her husband?")
    assert said.full_question == "Who was Ada Lovelace's husband?"
