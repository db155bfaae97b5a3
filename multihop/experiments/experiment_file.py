"""Experiments as TOML files: those of the library by name, and any other; read, checked, and filled from a preset."""

import json
import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..base import InputError, unknown
from ..base.files import read_toml
from ..base.imports import is_reference, may_be_imported
from ..data import known_set
from ..evaluation.metrics.answer import check_rules
from ..optimize.variants import variant_named
from ..programs import create, program_named
from ..programs.presets import Preset, PresetValue, ProgramPreset, in_words, open_preset, preset_for
from ..runtime import check_setting, settings_of
from .experiment import MEAN, NONE, OWN, Experiment, QuestionSet, TableColumn, TableRow
from .figures import check_metric
from .plan import find_nothing

SUFFIX = ".toml"
_SHIPPED = Path(__file__).with_name("tables")
KEPT = "experiment.toml"
"""The experiment's file in the folder of a study."""
SHOTS = "shots"
DECODING = {"temperature": "the temperature", "top_p": "top-p", "max_tokens": "the longest output"}
"""Words for parameters of LMs."""
_EXPERIMENT = TypeAdapter(Experiment)


def experiment_names() -> list[str]:
    """The names of the experiments that come with the library, in alphabetical order.

    Examples:
        >>> from multihop.experiments import experiment_names
        >>> experiment_names()[:2]
        ['cloned-planners', 'cloned-thinkers']
    """
    return sorted(path.stem for path in _SHIPPED.glob(f"*{SUFFIX}"))


def open_experiment(name: str | os.PathLike[str], *, allow: Collection[str] = ()) -> Experiment:
    """The experiment of that name, or in that file.

    Args:
        name: One of `experiment_names()`, or the path of a TOML file of your own.
        allow: Modules from which what the file names as MODULE:NAME may be imported.

    Raises:
        InputError: There is no such experiment, or its file is wrong somewhere; the message says where.

    Examples:
        >>> from multihop.experiments import open_experiment
        >>> experiment = open_experiment("resp-table-1")
        >>> experiment.place, experiment.row("ReSP").published
        ('Table 1', (47.2, 38.3))
    """
    path = _path_of(name)
    found = _as_written(path, read_toml(path))
    check = _Check(path, found, allow)
    check.all()
    unpublished = (None,) * len(found.columns)
    rows = tuple(replace(row, published=row.published or unpublished) for row in found.rows)
    with check.at("preset"):
        return with_preset(replace(found, rows=rows))


def keep_experiment(experiment: Experiment | str | os.PathLike[str], folder: Path) -> None:
    """Make the study's folder, and copy the experiment's file into it, if it has one."""
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(experiment, Experiment):
        shutil.copyfile(_path_of(experiment), folder / KEPT)


def _path_of(name: str | os.PathLike[str]) -> Path:
    text = os.fspath(name)
    if text.endswith(SUFFIX) or os.sep in text:
        if not Path(text).exists():
            raise InputError(f"there is no experiment in {text}: no such file.")
        return Path(text)
    if text not in experiment_names():
        raise InputError(f"{unknown('experiment', text, experiment_names())}, or a {SUFFIX} file of your own")
    return _SHIPPED / f"{text}{SUFFIX}"


def _as_written(path: Path, given: dict[str, Any]) -> Experiment:
    """The experiment as its file has it, every key known and every value of its type."""
    sets = given.get("sets")
    if isinstance(sets, dict):
        named = {key: {"title": key, **each, "name": key} for key, each in sets.items() if isinstance(each, dict)}
        given = {**given, "sets": {**sets, **named}}
    try:
        return _EXPERIMENT.validate_json(json.dumps({**given, "name": path.stem}, default=str))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in first["loc"]]
        if first["type"] == "unexpected_keyword_argument":
            kind = {"sets": QuestionSet, "columns": TableColumn, "rows": TableRow}.get(str(first["loc"][0]), Experiment)
            keys = [each.name for each in fields(kind if len(parts) > 1 else Experiment)]
            wrong = str(unknown("key", str(first["loc"][-1]), keys))
        elif first["type"] == "missing":
            wrong = "it is missing"
        else:
            wrong = f"{first['msg'][:1].lower()}{first['msg'][1:]}, not {first['input']!r:.60}"
        raise InputError(f"{path}, {''.join(parts).lstrip('.')}: {wrong.rstrip('.')}.") from None


class _Check:
    """Checks of what a file says against itself and against programs and metrics; messages name file and place."""

    def __init__(self, file: Path, experiment: Experiment, allowed: Collection[str]) -> None:
        self.file, self.experiment, self.allowed = file, experiment, allowed

    def all(self) -> None:
        """Refuse what cannot be run."""
        sets, columns, rows = self.experiment.sets, self.experiment.columns, self.experiment.rows
        if len(sets) > 1 and any(each.asking for each in sets.values()):
            raise self.wrong("sets", "a set that names the questions to ask is the only one; give the others a file")
        for name, question_set in sets.items():
            with self.at(f"sets.{name}.rules"):
                check_rules(question_set.rules)
            with self.at(f"sets.{name}.over"):
                known_set(question_set.over) if question_set.over is not None else None
            with self.at(f"sets.{name}"):
                question_set.selection  # noqa: B018 - it refuses numbers that choose nothing
        for n, column in enumerate(columns, 1):
            self.known(f"columns[{n}].set", "question set", column.set, (*sets, MEAN))
            with self.at(f"columns[{n}].metric"):
                check_metric(column.metric)
        names = [row.name for row in rows]
        for n, row in enumerate(rows, 1):
            if names.count(row.name) > 1:
                raise self.wrong("rows", f"two rows are called '{row.name}'; give one another name")
            for other in row.against:
                self.known(f"rows[{n}].against", "other row", other, [name for name in names if name != row.name])
            self.published(f"rows[{n}]", row)
            if row.program:
                self.row(f"rows[{n}]", row)
        if len(self.experiment.curve) not in (0, 2):
            count = len(self.experiment.curve)
            raise self.wrong("curve", f"it has two measures, the one below and the one at the left, not {count}")
        for metric in self.experiment.curve:
            self.known("curve", "measure of the columns", metric, [column.metric for column in columns])

    def published(self, place: str, row: TableRow) -> None:
        wanted = len(self.experiment.columns)
        if len(row.published) not in (0, wanted):
            what = f"it has {len(row.published)} figures for {wanted} columns; write '{NONE}' for none"
            raise self.wrong(f"{place}.published", what)
        if not row.program and not row.published:
            raise self.wrong(f"{place}.program", "it is missing; only a row with published figures needs none")

    def row(self, place: str, row: TableRow) -> None:
        sets = self.experiment.sets
        for key, name in (("program", row.program), ("compile", row.compile), ("search", row.search)):
            if name is not None and is_reference(name) and not may_be_imported(name, self.allowed):
                module = name.partition(":")[0]
                what = f"{name} is of one's own, which is never imported unasked: give open_experiment allow="
                raise self.wrong(f"{place}.{key}", f'{what}["{module}"] (on the command line, --allow {module})')
        with self.at(f"{place}.program"):
            taken = settings_of(program_named(row.program))
            taken.pop("lms", None)  # `step_lms` names them, and who reproduces it says what they are
        for name in row.settings_on:
            self.known(f"{place}.settings_on", "question set", name, sets)
        with self.at(f"{place}.settings"):
            for settings in (row.settings, *row.settings_on.values()):
                for setting, value in settings.items():
                    check_setting(row.program, setting, value, taken)
        if row.weights is not None:
            self.known(f"{place}.weights", "question set", row.weights, (OWN, *sets))
            if "weights" not in taken:
                raise self.wrong(f"{place}.weights", f"{row.program} takes no weights")
        if row.compile is not None:
            with self.at(f"{place}.compile"):
                variant_named(row.compile)
        elif row.by_steps:
            raise self.wrong(f"{place}.by_steps", "the row is not compiled; give it compile = a variant")
        if row.step_lms:
            steps = create(row.program, find_nothing, **row.settings).steps
            for step in row.step_lms:
                self.known(f"{place}.step_lms", f"step of {row.program}", step, steps)
        for step in row.cloned:
            self.known(f"{place}.cloned", "step with an LM of its own", step, row.step_lms)
        with self.at(f"{place}.metrics"):
            for metric in row.metrics.values():
                check_metric(metric)

    def known(self, place: str, what: str, name: str, valid: Any) -> None:
        if name not in valid:
            raise self.wrong(place, str(unknown(what, name, valid)))

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Name the file and the place in an error of the block."""
        try:
            yield
        except InputError as error:
            raise self.wrong(place, str(error)) from None

    def wrong(self, place: str, what: str) -> InputError:
        return InputError(f"{self.file}, {place}: {what.rstrip('.')}.")


def with_preset(experiment: Experiment) -> Experiment:
    """The experiment with all that it does not say itself taken from its preset, and every difference in `differs`."""
    if experiment.preset is None:
        return experiment
    preset = open_preset(experiment.preset)
    parts = [preset_for(preset.name, row.program) for row in experiment.rows]
    rows = tuple(_filled(row, part, experiment) for row, part in zip(experiment.rows, parts, strict=True))
    shots = {row.shots for row in rows}
    found = replace(
        experiment,
        paper=experiment.paper or preset.paper,
        lm=experiment.lm or preset.lm.value,
        retriever=experiment.retriever or preset.retriever.value,
        corpus=experiment.corpus or preset.corpus.value,
        decoding={**preset.lm_options(), **experiment.decoding},
        shots=next(iter(shots)) or 0 if len(shots) == 1 else experiment.shots,
        rows=rows,
    )
    varied = [{name for name in experiment.varies if _says(row, name)} for row in experiment.rows]
    sentences = [*_sentences(found, preset, parts, varied), *experiment.differs]
    return replace(found, differs=tuple(dict.fromkeys(filter(None, sentences))))


def _filled(row: TableRow, part: ProgramPreset, experiment: Experiment) -> TableRow:
    """The row with what it does not say itself."""
    shared = part.values()
    settings_on: dict[str, dict[str, Any]] = {}
    for name in experiment.sets:
        own = {each: value for each, value in part.values(name).items() if value != shared[each]}
        on = {**{each: own[each] for each in own if each not in row.settings}, **row.settings_on.get(name, {})}
        if on:
            settings_on[name] = on
    shots = part.shots.value if row.shots is None else row.shots
    return replace(row, settings={**shared, **row.settings}, settings_on=settings_on, shots=shots)


def _says(row: TableRow, name: str) -> bool:
    """True if the row itself says the setting, or how many demonstrations it shows."""
    if name == SHOTS:
        return row.shots is not None
    return any(name in settings for settings in (row.settings, *row.settings_on.values()))


def _sentences(
    experiment: Experiment, preset: Preset, parts: list[ProgramPreset], varied: list[set[str]]
) -> Iterator[str]:
    """The differences from the paper: those of the preset, of rows that set otherwise, and values it does not give."""
    yield from preset.differs
    for part in parts:
        yield from part.differs
    values = [
        (row, name, value, row.shots if name == SHOTS else row.settings.get(name))
        for row, part, own in zip(experiment.rows, parts, varied, strict=True)
        for name, value in {**part.settings, SHOTS: part.shots}.items()
        if name not in own  # the table itself varies those
    ]
    rows_with: dict[str, dict[str, None]] = {}
    for row, name, value, _ in values:
        for text in _differences(experiment, row, name, value) if value.place else ():
            rows_with.setdefault(text, {})[row.name] = None
    yield from (f"{' and '.join(names)}: {text}." for text, names in rows_with.items())
    for name, value in preset.decoding.items():
        here = experiment.decoding.get(name)
        if value.place and here != value.value:
            what = DECODING.get(name, name)
            yield f"{what.capitalize()} is {here} here, and {value.value} in the paper ({value.place})."
        yield value.not_given(None if here == value.value else here)
    for _, _, value, here in values:
        yield value.not_given(None if here == value.value else here)


def _differences(experiment: Experiment, row: TableRow, name: str, value: PresetValue) -> Iterator[str]:
    for question_set, each in experiment.sets.items():
        paper = value.on.get(question_set, value.value)
        here = row.shots if name == SHOTS else experiment.settings(row, question_set).get(name)
        if here != paper:
            what = "demonstrations a step" if name == SHOTS else name
            on = f" on {each.title}" if value.on or question_set in row.settings_on else ""
            yield f"{what}{on}: {in_words(here)} here, {in_words(paper)} in the paper ({value.place})"
