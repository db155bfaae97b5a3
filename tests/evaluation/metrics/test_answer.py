import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import InputError, Question
from multihop.evaluation.metrics import F1, Accuracy, ExactMatch
from multihop.evaluation.metrics.answer import exact_match, f1

WORDS = st.lists(st.sampled_from(["the", "a", "Paris", "paris", "yes", "no", "x-ray", "1,000", "é", "!"]), max_size=5)
TEXTS = WORDS.map(" ".join) | st.text(max_size=20)
RULES = st.sampled_from(["hotpotqa", "2wikimultihopqa", "musique"])


class Said:
    def __init__(self, answer):
        self.answer = answer


@pytest.mark.parametrize(
    ("prediction", "gold", "right"),
    [
        ("The Beatles", "Beatles", 1.0),  # articles go
        ("beatles.", "Beatles", 1.0),  # punctuation goes
        ("new  york", "New York", 1.0),  # spaces collapse
        ("theatre", "atre", 0.0),  # an article inside a word stays
        ("New York", "New York City", 0.0),  # no substrings
        ("", "Paris", 0.0),
        ("the", "", 1.0),  # both sides are nothing once normal
        ("1,000", "1000", 1.0),
        ("U.S.", "US", 1.0),
        ("a-b", "ab", 1.0),  # punctuation vanishes, it does not become a space
        ("É", "é", 1.0),
        ("é", "e", 0.0),  # no accents are removed
        ("a.m.", "am", 1.0),  # punctuation goes before articles are looked for
    ],
)
def test_exact_match_by_hand(prediction, gold, right):
    assert exact_match(prediction, gold) == right


@pytest.mark.parametrize(
    ("prediction", "gold", "hotpotqa", "musique"),
    [
        ("Ada Lovelace", "Ada", 2 / 3, 2 / 3),
        ("one two two", "two two three", 2 / 3, 2 / 3),  # repeats count
        ("two two two", "two three", 0.4, 0.4),  # and no more of them than both sides have
        ("yes", "yes", 1.0, 1.0),
        ("yes", "yes it is", 0.0, 0.5),  # HotpotQA's rule
        ("it is no", "no", 0.0, 0.5),
        ("noanswer", "no answer", 0.0, 0.0),
        ("", "", 0.0, 1.0),  # MuSiQue's rule
        ("the", "an", 0.0, 1.0),
        ("", "Paris", 0.0, 0.0),
        ("Paris", "", 0.0, 0.0),
        ("London", "Paris", 0.0, 0.0),
    ],
)
def test_f1_by_hand(prediction, gold, hotpotqa, musique):
    assert f1(prediction, gold) == f1(prediction, gold, "2wikimultihopqa") == pytest.approx(hotpotqa)
    assert f1(prediction, gold, "musique") == pytest.approx(musique)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4), TEXTS, RULES)
def test_f1_is_symmetric_and_between_0_and_1_and_a_further_alias_never_lowers_a_score(
    prediction, answers, alias, rules
):
    assert 0.0 <= f1(prediction, alias, rules) <= 1.0
    assert f1(prediction, alias, rules) == f1(alias, prediction, rules)
    few = Question(id="q", question="?", answers=tuple(answers))
    more = Question(id="q", question="?", answers=(*answers, alias))
    for metric in (ExactMatch(), F1(rules)):
        assert metric.measure(more, Said(prediction)) >= metric.measure(few, Said(prediction))


def test_questions_without_answers_and_unknown_rules_are_refused():
    with pytest.raises(InputError, match="em cannot be measured on question 'q7'"):
        ExactMatch()(Question(id="q7", question="?", answers=()), Said("x"))
    with pytest.raises(InputError, match="Valid: 2wikimultihopqa, hotpotqa, musique"):
        F1("squad")


def test_feedback_says_what_was_expected():
    gold = Question(id="q", question="?", answers=("Ada Lovelace", "Ada"))
    said = 'Expected "Ada Lovelace" (also accepted: Ada); the answer was "Bob".'
    assert ExactMatch()(gold, Said("Bob")).feedback == said
    assert "was empty" in ExactMatch()(gold, Said(" ")).feedback
    assert F1()(gold, Said("ada")).feedback == '"ada" is right.'


@pytest.mark.parametrize(
    ("answer", "accepted", "expected"),
    [
        ("It was Ada Lovelace, of course.", ["Ada Lovelace"], 1.0),
        ("ada   LOVELACE!", ["The Ada Lovelace"], 1.0),
        ("Ada", ["Ada Lovelace"], 0.0),
        ("Countess", ["Ada Lovelace", "the Countess"], 1.0),
        ("nothing", ["no"], 1.0),  # letters are compared, not words
        ("", ["Ada"], 0.0),
        ("Ada", ["The"], 0.0),  # nothing is left of what is accepted
        ("the", ["The"], 1.0),
        (None, ["Ada"], 0.0),
        ("Ada", [], None),
    ],
)
def test_accuracy_finds_an_accepted_answer_in_the_answer(answer, accepted, expected):
    question = Question(id="q", question="Who?", answers=tuple(accepted))
    assert Accuracy().measure(question, Said(answer)) == expected
