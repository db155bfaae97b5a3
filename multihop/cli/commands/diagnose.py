"""`multihop diagnose`: what a corpus and its questions are like, before any method is chosen."""

from itertools import islice
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.corpus import SearchOptions
from ..options.single import AsJSON, QuestionLimit, Quiet


def diagnose_command(
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    *,
    questions: Annotated[str | None, Parameter(alias="-q")] = None,
    search: SearchOptions = SearchOptions(),
    limit: QuestionLimit = None,
    sample: Annotated[int, Parameter(validator=Number(gte=0))] = 50,
    deep: Annotated[bool, Parameter(negative=())] = False,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Say what a corpus is like to search, and what follows from it.

    No LM is called. The corpus alone is read in seconds; with questions, they are searched for, and fifty of them are
    also given to `ranked-rag`, which takes about a minute.

    For example:

        multihop diagnose corpus.jsonl.gz
        multihop diagnose corpus.jsonl --questions dev.jsonl
        multihop diagnose indexes/wiki --questions dev.jsonl --limit 100 --sample 0
        multihop diagnose --questions mine.jsonl --json

    Parameters
    ----------
    corpus
        "world", "little", a corpus file or a folder of such files, or an index folder, which then also searches; by
        default the own paragraphs of the questions, for questions that come with the library, the corpus that they are
        about.
    questions
        "world", "little", a question file or a folder of such files, or a set on the hub; without it, the corpus alone
        is looked at.
    sample
        Questions on which ranked-rag is compared with one retrieval; 0 leaves that out.
    deep
        Compare them even where it takes more than about a minute.
    """
    from dataclasses import asdict

    from ...base import InputError
    from ...base.terminal import Terminal
    from ...diagnosis import diagnose
    from ..opening.inputs import tell_skipped
    from ..opening.work_line import working
    from ..showing.diagnosing import show_diagnosis
    from ..showing.output import print_json

    if corpus is None and questions is None:
        raise InputError(
            "say what to look at: multihop diagnose CORPUS, with --questions FILE for what is asked of it."
        )
    asked = [] if questions is None else [questions]
    inputs = search.searching(corpus, *asked)
    if questions is None:
        passages = inputs.passages(inputs.corpus_to_search(needed=True))
        with working("reading the corpus"):
            diagnosis = diagnose(passages)
        tell_skipped(passages)
    else:
        reading, _ = inputs.count_questions(questions)
        source = inputs.corpus_to_search(needed=True)
        searching = inputs.retriever(source)
        passages = inputs.passages(source)
        with working("looking at the questions") as status:
            diagnosis = diagnose(
                passages,
                islice(reading, limit),
                retriever=searching,
                sample=sample,
                deep=deep,
                watch=lambda doing: status.update(f"{doing} …"),
            )
    if json:
        print_json(asdict(diagnosis))
    else:
        show_diagnosis(diagnosis, Terminal())
