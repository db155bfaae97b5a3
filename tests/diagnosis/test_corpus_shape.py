import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_town import PASSAGES

from multihop import InputError, Passage, Question
from multihop.diagnosis import CorpusShape, PassageLengths, diagnose
from multihop.diagnosis.corpus_shape import LOOKED_AT, measure_corpus
from multihop.diagnosis.named_pages import NamedPages, name_of


def test_every_figure_of_a_small_corpus():
    assert measure_corpus(PASSAGES)[0] == CorpusShape(
        passages=6,
        text_bytes=208,  # 12 of ids, 50 of titles, 146 of texts
        bm25_bytes=208 + 6 * 39 + 16 * 8,  # 39 a line, and 4 + 4 + 3 + 2 + 1 + 2 postings
        dense_bytes=208 + 6 * 39 + 6 * 8 + 6 * 384 * 2,  # none of more than one sentence
        words=PassageLengths(mean=4.5, median=6, p95=7, longest=7),  # 7, 6, 6, 4, 0, 4
        empty_texts=1,
        untitled=1,
        shared_titles=2,  # "Hampshire" and "HAMPSHIRE"
        repeated_texts=2,  # what they say differs by case and a space
        titles_named=4 / 6,  # Jane Austen, Steventon, Hampshire, and Hampshire again where there is no title
        naming=4 / 6,
        looked_at=6,
    )


def test_of_a_large_corpus_evenly_drawn_passages_are_looked_at():
    many = [Passage(f"p{n}", f"Page {n}", f"After page {n - 1} page.") for n in range(1, 2 * LOOKED_AT + 1)]
    shape = measure_corpus(iter(many))[0]
    assert (shape.passages, shape.looked_at) == (4000, 2000)  # every second
    assert shape.titles_named == 0.9995  # all but the first name the page before
    assert (shape.shared_titles, shape.repeated_texts, shape.words.mean) == (0, 0, 4.0)


def test_what_is_no_corpus():
    with pytest.raises(InputError, match="the corpus is empty"):
        diagnose([])
    with pytest.raises(InputError, match=r"passage 1 is 'Emma', not a Passage"):
        diagnose(["Emma"])
    with pytest.raises(InputError, match="an index that gives its passages back, not str. Open a file with open_corpu"):
        diagnose("corpus.jsonl")

    class Searches:
        def search(self, queries, k):
            return [[] for _ in queries]

    with pytest.raises(InputError, match="not Searches. It searches, but does not give its passages"):
        diagnose(Searches(), [Question(id="q", question="Who?", answers=())])
    with pytest.raises(InputError, match="0 or more, not -1"):
        diagnose(PASSAGES, sample=-1)


TITLES = st.text("ab .!(", min_size=1, max_size=6)


@given(st.lists(TITLES, max_size=8), st.text("ab .!(-", max_size=30))
def test_the_names_in_a_text_are_those_that_each_page_finds_itself(titles, text):
    pages = [Passage(str(number), title, "") for number, title in enumerate(titles)]
    named = {name_of(page) for page in pages if page.is_named_in(text) and any(map(str.isalnum, page.name))}
    assert set(NamedPages(pages).names_in(text)) == named


def test_names_come_in_the_order_of_the_text_each_once():
    pages = NamedPages([Passage("1", "Yahoo!", ""), Passage("2", "New York", ""), Passage("3", "York", "")])
    assert pages.names_in("In New York, york and YORK: Yahoo! (not Yahoo)") == ("new york", "york", "yahoo!")
    assert pages.names_in("New-York and Yahoo", besides="york") == ()
