"""The picture that fits a trajectory."""

from collections.abc import Collection, Sequence

from ...base import DamagedFileError
from ...evaluation.row import Row
from ...runtime import TrajectoryStep
from .known_passages import passages_found
from .node import Picture
from .reviews import picture_reviews
from .rounds import picture_rounds
from .searched import picture_searched
from .telling_apart import tell_children_apart


def picture_search(row: Row) -> Picture:
    """The search for the answer: a tree where the method made one, else the rounds of its chain.

    A tree comes with the rounds that followed it, such as the call that read it.

    Raises:
        DamagedFileError: The row's steps are not those of a search.
    """
    try:
        return picture_trajectory(row["trajectory"], row["question"], row["supporting"])
    except (TypeError, KeyError, IndexError, ValueError, AttributeError) as error:  # a row of somebody else's
        raise DamagedFileError(
            f"the search of question '{row['id']:.80}' cannot be drawn: its steps in questions.jsonl are damaged."
        ) from error


def picture_trajectory(trajectory: Sequence[TrajectoryStep], question: str, gold: Collection[str] = ()) -> Picture:
    """The same of a trajectory; the question names the root, and the gold passages are marked."""
    known = passages_found(trajectory, gold)
    for step in trajectory:
        if "tree" in step:
            tree = step["tree"]
            picture: Picture
            if "action" in tree:
                picture = {"kind": "reviews", "root": picture_reviews(tree, known, question)}
            else:
                picture = {"kind": "searched", "root": picture_searched(tree, known, question)}
            tell_children_apart(picture["root"])
            return picture
    rounds = picture_rounds(trajectory, known)
    return {"kind": "rounds", "rounds": rounds} if rounds else {"kind": "none"}
