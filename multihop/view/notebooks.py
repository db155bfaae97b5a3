"""A prediction, its search, a run, a comparison and a program as HTML for notebooks: static, folded, light and dark."""

from functools import singledispatch
from typing import Any

import dspy

from ..base.texts import say_count
from ..evaluation import Comparison, Evaluation, Repeats
from ..evaluation.comparison_table import comparison_notes
from ..evaluation.journal import read_header
from ..evaluation.repeats import repeats_warnings
from ..evaluation.report import show_number
from ..runtime import Program, cost_line
from ..runtime.prediction import ProgramPrediction
from .comparison import describe_costs, describe_lines
from .drawn_search import DrawnSearch, Picture, picture_search, shorten
from .figures import describe_figures, make_bar
from .look import open_template
from .run_page import describe_run
from .search_tree import PictureNode

CHOSEN = ("accept", "chosen", "kept")
"""The marks of nodes that the answer rests on."""
LONGEST = 700
"""Characters of a passage that are shown."""


@singledispatch
def as_html(value: Any) -> str:
    """The value as the HTML that a notebook shows."""
    raise TypeError(f"a {type(value).__name__} has no page for notebooks.")


@as_html.register
def _of_prediction(prediction: ProgramPrediction) -> str:
    passages = [
        (each.title or each.id, each.id, shorten(each.text, LONGEST))
        for each in prediction.get("passages") or ()
        if hasattr(each, "text")
    ]
    trajectory = prediction.get("trajectory") or []
    cost = prediction.get("cost")
    picture = picture_search(trajectory, "the question")
    return _render(
        "prediction",
        answer=str(prediction.get("answer", "")),
        over_budget=bool(prediction.get("over_budget")),
        passages=passages,
        picture=picture,
        way=_way_in(picture),
        steps=len(trajectory),
        cost=cost_line(cost) if cost else "",
    )


@as_html.register
def _of_search(search: DrawnSearch) -> str:
    return _render("search", picture=search.picture, way=_way_in(search.picture), question=search.question)


@as_html.register
def _of_run(run: Evaluation) -> str:
    header = read_header(run.folder)
    return _render(
        "run",
        card=describe_run(header, run.summary, run.folder),
        figures=describe_figures(run.summary, header["identity"].get("metrics", {})),
        n=run.summary["n"],
        folder=str(run.folder) if run.keep is None else "",
    )


@as_html.register
def _of_repeats(repeats: Repeats) -> str:
    summary = repeats.summary
    bars = [
        (
            make_bar(name, metric, metric["answers"], sum(summary["n"])),
            show_number(name, metric["lowest"]),
            show_number(name, metric["highest"]),
        )
        for name, metric in summary["metrics"].items()
    ]
    return _render("repeats", summary=summary, warnings=repeats_warnings(summary), bars=bars)


@as_html.register
def _of_comparison(comparison: Comparison) -> str:
    lines, widest = describe_lines(comparison)
    warnings = [
        note for which, name in enumerate(comparison.names) for note in comparison_notes(name, comparison, which)
    ]
    costs = describe_costs(comparison)
    return _render("compared", comparison=comparison, warnings=warnings, lines=lines, widest=widest, costs=costs)


@as_html.register
def _of_program(program: Program) -> str:
    steps = []
    for name, predictor in dspy.Module.named_predictors(program):
        signature = predictor.signature
        fields = [
            (kind, field, str(info.json_schema_extra.get("desc", "")))
            for kind, all_fields in (("in", signature.input_fields), ("out", signature.output_fields))
            for field, info in all_fields.items()
        ]
        demos = [[(field, str(value)) for field, value in dict(demo).items()] for demo in predictor.demos]
        steps.append((name, signature.instructions, fields, demos))
    settings = [(name, str(value)) for name, value in program.settings.items()]
    return _render("program", name=program.name, paper=program.paper, settings=settings, steps=steps)


def way_to_chosen(node: PictureNode) -> list[int] | None:
    """The places of the children that lead to the first node that the answer rests on; None where there is none."""
    for place, child in enumerate(node["children"]):
        if (way := way_to_chosen(child)) is not None:
            return [place, *way]
    return [] if node["mark"] in CHOSEN else None


def _way_in(picture: Picture) -> list[int]:
    """The path that is unfolded in a picture; its first node alone where nothing was chosen."""
    return (way_to_chosen(picture["root"]) if "root" in picture else None) or []


def _render(template: str, **values: Any) -> str:
    return open_template(f"notebooks/{template}.html").render(say_count=say_count, **values)
