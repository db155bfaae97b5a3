from hypothesis import given
from hypothesis import strategies as st

from multihop.english.normal_form import has_form, normal_form

TEXTS = st.text(alphabet="aAtThe nN.,'-é1", max_size=30)


@given(TEXTS, TEXTS)
def test_an_answer_stands_in_a_text_where_the_whole_text_compared_would_show_it(text, answer):
    form = normal_form(answer)
    assert has_form(text, form) == (bool(form) and f" {form} " in f" {normal_form(text)} ")


def test_an_answer_stands_where_its_words_do_whatever_the_spelling():
    assert has_form("On the A-side of The Beatles' record.", normal_form("the aside"))
    assert has_form("Beatles, Rubber Soul", "beatles rubber soul")
    assert not has_form("The Beatlesque", "beatles")
