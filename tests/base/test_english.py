import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base.english import has_form, normal_form, sentence_spans, split_sentences

TEXTS = st.text(alphabet="aAtThe nN.,'-é1", max_size=30)


@given(TEXTS, TEXTS)
def test_an_answer_stands_in_a_text_where_the_whole_text_compared_would_show_it(text, answer):
    form = normal_form(answer)
    assert has_form(text, form) == (bool(form) and f" {form} " in f" {normal_form(text)} ")


def test_an_answer_stands_where_its_words_do_whatever_the_spelling():
    assert has_form("On the A-side of The Beatles' record.", normal_form("the aside"))
    assert has_form("Beatles, Rubber Soul", "beatles rubber soul")
    assert not has_form("The Beatlesque", "beatles")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rains. It pours! Does it? Yes.", ["It rains.", "It pours!", "Does it?", "Yes."]),
        ("J. R. Smith met Dr. Jones and Mrs. Hall. Bye.", ["J. R. Smith met Dr. Jones and Mrs. Hall.", "Bye."]),
        ('He said "Stop." She did.', ['He said "Stop."', "She did."]),
        ("It cost 2. 5 were left.", ["It cost 2.", "5 were left."]),
        ("It ended. then it went on.", ["It ended. then it went on."]),
        ("Acme Inc. Records began.  New\nline.", ["Acme Inc. Records began.", "New line."]),
        (
            "Al (b. 1904 in Bath – d. March 28, 2003) wed Ann, c. Sept. 1930. Lt. Col. Day, a.k.a. Dee, was no. 1.",
            [
                "Al (b. 1904 in Bath – d. March 28, 2003) wed Ann, c. Sept. 1930.",
                "Lt. Col. Day, a.k.a. Dee, was no. 1.",
            ],
        ),
        ("It began at 7 p.m. The 11 C's. All sang.", ["It began at 7 p.m.", "The 11 C's.", "All sang."]),
        ("", []),
    ],
)
def test_a_full_stop_ends_a_sentence_unless_it_belongs_to_a_short_form(text, sentences):
    assert split_sentences(text) == sentences
    assert [" ".join(text[start:end].split()) for start, end in sentence_spans(text)] == sentences
