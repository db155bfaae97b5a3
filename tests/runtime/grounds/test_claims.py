import pytest

from multihop import Passage
from multihop.runtime.grounds.claims import ClaimCheck

EMMA = Passage("p1", "Emma (novel)", "Emma is a novel written by Jane Austen. It was published in London in 1815.")
AUSTEN = Passage("p2", "Jane Austen", "Jane Austen was an English novelist. She was born in Steventon in 1775.")
DANUBE = Passage("p3", "Danube", "The Danube is a river. It flows through Vienna.")


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Jane Austen was born in Steventon.", "supported"),
        ("Jane Austen was born in 1775.", "supported"),
        ("Jane Austen was born in Chawton.", "contradicted"),
        ("Jane Austen was born in 1780.", "contradicted"),
        ("Jane Austen was not born in Steventon.", "contradicted"),
        ("Jane Austen married Tom Lefroy.", "not found"),
        ("The Nile flows through Egypt.", "not found"),
    ],
)
def test_a_claim_is_checked_by_its_details(claim, verdict):
    assert ClaimCheck([EMMA, AUSTEN, DANUBE]).check(claim).verdict == verdict


def test_a_not_of_other_words_contradicts_nothing():
    page = Passage("p", "Ann Lee", "Ann Lee was born in Paris, but never lived there.")
    assert ClaimCheck([page]).check("Ann Lee was born in Paris.").verdict == "supported"
    page = Passage("p", "Ann Lee", "Ann Lee was not born in Paris.")
    assert ClaimCheck([page]).check("Ann Lee was born in Paris.").verdict == "contradicted"


def test_a_detail_of_the_question_need_not_be_repeated():
    claim = "The author of Emma was born in Steventon."
    alone = Passage("p2", "", "She was born in Steventon in 1775.")
    assert ClaimCheck([alone], "Where was the author of Emma Woodhouse born?").check(claim).verdict == "supported"


def test_a_detail_that_stands_elsewhere_on_the_page_contradicts_nothing():
    page = Passage("p", "Ann Lee", "Ann Lee was born in Rome. She lived in Old Paris.")
    assert ClaimCheck([page]).check("Ann Lee was born in Old Paris.").verdict != "contradicted"


def test_what_has_no_words_is_not_found():
    assert ClaimCheck([EMMA]).check("...") is None
    assert ClaimCheck([]).check("Emma is a novel.") is None


def test_a_detail_that_is_missing_is_never_supported():
    page = Passage("p", "Emma", "Emma is a long and very famous novel by the English writer Jane Austen.")
    (wrong,) = [ClaimCheck([page]).check(page.text.replace("Jane Austen", "Leo Tolstoy"))]
    assert (wrong.verdict, wrong.missing) == ("contradicted", 1)
    assert wrong.score < 0.5 < ClaimCheck([page]).check(page.text).score


def test_the_nearest_sentence_is_that_with_the_rare_words():
    checked = ClaimCheck([EMMA, AUSTEN, DANUBE]).check("The novelist was born in Steventon.")
    assert checked.sentence.text == "She was born in Steventon in 1775."
    assert checked.sentence.passage == AUSTEN
