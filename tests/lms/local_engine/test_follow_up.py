import dspy
import pytest

from multihop import local
from multihop.lms.local_engine.follow_up import answer_kind, full_question
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
        ([FLEMING], "Where did he study?", "Where did the discoverer of penicillin study?"),
        ([FLEMING], "What is its capital?", "What is Scotland's capital?"),
        (["Who wrote what the director of Vertigo read?"], "Did he die?", "Did the director of Vertigo die?"),
        (["Where was the author of War and Peace born?"], "Did he die?", "Did the author of War and Peace die?"),
        (["When was Emma written? -> 1815"], "Who read it?", "Who read Emma?"),
        (["Where is it? -> London"], "Who was he?", "Who was he?"),
        ([POLAND], "What is its capital?", "What is Poland's capital?"),
        ([POLAND], "Who lived there?", "Who lived in Poland?"),
        ([POLAND], "Is there a river?", "Is there a river?"),
        (["Was Marie Curie born in Poland? -> yes"], "Who married her?", "Who married Marie Curie?"),
        ([BORN], "Who directed It and They Live?", "Who directed It and They Live?"),
        ([BORN], "Which river is the longest?", "Which river is the longest?"),
        (["who? -> 5"], "Where was he born?", "Where was he born?"),
        ([], "Where was he born?", "Where was he born?"),
    ],
)
def test_pronouns_become_the_names_that_the_conversation_has(conversation, question, full):
    assert full_question(conversation, question) == full


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did he die?", "thing"),
        ("What is the date of birth of the director?", "thing"),
        ("How many people live there?", "thing"),
        ("What is the population of the city where he died?", "thing"),
        ("Which country the director is from?", "place"),
        ("Where was she born?", "place"),
        ("What is the name of the city in which it stands?", "place"),
        ("Who wrote it?", "person"),
        ("Which Finnish actress starred in it?", "person"),
        ("The book was written by whom?", "person"),
        ("What is the name of the waterfall where he died?", "thing"),
        ("Name it.", "thing"),
    ],
)
def test_a_question_asks_for_a_kind(question, kind):
    assert answer_kind(question) == kind


def test_the_built_in_lm_makes_a_follow_up_stand_alone():
    with dspy.context(lm=local()):
        said = dspy.Predict(StandAlone)(conversation=[BORN], question="Who was her husband?")
    assert said.full_question == "Who was Ada Lovelace's husband?"
