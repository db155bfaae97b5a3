"""The card of a shared program: its README.md, with the description that the hub reads at its head."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import ujson

from ...base.plurals import say_count
from ...base.secrets import hide_secrets
from ...evaluation.report.report import as_markdown, as_table, interval, join_paragraphs, show_number
from ...lms.gguf_engine.files import PREFIX as GGUF
from ...lms.transformers_engine.files import IN_RUNS, split_digest
from ...programs import PROGRAMS
from ..compiled_for import compiled_for, on_own_server
from ..places.folder_place import FolderPlace
from ..places.place import PROGRAM, Place
from ..saved_program import SavedProgram
from .card_head import head
from .measured import MeasuredRun
from .shareable import Shareable, without_folders

_ADDRESS = re.compile(r"\bhttps?://[^\s)`|]+")


def card(place: Place, shared: Shareable, run: MeasuredRun | None, licence: str | None) -> str:
    """The card, with no key and no path of this machine.

    Args:
        place: The place where it is shared.
        shared: The program.
        run: A run of it, if there is one to tell of.
        licence: Its licence, as the hub writes it.
    """
    saved = shared.saved
    text = join_paragraphs(
        head(place.title, shared, run, licence),
        f"# {place.title}",
        _what_it_is(saved),
        "## Load it",
        _how_to_load(PROGRAM if isinstance(place, FolderPlace) else place.address, saved),
        *_measured(saved, run),
        "## What is in it",
        as_table(("", ""), _facts(shared, run), texts=2),
        _demonstrations(saved),
        f"Licence: {licence}." if licence else "No licence was given.",
    )
    for path in (*shared.left_out.values(), *_lm_paths(run)):
        text = without_folders(text, path)
    return hide_secrets(text)


def _what_it_is(saved: SavedProgram) -> str:
    ours, lm = saved.ours, compiled_for(saved.about)
    paper = PROGRAMS[ours["program"]].paper if ours["program"] in PROGRAMS else ""
    optimizer = saved.about.get("optimizer")
    made = f", compiled by `{optimizer}`" if optimizer else ""
    return (
        f"A multi-hop question-answering program for the Python library multihop: `{ours['program']}`"
        f"{f', {paper}' if paper else ''}{made}{f', for `{lm}`' if lm else ''}. One JSON file, without code and "
        "weights."
    )


def _how_to_load(where: str, saved: SavedProgram) -> str:
    ours = saved.ours
    lm = compiled_for(saved.about) or "LM"
    address, option = (', api_base="ADDRESS"', " --api-base ADDRESS") if on_own_server(saved.about) else ("", "")
    given, options = [f'lm=open_lm("{lm}"{address})'], f" --lm {lm}{option}"
    if ours["retriever"] is not None and ours["corpus"] is None:
        given.append('corpus="YOUR_INDEX"')
        options += " -c YOUR_INDEX"
    if own := ours.get("class"):
        given.append(f'allow=["{own.partition(":")[0]}"]')
        options += f" --allow {own.partition(':')[0]}"
    own_class = f" Its class, `{own}`, is not in it, and must be installed." if own else ""
    return (
        f'```python\nfrom multihop import load, open_lm\n\nprogram = load("{where}", {", ".join(given)})\n'
        f'print(program(question="...").answer)\n```\n\n```bash\nmultihop ask "..." --program {where}{options}\n```\n\n'
        f"Loading runs nothing of the file and contacts nothing that it names.{own_class}"
    )


def _measured(saved: SavedProgram, run: MeasuredRun | None) -> Iterator[str]:
    """The report of the run; without one, the scores on the dev questions that chose the program."""
    if run is not None:
        report = _ADDRESS.sub("an address", as_markdown(run.summary, run.header))  # of a judge that failed
        titled = re.sub(r"^# ", "# Measured: ", report, flags=re.M, count=1)
        yield re.sub(r"^#", "##", titled, flags=re.M).strip()
        return
    scores = saved.about.get("scores")
    if not isinstance(scores, Mapping) or not scores:
        yield "## Measured"
        yield "Nothing was: it was shared without a run."
        return
    yield "## While it was compiled"
    yield "Scores on the dev questions by which it was chosen, which look higher than they would on others:"
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
        yield "measured on", f"{run.source}, {asked}, fingerprint `{data['fingerprint']}`"
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


def _lm_paths(run: MeasuredRun | None) -> Iterator[str]:
    """The files and folders of LMs that the run names."""
    asked: Mapping[str, Any] = {} if run is None else run.header["identity"]["lm"]
    for lm in asked.values():
        name = str((lm or {}).get("model"))
        for prefix in (GGUF, f"multihop/{GGUF}", IN_RUNS):
            if name.startswith(prefix):
                yield split_digest(name.removeprefix(prefix))[0]
