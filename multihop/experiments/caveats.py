"""The caveats of a study: differences from the published setting, to be told before its figures."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import dspy

from ..evaluation.report.report import SIMULATED
from ..lms.hosted import runs_here
from .experiment import Experiment, TableRow
from .figures import JUDGED
from .opening import BUILT_IN, GOLD
from .planning import BegunRun, PlannedRun
from .study_options import StudyOptions


def caveats(
    experiment: Experiment,
    plan: Sequence[PlannedRun],
    begun: Mapping[str, BegunRun],
    options: StudyOptions,
    *,
    stopped: bool = False,
) -> list[str]:
    """The caveats that a reader must know before the first figure, the weightiest first."""
    done = [planned for planned in plan if planned.folder in begun]
    if not done:
        return []
    headers = [run.header for run in begun.values()]
    models = {lm["model"] for header in headers for lm in header["identity"]["lm"].values()}
    found = [SIMULATED] if any(header["simulated"] for header in headers) else []
    found += _of_lms(experiment, models)
    found += _of_questions(experiment, done, {folder: run.questions for folder, run in begun.items()})
    found += _of_retrieval(experiment, done, {header["identity"]["retriever"] for header in headers} - {None})
    found += _of_rows([planned.row for planned in done], experiment, options)
    found += _of_repeats(experiment, done, begun)
    if options.budget_calls is not None:
        found.append(f"at most {options.budget_calls} LM calls a question, where the paper has no limit")
    if len(done) < len(plan):
        found.append(f"{len(done)} of {len(plan)} runs are begun; the others show '–'")
    if stopped:
        found.append("stopped where the LM calls were used up")
    return found


def _of_retrieval(experiment: Experiment, done: Sequence[PlannedRun], kinds: Iterable[str | None]) -> list[str]:
    found, known = [], [str(kind).removeprefix("mixed-").partition("-")[0] for kind in kinds]
    searched = sorted(set(known) - {GOLD})
    if experiment.retriever and searched and searched != [experiment.retriever.lower()]:
        found.append(f"searched by {' and '.join(searched)}, not {experiment.retriever}")
    if experiment.corpus and known:
        corpora = dict.fromkeys(planned.asked.corpus or "the questions' own paragraphs" for planned in done)
        found.append(f"over {' and '.join(_passages(name, done) for name in corpora)}, not {experiment.corpus}")
    return found


def _of_repeats(experiment: Experiment, done: Sequence[PlannedRun], begun: Mapping[str, BegunRun]) -> list[str]:
    """A caveat for rows that have fewer runs than the paper's means."""
    found: dict[str, None] = {}
    for planned in done:
        wanted, there = max(experiment.runs, experiment.repeats(planned.row)), len(begun[planned.folder].summaries)
        if there < wanted:
            here = "one run" if there == 1 else f"the mean of {there} runs"
            found[f"{here}, where the paper has the mean of {wanted}"] = None
    return [*found]


def _of_lms(experiment: Experiment, models: Iterable[str]) -> list[str]:
    published = dict.fromkeys(
        lm for row in experiment.rows for column in experiment.columns if (lm := experiment.lm_behind(row, column))
    )
    found = []
    for model in sorted(set(models)):
        same = any(_plain(lm) in _plain(model) for lm in published)
        if published and not same:
            built_in = " (built in)" if runs_here(model) else ""
            found.append(f"answered by {model}{built_in}, not {' or '.join(published)}")
    return found


def _of_questions(experiment: Experiment, done: Sequence[PlannedRun], counts: Mapping[str, int]) -> list[str]:
    replaced: dict[str, dict[str, None]] = {}
    fewer: dict[str, None] = {}
    for planned in done:
        for name in planned.sets:
            meant = experiment.sets[name]
            if Path(planned.asked.questions).name != Path(meant.questions).name:  # the folder may be another
                replaced.setdefault(planned.asked.questions, {})[meant.title] = None
            elif planned.asked.selection != meant.selection:
                chosen = (str(each.selection) or "all" for each in (planned.asked, meant))
                fewer[f"of {meant.title} {' and not '.join(chosen)}"] = None
            asked, wanted = counts[planned.folder], meant.asked
            if wanted is not None and asked < wanted and planned.row.limit is None:
                fewer[f"{asked:,} questions, not {wanted:,}"] = None
    return [f"{source} asked in the place of {' and '.join(titles)}" for source, titles in replaced.items()] + [*fewer]


def _passages(name: str, done: Sequence[PlannedRun]) -> str:
    if name == "the questions' own paragraphs" and any(planned.asked.questions == "world" for planned in done):
        return "the generated world"
    return name


def _of_rows(rows: Sequence[TableRow], experiment: Experiment, options: StudyOptions) -> list[str]:
    found: list[str] = []
    shots = {experiment.shots if row.shots is None else row.shots for row in rows} - {0}
    if shots and not options.train:
        found.append(f"no demonstrations, where the paper shows {' or '.join(map(str, sorted(shots)))}")
    if shots and options.train:
        found.append("demonstrations made from gold, where the paper's are written by hand")
    named = dict.fromkeys(lm for row in rows for lm in row.step_lms.values() if lm not in {*options.lms, *BUILT_IN})
    if named:
        found.append(f"{' and '.join(named)} was not given: the study's own LM answers there")
    return found + _of_judge(rows, experiment, options.judge)


def _of_judge(rows: Sequence[TableRow], experiment: Experiment, judge: dspy.LM | None) -> list[str]:
    judged = any(
        JUDGED in row.metrics.get(column.metric, column.metric) for row in rows for column in experiment.columns
    )
    if not judged:
        return []
    if judge is None:
        return ["no judge was given, so nothing is judged"]
    meant = experiment.judge and _plain(experiment.judge) not in _plain(judge.model)
    return [f"judged by {judge.model}, not {experiment.judge}"] if meant else []


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
