"""`multihop choose`: the method to take for a corpus, an LM and a budget."""

from itertools import islice
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.corpus import FileOptions
from ..options.single import AsJSON, QuestionLimit

AtMostSo = Annotated[float | None, Parameter(validator=Number(gt=0))]


def choose_command(
    *,
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    questions: Annotated[str | None, Parameter(alias="-q")] = None,
    lm: str = "local",
    size: AtMostSo = None,
    calls: AtMostSo = None,
    tokens: AtMostSo = None,
    seconds: AtMostSo = None,
    retriever: str | None = None,
    limit: QuestionLimit = None,
    files: FileOptions = FileOptions(),
    json: AsJSON = False,
) -> None:
    """Say which method to take, and on which measured row it rests.

    It is chosen for a corpus, an LM and a budget.

    Nothing is run. Of the rows measured with the nearest LM, on the nearest question set, within the budget, those
    count that no other beats by more than the 95 % interval of their difference; of these, the best of about the
    cheapest is taken.

    For example:

        multihop choose
        multihop choose --corpus corpus.jsonl --questions dev.jsonl --lm gguf:qwen2.5-1.5b-instruct.gguf --calls 5
        multihop choose -c indexes/wiki --lm openai/gpt-4o-mini --tokens 5000
        multihop choose --lm server/mine@http://localhost:8000/v1 --size 8 --json

    Parameters
    ----------
    corpus
        "world", "little", a corpus file or a folder of such files, an index folder, or the address of a server: what
        will be searched.
    questions
        "world", "little", a question file or a folder of such files, or a set on the hub: what will be asked; its hops
        count.
    lm
        The LM that will answer, as other commands take it; it is not called, and need not be there.
    size
        Its billions of parameters, where its name does not tell.
    calls
        LM calls that a question may take, in the mean.
    tokens
        Tokens, prompts and completions together, likewise.
    seconds
        Seconds, likewise, as on the machine that the rows were measured on.
    retriever
        The kind of retriever, if it has to be a certain one, such as bm25; by default any, or that of the index.
    """
    from dataclasses import asdict

    from ...base.terminal import Terminal
    from ...experiments import choose
    from ...experiments.choosing.hops import mean_hops
    from ...retrieval import is_index
    from ..opening.choosing import count_passages, kind_of_index
    from ..opening.work_line import working
    from ..showing.choosing import next_command, show_choice
    from ..showing.output import print_json

    inputs = files.inputs(corpus)
    hops = None
    with working("looking at the questions"):
        if questions is not None:
            reading, _ = inputs.count_questions(questions)
            hops = mean_hops(islice(reading, limit))
    with working("looking at the corpus"):
        passages = None if corpus is None else count_passages(corpus, inputs)
    indexed = corpus is not None and is_index(corpus)
    choice = choose(
        lm,
        size=size,
        passages=passages,
        hops=hops,
        calls=calls,
        tokens=tokens,
        seconds=seconds,
        retriever=retriever or (kind_of_index(corpus) if corpus is not None else None),
    )
    command = next_command(choice, lm=lm, corpus=corpus, questions=questions, indexed=indexed)
    if json:
        print_json({"command": command, **asdict(choice)})
    else:
        show_choice(choice, command, Terminal())
