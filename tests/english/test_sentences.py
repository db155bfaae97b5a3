import pytest

from multihop.english.sentences import sentence_spans, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rains. It pours! Does it? Yes.", ["It rains.", "It pours!", "Does it?", "Yes."]),
        (
            "J. R. Smith met Dr. Jones and Mrs. Hall. They left.",
            ["J. R. Smith met Dr. Jones and Mrs. Hall.", "They left."],
        ),
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


def test_spans_say_where_the_sentences_are():
    text = "One. Two."
    assert sentence_spans(text) == [(0, 4), (5, 9)]
    assert sentence_spans("  ") == []
