"""`multihop exam`: questions over a corpus of one's own, written by an LM and kept where they need several passages."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import InputError
from ...base.texts import clock, say_count
from ..data_options import SearchOptions, tell_skipped
from ..lm_options import LMName, LMOptions, LMs
from ..output import print_line, tell_result
from ..process import LiveLine, heap_at_rest, resumable, tell_user, working
from ..program_options import ProgramOptions
from ..shared_options import AtLeastOne, BudgetDollars, CacheScope, InFlight, OutputOptions, Switch, pick

if TYPE_CHECKING:
    from ...evaluation.exam import Exam
    from ...evaluation.row import Row

PROGRAM = "multihop.programs.exam:WriteExam"


@dataclass(frozen=True, kw_only=True)
class ExamCommandOptions(OutputOptions):
    """The options of `exam`."""

    to: Path
    """The file for the questions; the work is kept beside it, in FILE.work, a run that `show` and `view` take."""
    questions: AtLeastOne = 50
    """Questions to keep."""
    program: str = PROGRAM
    """A compiled exam program, as the file that `save` or `compile` wrote."""
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
    """Another seed draws other passages and asks anew."""
    cache: CacheScope = None


def exam_command(corpus: str, /, *, options: ExamCommandOptions) -> None:
    """Write questions over your own documents, each of which needs several passages.

    Passages are drawn, and an LM writes a question for each from what it and a linked passage say. A question is kept
    where a reader finds its answer from all of its passages, twice, and from none of them alone. One passage in ten
    gives a question that the corpus does not answer (--set unanswerable=0 for none; --set pages=3 for three passages).

    Says first about what it costs. The same command again goes on where it stopped. `multihop evaluate -q FILE` asks
    the questions. Read them before you trust a figure: small LMs also write some that are unsound.

    For example:

        multihop exam indexes/wiki --lm openai/gpt-4o-mini --questions 50 --to exam.jsonl --dry-run
        multihop exam little --lm openai/gpt-4o-mini --questions 1 --to exam.jsonl
        multihop exam little --lm openai/gpt-4o-mini --questions 1 --set unanswerable=0 --set pages=3 --to three.jsonl

    Parameters
    ----------
    corpus
        An index folder, a corpus file or a folder of such files, or "little".
    """
    import dspy

    from ...evaluation.exam import ExamOptions, expected_cost, write_exam
    from ...lms.lm_by_name import runs_here
    from ...runtime import priced_by, show_usd

    lms = LMs(options.lms, options.settings.decoding())
    saved = options.settings.read(options.program)
    lm = lms.open_for(saved, options.lm)
    if runs_here(lm.model):
        raise InputError("the built-in LM reads and does not write: name one that does, as --lm openai/gpt-4o-mini.")
    settings, files = options.settings, options.files
    passages = files.passages(corpus)
    with working(f"reading {corpus}"):
        program = settings.open(options.program, saved, lambda: files.open(corpus), concurrency=options.concurrency)
        exam = ExamOptions(program, list(passages), watch=None, **pick(options, "to", "questions", "seed"))
    tell_skipped(passages)
    with priced_by(lms.prices), dspy.context(lm=lm):
        calls, tokens, usd = expected_cost(exam)
        about = f"about {calls:,} LM calls, {sum(tokens.values()):,} tokens, {show_usd(usd)}"
        if options.dry_run:
            told = {"calls": calls, "tokens": tokens, "usd": usd}
            tell_result(options.json, lambda: told, lambda _: print_line(f"nothing is asked: {about}"))
            return
        tell_user(f"{about}, if about as much is kept as was with an LM of 1.5 B parameters")
        lms.check_served(kept=exam.work)
        line = _Line(options.questions)
        with resumable(f"{exam.work} keeps what is finished"), heap_at_rest(), LiveLine(line):
            given = pick(options, "to", "questions", "seed", "concurrency", "cache", "budget_usd")
            written = write_exam(program, exam.passages, watch=line.watch, **given)
        tell_result(options.json, lambda: _in_short(written), lambda _: print_line(_told(written, options.questions)))


class _Line:
    """The line of progress: questions kept, passages tried, calls and time."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.began = wanted, time.monotonic()
        self.tried, self.kept, self.calls, self.before = dict[str, bool](), 0, 0, 0

    def watch(self, row: "Row", before: bool) -> None:
        """Take note of a passage."""
        if row["id"] not in self.tried:
            self.before += before and bool(row["answer"])
            self.calls += row["cost"]["calls"]
        self.tried[row["id"]] = bool(row["answer"])
        self.kept = sum(self.tried.values())

    def __call__(self) -> str:
        seconds, new = time.monotonic() - self.began, self.kept - self.before
        left = f"  about {clock(seconds / new * (self.wanted - self.kept))} left" if 0 < self.kept < self.wanted else ""
        tried = f"{say_count(len(self.tried), 'passage')} tried, {say_count(self.calls, 'LM call')}"
        return f"{self.kept:,} of {self.wanted:,} questions kept, {tried}  {clock(seconds)}{left if new else ''}"


def _in_short(exam: "Exam") -> dict[str, Any]:
    without = sum(not each.answerable for each in exam.questions)
    counts = {"questions": len(exam.questions), "unanswerable": without, "passages": exam.tried}
    return {"file": exam.file, **counts, "unlinked": exam.unlinked, "paid": exam.paid}


def _told(exam: "Exam", wanted: int) -> str:
    from ...runtime import show_usd, token_count

    without = sum(not each.answerable for each in exam.questions)
    lines = [f"{exam.file}: {say_count(len(exam.questions), 'question')}, {without} of them without an answer"]
    if len(exam.questions) < wanted:
        lines[0] += f"; {wanted:,} were wanted, and no drawn passage is left"
    lines.append(f"{say_count(exam.tried, 'passage')} tried, {exam.unlinked:,} share no name with another")
    if exam.paid:
        tokens = f"{token_count(exam.paid['tokens']):,} tokens"
        lines.append(f"paid: {say_count(exam.paid['calls'], 'LM call')}, {tokens}, {show_usd(exam.paid['usd'])}")
    return "\n".join(lines)
