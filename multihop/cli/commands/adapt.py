"""`multihop adapt`: an index learns its corpus, by questions made of its pages."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.amounts import AtLeastOne
from ..options.single import AsJSON, Quiet


def adapt_command(
    index: Path,
    /,
    *,
    questions: AtLeastOne = 2000,
    undo: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Teach a dense or hybrid index its corpus, without a label.

    Questions are made of single sentences of its pages. By two thirds of them the embedding, the judge and the reader
    learn small maps over what they say; by the others each part is measured, and kept where it gains more than its
    standard error. What is kept is in the folder "adapted" of the index. Programs over the index use it by themselves,
    other indexes never see it, and no passage is embedded anew. It takes no LM, no PyTorch, and minutes.

    For example:

        multihop adapt indexes/manuals
        multihop adapt indexes/manuals --undo

    Parameters
    ----------
    index
        The folder of an index.
    questions
        How many questions to make at most.
    undo
        Forget what the index has learned.
    seed
        The same seed makes the same questions.
    """
    from ...base.terminal import Terminal
    from ...training.adapting.adapting import adapt, forget
    from ..opening.work_line import working
    from ..showing.learned import learned_as_json, show_learned
    from ..showing.output import print_json, print_line

    if undo:
        forgot = forget(index)
        if json:
            print_json({"index": index, "forgot": forgot})
        else:
            print_line(f"{index} has forgotten what it had learned" if forgot else f"{index} had learned nothing")
        return
    with working("opening the index") as status:
        learned = adapt(index, questions=questions, seed=seed, watch=lambda doing: status.update(f"{doing} …"))
    if json:
        print_json(learned_as_json(learned))
    else:
        show_learned(learned, index, Terminal())
