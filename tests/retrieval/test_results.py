import dspy
import numpy as np
import pytest

from multihop.base import InputError
from multihop.base.english import LONGEST_TITLE, split_title
from multihop.retrieval import Hit, Passage
from multihop.retrieval.passage import read_hits, read_rankings

PO = Passage("p", "Po", "A river.")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], []),
        ([Hit(PO, None), PO], [Hit(PO, 1.0), Hit(PO, 0.5)]),
        ([(PO, np.float32(2.5)), (PO, float("nan"))], [Hit(PO, 2.5), Hit(PO, 0.5)]),
        ([("Po | A river.", 0.5)], [Hit(Passage("117f4902b14d2a00", "Po", "A river."), 0.5)]),
        (
            [dspy.dsp.utils.dotdict({"long_text": "Po | A river.", "pid": 4, "score": 9.5})],
            [Hit(Passage("4", "Po", "A river."), 9.5)],
        ),
        ([{"id": "a", "text": "A | B", "title": ""}], [Hit(Passage("a", "", "A | B"), 1.0)]),
        ((PO for _ in range(1)), [Hit(PO, 1.0)]),
        (dspy.Prediction(docs=[PO], doc_ids=["p"]), [Hit(PO, 1.0)]),
        (dspy.Prediction(passages=[PO, PO], indices=[4, 2], scores=[0.9, 0.4]), [Hit(PO, 0.9), Hit(PO, 0.4)]),
    ],
)
def test_what_was_found_becomes_hits(found, expected):
    assert read_hits(found, "mine") == expected


def test_texts_get_ids_of_their_content():
    first, second, again = read_hits(["Po | A river.", "A river.", "Po | A river."], "mine")
    assert (first.passage.title, first.passage.text, first.score) == ("Po", "A river.", 1.0)
    assert (second.passage.title, second.passage.text, second.score) == ("", "A river.", 0.5)
    assert first.passage.id == again.passage.id == "117f4902b14d2a00"
    assert first.passage.id != second.passage.id
    shifted = read_hits([{"title": "a", "text": "bc"}, {"title": "ab", "text": "c"}, "\ud800"], "mine")
    assert len({hit.passage.id for hit in shifted}) == 3


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, "None for a query; it must return a list of hits, best first."),
        (PO, "the Passage Passage(id='p', title='Po', text='A river.') for a query; it must return a list of hits,"),
        ({"Po": 1.0}, "the dict {'Po': 1.0} for a query; it must return a list of hits, best first."),
        ([3], "the int 3 as a hit; a hit is a Hit, a Passage, a text, (text, score), or a record with its text"),
        ([{"body": "A river."}], "the dict {'body': 'A river.'} as a hit;"),
        ([Passage("p", "Po", None)], "the Passage Passage(id='p', title='Po', text=None) as a hit;"),
        ([[0.5, 0.25]], "the list [0.5, 0.25] as a hit;"),
    ],
)
def test_what_is_no_hit_is_refused_in_one_sentence(found, said):
    with pytest.raises(InputError) as refused:
        read_hits(found, "mine")
    assert str(refused.value).startswith(f"mine returned {said}")


def test_rankings_are_counted():
    assert read_rankings([[PO], []], 2, "mine") == [[Hit(PO, 1.0)], []]
    for answer in ([[PO]], "ab", ["Po", "Etna"]):
        with pytest.raises(InputError, match=r"^mine returned .* for (2 queries|a query); it must return"):
            read_rankings(answer, 2, "mine")


def test_what_is_shown_is_split_at_its_first_bar_if_that_is_near_the_beginning():
    for title in ("Po", "Po (river)", ""):
        assert split_title(str(Passage("p", title, "A river."))) == (title, "A river.")
    assert split_title("Po | A | B") == ("Po", "A | B")
    late = "x" * LONGEST_TITLE + " | y"
    assert split_title(late) == ("", late)
    assert split_title(late[1:]) == (late[1:LONGEST_TITLE], "y")
    assert split_title("a|b") == ("", "a|b")
