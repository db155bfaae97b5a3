"""`multihop exam`: questions over documents of one's own, written by an LM, kept where they need several passages."""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...base import InputError
from ...base.texts import say_count
from ..data_options import SearchOptions, tell_skipped
from ..lm_options import LMName, LMOptions, LMs
from ..output import print_line, tell_result
from ..process import LiveLine, resumable, tell_user, working
from ..program_options import ProgramOptions
from ..shared_options import AtLeastOne, BudgetDollars, InFlight, OutputOptions, Switch, pick

if TYPE_CHECKING:
    from ...runtime import TokenCounts

CALLS, PROMPT, PASSAGES, WRITTEN = 20, 250, 3.5, 40
"""A guess at what a kept question takes: calls, those for what is dropped too; and in each call the tokens of its
instructions, the passages, and the tokens that are written."""


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
    concurrency: InFlight = 32
    seed: int = 0
    """Another seed draws other passages, and asks anew."""


def exam_command(corpus: str, /, *, options: ExamOptions) -> None:
    """Write questions over your own documents, each of which needs several passages.

    An LM writes a question for each of the passages that are drawn, from what it and a linked one say. It is kept where
    a reader finds its answer in all its passages, twice, and in none of them alone. One passage in ten gives a question
    that the corpus does not answer (--set unanswerable=0 for none; --set pages=3 for three passages).

    Says first what it guesses to cost. The same command again goes on where it stopped. `evaluate -q FILE` asks the
    questions. Read them before you trust a figure, and take a large LM: what one of 1.5 B wrote was unsound.

    For example:

        multihop exam indexes/wiki --lm openai/gpt-4o-mini --questions 50 --to exam.jsonl --dry-run
        multihop exam little --lm openai/gpt-4o-mini --questions 1 --to exam.jsonl
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

    lms, settings, wanted = LMs(options.lms, options.settings.decoding()), options.settings, options.questions
    saved, passages = settings.read(options.program), options.files.passages(corpus)
    lm = lms.open_for(saved, options.lm)
    if runs_here(lm.model):
        raise InputError("the built-in LM reads and does not write; name one that writes, as --lm openai/gpt-4o-mini.")
    with working(f"reading {corpus}"):
        drawn = draw_passages(passages, wanted, options.seed)
        search = partial(options.files.open, corpus)
        program = settings.open(options.program, saved, search, concurrency=options.concurrency)
    tell_skipped(passages)
    rows: dict[str, Any] = {}

    def line() -> str:
        calls = say_count(sum(row["cost"]["calls"] for row in rows.values()), "LM call")
        kept = sum(bool(row["answer"]) for row in rows.values())
        tried = say_count(len(rows), "passage")
        return f"{min(kept, wanted):,} of {say_count(wanted, 'question')} kept, {tried} tried, {calls}"

    with priced_by(lms.prices), dspy.context(lm=lm):
        shown = PROMPT + PASSAGES * sum(len(each.question) for each in drawn) / 4 / len(drawn)
        tokens = {"in": round(CALLS * wanted * shown), "out": CALLS * wanted * WRITTEN}
        usd = current_prices.get().usd({lm.model: cast("TokenCounts", tokens)})
        about = f"about {CALLS * wanted:,} LM calls, {sum(tokens.values()):,} tokens, {show_usd(usd)}"
        if options.dry_run:
            told = {"calls": CALLS * wanted, "tokens": tokens, "usd": usd}
            tell_result(options.json, lambda: told, lambda _: print_line(f"nothing is asked: {about}"))
            return
        tell_user(about)
        lms.check_served(kept=Path(f"{options.to}.work"))
        with resumable(f"{options.to}.work keeps what is finished"), LiveLine(line):
            given = pick(options, "to", "questions", "seed", "concurrency", "budget_usd")
            exam = write_exam(program, drawn, watch=lambda row, _: rows.update({row["id"]: row}), **given)
        paid = total_paid(f"{options.to}.work")
        result: dict[str, Any] = {"file": options.to, "questions": len(exam), "passages": len(rows), "paid": paid}
        steps = [step for row in rows.values() for step in row["trajectory"] if step["step"] == "drop"]
        result["dropped"] = dropped = dict(Counter(step["outputs"]["why"] for step in steps).most_common())
        result["unanswerable"] = sum(not each.answerable for each in exam)
        price = show_usd(paid["usd"] if paid else 0)
        done = f"{options.to}: {line()}, {price}; {result['unanswerable']} have no answer"
        lines = [done, *(f"  {number:,} dropped: {why}" for why, number in dropped.items())]
        tell_result(options.json, lambda: result, lambda _: print_line("\n".join(lines)))
