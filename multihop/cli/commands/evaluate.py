"""`multihop evaluate`: a program on a question set, with a journal that survives anything."""

import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ... import data, evaluation, programs, runtime
from ...base import InputError
from ...base.imports import dspy
from ..data_options import CorpusOptions, SelectionOptions, asked_or_little
from ..lm_options import LMs, ProgramLMOptions, tell_same_answers
from ..process import heap_at_rest, importable_from_here, resumable, tell_user
from ..program_options import ProgramOptions
from ..shared_options import AskingOptions, AtMost, BudgetDollars, ProgramNames, RulesName, Several, Switch, pick


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(AskingOptions):
    """The options of `evaluate`."""

    out: Path
    """The run's folder: run.json, questions.jsonl, summary.md, summary.json; of several programs, one in it each."""
    questions: Annotated[str | None, Parameter(alias="-q")] = None
    """"little", a question file or a folder of such files, or a set on the hub; without a corpus, by default the forty
    questions of the little encyclopedia."""
    corpus: CorpusOptions = CorpusOptions()
    lms: ProgramLMOptions = ProgramLMOptions()
    settings: ProgramOptions = ProgramOptions()
    metric: Several = None
    """One more metric, by name, such as acc or recall@20, or as MODULE:METRIC of your own: a class made from Metric,
    or a function as DSPy's metrics are; may be given more than once."""
    rules: RulesName = "hotpotqa"
    selection: SelectionOptions = SelectionOptions()
    repeats: AtMost = None
    """Ask all questions so many times, with the seeds SEED, SEED + 1 and so on, each a run folder under --out, and
    show the mean with the lowest and the highest run."""
    ray: str | None = None
    """A Ray cluster whose CPUs answer, each an actor in a process of its own, such as HOST:6379; "local" starts Ray on
    this machine. Keys come from the environment of each node. The run is the same, and goes on without Ray too."""
    budget_usd: BudgetDollars = None
    """Dollars that the command may pay in all, by the prices of --lms or those that come with DSPy: then it finishes
    what is in flight and stops. What earlier calls of the command have paid counts."""
    references: Switch = False
    """Also run the floor and the ceiling: closed-book, one-step, gold-passages."""


def evaluate_command(programs: ProgramNames, *, options: EvaluateOptions) -> None:
    """Answer a question set, measure the answers, and keep them.

    The same command again does only what is missing, asks again what failed, and measures again what a metric failed
    on. Where the first ten questions fail in the same way, or any twenty one after the other (the key is refused, the
    server is gone, the model unknown), the run stops.

    For example:

        multihop evaluate one-step --out runs/first
        multihop evaluate one-step --questions dev.jsonl --corpus indexes/wiki --lm openai/gpt-4o-mini --out runs/dev
        multihop evaluate --programs one-step,ranked-rag,tor -q ten.csv -c indexes/wiki --out runs/ten
        multihop evaluate one-step --set k=8 --references --limit 500 --out runs/k8
        multihop evaluate one-step --sample 20 --out runs/sample
        multihop evaluate one-step -q dev.jsonl -c indexes/wiki --lm openai/gpt-4o-mini --repeats 3 --out runs/three
        multihop evaluate resp --limit 100 --lm read=server/qwen3-8b@http://localhost:8000/v1 --out runs/steps
        multihop evaluate one-step --limit 100 --judge-lm openai/gpt-4o-mini --metric acc --out runs/judged
        multihop evaluate tor -q dev.jsonl -c indexes/wiki --ray local --out runs/all-cores
    """
    from ...base.terminal import Terminal
    from ..output import tell_result
    from ..show_comparison import show_choice
    from ..show_results import show_repeats, show_results

    lms = LMs(options.lms, options.settings.decoding())
    with runtime.priced_by(lms.prices):
        asked = _Asked(programs, options, lms)
        found = {name: asked.run(name, *each) for name, each in asked.all().items()}
        further = [each.name for each in asked.further]
        tell_result(
            options.json,
            lambda: {name: {"folder": each.folder, **each.summary} for name, each in found.items()},
            partial(show_results, found, further=further) if options.repeats is None else partial(show_repeats, found),
        )
        if len(asked.programs) > 1 and not options.json:
            show_choice({name: found[name] for name in asked.programs}, Terminal())
        _check_answered(run for each in found.values() for run in ([each] if options.repeats is None else each.runs))


class _Asked:
    """All that the runs take, opened and checked before anything is asked."""

    def __init__(self, named: str, options: EvaluateOptions, lms: LMs) -> None:
        from ...evaluation.metrics import Judged

        settings, corpus, chosen, self.options = options.settings, options.corpus, options.selection, options
        names = [named] if Path(named).is_file() else [name.strip() for name in named.split(",")]
        saved = {name: settings.read(name) for name in names}
        importable_from_here(*(name for name in names if saved[name] is None))
        plain = {name: programs.program_named(name).retrieves for name in names if saved[name] is None}
        if len(names) > 1 and options.repeats is not None:
            raise InputError("--repeats is for one program; several are compared by one run of each.")
        own = next((each.block.corpus for each in saved.values() if each and each.block.corpus), None)
        self.source = asked_or_little(options.questions, corpus.corpus or own, "-q")
        self.reading, count = corpus.count_questions(self.source)
        self.total = data.Selection(sample=chosen.sample).count(count, chosen.limit)
        to_search = partial(corpus.to_search, needed=options.references)
        search = {name: to_search(name, each, self.source) for name, each in saved.items() if each}
        if plain:  # what they search is one, which is looked for, told of and opened once
            search |= dict.fromkeys(plain, to_search(max(plain, key=plain.__getitem__), None, self.source))
        self.searched, opened = search[names[0]], [(name, *lms.open_all(saved[name], options.lms.lm)) for name in names]
        judges = [] if options.judge_lm is None else [Judged(lms.open(options.judge_lm, alone=True))]
        lms.check_served(kept=options.out)
        tell_same_answers(lms.greedy, seed=options.seed, repeats=options.repeats)
        importable_from_here(*(options.metric or ()))
        self.further = [*(evaluation.metric_named(name, rules=options.rules) for name in options.metric or ()), *judges]
        limits = {"budget": runtime.Budget(calls=options.budget_calls), "concurrency": options.concurrency}
        self.open = cache(corpus.open)
        self.programs: dict[str, tuple[runtime.Program, dspy.LM, Path]] = {}
        for name, lm, step_lms in opened:
            needs = corpus.opener(search[name], saved[name], self.source)
            opener = needs and partial(self.open, search[name], self.source)
            program = settings.open(name, saved[name], opener, **limits, **step_lms)
            shown = program.name if saved[name] is None else Path(name).stem
            if shown in self.programs:
                raise InputError(f"two programs are named '{shown}', and each has a folder of its name in --out.")
            self.programs[shown] = (program, lm, options.out / shown if len(names) > 1 else options.out)
        if options.questions is None:
            told = f"{count}" if self.total == count else f"{self.total} of {count}"
            tell_user(f"no --questions, so {told} questions of the little encyclopedia are asked.")
        self.budget = options.budget_usd and runtime.RunBudget(options.budget_usd)  # of all runs together

    def all(self) -> "Mapping[str, tuple[runtime.Program, dspy.LM, Path]]":
        """The programs, and where they are asked for the floor and the ceiling, each with its LM and its folder."""
        options, asked = self.options, dict(self.programs)
        if options.references:
            from ...evaluation.references import references

            passages = options.corpus.passages(self.searched, self.source)
            retriever, lm = self.open(self.searched, self.source), next(iter(self.programs.values()))[1]
            for name, program in references(self.reading, passages, retriever, concurrency=options.concurrency):
                # `compare OUT/*` takes those of several
                alone = f"references/{name.partition(',')[0]}"
                folder = alone if len(self.programs) == 1 else name.replace(", k=", "-k")
                asked[name] = (program, lm, options.out / folder)
        return asked

    def run(self, name: str, program: "runtime.Program", lm: "dspy.LM", out: Path) -> Any:
        """A run of the program in the folder; with `--repeats` so many, in folders of the folder."""
        from ...evaluation.progress import Progress

        options = self.options
        given: dict[str, Any] = {
            "out": out,
            "metrics": [*evaluation.default_metrics(rules=options.rules), *self.further],
            "budget_usd": self.budget,
            **asdict(options.selection),
            **pick(options, "concurrency", "seed", "cache", "ray"),
        }
        # Ray tells of dead actors on stdout, which is for results
        kept = resumable(f"{out} keeps what is finished")
        with dspy.context(lm=lm), redirect_stdout(sys.stderr), kept, heap_at_rest():
            if options.repeats is None:
                return evaluation.evaluate(program, self.reading, progress=Progress(name, self.total), **given)
            given["progress"] = lambda folder: Progress(f"{name}, {folder}", self.total)
            return evaluation.evaluate_repeatedly(program, self.reading, repeats=options.repeats, **given)


def _check_answered(runs: "Iterable[evaluation.Evaluation]") -> None:
    """Refuse to call it a result where every question of every run failed, or the last ones all in the same way."""
    from ...base import RunFailed
    from ...evaluation.stopping import check_ending

    runs = list(runs)
    if all(run.summary["n_error"] == run.summary["n"] for run in runs):
        error = next(runs[0].rows()).get("error")
        if error is not None:
            reason = f": {error['message']}" if error["message"] else "."
            raise RunFailed(f"every question failed, the first with {error['type']}{reason}")
    for run in runs:
        check_ending(run.rows(), run.folder)
