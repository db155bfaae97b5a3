"""Six passages, two questions and a retriever of which every figure can be counted by hand."""

from multihop import Hit, Passage, Question

NOVEL = Passage("p1", "Emma (novel)", "Emma is a novel by Jane Austen.")
AUTHOR = Passage("p2", "Jane Austen", "Jane Austen was born in Steventon.")
VILLAGE = Passage("p3", "Steventon", "Steventon is a village in Hampshire.")
COUNTY = Passage("p4", "Hampshire", "Hampshire is a county.")
NO_TEXT = Passage("p5", "HAMPSHIRE", "")
NO_TITLE = Passage("p6", "", "Hampshire is a  COUNTY.")
PASSAGES = [NOVEL, AUTHOR, VILLAGE, COUNTY, NO_TEXT, NO_TITLE]

BORN = Question(id="q1", question="Where was the author of Emma born?", answers=("Steventon",), supporting=("p1", "p2"))
WHERE = Question(
    id="q2",
    question="In which county was Jane Austen born?",
    answers=("Hampshire",),
    supporting=("p2", "p3"),
)
QUESTIONS = [BORN, WHERE]

FOUND = {
    BORN.question: [NOVEL, COUNTY, AUTHOR],
    WHERE.question: [AUTHOR, COUNTY],
    "Emma (novel)": [NO_TITLE],
    "Jane Austen": [NOVEL],
    "Hampshire": [NO_TEXT],
}


class Remembering:
    """Finds what is written down, and remembers what it was asked."""

    fingerprint = "remembering"

    def __init__(self, found=FOUND):
        self.found, self.asked = found, []

    def search(self, queries, k):
        self.asked.append((list(queries), k))
        return [[Hit(page, 1.0) for page in self.found.get(query, ())[:k]] for query in queries]

    def __deepcopy__(self, memo):
        return self
