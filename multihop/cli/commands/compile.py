"""`multihop compile`: a program compiled in several ways, compared on a dev split, the best one in a file."""

import logging
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from rich.console import Console
from rich.logging import RichHandler

from ...base.texts import clock, say_count
from ..data_options import CorpusOptions, asked_or_little, tell_skipped
from ..lm_options import LMName, LMOptions, LMs
from ..process import LiveLine, heap_at_rest, importable_from_here, resumable, tell_user, working
from ..program_options import ProgramOptions
from ..shared_options import AtMost, CacheScope, InFlight, OutputOptions, ProgramName, RulesName, Several, Switch, pick

if TYPE_CHECKING:
    from ...data import Question, Reading
    from ...evaluation.progress import Progress
    from ...evaluation.row import Row
    from ...optimize import Study
    from ...optimize.compile_options import Stage


@dataclass(frozen=True, kw_only=True)
class CompileOptions(OutputOptions):
    """The options of `compile`."""

    to: Path
    """The file for the best program; the work is kept beside it, in FILE.work."""
    variants: str = "zero-shot,labeled-3,bootstrapped"
    """Ways to compile, separated by commas: zero-shot, labeled-1/3/5/15, given (--demos), bootstrapped, random-search,
    optuna-search, instructions, instructions-copro, instructions-gepa, instructions+demos, rules, simba, finetuned
    (--finetune), the optimizer's name in DSPy (MIPROv2), one of an installed package, or MODULE:VARIANT of your own; or
    "all" for those named here, but finetuned, that nothing is missing for.
    STEP=VARIANT/STEP=VARIANT puts steps together that different variants made."""
    variant_set: Several = None
    """An argument of the optimizer that a variant stands for, as VARIANT.NAME=VALUE, such as
    random-search.num_candidate_programs=8; may be given more than once."""
    seeds: AtMost = None
    """Times that each variant which draws anything is compiled, each with a seed of its own: the rows of the table are
    its spread."""
    train: str | None = None
    """"little", a question file or a folder of such files, or a set on the hub: what is learned from; without a
    corpus, by default the 24 questions of "little:train"."""
    dev: str | None = None
    """Questions that decide between the variants, named as those of --train; by default the second half of --train,
    or "little:dev"."""
    val: str | None = None
    """Questions by which optimizers that search choose (random-search, instructions and others), named as those of
    --train; without it they choose by what they learn from."""
    corpus: CorpusOptions = CorpusOptions()
    lm: LMName = None
    teacher_lm: str | None = None
    """The LM that makes demonstrations, if another."""
    writer_lm: str | None = None
    """The LM that writes instructions, if another."""
    lms: LMOptions = LMOptions()
    settings: ProgramOptions = ProgramOptions()
    demos: Path | None = None
    """A JSON file of demonstrations of your own, as {"STEP": [{"FIELD": VALUE}]}, shown as they are: the variant
    given."""
    finetune: str | None = None
    """The model that the variant finetuned starts from, a transformers folder or a name on the hub, trained on this
    machine (extra [tune]); without it --lm itself is trained, where its host does that (openai/MODEL)."""
    train_set: Several = None
    """A parameter of that training, as name=value; see `multihop clone --help`."""
    learn_from: Literal["gold", "runs", "both"] = "gold"
    """The source of the rows that finetuned learns: gold, the right answer of each step; runs on the training questions
    (of --teacher-lm or --lm) that came out right; or both."""
    most_rows: AtMost = None
    """Rows that finetuned learns at most, spread over the steps."""
    rows_only: Path | None = None
    """Write what finetuned would learn to this file, as conversations, and compile nothing; from gold no LM is
    asked."""
    steps: Switch = False
    """Compile each step alone on what gold says it should answer: one call an example instead of a run. Steps of
    which gold says nothing, as those that ask sub-questions on HotpotQA, stay as they are."""
    rules: RulesName = "hotpotqa"
    max_calls: AtMost = None
    """LM calls at most, over all times this command is issued; then the best of what is finished is saved."""
    train_limit: AtMost = None
    """Only the first so many training questions."""
    dev_limit: AtMost = None
    """Only the first so many dev questions."""
    concurrency: InFlight = 32
    seed: int = 0
    """Draws the demonstrations that are made from gold, and is that of the optimizers."""
    cache: CacheScope = None


def compile_command(program: ProgramName, /, *, options: CompileOptions) -> None:
    """Compile a program in several ways, and save the best.

    Of the variants that the dev questions cannot tell from the highest F1, the one with the fewest tokens is saved.

    Says first about how many LM calls it expects, and shows how it goes on. The same command again goes on where it
    stopped. Where --train alone is given, its first half is learned from and its second half decides.

    For example:

        multihop compile tor --train train.jsonl --dev dev.jsonl -c indexes/wiki --lm openai/gpt-4o-mini --to tor.json
        multihop compile tor ... --variants labeled-5,random-search --teacher-lm openai/gpt-4.1 --to tor-taught.json
        multihop compile resp ... --demos shots.json --variants zero-shot,given --to resp.json
        multihop compile mzqa ... --steps --variants labeled-3,instructions-gepa --max-calls 5000 --to mzqa.json
        multihop compile resp ... --rows-only rows.jsonl --to resp.json
        multihop ask "..." --program tor.json
    """
    from dataclasses import asdict

    from ...optimize import Study
    from ...runtime import priced_by
    from ..output import print_line, tell_result
    from ..show_results import show_study

    lms = LMs(options.lms, options.settings.decoding())
    with priced_by(lms.prices):
        made, count = _compiled(program, options, lms)
    if isinstance(made, Study):
        tell_result(options.json, lambda: asdict(made), lambda console: show_study(made, count, console))
    else:
        found, line = {"rows": made, "file": options.rows_only}, f"{say_count(made, 'row')} in {options.rows_only}"
        tell_result(options.json, lambda: found, lambda _: print_line(line))


def _compiled(program: str, options: CompileOptions, lms: LMs) -> "tuple[Study | int, int]":
    """The study, or the number of rows that were written alone, and the number of questions that decided."""
    import dspy

    from ...base.terminal import Terminal, muted
    from ...lms.lm_by_name import runs_here
    from ...optimize import compile_variants, write_rows
    from ...optimize.variants import variants_named
    from ...runtime import parse_settings

    settings, corpus = options.settings, options.corpus
    saved = settings.read(program)
    learned, decides = _sources(options, corpus.corpus or (saved.block.corpus if saved else None))
    searched = corpus.to_search(program, saved, learned, decides)
    train, dev = _questions(options, learned, decides)
    model, step_lms = lms.open_all(saved, [options.lm] if options.lm else None)
    teacher, writer = (
        None if name is None else lms.open(name, alone=True) for name in (options.teacher_lm, options.writer_lm)
    )
    asks = options.rows_only is None or options.learn_from != "gold"
    if asks:
        lms.check_served(kept=Path(f"{options.to}.work"))
    names = variants_named(options.variants, given=options.demos is not None)
    importable_from_here(*names)
    search = corpus.opener(searched, saved, learned, decides)
    program_to_compile = settings.open(program, saved, search, concurrency=options.concurrency, **step_lms)
    if asks and runs_here(model.model):
        tell_user("the built-in LM reads no demonstrations and no instructions: its figures say nothing of another LM.")
    logging.getLogger("dspy").setLevel(logging.CRITICAL)  # optimizers report at length; the table is the report
    with (
        resumable(f"{options.to}.work keeps what is compiled and what is answered"),
        dspy.context(lm=model),
        StageDisplay(Terminal(file=sys.stderr)) as stages,
        muted(),
        heap_at_rest(),
    ):
        given = {
            "train": train,
            "dev": dev,
            "validation": _read(corpus.questions(options.val), None) if options.val else (),
            "training": parse_settings(options.train_set or []),
            "teacher": teacher,
            "tell": stages.tell,
            "watch": stages.watch,
            **pick(options, "to", "rules", "max_calls", "concurrency", "seed", "cache"),
            **pick(options, "finetune", "learn_from", "most_rows"),
        }
        if options.rows_only is not None:
            return write_rows(program_to_compile, options.rows_only, **given), len(dev)
        study = compile_variants(
            program_to_compile,
            names,
            settings=_by_variant(options.variant_set or []),
            seeds=options.seeds or 1,
            writer=writer,
            corpus=searched if corpus.is_plain else None,
            **given,
            **pick(options, "demos", "steps"),
        )
    return study, len(dev)


def _by_variant(pairs: list[str]) -> dict[str, dict[str, Any]]:
    """The arguments of each variant's optimizer."""
    from ...base import InputError
    from ...runtime import parse_settings

    found: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        name, dot, argument = pair.partition("=")[0].rpartition(".")
        if not dot or not argument:
            raise InputError(f"an argument of a variant is written VARIANT.NAME=VALUE, not '{pair}'.")
        found.setdefault(name, {}).update(parse_settings([pair.removeprefix(f"{name}.")]))
    return found


def _sources(options: CompileOptions, searched: str | None) -> tuple[str, str]:
    """The questions to learn from and those that decide: as given, or the two splits of the little encyclopedia."""
    from ...base import InputError

    train, dev = options.train, options.dev
    if train is None and dev is not None:
        raise InputError(f"--dev {dev} is given and nothing to learn from: name training questions with --train FILE.")
    learned = asked_or_little(train, searched, "--train", "train")
    return learned, dev or train or asked_or_little(None, searched, "--dev", "dev")


def _questions(options: CompileOptions, learned: str, decides: str) -> "tuple[list[Question], list[Question]]":
    """The questions to learn from, and those that decide; the halves of one source where both are the same."""
    corpus, most, most_dev = options.corpus, options.train_limit, options.dev_limit
    with working("reading the questions"):
        if learned != decides:
            train, others = _read(corpus.questions(learned), most), _read(corpus.questions(decides), most_dev)
        else:
            found = _read(corpus.questions(learned), None)
            half = len(found) // 2
            train, others = found[:half][:most], found[half:][:most_dev]
    if options.train is None:
        told = f"{len(train)} questions of the little encyclopedia are learned from"
        tell_user(f"no --train, so {told}, and {len(others)} others decide.")
    return train, others


def _read(questions: "Reading[Question]", limit: int | None) -> "list[Question]":
    result = list(islice(questions, limit))
    tell_skipped(questions)
    return result


class StageDisplay:
    """Shows a compile while it is going: each stage in a line, and under it what moves.

    A stage that scores shows the live line of `evaluate`; any other shows how many LM calls it has made, how long it
    has taken, and how long it may still take. Without a terminal, plain lines come now and then instead.
    """

    def __init__(self, console: Console) -> None:
        """The console holds on to its file, since DSPy's optimizers are kept quiet meanwhile."""
        self.console = console
        self._stage = ExitStack()
        self._progress: Progress | None = None
        self._warnings = RichHandler(logging.WARNING, console, show_time=False, show_level=False, show_path=False)

    def __enter__(self) -> Self:
        logging.getLogger("multihop").addHandler(self._warnings)
        return self

    def __exit__(self, *error: Any) -> None:
        logging.getLogger("multihop").removeHandler(self._warnings)
        self._stage.__exit__(*error)

    def tell(self, line: str) -> None:
        """Print a line that stays; with it, the stage before is over."""
        self._stage.close()
        self.console.print(line, highlight=False, markup=False)

    def watch(self, stage: "Stage", row: "Row | None", earlier: bool) -> None:
        """Show the stage that begins, or take note of a question that it has scored."""
        from ...evaluation.progress import Progress

        if row is None:
            began = time.monotonic()
            self._progress = Progress(stage.variant or "", stage.questions, self.console) if stage.questions else None
            line = LiveLine(lambda: counted_line(stage.calls(), stage.expected, time.monotonic() - began), self.console)
            self._stage.enter_context(self._progress or line)
        elif self._progress is not None:
            self._progress.watch(row, earlier)


def counted_line(calls: int, expected: int | None, seconds: float) -> str:
    """The calls made so far, of about how many, and the time."""
    counted = f"{calls:,} of about {say_count(expected, 'LM call')}" if expected else say_count(calls, "LM call")
    left = seconds / calls * (expected - calls) if expected and 0 < calls < expected else None
    return f"{counted}  {clock(seconds)}" + ("" if left is None else f"  about {clock(left)} left")
