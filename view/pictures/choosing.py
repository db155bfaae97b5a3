"""The picture that fits a trajectory."""

from ...evaluation.row import Row
from .known_passages import known_passages
from .node import Picture
from .reviews import picture_reviews
from .rounds import picture_rounds
from .searched import picture_searched


def picture_search(row: Row) -> Picture:
    """How the answer was searched for: a tree where the method made one, else the rounds of its chain.

    A tree comes with the rounds that followed it, such as the call that read it.

    Examples:
        >>> from multihop.view.pictures import picture_search
        >>> picture_search({"question": "Who?", "supporting": [], "trajectory": []})
        {'kind': 'none'}
    """
    known, trajectory = known_passages(row), row["trajectory"]
    for step in trajectory:
        if "tree" in step:
            tree = step["tree"]
            if "action" in tree:
                return {"kind": "reviews", "root": picture_reviews(tree, known, row["question"])}
            return {"kind": "searched", "root": picture_searched(tree, known, row["question"])}
    rounds = picture_rounds(trajectory, known)
    return {"kind": "rounds", "rounds": rounds} if rounds else {"kind": "none"}
