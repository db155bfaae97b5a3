"""`multihop exam`: questions over documents of one's own, written by an LM, kept where they need several passages."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...base import InputError
from ..data_options import SearchOptions, tell_skipped
from ..lm_options import LMName, LMOptions, LMs
from ..output import print_line, tell_result
from ..process import LiveLine, resumable, tell_user, working
from ..program_options import ProgramOptions
from ..shared_options import AtLeastOne, BudgetDollars, OutputOptions, Switch, pick

CALLS, PROMPT, PASSAGES, WRITTEN = 16, 400, 2.8, 25
"""A guess: calls for a kept question; in each the tokens of instructions, the passages, and the tokens written."""


@dataclass(frozen=True, kw_only=True)
class ExamOptions(OutputOptions):
    """The options of `exam`."""

    to: Path
    """The file for the questions; the work is kept beside it, in FILE.work, a run that `show` and `view` take."""
    questions: AtLeastOne = 50
    """Questions to keep."""
    program: str = "multihop.programs.exam:WriteExam"
    """The program that writes, or the file of a compiled one."""
    files: SearchOptions = SearchOptions()
    lm: LMName = None
    lms: LMOptions = LMOptions()
    settings: ProgramOptions = ProgramOptions()
    budget_usd: BudgetDollars = None
    """Dollars that the command may pay in all; then it stops, and what is kept is in the file."""
    dry_run: Switch = False
    """Say about what it would cost, and ask nothing."""
    seed: int = 0
    """Another seed draws other passages, and asks anew."""


def exam_command(corpus: str, /, *, options: ExamOptions) -> None:
    """Write questions over your own documents, each of which needs several passages.

    An LM asks about a name in each of the passages that are drawn, and describes the name by what another passage says
    of it. The question is kept where a reader finds its answer in all its passages, twice, and in none of them alone.
    One in ten is to have no answer (--set unanswerable=0 for none; --set pages=3 for three passages). The same command
    again goes on where it stopped. Read them before you trust a figure, and take a large LM: one of 1.5 B wrote 18 from
    82 pages with titles, of which 17 were sound, and none from news and chats.

    For example:

        multihop exam indexes/wiki --lm openai/gpt-4o-mini --questions 50 --to exam.jsonl --dry-run
        multihop exam little --lm openai/gpt-4o-mini --questions 1 --set pages=3 --to three.jsonl --budget-usd 1

    Parameters
    ----------
    corpus
        An index folder, a corpus file or a folder of such files, or "little".
    """
    import dspy

    from ...evaluation.exam import draw_passages, write_exam
    from ...lms.lm_by_name import runs_here
    from ...runtime import current_prices, priced_by, show_usd, total_paid

    settings, wanted, work = options.settings, options.questions, Path(f"{options.to}.work")
    lms, saved = LMs(options.lms, settings.decoding()), settings.read(options.program)
    lm, steps = lms.open_all(saved, [options.lm] if options.lm else None)
    passages = options.files.passages(corpus)
    if runs_here(lm.model):
        raise InputError("the built-in LM reads and does not write; name one that writes, as --lm openai/gpt-4o-mini.")
    with working(f"reading {corpus}"):
        drawn = draw_passages(passages, wanted, options.seed)
        program = settings.open(options.program, saved, partial(options.files.open, corpus), **steps)
    tell_skipped(passages)
    with priced_by(lms.prices), dspy.context(lm=lm):
        calls, shown = CALLS * wanted, PASSAGES * sum(len(each.question) for each in drawn) / 4 / len(drawn)
        about: Any = {"in": round(calls * (PROMPT + shown)), "out": calls * WRITTEN}
        about = {"calls": calls, "tokens": about, "usd": current_prices.get().usd({lm.model: about})}
        tell_user(f"about {calls:,} LM calls, {sum(about['tokens'].values()):,} tokens, {show_usd(about['usd'])}")
        if options.dry_run:
            tell_result(options.json, lambda: about, lambda _: print_line("nothing is asked."))
            return
        lms.check_served(kept=work)
        tried, given = dict[str, Any](), pick(options, "to", "questions", "seed", "budget_usd")
        line = LiveLine(lambda: f"{sum(map(bool, tried.values())):,} of {wanted:,} kept, {len(tried):,} passages tried")
        with resumable(f"{work} keeps what is finished"), line:
            exam = write_exam(program, drawn, watch=lambda row, _: tried.update({row["id"]: row["answer"]}), **given)
        paid, missing = total_paid(work), sum(not each.answerable for each in exam)
        told = f"{options.to}: {len(exam):,} kept, {missing:,} have no answer, {show_usd(paid['usd'] if paid else 0)}"
        result = {"file": options.to, "questions": len(exam), "unanswerable": missing, "paid": paid}
        tell_result(options.json, lambda: result, lambda _: print_line(told))
