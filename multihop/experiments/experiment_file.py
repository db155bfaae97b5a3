"""Experiments as TOML files: those of the library by name, and any other; read, checked, and filled from a preset."""

import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ..base import InputError, read_small, unknown
from ..evaluation.metrics.answer import check_rules
from ..optimize.variants import variant_named
from ..programs import create, program_named
from ..programs.presets import Preset, PresetValue, ProgramPreset, in_words, open_preset, preset_for
from ..runtime import check_setting, settings_of
from .experiment import OWN, Experiment, QuestionSet, TableColumn, TableRow
from .figures import check_metric
from .plan import find_nothing

SUFFIX = ".toml"
KEPT = "experiment.toml"
"""The experiment's file in the folder of a study."""
NONE = "–"
"""The mark in a file for a figure that the paper does not give."""
SHOTS = "shots"
DECODING = {"temperature": "the temperature", "top_p": "top-p", "max_tokens": "the longest output"}
"""Words for parameters of LMs."""
Many = TypeVar("Many", dict[str, Any], list[Any])
Part = TypeVar("Part", Experiment, QuestionSet, TableColumn, TableRow)
_WORDS = {str: "a text", int: "a whole number", float: "a number", dict: "a table", tuple: "a list"}


def experiment_names() -> list[str]:
    """The names of the experiments that come with the library, in alphabetical order.

    Examples:
        >>> from multihop.experiments import experiment_names
        >>> experiment_names()[:2]
        ['cloned-planners', 'cloned-thinkers']
    """
    return sorted(path.stem for path in _shipped().glob(f"*{SUFFIX}"))


def open_experiment(name: str | os.PathLike[str]) -> Experiment:
    """The experiment of that name, or in that file.

    Args:
        name: One of `experiment_names()`, or the path of a TOML file of your own.

    Raises:
        InputError: There is no such experiment, or its file is wrong somewhere; the message says where.

    Examples:
        >>> from multihop.experiments import open_experiment
        >>> experiment = open_experiment("resp-table-1")
        >>> experiment.place, experiment.row("ReSP").published
        ('Table 1', (47.2, 38.3))
    """
    return read_experiment(_path_of(name))


def keep_experiment(experiment: Experiment | str | os.PathLike[str], folder: Path) -> None:
    """Make the study's folder, and copy the experiment's file into it, if it has one."""
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(experiment, Experiment):
        shutil.copyfile(_path_of(experiment), folder / KEPT)


def read_experiment(path: str | os.PathLike[str]) -> Experiment:
    """The experiment in the file; an error names the file and the key."""
    path = Path(path)
    try:
        given = tomllib.loads(read_small(path).decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    return _Reading(str(path)).experiment(path.stem, given)


def _path_of(name: str | os.PathLike[str]) -> Path:
    text = os.fspath(name)
    if text.endswith(SUFFIX) or os.sep in text:
        if not Path(text).is_file():
            raise InputError(f"there is no experiment in {text}: no such file.")
        return Path(text)
    if text not in experiment_names():
        raise InputError(f"{unknown('experiment', text, experiment_names())}, or a {SUFFIX} file of your own")
    return _shipped() / f"{text}{SUFFIX}"


def _shipped() -> Path:
    return Path(__file__).with_name("tables")


class _Reading:
    """The reading of one file, which every message names."""

    def __init__(self, file: str) -> None:
        self.file = file

    def experiment(self, name: str, given: dict[str, Any]) -> Experiment:
        sets = {key: self._set(key, each) for key, each in self._parts(given, "sets", dict).items()}
        if len(sets) > 1 and any(each.asking for each in sets.values()):
            raise self._wrong("sets", "a set that names the questions to ask is the only one; give the others a file")
        columns = tuple(
            self._column(f"columns[{n}]", each, sets) for n, each in enumerate(self._parts(given, "columns", list), 1)
        )
        rows = tuple(
            self._row(f"rows[{n}]", each, sets, columns) for n, each in enumerate(self._parts(given, "rows", list), 1)
        )
        self._check_names([row.name for row in rows], [row.against for row in rows])
        given = {"title": "", "paper": "", "place": "", **given}
        parts = {"name": name, "sets": sets, "columns": columns, "rows": rows}
        with self._at("preset"):
            found = with_preset(self._part(Experiment, "", {**given, **parts}))
        for metric in found.curve:
            self._check_known("curve", "measure of the columns", metric, [column.metric for column in columns])
        if len(found.curve) not in (0, 2):
            count = len(found.curve)
            raise self._wrong("curve", f"it has two measures, the one below and the one at the left, not {count}")
        return found

    def _set(self, name: str, given: Any) -> QuestionSet:
        place = f"sets.{name}"
        given = self._table(place, given)
        found = self._part(QuestionSet, place, {"title": name, **given, "name": name})
        with self._at(f"{place}.rules"):
            check_rules(found.rules)
        self._check_counts(place, {"limit": found.limit, "size": found.size})
        with self._at(place):
            found.selection  # noqa: B018 - it refuses numbers that choose nothing
        return found

    def _column(self, place: str, given: Any, sets: Mapping[str, QuestionSet]) -> TableColumn:
        column = self._part(TableColumn, place, self._table(place, given))
        self._check_known(f"{place}.set", "question set", column.set, sets)
        with self._at(f"{place}.metric"):
            check_metric(column.metric)
        return column

    def _row(
        self, place: str, given: Any, sets: Mapping[str, QuestionSet], columns: tuple[TableColumn, ...]
    ) -> TableRow:
        given = dict(self._table(place, given))
        given["published"] = self._published(f"{place}.published", given.get("published", []), len(columns))
        row = self._part(TableRow, place, given)
        self._check_counts(place, {"repeats": row.repeats, "training": row.training})
        self._check_settings(place, row, sets)
        if row.compile is not None:
            with self._at(f"{place}.compile"):
                variant_named(row.compile)
        elif row.by_steps:
            raise self._wrong(f"{place}.by_steps", "the row is not compiled; give it compile = a variant")
        if row.step_lms:
            steps = create(row.program, find_nothing, **row.settings).steps
            for step in row.step_lms:
                self._check_known(f"{place}.step_lms", f"step of {row.program}", step, steps)
        for step in row.cloned:
            self._check_known(f"{place}.cloned", "step with an LM of its own", step, row.step_lms)
        with self._at(f"{place}.metrics"):
            for metric in row.metrics.values():
                check_metric(metric)
        return row

    def _check_settings(self, place: str, row: TableRow, sets: Mapping[str, QuestionSet]) -> None:
        """Refuse an unknown program, settings that it does not take, and weights of no question set."""
        with self._at(f"{place}.program"):
            taken = settings_of(program_named(row.program))
        for name, on in row.settings_on.items():
            self._check_known(f"{place}.settings_on", "question set", name, sets)
            self._table(f"{place}.settings_on.{name}", on)
        with self._at(f"{place}.settings"):
            for settings in (row.settings, *row.settings_on.values()):
                for setting, value in settings.items():
                    check_setting(row.program, setting, value, taken)
        if row.weights is not None:
            self._check_known(f"{place}.weights", "question set", row.weights, (OWN, *sets))
            if "weights" not in taken:
                raise self._wrong(f"{place}.weights", f"{row.program} takes no weights")

    def _published(self, place: str, figures: Any, wanted: int) -> tuple[float | None, ...]:
        if figures == []:
            return (None,) * wanted
        if not isinstance(figures, list) or len(figures) != wanted:
            count = len(figures) if isinstance(figures, list) else "no list of"
            raise self._wrong(place, f"it has {count} figures for {wanted} columns; write '{NONE}' for none")
        for figure in figures:
            if figure != NONE and (isinstance(figure, bool) or not isinstance(figure, int | float)):
                raise self._wrong(place, f"a figure is a number, or '{NONE}' for none, not {figure!r}")
        return tuple(None if figure == NONE else float(figure) for figure in figures)

    def _check_names(self, names: list[str], against: list[tuple[str, ...]]) -> None:
        """Refuse two rows of one name, and tests against a row that there is not."""
        for twice in (each for each in names if names.count(each) > 1):
            raise self._wrong("rows", f"two rows are called '{twice}'; give one another name")
        for n, (name, others) in enumerate(zip(names, against, strict=True), 1):
            for other in others:
                self._check_known(f"rows[{n}].against", "other row", other, [each for each in names if each != name])

    def _check_known(self, place: str, what: str, name: str, valid: Any) -> None:
        if name not in valid:
            raise self._wrong(place, str(unknown(what, name, valid)))

    def _check_counts(self, place: str, counts: Mapping[str, int | None]) -> None:
        for key, count in counts.items():
            if count is not None and count < 1:
                raise self._wrong(f"{place}.{key}", f"it is a whole number from 1 on, not {count}")

    def _part(self, kind: type[Part], place: str, given: Mapping[str, Any]) -> Part:
        """One dataclass of what the file gives, every key known and of its type."""
        known = {each.name: each for each in fields(kind)}
        hints = get_type_hints(kind)
        values: dict[str, Any] = {}
        for key, value in given.items():
            where = f"{place}.{key}".lstrip(".")
            if key not in known:
                raise self._wrong(where, str(unknown("key", key, [each for each in known if each != "name"])))
            values[key] = self._value(where, value, hints[key])
        for key, each in known.items():
            if key not in values and each.default is MISSING and each.default_factory is MISSING:
                raise self._wrong(f"{place}.{key}".lstrip("."), "it is missing")
        return kind(**values)

    def _value(self, place: str, value: Any, hint: Any) -> Any:
        """The value, if it is of the type; a list becomes a tuple."""
        kinds = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
        plain_kinds = {kind: get_origin(kind) or kind for kind in kinds if kind is not NoneType}
        for kind, plain in plain_kinds.items():
            if plain is tuple and isinstance(value, list):
                item = get_args(kind)[0]
                return tuple(self._value(f"{place}[{n}]", each, item) for n, each in enumerate(value, 1))
            if isinstance(value, plain) and not (plain is int and isinstance(value, bool)):
                if plain is dict and get_args(kind)[1] is str:
                    return {key: self._value(f"{place}.{key}", each, str) for key, each in value.items()}
                return value
        wanted = next((_WORDS[plain] for plain in plain_kinds.values() if plain in _WORDS), str(hint))
        raise self._wrong(place, f"it is {wanted}, not {value!r:.60}")

    def _parts(self, given: Mapping[str, Any], key: str, kind: type[Many]) -> Many:
        """The table or the list under a key, which may not be empty."""
        found = given.get(key)
        if not isinstance(found, kind) or not found:
            raise self._wrong(key, "there is none; an experiment has at least one")
        return found

    def _table(self, place: str, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise self._wrong(place, f"it is a table of keys and values, not {given!r:.60}")
        return given

    @contextmanager
    def _at(self, place: str) -> Iterator[None]:
        """Name the file and the place in an error of the block."""
        try:
            yield
        except InputError as error:
            raise self._wrong(place, str(error)) from None

    def _wrong(self, place: str, what: str) -> InputError:
        return InputError(f"{self.file}, {place}: {what.rstrip('.')}.")


def with_preset(experiment: Experiment) -> Experiment:
    """The experiment, where it names a preset, with all that it does not say itself taken from there.

    A row has the settings and the demonstrations of the preset for its program, under its own. `differs` says what the
    preset says, what a row sets otherwise than the paper, what the paper does not give, and then what the file adds.
    """
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
