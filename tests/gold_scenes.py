"""Two paths read from gold, one of two hops and one comparison, and what makers of demonstrations show of them."""

from multihop.data import Question
from multihop.data.gold import GoldHop, GoldPath
from multihop.optimize.prompts.makers.scene import set_scenes
from multihop.optimize.prompts.steps import MAKERS
from multihop.retrieval import Hit, Passage

EMMA = Passage("1", "Emma", "Emma is a novel by Jane Austen. It sold well.")
AUSTEN = Passage("2", "Jane Austen", "She wrote six novels. She was born in Steventon.")
NOISE = [Passage(f"n{number}", f"Page {number}", f"It is about {number}.") for number in range(4)]
HOPS = (
    GoldHop("Who wrote Emma?", "Jane Austen", EMMA, "Emma is a novel by Jane Austen."),
    GoldHop("Where was Jane Austen born?", "Steventon", AUSTEN, "She was born in Steventon.", (0,)),
)
CHAIN = GoldPath(Question(id="q1", question="Where was the author of Emma born?", answers=("Steventon",)), HOPS)
OLIVER = Passage("3", "Oliver Twist", "Oliver Twist appeared in 1837.")
IVANHOE = Passage("4", "Ivanhoe", "Ivanhoe appeared in 1819.")
FIRST = Question(id="q2", question="Which novel appeared first, Oliver Twist or Ivanhoe?", answers=("Ivanhoe",))
DATES = (
    GoldHop("When was Oliver Twist published?", "1837", OLIVER, OLIVER.text),
    GoldHop("When was Ivanhoe published?", "1819", IVANHOE, IVANHOE.text),
)
COMPARED = GoldPath(FIRST, DATES, compares=True)
ASIDE = "When was Oliver Twist published? -> Oliver Twist was published in 1837."


class Finds:
    """Finds the same for whatever is searched for, and notes what that was."""

    def __init__(self, pages=(*NOISE, EMMA)):
        self.pages, self.searched = pages, []

    def search(self, queries, k):
        self.searched.append(list(queries))
        return [[Hit(page, 1.0) for page in self.pages[:k]] for _ in queries]


def rows(step, *fields, path=CHAIN, retriever=None, chain=False):
    """The values of some fields, example by example."""
    scene = set_scenes([path, COMPARED if path is CHAIN else CHAIN], retriever or Finds(), chain=chain)[0]
    made = [tuple(row.fields[field] for field in fields) for row in MAKERS[step].rows(scene)]
    return [each[0] for each in made] if len(fields) == 1 else made


def shown(*passages):
    return [str(passage) for passage in passages]
