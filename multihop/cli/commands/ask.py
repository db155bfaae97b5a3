"""`multihop ask`: one question, its answer, the passages it rests on, the steps taken."""

import sys
from typing import Annotated

from cyclopts import Parameter

from ..options.budget import DollarBudgetOptions
from ..options.corpus import CorpusOptions
from ..options.lm import StepLMOptions
from ..options.program import ShownProgramOptions
from ..options.single import AsJSON, CacheScope, ProgramName, Quiet


def ask_command(
    question: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    program: Annotated[ProgramName, Parameter(alias="-p")] = "one-step",
    corpus: CorpusOptions = CorpusOptions(),
    lm: str | None = None,
    lms: StepLMOptions = StepLMOptions(),
    settings: ShownProgramOptions = ShownProgramOptions(),
    budget: DollarBudgetOptions = DollarBudgetOptions(),
    cache: CacheScope = None,
    json: AsJSON = False,
    quiet: Quiet = False,
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
        multihop ask "..." --lm server/qwen3-8b --api-base http://localhost:8000/v1
        multihop ask "..." -p resp --lm local --step-lm read=server/qwen3-8b@http://localhost:8000/v1

    Parameters
    ----------
    question
        The question; "-" reads it from standard input.
    lm
        "local" (built in: an extractive reader of 22 M parameters, no key, no network), or any model DSPy can reach; by
        default "local", or what the saved program was compiled for.
    """
    import dspy

    from ...runtime import caching, check_question, priced_by
    from ..opening.inputs import tell_little
    from ..opening.lm_choice import open_lm_for
    from ..opening.sources import corpus_to_search, open_step_lms
    from ..opening.work_line import working

    if question == "-":
        question = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").strip()
    check_question(question)
    saved, known = settings.read(program), lms.open(decoding=settings.decoding())
    model = open_lm_for(saved, lm, known, step_lms=lms.step_lm)
    step_lms = open_step_lms(lms.step_lm, known.open)
    known.check_used()
    known.check_served()
    inputs = corpus.open()
    source = corpus_to_search(program, saved, inputs)
    limits = {"demos": settings.demos, "budget": budget.budget(), **step_lms}
    program_to_ask = settings.open(program, saved, source, inputs, **limits)
    if program_to_ask.retrieves and saved is None:
        tell_little(inputs)
    with priced_by(budget.prices), dspy.context(lm=model), caching(cache), working(f"{program} is answering"):
        prediction = program_to_ask(question=question)
    if json:
        from ...base.texts import as_json
        from ...runtime.answer_record import to_answer_record
        from ..showing.output import write_json

        write_json(as_json(to_answer_record(question, program_to_ask, model.model, prediction)) + "\n")
    else:
        from ...runtime import cite
        from ..showing.search_tree import show_prediction

        show_prediction(question, program_to_ask, model.model, prediction, cite(question, prediction))
