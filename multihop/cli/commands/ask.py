"""`multihop ask`: one question, its answer, the passages it rests on, the steps taken."""

import sys
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from ... import runtime
from ...base.imports import dspy
from ..data_options import CorpusOptions
from ..lm_options import LMs, ProgramLMOptions
from ..process import working
from ..program_options import BudgetOptions, ProgramOptions
from ..shared_options import CacheScope, OutputOptions, ProgramName


@dataclass(frozen=True, kw_only=True)
class AskOptions(OutputOptions):
    """The options of `ask`."""

    program: Annotated[ProgramName, Parameter(alias="-p")] = "ranked-rag"
    corpus: CorpusOptions = CorpusOptions()
    lms: ProgramLMOptions = ProgramLMOptions()
    settings: ProgramOptions = ProgramOptions()
    budget: BudgetOptions = BudgetOptions()
    cache: CacheScope = None


def ask_command(
    question: Annotated[str, Parameter(allow_leading_hyphen=True)], /, *, options: AskOptions = AskOptions()
) -> None:
    """Answer one question.

    Green is the answer and what the search accepted or chose, cyan a passage, magenta a step, yellow a search that goes
    on or ended too early, red what was rejected or failed; NO_COLOR=1 leaves colours out, as a pipe does. The built-in
    encoder looks for the sentences of the sources that bear the answer.

    For example:

        multihop ask "In which country was the discoverer of penicillin born?"
        multihop ask "Where was the director of Night Train born?" -c corpus.jsonl
        multihop ask "..." --program cot --lm openai/gpt-4o-mini
        multihop ask "..." --corpus indexes/wiki --set k=8 --json
        multihop ask "..." --lm server/qwen3-8b@http://localhost:8000/v1
        multihop ask "..." -p resp --lm local --lm read=server/qwen3-8b@http://localhost:8000/v1

    Parameters
    ----------
    question
        The question; "-" reads it from standard input.
    """
    if question == "-":
        question = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip()
    runtime.check_question(question)
    lms = LMs(options.lms, options.settings.decoding())
    settings, corpus = options.settings, options.corpus
    saved = settings.read(options.program)
    lm, steps = lms.open_all(saved, options.lms.lm)
    lms.check_served()
    search = corpus.opener(corpus.to_search(options.program, saved), saved)
    program = settings.open(options.program, saved, search, budget=options.budget.budget(), **steps)
    if program.retrieves and saved is None:
        corpus.tell_little()
    with (
        runtime.priced_by(lms.prices),
        dspy.context(lm=lm),
        runtime.caching(options.cache),
        working(f"{options.program} is answering"),
    ):
        prediction = program(question=question)
    if options.json:
        from ...base.texts import as_json
        from ...runtime.answer_record import to_answer_record
        from ..output import write_json

        write_json(as_json(to_answer_record(question, program, lm.model, prediction)) + "\n")
    else:
        from ..show_answer import show_prediction

        show_prediction(question, program, lm.model, prediction, runtime.cite(question, prediction))
