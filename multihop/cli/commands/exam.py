"""`multihop exam`: questions over documents of one's own, written by an LM, kept where they need several passages."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base import InputError
from ...base.texts import say_count
from ..data_options import SearchOptions, tell_skipped
from ..lm_options import LMName, LMOptions, LMs
from ..output import print_line, tell_result
from ..process import LiveLine, resumable, tell_user, working
from ..program_options import ProgramOptions
from ..shared_options import AtLeastOne, BudgetDollars, InFlight, OutputOptions, Switch, pick

CALLS, PROMPT, WRITTEN = 20, 300, 60
"""What a kept question takes, as measured with an LM of 1.5 B parameters: calls, those for what is dropped too; and of
each call the tokens of its instructions, and of what is written."""


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

    Passages are drawn, and an LM writes a question for each from what it and a linked passage say. A question is kept
    where a reader finds its answer from all of its passages, twice, and from none of them alone. One passage in ten
    gives a question that the corpus does not answer (--set unanswerable=0 for none; --set pages=3 for three passages).

    Says first about what it costs. The same command again goes on where it stopped. `evaluate -q FILE` asks the
    questions. Read them before you trust a figure: small LMs also write some that are unsound.

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

    lms, settings, files = LMs(options.lms, options.settings.decoding()), options.settings, options.files
    saved, passages = settings.read(options.program), files.passages(corpus)
    lm = lms.open_for(saved, options.lm)
    if runs_here(lm.model):
        raise InputError("the built-in LM reads and does not write; name one that writes, as --lm openai/gpt-4o-mini.")
    with working(f"reading {corpus}"):
        program = settings.open(options.program, saved, lambda: files.open(corpus), concurrency=options.concurrency)
        drawn = draw_passages(passages, options.questions, options.seed)
    tell_skipped(passages)
    kept, calls = dict[str, int](), dict[str, int]()

    def watch(row: Any, _: bool) -> None:
        kept[row["id"]], calls[row["id"]] = bool(row["answer"]), row["cost"]["calls"]

    def line() -> str:
        tried = f"{say_count(len(kept), 'passage')} tried, {say_count(sum(calls.values()), 'LM call')}"
        return f"{sum(kept.values()):,} of {say_count(options.questions, 'question')} kept, {tried}"

    with priced_by(lms.prices), dspy.context(lm=lm):
        expected = CALLS * options.questions
        shown = sum(len(each.question) for each in drawn) / 4 / len(drawn)
        tokens = {"in": round(expected * (PROMPT + 1.5 * shown)), "out": expected * WRITTEN}
        usd = show_usd(current_prices.get().usd({lm.model: tokens}))  # type: ignore[dict-item]
        about = f"about {expected:,} LM calls, {sum(tokens.values()):,} tokens, {usd}"
        if options.dry_run:
            asked = {"calls": expected, "tokens": tokens, "usd": usd}
            tell_result(options.json, lambda: asked, lambda _: print_line(f"nothing is asked: {about}"))
            return
        tell_user(f"{about}, if as much is kept as of a small LM's")
        work = Path(f"{options.to}.work")
        lms.check_served(kept=work)
        with resumable(f"{work} keeps what is finished"), LiveLine(line):
            given = pick(options, "to", "questions", "seed", "concurrency", "budget_usd")
            exam = write_exam(program, drawn, watch=watch, **given)
        paid = total_paid(work)
        told = f"{options.to}: {line()}, {show_usd(paid and paid['usd'])}; {{}} of them without an answer"
        without = sum(not each.answerable for each in exam)
        counts = {
            "file": options.to,
            "questions": len(exam),
            "unanswerable": without,
            "passages": len(kept),
            "paid": paid,
        }
        tell_result(options.json, lambda: counts, lambda _: print_line(told.format(without)))
