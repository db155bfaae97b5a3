"""The caveats of a study: differences from the published setting, to be told before its figures."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import dspy

from ..data.little import TITLE, is_little
from ..lms.lm_by_name import runs_here
from ..retrieval import Dense, is_index
from ..retrieval.index_folder import read_manifest
from .aliases import is_known_lm, is_published_corpus, is_published_lm, is_published_retriever
from .answering import Answering, answering
from .experiment import Experiment, TableRow
from .figures import JUDGED
from .opening import GOLD
from .planning import BegunRun, PlannedRun
from .row_weights import missing_weights
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
    given = answering(experiment, options.lm, options.lms)
    found = _of_lms(experiment, done, begun, given)
    found += _of_questions(experiment, done, {folder: run.questions for folder, run in begun.items()})
    found += _of_retrieval(experiment, done, begun)
    found += _of_rows([planned.row for planned in done], experiment, options, given)
    found += _of_repeats(experiment, done, begun)
    if options.budget_calls is not None:
        found.append(f"at most {options.budget_calls} LM calls a question, where the paper has no limit")
    wanted = [each for each in plan if each in done or given.lm_for(each) is not None]
    if len(done) < len(wanted):
        found.append(f"{len(done)} of {len(wanted)} runs are begun; the others show '–'")
    if stopped:
        found.append("stopped where the LM calls were used up")
    return found


def _of_retrieval(experiment: Experiment, done: Sequence[PlannedRun], begun: Mapping[str, BegunRun]) -> list[str]:
    found, published = [], experiment.corpus
    searched = [(each, kind) for each in done if (kind := begun[each.folder].header["identity"]["retriever"])]
    if experiment.retriever:
        names = {_retriever(experiment.retriever, planned, kind) for planned, kind in searched}
        if others := sorted(name for name in names if name is not None):
            found.append(f"searched by {' and '.join(others)}, not {experiment.retriever}")
    if published and searched:
        corpora = dict.fromkeys(planned.asked.corpus for planned in done if not _has_corpus(published, planned))
        if others := [_passages(name or "the questions' own paragraphs", done) for name in corpora]:
            found.append(f"over {' and '.join(others)}, not {published}")
    return found


def _has_corpus(published: str, planned: PlannedRun) -> bool:
    corpus = planned.asked.corpus
    return corpus is not None and all(is_published_corpus(published, corpus, name) for name in planned.sets)


def _retriever(published: str, planned: PlannedRun, fingerprint: str) -> str | None:
    """The words for what searched in a run, a dense index with its encoder; None if that is the published one."""
    kind = fingerprint.removeprefix("mixed-").partition("-")[0]
    if kind == GOLD:
        return None
    source = planned.asked.corpus
    name, words = kind, kind
    if kind == Dense.kind and source is not None and is_index(source):
        encoder = read_manifest(source).encoder_folder
        name, words = encoder or kind, f"{kind} with {'the built-in encoder' if encoder is None else encoder}"
    return None if is_published_retriever(published, name) else words


def _of_repeats(experiment: Experiment, done: Sequence[PlannedRun], begun: Mapping[str, BegunRun]) -> list[str]:
    """A caveat for rows that have fewer runs than the paper's means."""
    found: dict[str, None] = {}
    for planned in done:
        wanted, there = max(experiment.runs, experiment.repeats(planned.row)), len(begun[planned.folder].summaries)
        if there < wanted:
            here = "one run" if there == 1 else f"the mean of {there} runs"
            found[f"{here}, where the paper has the mean of {wanted}"] = None
    return [*found]


def _of_lms(
    experiment: Experiment, done: Sequence[PlannedRun], begun: Mapping[str, BegunRun], given: Answering
) -> list[str]:
    """Caveats for models that are not the published ones, for one beside them, and for LMs that nobody stands for."""
    instead: dict[str, dict[str, None]] = {}
    beside: dict[str, dict[str, None]] = {}
    for planned in done:
        behind = [lm for lm in experiment.lms_behind(planned.row) if lm is not None]
        for published, model in _models(planned, begun[planned.folder], given):
            if published is None and behind:
                beside.setdefault(model, {}).update(dict.fromkeys(behind))
            elif published is not None and not is_published_lm(published, model):
                instead.setdefault(model, {})[published] = None
    found = [f"answered by {_named(model)}, not {' or '.join(names)}" for model, names in sorted(instead.items())]
    found += [
        f"answered by {_named(model)}, shown beside {' and '.join(names)} and not compared with them"
        for model, names in sorted(beside.items())
    ]
    shown = {name for names in beside.values() for name in names} | {planned.lm for planned in done}
    if alone := [lm for lm in experiment.published_lms if lm not in shown and lm not in given.by_name]:
        found.append(f"no LM is given for {' and '.join(alone)}, so that those figures stand alone")
    return found


def _models(planned: PlannedRun, run: BegunRun, given: Answering) -> Iterator[tuple[str | None, str]]:
    """Each model that answered in a run, with the published LM in whose place it did; None for one beside them."""
    models = {name.partition(".")[0]: lm["model"] for name, lm in run.header["identity"]["lm"].items()}
    of_run = {model for step, model in models.items() if step not in planned.row.step_lms}
    for step, model in models.items():
        name = planned.row.step_lms.get(step)
        if name is None or (name not in given.by_name and (model in of_run or not of_run)):
            yield planned.lm, model
        elif is_known_lm(name):
            yield name, model


def _named(model: str) -> str:
    return f"{model} (built in)" if runs_here(model) else model


def _of_questions(experiment: Experiment, done: Sequence[PlannedRun], counts: Mapping[str, int]) -> list[str]:
    replaced: dict[str, dict[str, None]] = {}
    fewer: dict[str, None] = {}
    for planned in done:
        for name in planned.sets:
            meant = experiment.sets[name]
            if planned.asked.asking:  # the very questions, whatever file they are in
                continue
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
    if name != "the questions' own paragraphs":
        return name
    return TITLE if any(is_little(planned.asked.questions) for planned in done) else name


def _of_rows(rows: Sequence[TableRow], experiment: Experiment, options: StudyOptions, given: Answering) -> list[str]:
    found: list[str] = []
    shots = {experiment.shots if row.shots is None else row.shots for row in rows} - {0}
    if shots and not options.train:
        found.append(f"no demonstrations, where the paper shows {' or '.join(map(str, sorted(shots)))}")
    if shots and options.train:
        found.append("demonstrations made from gold, where the paper's are written by hand")
        if "hotpotqa" in experiment.sets:
            found.append("on HotpotQA no demonstrations of steps that ask sub-questions: its gold tells none")
    found += missing_weights(experiment, rows, options.weights)
    named = dict.fromkeys(lm for row in rows for lm in row.step_lms.values() if lm not in given.by_name)
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
    if experiment.judge is None or is_published_lm(experiment.judge, judge.model):
        return []
    return [f"judged by {judge.model}, not {experiment.judge}"]
