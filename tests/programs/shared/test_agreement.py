import pytest

from multihop.programs.shared.agreement import confirms, declared_answer, most_that_agree

BORN = "In which city was the director of Alien born?"
SHIELDS = [
    "Alien was directed by Ridley Scott, who was born in South Shields.",
    "Ridley Scott, the director of Alien, was born in South Shields, County Durham, on 30 November 1937.",
    "The paragraphs prove that the director is Ridley Scott and that he comes from South Shields.",
    "The director of Alien is Ridley Scott. So the answer is South Shields.",
    "South Shields is the city, since Ridley Scott directed it.",
]


def test_five_analyses_that_say_the_same_in_their_own_words_agree():
    assert most_that_agree(SHIELDS, BORN) == 5
    assert most_that_agree(["She was born in London."] * 5, "Where was Ada born?") == 5


def test_what_is_on_the_way_is_not_the_answer():
    paris = "Ridley Scott directed Alien. He was born in Paris."
    leeds = "The director of Alien is Ridley Scott, so the answer is Leeds."
    assert most_that_agree([SHIELDS[0], paris, leeds], BORN) == 1
    assert most_that_agree([*SHIELDS, paris, leeds], BORN) == 5


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("The answer is London.", "It follows that the answer is London, England.", "Where was Ada born?"),
        ("Yes, both were born in London.", "Both are English. So the answer is yes.", "Are Ada and Bob English?"),
        ("It was released in 1979.", "The film came out on 25 May 1979.", "When was Alien released?"),
        ("a guitar", "a guitar", "What does she play?"),
    ],
)
def test_the_same_answer_agrees(one, other, question):
    assert most_that_agree([one, other], question) == 2


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("The answer is London.", "The answer is Paris.", "Where was Ada born?"),
        ("Yes, both are.", "No, Bob is not.", "Are Ada and Bob English?"),
        ("Alien is older.", "Aliens is older.", "Which is older, Alien or Aliens?"),
        ("Alien is from 1979. So the answer is Alien.", "Alien is from 1979. So the answer is Aliens.",
         "Which is older, Alien or Aliens?"),
        ("It was released in 1979.", "It was released in 1986.", "When was Alien released?"),
        ("She lived in London, but the answer is Paris.", "She lived in London.", "Where was Ada born?"),
        ("She plays the guitar.", "She plays the piano.", "What does she play?"),
        ("", "", "Where was Ada born?"),
    ],
)  # fmt: skip
def test_other_answers_do_not(one, other, question):
    assert not confirms(one, other, question)
    assert not confirms(other, one, question)


def test_a_longer_conclusion_may_say_more_but_not_less():
    assert confirms(SHIELDS[1], SHIELDS[0], BORN)
    assert not confirms(SHIELDS[0], SHIELDS[1], BORN)


def test_declared_answers():
    assert declared_answer("It is so. The final answer is: New York City. That is all.") == "New York City"
    assert declared_answer("Nothing is known.") == ""
    assert declared_answer("No.") == "No"
