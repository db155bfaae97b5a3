"""Sentences with a name put as a description: which are made, and which names are left as they are."""

import pytest

from multihop.retrieval import Passage
from multihop.training.lessons.described import described_items
from multihop.training.lessons.reading_items import ReadingItem, ReadParagraph
from multihop.training.mix import mixed_lessons

AUSTEN = Passage("2", "Jane Austen", "Jane Austen was an English novelist. She lived in Hampshire.")
TELLING = "It was written by Jane Austen, and it was first published in December 1815."


def made_of(text, *others, most=10):
    return described_items([Passage("1", "Emma", text), AUSTEN, *others], most)


def test_a_sentence_asks_for_the_name_that_it_describes():
    (item,) = made_of(f"A novel. {TELLING} Jane Austen liked it.")
    assert item.question == "It was written by an English novelist, and it was first published in December 1815."
    assert (item.answers, item.kind, item.source) == (("Jane Austen",), "span", "described")
    (page,) = item.paragraphs
    assert (page.title, page.supporting) == ("Emma", True)
    assert [page.text[start:end] for start, end in page.answers] == ["Jane Austen", "Jane Austen"]


@pytest.mark.parametrize(
    "text",
    [
        "It was given by the Jane Austen Society of Great Britain to the library.",  # part of a longer name
        "It was said of the Lady Jane Austen that she wrote it all by herself.",
        "It is in Jane Austen's house that all of it was written and was read.",
        "Jane Austen wrote it.",  # too short to ask anything
        "Jane Austen wrote it when no one but Jane Austen knew that it was written.",  # named twice
    ],
)
def test_a_sentence_that_would_be_garbled_is_left_out(text):
    assert made_of(text) == []


def test_a_name_of_two_pages_is_left_out_and_so_is_one_that_is_not_described():
    twin = Passage("3", "Jane Austen", "Jane Austen was a Welsh painter of some fame.")
    assert made_of(TELLING, twin) == []
    bare = Passage("2", "Jane Austen", "Born in Steventon, she lived in Hampshire.")
    assert described_items([Passage("1", "Emma", TELLING), bare], 5) == []


def test_a_page_is_asked_for_three_times_at_most_and_no_more_are_made_than_told():
    pages = [AUSTEN, *(Passage(f"{number}", f"Novel {number}", TELLING) for number in range(3, 9))]
    assert len(described_items(pages, 10)) == 3
    assert len(described_items(pages, 2)) == 2
    assert described_items(pages, 2) == described_items(pages, 2)


def test_they_are_learned_from_beside_the_items():
    emma = ReadParagraph("Emma", TELLING, True, ((18, 29),))
    austen = ReadParagraph("Jane Austen", AUSTEN.text, False, ())
    item = ReadingItem("1", "Who wrote Emma?", ("Jane Austen",), "span", (emma, austen))
    asked = [each.candidates[0].pair.question for each in mixed_lessons([item], [], described=5)]
    assert asked == [
        "Who wrote Emma?",
        "It was written by an English novelist, and it was first published in December 1815.",
    ]
