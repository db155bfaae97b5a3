"""The page of records as the site has it: docs/records.md, then every record field by field, from its type in the code.

`python docs/make_records.py` prints it; docs/make_site.py puts it into the site.
"""

import ast
import inspect
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple, get_args

from multihop.data import fetching
from multihop.evaluation import header, repeats, row, summary
from multihop.experiments import study_table
from multihop.runtime import answer_record, bill, cost, prediction, steps, tokens

PAGE = Path(__file__).with_name("records.md")
MODULES = (
    steps,
    cost,
    tokens,
    prediction,
    header,
    row,
    bill,
    summary,
    repeats,
    answer_record,
    study_table,
    fetching,
)
TRAJECTORY = "`prediction.trajectory`"

SECTIONS = {
    TRAJECTORY: (
        "the steps taken for one question",
        """
        A list of steps, in the order in which they began. The field `step` tells the kind of a step. Where it is none
        of "find", "branches", "over budget", "tree", "label", "filter" and "combine", the step is an LM call and the
        field names its predictor ([AskStep](#askstep)), or a method of your own has named it ([OwnStep](#ownstep)). The
        same list is in a row of `questions.jsonl` and in what `multihop ask --json` prints.
        """,
        """
        AskStep FindStep FoundHit BranchesStep BudgetStep TreeStep ReviewedNode ReviewRecord PrunedPassage SearchedNode
        PathStepRecord LabelStep LabelledChunk FilterStep FilterOutputs CombineStep CombineOutputs StopStep
        StopOutputs OwnStep
        """,
    ),
    "`prediction.cost`": (
        "what one question cost",
        """
        The same record is in a row of `questions.jsonl`. [cost-and-cache.md](cost-and-cache.md) tells what is paid
        and what is cached.
        """,
        "CostRecord TokenCounts",
    ),
    "`run.json`": (
        "what a run is",
        """
        One JSON object in the run's folder. It holds no key; the addresses of servers of your own stand in
        `endpoints`. A run is continued only by a call with the same `identity`.
        """,
        "Header Identity ProgramIdentity PromptIdentity LMIdentity DataIdentity RunLimits PriceRecord",
    ),
    "`questions.jsonl`": (
        "every finished question of a run",
        "One line a question, written when it is finished.",
        "Row Returned Failure",
    ),
    "`calls.jsonl`": (
        "what a run paid",
        """
        One line for every LM call that was paid ([PaidCall](#paidcall)). Where a run keeps its answers for itself, also
        one line for every answer ([KeptCall](#keptcall)); only these have the field `key`.
        """,
        "PaidCall KeptCall",
    ),
    "`summary.json`": (
        "what a run came to",
        """
        One JSON object, written at the end of a run from `questions.jsonl` and `calls.jsonl`. `summary.md` says the
        same for people.
        """,
        """
        Summary Measured Taught RecallNote Group TotalCost Spread Timing Percentiles Paid PaidForJudging
        """,
    ),
    "`summary.json` of repeats": (
        "what several runs over the same questions came to",
        """
        One JSON object in the folder of `--repeats`, above those of the runs; `summary.md` says the same for people.
        """,
        "RepeatsSummary RepeatedMetric",
    ),
    "`table.json`": (
        "what a study came to",
        """
        One JSON object in the folder of `multihop reproduce`, written when its rows are done; `table.md` says the same
        for people. Each row of the table is a run of its own, in `folder`.
        """,
        "StudyTable StudyRow StudyCell RowTest",
    ),
    "`set.json`": (
        "a question set that was fetched",
        """
        One JSON object in the folder of `multihop data get`. A file that is not under `files` is not whole.
        """,
        "SetRecord WrittenFile SourceFile",
    ),
    "`multihop ask --json`": (
        "one question and its answer",
        """
        One JSON object on standard output; `multihop serve` sends the same. In Python, `prediction` has the fields
        from `evidence` on; its `passages` are of the class `Passage`.
        """,
        "AnswerRecord PassageRecord CitationRecord",
    ),
}
"""For each title what it is, more about it, and the types that stand under it."""


class Field(NamedTuple):
    """One field of a record."""

    name: str
    kind: ast.expr
    text: str
    may_be_missing: bool


class Record(NamedTuple):
    """One type."""

    module: str
    text: str
    fields: list[Field]


def records() -> dict[str, Record]:
    """Every type by its name, each with the fields that it has from others."""
    found: dict[str, Record] = {}
    for module in MODULES:
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("TypedDict("):
                name, fields = ast.literal_eval(node.value.args[0]), node.value.args[1]
                described = [_annotated(*field) for field in zip(fields.keys, fields.values, strict=True)]
                found[name] = Record(module.__name__, "", described)
            elif isinstance(node, ast.ClassDef) and (bases := {*map(ast.unparse, node.bases)} & {"TypedDict", *found}):
                inherited = [field for base in bases - {"TypedDict"} for field in found[base].fields]
                found[node.name] = Record(module.__name__, ast.get_docstring(node) or "", [*_fields(node), *inherited])
    return found


def _annotated(name: ast.Constant, kind: ast.Subscript) -> Field:
    """A field that is written Annotated[kind, text], perhaps within NotRequired."""
    optional = ast.unparse(kind.value) == "NotRequired"
    annotated = kind.slice if optional else kind
    return Field(name.value, annotated.slice.elts[0], annotated.slice.elts[1].value, optional)


def _fields(record: ast.ClassDef) -> Iterator[Field]:
    """The fields of its own, each with the docstring under it."""
    partial = any(keyword.arg == "total" for keyword in record.keywords)
    for field, after in zip(record.body, [*record.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign):
            kind = field.annotation
            optional = isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "NotRequired"
            explained = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            text = inspect.cleandoc(after.value.value) if explained else ""
            yield Field(field.target.id, kind.slice if optional else kind, text, optional or partial)


def in_words(kind: ast.expr, known: Collection[str]) -> str:
    """A type as the page names it, with links to the types that stand on it."""
    match kind:
        case ast.Constant(value=str(name)):
            return in_words(ast.parse(name, mode="eval").body, known)
        case ast.Name(id="TrajectoryStep"):
            return "[step](#predictiontrajectory)"
        case ast.Name(id="Status"):
            return " or ".join(f'`"{each}"`' for each in get_args(row.Status))
        case ast.Name(id="Any"):
            return "anything"
        case ast.Name(id=name) | ast.Constant(value=None as name):
            return f"[{name}](#{name.lower()})" if name in known else f"`{name}`"
        case ast.BinOp(left=left, right=right):
            return f"{in_words(left, known)} or {in_words(right, known)}"
        case ast.Subscript(value=ast.Name(id="Literal"), slice=value):
            values = value.elts if isinstance(value, ast.Tuple) else [value]
            return " or ".join(f'`"{each.value}"`' for each in values)
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return f"list of {in_words(item, known)}"
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, item])):
            return f"dict of {in_words(item, known)}"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, ast.Constant(value=value)])) if (
            value is ...
        ):
            return f"list of {in_words(item, known)}"
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[one, other])):
            return f"pair of {in_words(one, known)} and {in_words(other, known)}"
    raise ValueError(f"the page has no words for the type {ast.unparse(kind)}")


def page() -> str:
    """The whole page."""
    known = records()
    shown = {name for _, _, names in SECTIONS.values() for name in names.split()}
    contents = [f"| [{title}](#{_anchor(title)}) | {what} |" for title, (what, _, _) in SECTIONS.items()]
    parts = [PAGE.read_text(encoding="utf-8"), "| where | what it is |", "| --- | --- |", *contents, ""]
    for title, (_, text, names) in SECTIONS.items():
        parts += [f"## {title}\n", f"{inspect.cleandoc(text)}\n"]
        parts += [_table(name, known[name], shown) for name in names.split()]
    return "\n".join(parts)


def _table(name: str, record: Record, shown: Collection[str]) -> str:
    lines = [
        f"### {name}",
        "",
        *([record.text, ""] if record.text else []),
        f"`from {record.module} import {name}`",
        "",
    ]
    lines += ["| field | type | what it says |", "| --- | --- | --- |"]
    for field in record.fields:
        missing = " *May be missing.*" if field.may_be_missing else ""
        text = " ".join(field.text.split()).replace("|", "\\|")
        lines.append(f"| `{field.name}` | {in_words(field.kind, shown)} | {text}{missing} |")
    return "\n".join([*lines, ""])


def _anchor(title: str) -> str:
    """The name under which GitHub links to a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


if __name__ == "__main__":
    sys.stdout.write(page())
