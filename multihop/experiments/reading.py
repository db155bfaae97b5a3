"""An experiment from its file: TOML in, a checked `Experiment` out, and one sentence where something is wrong."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ..base import InputError, read_small, unknown
from ..evaluation.metrics.metric import check_rules
from ..optimize.variants import variant_named
from ..programs import create, program_named
from ..runtime import check_setting, settings_of
from .experiment import Experiment, QuestionSet, TableColumn, TableRow
from .figures import check_metric
from .from_preset import with_preset
from .planning import find_nothing
from .row_weights import OWN

Many = TypeVar("Many", dict[str, Any], list[Any])
Part = TypeVar("Part", Experiment, QuestionSet, TableColumn, TableRow)
NONE = "–"
"""The mark in a file for a figure that the paper does not give."""
_WORDS = {str: "a text", int: "a whole number", float: "a number", dict: "a table", tuple: "a list"}


def read_experiment(path: str | os.PathLike[str]) -> Experiment:
    """The experiment in the file.

    Raises:
        InputError: The file cannot be used; the message names the file and the key.
    """
    path = Path(path)
    try:
        given = tomllib.loads(read_small(path).decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    return _Reading(str(path)).experiment(path.stem, given)


class _Reading:
    """The reading of one file, which every message names."""

    def __init__(self, file: str) -> None:
        self.file = file

    def experiment(self, name: str, given: dict[str, Any]) -> Experiment:
        sets = {key: self._set(key, each) for key, each in self._parts(given, "sets", dict).items()}
        columns = tuple(
            self._column(f"columns[{n}]", each, sets) for n, each in enumerate(self._parts(given, "columns", list), 1)
        )
        rows = tuple(
            self._row(f"rows[{n}]", each, sets, columns) for n, each in enumerate(self._parts(given, "rows", list), 1)
        )
        if len(sets) > 1 and any(each.asking for each in sets.values()):
            raise self._wrong("sets", "a set that names the questions to ask is the only one; give the others a file")
        names = [row.name for row in rows]
        for twice in (each for each in names if names.count(each) > 1):
            raise self._wrong("rows", f"two rows are called '{twice}'; give one another name")
        for n, row in enumerate(rows, 1):
            for rival in row.against:
                others = [each for each in names if each != row.name]
                if rival not in others:
                    raise self._wrong(f"rows[{n}].against", str(unknown("other row", rival, others)))
        given = {"title": "", "paper": "", "place": "", **given}
        parts = {"name": name, "sets": sets, "columns": columns, "rows": rows}
        with self._at("preset"):
            found = with_preset(self._part(Experiment, "", {**given, **parts}))
        self._check_curve(found.curve, [column.metric for column in columns])
        return found

    def _check_curve(self, curve: tuple[str, ...], metrics: list[str]) -> None:
        for metric in curve:
            if metric not in metrics:
                raise self._wrong("curve", str(unknown("measure of the columns", metric, metrics)))
        if len(curve) not in (0, 2):
            raise self._wrong("curve", f"it has two measures, the one below and the one at the left, not {len(curve)}")

    def _set(self, name: str, given: Any) -> QuestionSet:
        place = f"sets.{name}"
        given = self._table(place, given)
        found = self._part(QuestionSet, place, {"title": name, **given, "name": name})
        with self._at(f"{place}.rules"):
            check_rules(found.rules)
        for key in ("limit", "size"):
            value = getattr(found, key)
            if value is not None and value < 1:
                raise self._wrong(f"{place}.{key}", f"it is a whole number from 1 on, not {value}")
        with self._at(place):
            found.selection  # noqa: B018 - it refuses numbers that choose nothing
        return found

    def _column(self, place: str, given: Any, sets: Mapping[str, QuestionSet]) -> TableColumn:
        column = self._part(TableColumn, place, self._table(place, given))
        if column.set not in sets:
            raise self._wrong(f"{place}.set", str(unknown("question set", column.set, sets)))
        with self._at(f"{place}.metric"):
            check_metric(column.metric)
        return column

    def _row(
        self, place: str, given: Any, sets: Mapping[str, QuestionSet], columns: tuple[TableColumn, ...]
    ) -> TableRow:
        given = dict(self._table(place, given))
        given["published"] = self._published(f"{place}.published", given.get("published", []), len(columns))
        row = self._part(TableRow, place, given)
        if row.repeats is not None and row.repeats < 1:
            raise self._wrong(f"{place}.repeats", f"it is a whole number from 1 on, not {row.repeats}")
        self._check_settings(place, row, sets)
        if row.compile is not None:
            with self._at(f"{place}.compile"):
                variant_named(row.compile)
        elif row.by_steps:
            raise self._wrong(f"{place}.by_steps", "the row is not compiled; give it compile = a variant")
        if row.training is not None and row.training < 1:
            raise self._wrong(f"{place}.training", f"it is a whole number from 1 on, not {row.training}")
        if row.step_lms:
            steps = create(row.program, find_nothing, **row.settings).steps
            for step in row.step_lms:
                if step not in steps:
                    raise self._wrong(f"{place}.step_lms", str(unknown(f"step of {row.program}", step, steps)))
        if row.weights is not None:
            self._check_weights(place, row, sets)
        for step in row.cloned:
            if step not in row.step_lms:
                raise self._wrong(f"{place}.cloned", str(unknown("step with an LM of its own", step, row.step_lms)))
        with self._at(f"{place}.metrics"):
            for metric in row.metrics.values():
                check_metric(metric)
        return row

    def _check_weights(self, place: str, row: TableRow, sets: Mapping[str, QuestionSet]) -> None:
        """Refuse weights of a set that there is not, and for a program that takes none."""
        if row.weights not in (OWN, *sets):
            raise self._wrong(f"{place}.weights", str(unknown("question set", row.weights or "", [OWN, *sets])))
        if "weights" not in settings_of(program_named(row.program)):
            raise self._wrong(f"{place}.weights", f"{row.program} takes no weights")

    def _published(self, place: str, figures: Any, wanted: int) -> tuple[float | None, ...]:
        if figures == []:
            return (None,) * wanted
        if not isinstance(figures, list) or len(figures) != wanted:
            count = len(figures) if isinstance(figures, list) else "no list of"
            raise self._wrong(place, f"it has {count} figures for {wanted} columns; write '{NONE}' for none")
        return tuple(self._figure(place, figure) for figure in figures)

    def _check_settings(self, place: str, row: TableRow, sets: Mapping[str, QuestionSet]) -> None:
        """Refuse a program that there is not, and settings that it does not take."""
        with self._at(f"{place}.program"):
            taken = settings_of(program_named(row.program))
        for name, on in row.settings_on.items():
            if name not in sets:
                raise self._wrong(f"{place}.settings_on", str(unknown("question set", name, sets)))
            self._table(f"{place}.settings_on.{name}", on)
        with self._at(f"{place}.settings"):
            for settings in (row.settings, *row.settings_on.values()):
                for setting, value in settings.items():
                    check_setting(row.program, setting, value, taken)

    def _figure(self, place: str, figure: Any) -> float | None:
        if figure == NONE:
            return None
        if isinstance(figure, bool) or not isinstance(figure, int | float):
            raise self._wrong(place, f"a figure is a number, or '{NONE}' for none, not {figure!r}")
        return float(figure)

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
        """The value, if it is of the type."""
        kinds = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
        plain_kinds = {kind: get_origin(kind) or kind for kind in kinds if kind is not NoneType}
        for kind, plain in plain_kinds.items():
            if plain is tuple and isinstance(value, list):
                item = get_args(kind)[0]
                return tuple(self._value(f"{place}[{n}]", each, item) for n, each in enumerate(value, 1))
            if _is_a(value, plain):
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


def _is_a(value: Any, kind: type) -> bool:
    """True if the value is of the type; yes and no are no numbers."""
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))
