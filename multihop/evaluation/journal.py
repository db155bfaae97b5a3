"""A run on disk: a header that says what is being run, and one line for every finished question.

Lines are only ever appended, and a question counts as finished once its line has reached the disk. So a run can be
killed at any moment and continued later: whatever is in the journal is not done again, whatever is not, is.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from types import GenericAlias, UnionType
from typing import Annotated, Any, ForwardRef, Literal, NotRequired, Self, Union, get_args, get_origin, get_type_hints

import ujson
from pydantic import AfterValidator, ConfigDict, Field
from typing_extensions import TypedDict, is_typeddict

from ..base import DamagedFileError, InputError, MismatchError, only_writer, read_small, unknown, write_record
from ..base.errors import public_parameters
from ..base.files import MOST, Amount, FiniteJson, LineFile, parsed, whole_lines
from ..base.texts import as_json
from ..data.question import LONGEST_ID
from ..runtime import LabelledChunk, ReviewedNode, SearchedNode
from ..runtime.steps import FoundHit
from .header import About, Header, Identity
from .row import ROW_COSTS, Row

FORMAT = 1
HEADER, ROWS, LOCK = "run.json", "questions.jsonl", ".lock"
NAMED = 20
"""Questions of a run that an error names."""
FIRST = "repeat-1"
"""The folder of the first of several runs over the same questions, in the folder that holds them."""


class Journal:
    """The one writer of a run's folder."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        identity: Identity,
        about: About | None = None,
        *,
        earlier: Callable[[Row], None] | None = None,
    ) -> None:
        """Describe the run; nothing is written before the journal is entered, which tells `earlier` all rows there."""
        self.folder = Path(folder)
        self.identity = _as_stored(identity)
        self.about = about
        self.earlier = earlier
        self.finished: set[str] = set()
        """Ids of the questions that need not be asked again; those that failed are not among them."""
        self.asked: set[str] = set()
        """Ids of all questions that have a row."""
        self.worked = 0.0
        """Seconds that the run had been at work before this call."""
        self._unmeasured: dict[str, int] = {}  # ids of answered questions, with where their rows start
        self._file: LineFile | None = None
        self._held = ExitStack()

    def __enter__(self) -> Self:
        busy = f"another process is working on {self.folder}; wait for it, or choose another."
        self._held.enter_context(only_writer(self.folder / LOCK, busy))
        try:
            check_identity(self.folder, self.identity)
            good = 0
            for row, end in _lines(self.folder / ROWS):
                self._note(row, good)
                good = end
                if self.earlier is not None:
                    self.earlier(row)
            self.write_header("running")
            self._file = LineFile(self.folder / ROWS, good)
        except BaseException:
            self._held.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self._file is not None:
                self._file.close()
            self.write_header("finished" if kind is None else "interrupted")
        except InputError:
            pass  # a full disk has already been reported, and the rows that count are on it
        finally:
            self._held.close()

    def _note(self, row: Row, start: int) -> None:
        """Take note of a row that starts there in the file: of a question, the last one counts."""
        self.asked.add(row["id"])
        self.finished.discard(row["id"])
        self._unmeasured.pop(row["id"], None)
        if "unmeasured" in row:
            self._unmeasured[row["id"]] = start
        elif row["status"] != "error":
            self.finished.add(row["id"])
        self.worked = max(self.worked, row.get("run_seconds", 0.0))

    def check_questions(self, ids: Iterable[str]) -> None:
        """Refuse a run with a row of a question that is none of these, before it is counted among them."""
        strange = self.asked.difference(ids) if self.asked else ()
        for identifier in sorted(strange)[:1]:
            raise DamagedFileError(
                f"{self.folder / ROWS} has a row of question '{identifier}', which is none of the run's; remove its "
                "line to go on."
            )

    def unmeasured_row(self, question: str) -> Row | None:
        """The row of a question that was answered, and on whose answer a metric failed."""
        if question not in self._unmeasured:
            return None
        row: Row = ujson.loads(next(whole_lines(self.folder / ROWS, start=self._unmeasured[question])))
        return row

    def append(self, rows: Iterable[Row]) -> None:
        """Add finished questions; on return they are on the disk, or none of them is."""
        assert self._file is not None, "a journal is written to inside its with block"
        rows = list(rows)
        lines = [f"{as_json(row)}\n".encode("utf-8", "replace") for row in rows]
        try:
            start = self._file.append(b"".join(lines), sync=True)
        except InputError as error:
            raise InputError(
                f"{str(error).removesuffix('.')}; "
                f"{len(self.finished)} finished questions are safe, the same command continues from there."
            ) from error
        for row, line in zip(rows, lines, strict=True):
            self._note(row, start)
            start += len(line)

    def write_header(self, status: Literal["running", "finished", "interrupted"]) -> None:
        """Say what the run is and how far it is."""
        header = {"format": FORMAT, "status": status, **(self.about or {}), "identity": self.identity}
        write_record(self.folder / HEADER, header)


def check_identity(folder: str | os.PathLike[str], identity: Identity) -> None:
    """Refuse to go on with a run, or to show it, where it was made otherwise."""
    folder = Path(folder)
    if not (folder / HEADER).exists():
        if (folder / ROWS).exists():
            raise DamagedFileError(f"{folder} holds {ROWS} but no {HEADER}, so it cannot be continued.")
        return
    before = read_header(folder)["identity"]
    for path, then, now in _differences(before, _as_stored(identity)):
        raise MismatchError(
            f"{folder} was made with {path} = {_short(then)}, and now it is {_short(now)}; "
            "choose another folder for this run."
        )


def is_run(folder: str | os.PathLike[str]) -> bool:
    """True if a folder holds a run, or repeats of one."""
    return any((Path(folder) / inner / HEADER).is_file() for inner in ("", FIRST))


def read_header(folder: str | os.PathLike[str]) -> Header:
    """The run's header."""
    path = Path(folder) / HEADER
    try:
        content = read_small(path)
    except InputError as refused:
        if not isinstance(refused.__cause__, FileNotFoundError):
            raise
        if (Path(folder) / FIRST / HEADER).exists():
            raise InputError(f"{folder} holds repeats; give one of them, such as {Path(folder) / FIRST}.") from None
        why = f"is not a run: it has no {HEADER}" if Path(folder).exists() else "does not exist"
        raise InputError(f"{folder} {why}.") from None
    header: Header = parsed(_HEADER, content, path, "the header of a run that this version reads")
    for lm in header["identity"].get("lm", {}).values():  # earlier versions kept all parameters
        if "decoding" in lm:
            lm["decoding"] = public_parameters(lm["decoding"])
    return header


def read_rows(folder: str | os.PathLike[str]) -> Iterator[Row]:
    """The run's rows as they were written; a question that failed and was asked again has several."""
    for row, _ in _lines(Path(folder) / ROWS):
        yield row


def read_question(folder: str | os.PathLike[str], question: str) -> Row:
    """The row of a question, the last of several."""
    ids, found = dict[str, None](), None
    for row in read_rows(folder):  # one at a time: a run may be larger than the memory
        ids[row["id"]] = None
        found = row if row["id"] == question else found
    if found is None:
        raise unknown(f"question of {folder}", question, [*islice(ids, NAMED), *(["…"] if len(ids) > NAMED else [])])
    return found


def _lines(path: Path) -> Iterator[tuple[Row, int]]:
    """Each row with the offset at which it ends; a last line that was cut off is left out."""
    if not path.exists():
        return
    end = 0
    for number, line in enumerate(whole_lines(path), 1):
        end += len(line)
        try:
            row = _parse_row(line, f"{path}, line {number}")
            needed = "error" if row["status"] == "error" else "returned" if "unmeasured" in row else "id"
            if row.get(needed) is None:
                raise DamagedFileError(f"{path}, line {number} is not a row of a run: it has no {needed}.")
        except DamagedFileError as error:
            raise DamagedFileError(f"{str(error).removesuffix('.')}; remove that line to go on.") from None
        yield row, end


def _parse_row(line: bytes, place: str) -> Row:
    """The row of a line; a step of a kind that is none of ours has the fields that somebody's program gave it."""
    what = "a row of a run"
    try:
        row: Row = parsed(_ROW, line, place, what)
    except DamagedFileError as refused:
        row = parsed(_ROW_OF_ANY_STEPS, line, place, what)
        try:
            parsed(_STEPS, ujson.dumps(list(_our_steps(row.get("trajectory", ())))), place, what)
        except DamagedFileError:
            raise refused from None
    return row


def _our_steps(steps: Iterable[Any]) -> Iterator[Any]:
    """The steps of our kinds, those of branches too, and what is no step at all."""
    for step in steps:
        name = step.get("step") if isinstance(step, dict) else None
        branches = step.get("branches") if name == "branches" else None
        if isinstance(branches, list) and all(isinstance(branch, list) for branch in branches):
            for branch in branches:
                yield from _our_steps(branch)
        elif not isinstance(name, str) or name in _OUR_STEPS:
            yield step


def as_read(kind: Any, **instead: Any) -> Any:
    """A record as files of every version have it: what it needs must be there, more may be, and numbers are bounded."""
    if kind in _BOUNDED:
        return _BOUNDED[kind]
    if get_origin(kind) in (dict, list, tuple):
        return get_origin(kind)[*map(as_read, get_args(kind))]  # type: ignore[index]
    if get_origin(kind) in (Union, UnionType):
        return Union[*map(as_read, get_args(kind))]
    if not is_typeddict(kind) or hasattr(kind, "__pydantic_config__"):
        return kind
    return _open_record(kind.__name__, _fields(kind, **instead), _NEEDED.get(kind.__name__, kind.__required_keys__))


def _fields(kind: Any, **instead: Any) -> dict[str, Any]:
    hints = get_type_hints(kind).items()
    return {name: instead.get(name) or _BOUNDED.get(name) or as_read(hint) for name, hint in hints}


def _open_record(name: str, fields: dict[str, Any], needed: Collection[str]) -> Any:
    read = TypedDict(name, {key: hint if key in needed else NotRequired[hint] for key, hint in fields.items()})  # type: ignore[misc]
    read.__pydantic_config__ = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)  # type: ignore[attr-defined]
    return read


def _check_steps(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Refuse a step that lacks what its kind always has."""
    for step in steps:
        needed = _OUR_STEPS.get(step["step"])
        if needed is None or "inputs" in step:
            continue  # a step of somebody's own, or an LM call of a predictor, whatever its name
        for name in needed:
            if name not in step and name not in step.get("outputs", {}):
                raise ValueError(f"a step '{step['step']}' lacks '{name}'")
        if "tree" in step:
            _check_tree(step["tree"], "action" if "action" in step["tree"] else "chosen")
        for branch in step.get("branches", ()):
            _check_steps(branch)
    return steps


def _check_tree(node: dict[str, Any], needed: str) -> None:
    if needed not in node:
        raise ValueError(f"a node of a tree lacks '{needed}'")
    for child in node["children"]:
        _check_tree(child, needed)


_NEEDED: dict[str, Collection[str]] = {
    "Header": ("format", "identity"),
    **dict.fromkeys(("DataIdentity", "RunLimits"), ()),
    "Identity": ("program",),
    "ProgramIdentity": ("name",),
    "LMIdentity": ("model",),
    "Row": ("id", "status", "metrics", "cost"),
    "CostRecord": (*ROW_COSTS, "tokens"),
    "PathStepRecord": ("sub_question",),
}
"""The fields that files of every version have, of records to which later versions added some."""
_NAME = Annotated[str, Field(max_length=LONGEST_ID)]
_BOUNDED: dict[Any, Any] = {
    Any: FiniteJson,
    int: Annotated[int, Field(ge=0, lt=MOST)],
    float: Annotated[float, Field(gt=-MOST, lt=MOST)],
    int | float: Annotated[int | float, Field(gt=-MOST, lt=MOST)],
    **dict.fromkeys(("seconds", "run_seconds"), Amount),
    **dict.fromkeys(("usd", "paid_usd", "timeout"), Amount | None),
    **dict.fromkeys(("name", "model", "adapter", "fingerprint"), _NAME),
    "retriever": _NAME | None,
    "score": float,
    "seed": int | None,
    **dict.fromkeys(("draw", "hops"), int),
}
"""The bounds of numbers, and of what has such a name; a retriever's scores are on its own scale."""
_OUR_STEPS = {
    "find": ("query",),
    "branches": ("branches",),
    "over budget": ("limit",),
    "tree": ("tree",),
    "label": ("labels",),
    "filter": ("after", "marked", "query"),
    "combine": ("answers",),
    "stop": ("why",),
}
"""The kinds of steps, with what each has; of the last three, among its outputs."""
# One record has the fields of steps of every kind, and another those of both kinds of nodes: pydantic takes several
# times as long to tell the kinds apart.
_CHILDREN = GenericAlias(list, (ForwardRef("_NODE"),))
_NODE_FIELDS = _fields(ReviewedNode, children=_CHILDREN) | _fields(SearchedNode, children=_CHILDREN)
_NODE = _open_record("SearchedNode", _NODE_FIELDS, {"children"})
_STEP = _open_record(
    "OwnStep",
    {
        "step": str,
        "inputs": dict[str, Any],
        "outputs": dict[str, Any],
        "error": str,
        "limit": str,
        "query": str,
        "hits": GenericAlias(list, (as_read(FoundHit),)),
        "branches": GenericAlias(list, (GenericAlias(list, (ForwardRef("_STEP"),)),)),
        "tree": _NODE,
        "labels": GenericAlias(list, (as_read(LabelledChunk, relevant=Annotated[float, Field(ge=0, le=1)]),)),
    },
    {"step"},
)
_STEPS: Any = Annotated[GenericAlias(list, (_STEP,)), AfterValidator(_check_steps)]  # type: ignore[misc, valid-type]
_HEADER = as_read(Header, format=Literal[1])  # the one `FORMAT` of these files
# A pair of id and score; a list, as it is written.
_PAIR = Annotated[tuple[str, float | None], AfterValidator(list)]
_OWN: dict[str, Any] = {"id": _NAME, "passages": GenericAlias(list, (_PAIR,))}
_ROW = as_read(Row, trajectory=_STEPS, **_OWN)
_ROW_OF_ANY_STEPS = as_read(Row, trajectory=list[Any], **_OWN)


def _as_stored(value: Identity) -> Identity:
    return ujson.loads(ujson.dumps(value))  # type: ignore[no-any-return]


def _differences(then: Any, now: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(then, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*then, *now]):
            yield from _differences(then.get(key), now.get(key), f"{path}.{key}".lstrip("."))
    elif then != now:
        yield path, then, now


def _short(value: Any) -> str:
    text = ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False)
    return text if len(text) <= 80 else text[:77] + "..."
