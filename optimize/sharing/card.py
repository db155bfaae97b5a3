"""The card of a shared program: its README.md, with the description that the hub reads at its head."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import ujson

from ...base import InputError
from ...base.plurals import say_count
from ...base.secrets import hide_secrets
from ...evaluation.report.report import as_markdown, as_table, interval, join_paragraphs, show_number
from ...evaluation.report.summary import usd_a_question
from ...lms.gguf_engine.files import PREFIX as GGUF
from ...lms.transformers_engine.files import IN_RUNS, split_digest
from ...programs import program_named
from ...runtime import token_count
from ..compiled_for import compiled_for
from ..places.place import PROGRAM
from ..saved_program import SavedProgram
from .measured import MeasuredRun
from .shareable import Shareable, without_folders

TASK = "question-answering"
"""The hub's name of what a program does."""
AT_THE_HEAD = {"em": "exact_match", "f1": "f1", "recall@5": "recall@5", "all-recall@5": "all-recall@5"}
"""The metrics that the hub is told, each with its name there; the report has all."""


def card(place: str, shared: Shareable, run: MeasuredRun | None, licence: str | None) -> str:
    """The card, with no key and no path of this machine.

    Args:
        place: The place, as `load` takes it.
        shared: The program.
        run: A run of it, if there is one to tell of.
        licence: Its licence, as the hub writes it.
    """
    saved = shared.saved
    text = join_paragraphs(
        _head(place, shared, run, licence),
        f"# {_name(place)}",
        _what_it_is(saved),
        "## Load it",
        _how_to_load(place, saved),
        *_measured(saved, run),
        "## What is in it",
        as_table(("", ""), _facts(shared, run), texts=2),
        _demonstrations(saved),
        f"Licence: {licence}." if licence else "No licence was given.",
    )
    for path in (*shared.left_out.values(), *_lm_paths(run)):
        text = without_folders(text, path)
    return hide_secrets(text)


def _head(place: str, shared: Shareable, run: MeasuredRun | None, licence: str | None) -> str:
    from huggingface_hub import EvalResult, ModelCardData

    saved = shared.saved
    about: dict[str, Any] = {
        "program": saved.ours["program"],
        "format": saved.ours["format"],
        "sha256": hashlib.sha256(shared.file).hexdigest(),
        "compiled_for": compiled_for(saved.about),
        "retriever": saved.ours["retriever"],
    }
    results = []
    if run is not None:
        metrics = {name: run.summary["metrics"][name] for name in AT_THE_HEAD if name in run.summary["metrics"]}
        data, cost = run.header["identity"]["data"], run.summary["cost"]
        asked = {"source": _source(run), "questions": run.summary["n"], "fingerprint": data["fingerprint"]}
        about |= {
            "simulated": run.summary["simulated"],
            "measured_on": asked,
            "measured": {
                name: {"mean": each["mean"], "interval": [each["low"], each["high"]], "questions": each["n"]}
                for name, each in metrics.items()
            },
            "cost": {
                "calls": cost["calls"]["mean"],
                "tokens": token_count(cost["tokens"]) / max(1, run.summary["n"]),
                "usd": usd_a_question(run.summary),
            },
        }
        results = (
            []
            if run.summary["simulated"]
            else [
                EvalResult(
                    task_type=TASK,
                    dataset_type=_source(run),
                    dataset_name=_source(run),
                    dataset_args=dict(asked),
                    metric_type=AT_THE_HEAD[name],
                    metric_name=name,
                    metric_value=float(show_number(name, metric["mean"])),
                )
                for name, metric in metrics.items()
            ]
        )
    described = ModelCardData(
        library_name="multihop",
        license=licence,
        pipeline_tag=TASK,
        tags=["multihop", "dspy", "multi-hop", "retrieval-augmented-generation"],
        model_name=_name(place),
        eval_results=results or None,
        multihop=about,
    )
    return f"---\n{described.to_yaml().strip()}\n---"


def _what_it_is(saved: SavedProgram) -> str:
    ours, lm = saved.ours, compiled_for(saved.about)
    paper = ""
    try:
        paper = program_named(ours["program"]).paper if "class" not in ours else ""
    except InputError:  # of a later version
        pass
    optimizer = saved.about.get("optimizer")
    made = f", compiled by `{optimizer}`" if optimizer else ""
    return (
        f"A multi-hop question-answering program for the Python library multihop: `{ours['program']}`"
        f"{f', {paper}' if paper else ''}{made}{f', for `{lm}`' if lm else ''}. One JSON file, without code and weights."
    )


def _how_to_load(place: str, saved: SavedProgram) -> str:
    ours = saved.ours
    given = ["lm=dspy.LM(...)" if (lm := compiled_for(saved.about)) is None else f'lm=open_lm("{lm}")']
    options = f" --lm {lm}" if lm else " --lm LM"
    if ours["retriever"] is not None and ours["corpus"] is None:
        given.append('corpus="YOUR_INDEX"')
        options += " -c YOUR_INDEX"
    if own := ours.get("class"):
        given.append(f'allow=["{own.partition(":")[0]}"]')
        options += f" --allow {own.partition(':')[0]}"
    own_class = f" Its class, `{own}`, is not in it, and must be installed." if own else ""
    return (
        f'```python\nfrom multihop import load, open_lm\n\nprogram = load("{place}", {", ".join(given)})\n'
        'print(program(question="...").answer)\n```\n\n'
        f'```bash\nmultihop ask "..." --program {place}{options}\nmultihop pull {place}\n```\n\n'
        f"Loading runs nothing of the file and contacts nothing that it names.{own_class}"
    )


def _measured(saved: SavedProgram, run: MeasuredRun | None) -> Iterator[str]:
    """The report of the run; without one, the scores on the dev questions that chose the program."""
    if run is not None:
        report = as_markdown(run.summary, run.header)
        yield re.sub(
            r"^(#+) ", r"#\1 ", re.sub(r"^# ", "# Measured: ", report, flags=re.M, count=1), flags=re.M
        ).strip()
        return
    scores = saved.about.get("scores")
    if not isinstance(scores, Mapping) or not scores:
        yield "## Measured"
        yield "Nothing was: it was shared without a run."
        return
    yield "## While it was compiled"
    yield "On the dev questions by which it was chosen, so these scores are high for what it is:"
    rows = [
        (str(name), show_number("f1", each["f1"]["mean"]), interval("f1", each["f1"]), f"{each.get('calls', 0):.2f}")
        for name, each in scores.items()
        if isinstance(each, Mapping) and isinstance(each.get("f1"), Mapping)
    ]
    yield as_table(("variant", "f1", "95 % interval", "LM calls a question"), rows)


def _facts(shared: Shareable, run: MeasuredRun | None) -> Iterator[tuple[str, str]]:
    ours, about = shared.saved.ours, shared.saved.about
    yield f"`{PROGRAM}`", f"{len(shared.file):,} bytes, sha256 `{hashlib.sha256(shared.file).hexdigest()}`"
    yield "saved with", ", ".join(f"{name} {version}" for name, version in ours["versions"].items())
    for name in ("train", "dev"):
        if isinstance(about.get(name), Mapping):
            yield f"{name} questions", f"{about[name].get('questions')}, fingerprint `{about[name].get('fingerprint')}`"
    if run is not None:
        data = run.header["identity"]["data"]
        asked = f"{run.summary['n']:,} of {say_count(data['questions'], 'question')}"
        yield "measured on", f"{_source(run)}, {asked}, fingerprint `{data['fingerprint']}`"
    if ours["retriever"] is not None:
        searched = f", corpus `{ours['corpus']}`" if ours["corpus"] else "; the corpus is not in it"
        yield "retriever", f"`{ours['retriever']}`{searched}"
    settings = {name: value for name, value in shared.saved.settings.items() if value not in (None, [], {})}
    yield "settings", f"`{ujson.dumps(settings, ensure_ascii=False, escape_forward_slashes=False)}`"


def _demonstrations(saved: SavedProgram) -> str:
    counts = {step: len(saved.content[step]["demos"]) for step in saved.ours["fields"]}
    shown = ", ".join(f"{step} {count}" for step, count in counts.items() if count)
    if not shown:
        return "No step shows a demonstration."
    return f"Demonstrations by step: {shown}. They hold the texts of training questions and of their pages."


def _name(place: str) -> str:
    return place.rstrip("/").rpartition("/")[2].partition("@")[0].removeprefix("file:")


def _source(run: MeasuredRun) -> str:
    """The questions of the run, by the name that its header has for them."""
    return run.header.get("source") or "questions of its own"


def _lm_paths(run: MeasuredRun | None) -> Iterator[str]:
    """The files and folders of LMs that the run names."""
    for lm in {} if run is None else run.header["identity"]["lm"].values():
        name = str((lm or {}).get("model"))
        for prefix in (GGUF, f"multihop/{GGUF}", IN_RUNS):
            if name.startswith(prefix):
                yield split_digest(name.removeprefix(prefix))[0]
