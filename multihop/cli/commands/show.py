"""`multihop show`: what a program will say to an LM; or a finished run, and the search for one of its answers."""

from functools import partial
from pathlib import Path

from ... import evaluation, retrieval
from ...base import InputError
from ...base.imports import dspy
from ..lm_options import LMName, LMOptions, LMs
from ..output import tell_result
from ..program_options import ProgramOptions
from ..shared_options import ProgramName, Switch


def show_command(
    program: ProgramName,
    run_question: str | None = None,
    /,
    *,
    prompt: str | None = None,
    question: str | None = None,
    lm: LMName = None,
    options: LMOptions = LMOptions(),
    settings: ProgramOptions = ProgramOptions(),
    json: Switch = False,
) -> None:
    """Print the prompts of a program, or a finished run.

    No LM is asked, no corpus is opened, and nothing is contacted, except that a server named with --lm is asked whether
    it keeps to a schema. A saved program's page says what of its file is left out. Of a run's folder, its figures and
    how its questions went; with the id of a question, the search for its answer.

    For example:

        multihop show resp.json
        multihop show resp.json --prompt judge --question "Where was the director of Night Train born?"
        multihop show resp.json --prompt judge --lm openai/gpt-4.1-mini --lm-set structured=json
        multihop show resp.json --json
        multihop show runs/first
        multihop show runs/first penicillin-country

    Parameters
    ----------
    run_question
        For a run: the id of a question.
    prompt
        Print the very messages with which this step is asked, instead of the page.
    question
        For --prompt: the question. What is not given stands there by name, as "{FIELD}".
    lm
        For --prompt: the LM whose messages are printed, in the form in which it is asked, with the JSON schema beneath
        that is sent with them; by default one that is asked in DSPy's marked fields.
    json
        Print the page, the messages, the run's header and summary, or the question's row as JSON.
    """
    from ...evaluation.journal import is_run

    if run_question is not None or is_run(program):
        if prompt or question or lm or settings.set_ or settings.preset:
            raise InputError("a run's folder is shown alone, or with the id of one of its questions.")
        _show_run(Path(program), run_question, json)
        return
    for given, what in ((question, "--question fills in"), (lm, "--lm says who reads")):
        if given is not None and prompt is None:
            raise InputError(f"{what} the messages of a step; name it with --prompt STEP.")
    inputs: dict[str, object] = {} if question is None else {"question": question}
    reader = None if lm is None else LMs(options).open(lm)
    _show_program(program, settings, None if prompt is None else (prompt, inputs), reader, json)


def _show_run(folder: Path, question: str | None, json: bool) -> None:
    from ...evaluation.journal import read_header, read_question
    from ..show_results import show_question, show_run

    if question is not None:
        tell_result(json, lambda: read_question(folder, question), partial(show_question, folder, question))
        return
    tell_result(
        json,
        lambda: {"header": read_header(folder), "summary": evaluation.open_run(folder).summary},
        partial(show_run, folder),
    )


def _show_program(
    name: str, settings: ProgramOptions, asked: tuple[str, dict[str, object]] | None, lm: "dspy.LM | None", json: bool
) -> None:
    """The page of a program; or, where a step and its inputs are given, the messages that it asks that LM with."""
    from ..show_prompts import messages_of, page_as_values, schema_of, show_messages, show_program

    saved = settings.read(name)
    program = settings.open(name, saved, lambda: retrieval.as_retriever(lambda query, k: []))
    if asked is not None:
        messages, schema = messages_of(program, *asked, lm), schema_of(program, asked[0], lm)
        value = messages if lm is None else {"messages": messages, "schema": schema}
        tell_result(json, lambda: value, partial(show_messages, messages, schema))
    else:
        tell_result(json, lambda: page_as_values(program, saved), partial(show_program, program, saved))
