"""The caveats of a study: differences from the published setting, to be told before its figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..data.little import TITLE, is_little
from ..evaluation.report import taught_in
from ..lms.lm_by_name import runs_here
from ..retrieval import Dense, is_index
from ..retrieval.index_folder import read_manifest
from .experiment import Experiment, TableRow
from .figures import JUDGED
from .learned_rows import missing_weights
from .plan import BegunRun, PlannedRun
from .study_inputs import GOLD, StudyOptions
from .study_lms import StudyLMs, is_known_lm, is_published_corpus, is_published_lm, is_published_retriever


def caveats(
    experiment: Experiment,
    plan: Sequence[PlannedRun],
    begun: Mapping[str, BegunRun],
    options: StudyOptions,
    *,
    stopped: bool = False,
) -> list[str]:
    """The caveats that a reader must know before the first figure, the weightiest first."""
    runs = [begun[planned.folder] for planned in plan if planned.folder in begun]
    if not runs:
        return []
    given = StudyLMs.given(experiment, options.lm, options.lms)
    rows = [run.planned.row for run in runs]
    found = [*_of_lms(experiment, runs, given), *_of_questions(experiment, runs), *_of_retrieval(experiment, runs)]
    found += [*_of_demonstrations(experiment, rows, options), *missing_weights(experiment, rows, options.weights)]
    if named := dict.fromkeys(lm for row in rows for lm in row.step_lms.values() if lm not in given.by_name):
        found.append(f"{' and '.join(named)} was not given: the study's own LM answers there")
    found += [*_of_judge(experiment, rows, options), *_of_repeats(experiment, runs), *_of_learning(runs)]
    if options.budget_calls is not None:
        found.append(f"at most {options.budget_calls} LM calls a question, where the paper has no limit")
    wanted = [each for each in plan if each.folder in begun or given.lm_for(each) is not None]
    if len(runs) < len(wanted):
        found.append(f"{len(runs)} of {len(wanted)} runs are begun; the others show '–'")
    if stopped:
        found.append("stopped where the LM calls were used up")
    return found


def _of_learning(runs: Iterable[BegunRun]) -> Iterator[str]:
    """Caveats for questions that the networks of a row had learned from."""
    for run in runs:
        for note in dict.fromkeys(filter(None, map(taught_in, run.summaries))):
            yield f"{run.planned.row.name} on {', '.join(run.planned.sets)}: {note}"


def _of_lms(experiment: Experiment, runs: Iterable[BegunRun], given: StudyLMs) -> Iterator[str]:
    """Caveats for models that are not the published ones, for one beside them, and for LMs that none stands for."""
    instead: dict[str, dict[str, None]] = {}
    beside: dict[str, dict[str, None]] = {}
    shown: set[str | None] = set()
    for run in runs:
        shown.add(run.planned.lm)
        behind = [lm for lm in experiment.lms_behind(run.planned.row) if lm is not None]
        for published, model in _models(run, given):
            if published is None and behind:
                beside.setdefault(model, {}).update(dict.fromkeys(behind))
                shown.update(behind)
            elif published is not None and not is_published_lm(published, model):
                instead.setdefault(model, {})[published] = None
    for model, names in sorted(instead.items()):
        yield f"answered by {_named(model)}, not {' or '.join(names)}"
    for model, names in sorted(beside.items()):
        yield f"answered by {_named(model)}, shown beside {' and '.join(names)} and not compared with them"
    if alone := [lm for lm in experiment.published_lms if lm not in shown and lm not in given.by_name]:
        yield f"no LM is given for {' and '.join(alone)}, so that those figures stand alone"


def _models(run: BegunRun, given: StudyLMs) -> Iterator[tuple[str | None, str]]:
    """Each model that answered in a run, with the published LM that it stands for; None for one beside them."""
    step_lms = run.planned.row.step_lms
    models = {name.partition(".")[0]: lm["model"] for name, lm in run.header["identity"]["lm"].items()}
    of_run = {model for step, model in models.items() if step not in step_lms}
    for step, model in models.items():
        name = step_lms.get(step)
        if name is None or (name not in given.by_name and (model in of_run or not of_run)):
            yield run.planned.lm, model
        elif is_known_lm(name):
            yield name, model


def _named(model: str) -> str:
    return f"{model} (built in)" if runs_here(model) else model


def _of_questions(experiment: Experiment, runs: Iterable[BegunRun]) -> Iterator[str]:
    replaced: dict[str, dict[str, None]] = {}
    fewer: dict[str, None] = {}
    for run in runs:
        planned = run.planned
        if planned.asked.asking:  # the very questions, in whichever file they are
            continue
        for meant in (experiment.sets[name] for name in planned.sets):
            if Path(planned.asked.questions).name != Path(meant.questions).name:  # the folder may be another
                replaced.setdefault(planned.asked.questions, {})[meant.title] = None
            elif planned.asked.selection != meant.selection:
                chosen = (str(each.selection) or "all" for each in (planned.asked, meant))
                fewer[f"of {meant.title} {' and not '.join(chosen)}"] = None
            if meant.asked is not None and run.questions < meant.asked and planned.row.limit is None:
                fewer[f"{run.questions:,} questions, not {meant.asked:,}"] = None
    yield from (f"{source} asked in the place of {' and '.join(titles)}" for source, titles in replaced.items())
    yield from fewer


def _of_retrieval(experiment: Experiment, runs: Iterable[BegunRun]) -> Iterator[str]:
    searched = [run for run in runs if run.header["identity"]["retriever"]]
    if experiment.retriever:
        names = {_retriever_unlike(experiment.retriever, run) for run in searched}
        if others := sorted(name for name in names if name is not None):
            yield f"searched by {' and '.join(others)}, not {experiment.retriever}"
    if experiment.corpus and searched:
        corpora = [_corpus_unlike(experiment.corpus, run.planned) for run in runs]
        if unlike := dict.fromkeys(name for name in corpora if name is not None):
            yield f"over {' and '.join(unlike)}, not {experiment.corpus}"


def _retriever_unlike(published: str, run: BegunRun) -> str | None:
    """The retriever of a run, a dense index with its encoder; None if that is the published one, or knows the gold."""
    kind = (run.header["identity"]["retriever"] or "").removeprefix("mixed-").partition("-")[0]
    source, name, words = run.planned.asked.corpus, kind, kind
    if kind == Dense.kind and source is not None and is_index(source):
        encoder = read_manifest(source).encoder_folder
        name, words = encoder or kind, f"{kind} with {'the built-in encoder' if encoder is None else encoder}"
    return None if kind == GOLD or is_published_retriever(published, name) else words


def _corpus_unlike(published: str, planned: PlannedRun) -> str | None:
    """The corpus of a run; None if that is the published one."""
    corpus = planned.asked.corpus
    if planned.asked.over is not None:  # it was held against the one that it names
        return None
    if corpus is None:
        return TITLE if is_little(planned.asked.questions) else "the questions' own paragraphs"
    return None if all(is_published_corpus(published, corpus, name) for name in planned.sets) else corpus


def _of_demonstrations(experiment: Experiment, rows: Iterable[TableRow], options: StudyOptions) -> Iterator[str]:
    shots = {experiment.shots_of(row) for row in rows} - {0}
    if shots and not options.train:
        yield f"no demonstrations, where the paper shows {' or '.join(map(str, sorted(shots)))}"
    elif shots:
        yield "demonstrations made from gold, where the paper's are written by hand"
        if "hotpotqa" in experiment.sets:
            yield "on HotpotQA no demonstrations of steps that ask sub-questions: its gold tells none"


def _of_judge(experiment: Experiment, rows: Iterable[TableRow], options: StudyOptions) -> Iterator[str]:
    measures = [experiment.measure(row, column).metric for row in rows for column in experiment.columns]
    if any(JUDGED in measure for measure in measures):
        if options.judge is None:
            yield "no judge was given, so nothing is judged"
        elif experiment.judge is not None and not is_published_lm(experiment.judge, options.judge.model):
            yield f"judged by {options.judge.model}, not {experiment.judge}"


def _of_repeats(experiment: Experiment, runs: Iterable[BegunRun]) -> list[str]:
    """Caveats for rows that have fewer runs than the paper's means."""
    found: dict[str, None] = {}
    for run in runs:
        wanted, there = max(experiment.runs, experiment.repeats(run.planned.row)), len(run.summaries)
        if there < wanted:
            here = "one run" if there == 1 else f"the mean of {there} runs"
            found[f"{here}, where the paper has the mean of {wanted}"] = None
    return [*found]
