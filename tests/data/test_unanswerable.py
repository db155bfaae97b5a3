import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop import Passage, Question
from multihop.base import InputError
from multihop.data import open_questions, without_gold, write_questions

PAGES = [Passage(f"p{number}", f"Page {number}", f"Text {number}.") for number in range(8)]


def question(name, *gold, **more):
    return Question(id=name, question=f"Which {name}?", answers=(f"answer of {name}",), supporting=gold, **more)


ALONE = [question("q0", "p0", "p1"), question("q1", "p2"), question("q2", "p3", "p4")]
SHARED = [*ALONE, question("q3", "p4", "p5")]


def test_drawn_questions_lose_their_answer_and_gold_and_all_others_stay():
    found = without_gold(ALONE, PAGES, 1)
    (name,) = found.drawn
    for before, after in zip(ALONE, found.questions, strict=True):
        if before.id == name:
            assert (after.answers, after.answerable, after.supporting) == ((), False, ())
            assert after.question == before.question
        else:
            assert after == before
    gone = set(next(each for each in ALONE if each.id == name).supporting)
    assert [page.id for page in found.passages] == [page.id for page in PAGES if page.id not in gone]


def test_questions_that_share_a_page_are_drawn_together_or_not_at_all():
    for seed in range(12):
        drawn = without_gold(SHARED, PAGES, 2, seed).drawn
        assert drawn in (("q0", "q1"), ("q2", "q3"))
    assert len({without_gold(SHARED, PAGES, 2, seed).drawn for seed in range(12)}) == 2


@given(
    st.lists(st.sets(st.sampled_from([page.id for page in PAGES]), min_size=1, max_size=3), min_size=1, max_size=10),
    st.integers(1, 10),
    st.integers(0, 3),
)
def test_whoever_keeps_an_answer_keeps_all_gold(golds, count, seed):
    asked = [question(f"q{place}", *sorted(gold)) for place, gold in enumerate(golds)]
    try:
        found = without_gold(asked, PAGES, count, seed)
    except InputError:
        return
    left = {page.id for page in found.passages}
    assert len(found.drawn) == count
    for before, after in zip(asked, found.questions, strict=True):
        assert left.issuperset(before.supporting) if after.answerable else left.isdisjoint(before.supporting)


def test_the_same_seed_draws_the_same_wherever_the_questions_stand():
    drawn = without_gold(SHARED, PAGES, 1, 5).drawn
    assert without_gold(SHARED[::-1], iter(PAGES), 1, 5).drawn == drawn


def test_a_page_is_all_passages_of_its_title_also_under_other_ids():
    corpus = [Passage("7", "EMMA", "First part."), Passage("8", "Emma", "Second part."), Passage("9", "Etna", "Fire.")]
    own = (Passage("a#1", "Emma", "First part."), Passage("b#1", "Etna", "Fire."))
    of_emma = question("q0", "a#1", passages=own, sentences=(("First part.",), ("Fire.",)))
    beside = question("q1", "b#1", passages=own)
    found = without_gold([of_emma, beside], corpus, 1, seed=next(s for s in range(9) if _draws(of_emma, beside, s)))
    assert [page.id for page in found.passages] == ["9"]
    assert [each.passages for each in found.questions] == [own[1:], own[1:]]
    assert found.questions[0].sentences == (("Fire.",),)


def _draws(first, other, seed):
    corpus = [Passage("7", "Emma", "x"), Passage("9", "Etna", "y")]
    return without_gold([first, other], corpus, 1, seed).drawn == (first.id,)


def test_gold_that_is_not_in_the_corpus_draws_nobody():
    lost = [question("q0", "p0", "nowhere"), question("q1", "elsewhere"), question("q2", "p0"), question("q3", "p2")]
    assert without_gold(lost, PAGES, 1).drawn == ("q3",)
    with pytest.raises(InputError, match="2 questions cannot be left without answer: 1 of 4 have gold pages"):
        without_gold(lost, PAGES, 2)


def test_what_cannot_be_answered_already_is_not_drawn_again():
    refused = Question(id="q9", question="Who?", answers=(), answerable=False, supporting=("p2",))
    found = without_gold([refused, question("q0", "p2")], PAGES, 1)
    assert (found.drawn, found.questions[0]) == (("q0",), refused)


def test_a_file_of_it_says_again_what_cannot_be_answered(tmp_path):
    found = without_gold(ALONE, PAGES, 2)
    write_questions(tmp_path / "questions.jsonl", found.questions)
    assert list(open_questions(tmp_path / "questions.jsonl")) == found.questions
