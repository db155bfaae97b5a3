"""`multihop exam`: multi-hop questions made of one's own pages, written to a folder."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.amounts import AtLeastOne, Proportion
from ..options.corpus import FileOptions
from ..options.lm import LMOptions
from ..options.single import AsJSON, Quiet


def exam_command(
    corpus: Annotated[str, Parameter(alias="-c")],
    *,
    to: Path,
    questions: AtLeastOne = 200,
    unanswerable: Proportion = 0.15,
    lm: str | None = None,
    seed: int = 0,
    files: FileOptions = FileOptions(),
    lms: LMOptions = LMOptions(),
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Make multi-hop questions of a corpus, with answers, gold pages and hops.

    No LM is needed: facts are read out of English sentences, and pages that name each other are linked. What one page
    alone answers is left out. The file is taken by evaluate, compile and diagnose as any question set.

    For example:

        multihop exam corpus.jsonl --to exams/first
        multihop exam indexes/wiki --questions 500 --unanswerable 0 --seed 7 --to exams/large
        multihop exam corpus.jsonl --lm openai/gpt-4.1-mini --to exams/worded

    Parameters
    ----------
    corpus
        A corpus file or a folder of such files, an index folder, "world" or "little".
    to
        The folder to write questions.jsonl to.
    questions
        How many questions at most.
    unanswerable
        The share of them that no page answers.
    lm
        An LM that words the questions anew; each wording is checked, and dropped where it says more or less.
    seed
        The same seed makes the same questions.
    """
    from ...base import InputError
    from ...base.terminal import Terminal
    from ...exam import make_exam
    from ..opening.inputs import tell_skipped, tell_user
    from ..opening.work_line import working
    from ..showing.made_exam import exam_as_json, few, show_exam
    from ..showing.output import print_json

    to = to.expanduser()
    if to.exists() and not to.is_dir():
        raise InputError(f"--to {to} is a file; name a folder.")
    passages = files.inputs(corpus).passages(corpus)
    known = lms.open()
    worder = known.open(lm) if lm else None
    known.check_used()
    with working("reading the corpus") as status:
        made = make_exam(
            passages,
            questions=questions,
            unanswerable=unanswerable,
            seed=seed,
            lm=worder,
            watch=lambda doing: status.update(f"{doing} …"),
        )
        path = made.write(to)
    tell_skipped(passages)
    if sentence := few(made):
        tell_user(sentence)
    if json:
        print_json(exam_as_json(made, path))
    else:
        show_exam(made, path, corpus, Terminal())
