"""Questions that bring their gold pages, as files of training questions do, and the pages of one by hand."""

from dataclasses import replace

from multihop import Little
from multihop.retrieval import Passage

PAGES = list(Little().passages())
_BY_ID = {page.id: page for page in PAGES}
QUESTIONS = [replace(each, passages=tuple(_BY_ID[page] for page in each.supporting)) for each in Little().questions()]

FILM = Passage("1", "Emma", "Emma is a comedy. Emma was directed by Douglas McGrath.")
DIRECTOR = Passage("2", "Douglas McGrath", "He was born in Midland. He lives in New York.")
NOISE = [Passage(f"n{number}", f"Film {number}", f"Film {number} was directed by Somebody.") for number in range(9)]


def words(labelled):
    """The texts that are marked as useful."""
    return [labelled.pair.passage[slice(*span)] for span in labelled.useful]
