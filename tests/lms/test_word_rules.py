import pytest

from multihop.base.english import stem
from multihop.lms.word_rules import choose, full_question, is_yes_or_no, options, yes_or_no


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("directs", "director"),
        ("wife", "husband"),
        ("birthplace", "born"),
        ("movie", "Films"),
    ],
)
def test_words_of_one_meaning_share_a_stem(one, other):
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["glass", "virus", "thesis", "is", "red", "king"])
def test_what_is_no_ending_stays(word):
    assert stem(word) == word


NIGHT = "Night | Night is a 1951 film directed by Vera Holm."
DAY = "Day | Day is a 1949 film directed by Jon Pike."
VERA = "Vera Holm | Vera Holm (4 May 1912 – 9 June 1980) was a Norwegian director."
JON = "Jon Pike | Jon Pike (12 May 1930 – 1 March 1979) was a Norwegian actor and director."


@pytest.mark.parametrize(
    ("question", "pair"),
    [
        ("Which film came out first, Night or Day?", ("Night", "Day")),
        ("Was Vera Holm or Jon Pike born first?", ("Vera Holm", "Jon Pike")),
        ("Which film came out first, Day or The Fall: A Tale, Part 2?", ("Day", "The Fall: A Tale, Part 2")),
        ("Which film is older, Who'S Your Brother? or Day?", ("Who'S Your Brother?", "Day")),
        ("Who is older out of Vera Holm and Jon Pike?", ("Vera Holm", "Jon Pike")),
        ("Between Vera Holm and Jon Pike, who is older?", ("Vera Holm", "Jon Pike")),
        ("Which is older, The House of Sand and Fog or Day?", ("The House of Sand and Fog", "Day")),
        ("Who wrote Night?", None),
    ],
)
def test_the_two_things_are_found(question, pair):
    assert options(question) == pair


def test_yes_or_no_questions_are_told():
    assert is_yes_or_no("Are Night and Day both films?")
    assert not is_yes_or_no("Is Night or Day older?")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which film came out first, Night or Day?", "Day"),
        ("Which film was released more recently, Night or Day?", "Night"),
        ("Which film has the director born first, Night or Day?", "Night"),
        ("Who was an actor, Vera Holm or Jon Pike?", "Jon Pike"),
        ("Who lived longer, Jon Pike or Vera Holm?", "Vera Holm"),
    ],
)
def test_dates_decide_or_shared_words_do(question, expected):
    for passages in ([NIGHT, DAY, VERA, JON], [JON, VERA, DAY, NIGHT]):
        assert choose(question, passages, options(question)) == expected


def test_what_a_title_says_does_not_count_as_asked():
    passages = ["Before Day | A film of 1989.", "Night | A film of 1951.", "Day | A film of 1990."]
    question = "Which film is newer, Before Day or Night?"
    assert choose(question, passages, options(question)) == "Before Day"


def test_a_page_that_is_merely_called_alike_is_not_reached():
    passages = ["The Naked Day | A film by Jon Pike.", JON, "Naked | A film of 1890.", NIGHT, VERA]
    question = "Which film has the director born first, The Naked Day or Night?"
    assert choose(question, passages, options(question)) == "Night"


@pytest.mark.parametrize(
    ("question", "passages", "expected"),
    [
        ("Are Vera Holm and Jon Pike from the same country?", [VERA, JON], "yes"),
        ("Are the directors of Night and Day from the same country?", [NIGHT, DAY, VERA, JON], "yes"),
        ("Are Aby and Bry in the same country?", ["Aby | It lies in Peru.", "Bry | It lies in Chile."], "no"),
        ("Do Aby and Bry share the same nationality?", ["Aby | A poet from Ohio.", "Bry | An American."], "yes"),
        ("Do Aby and Bry share the same nationality?", ["Aby | A Tamil poet.", "Bry | A Danish poet."], "no"),
        ("Are Aby and Bry both Danish poets?", ["Aby | A poet of Copenhagen.", "Bry | A Danish poet."], "yes"),
        ("Are Aby and Danish Bry both poets?", ["Aby | A poet from Ohio.", "Danish Bry | A poet."], "yes"),
        ("Are Aby and Bry in the same state?", ["Aby | A town in Ohio, Utah.", "Bry | A town in Utah."], "yes"),
        ("Are Night and Vera Holm both songs?", [NIGHT, VERA], "no"),
    ],
)
def test_both_sides_are_compared(question, passages, expected):
    assert yes_or_no(question, passages) == expected


BORN = "Where was Ada Lovelace born? -> London"
DIRECTED = "Who directed Night Train? -> Jerzy Kowal"
FLEMING = "In which country was the discoverer of penicillin born? -> Scotland"


@pytest.mark.parametrize(
    ("conversation", "question", "full"),
    [
        ([BORN], "who was her husband?", "who was Ada Lovelace's husband?"),
        ([BORN], "Who met her in Paris?", "Who met Ada Lovelace in Paris?"),
        ([DIRECTED], "When was it released?", "When was Night Train released?"),
        ([DIRECTED, "Where was he born? -> Torun"], "When did he die?", "When did Jerzy Kowal die?"),
        ([BORN, DIRECTED], "Where was he born?", "Where was Jerzy Kowal born?"),
        ([FLEMING], "What is its capital?", "What is Scotland's capital?"),
        (["When was Emma written? -> 1815"], "Who read it?", "Who read Emma?"),
        ([BORN], "On which river is it?", "On which river is London?"),
        (["Was Marie Curie born in Poland? -> yes"], "Who married her?", "Who married Marie Curie?"),
        ([BORN], "Who directed It and They Live?", "Who directed It and They Live?"),
        ([], "Where was he born?", "Where was he born?"),
    ],
)
def test_pronouns_become_the_names_that_the_conversation_has(conversation, question, full):
    assert full_question(conversation, question) == full
