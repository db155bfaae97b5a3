"""`multihop data`: the question sets that are known by name, one of them fetched, and one made harder."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..options.amounts import AtMost
from ..options.single import Quiet

UNANSWERABLE = "unanswerable.json"
"""The file that says which questions of a folder were left without answer."""


def data_command(
    action: Literal["list", "get", "unanswerable"],
    name: str | None = None,
    /,
    *,
    to: Path | None = None,
    split: Annotated[list[str] | None, Parameter(negative=())] = None,
    from_: Annotated[Path | None, Parameter(name="--from")] = None,
    questions: Annotated[str | None, Parameter(alias="-q")] = None,
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    count: AtMost = None,
    seed: int = 0,
    json: Annotated[bool, Parameter(negative=())] = False,
    quiet: Quiet = False,
) -> None:
    """List the known question sets, get one and its corpus, or leave questions of one without answer.

    Those that come with the library are listed first and need not be got: other commands take them by their names.

    What is got is questions in multihop's own rows, a file for each split, corpus.jsonl, and set.json with the licence,
    the sources and the checksums. The same command again goes on where it stopped, and checks what is there.

    With "unanswerable" questions of a set are marked as ones that cannot be answered, and a corpus is written without
    their gold pages, so that refusing can be measured: of questions that share a gold page all are drawn, or none.

    For example:

        multihop data list
        multihop data list --json
        multihop data get hotpotqa-1000 --to data/hotpotqa-1000
        multihop data get hotpotqa --split dev --to data/hotpotqa
        multihop data get hotpotqa --split dev --from downloads/hotpot_qa --to data/hotpotqa-copied
        multihop data unanswerable -q dev.jsonl -c corpus.jsonl --count 200 --to data/dev-unanswerable

    Parameters
    ----------
    action
        "list", "get" or "unanswerable".
    name
        For get: the set's name, as in the list.
    to
        For get and unanswerable: the folder to write, a new or an empty one.
    split
        For get: only this split, such as dev, and the corpus; may be given more than once.
    from_
        For get: a folder with a copy of the set's repository as it is on the hub, for machines without a network; or
        with the makers' files of a set that is not on the hub, such as the folder of IRCoT's repository after its
        downloads.
    questions
        For unanswerable: the questions, as for `evaluate`.
    corpus
        For unanswerable: the corpus, a file or a name; by default the own paragraphs of the questions.
    count
        For unanswerable: how many questions lose their answer; by default 200.
    seed
        For unanswerable: another seed draws others.
    json
        For list: print one JSON array instead.
    """
    from ...base import InputError
    from ...base.terminal import Terminal
    from ...data.built_in import is_built_in
    from ...data.library import fetch_set, known_set
    from ..opening.downloading import Downloading
    from ..opening.interrupting import resumable
    from ..showing.known_sets import known_sets_as_json, show_known_sets, show_set

    if action == "unanswerable":
        if name is not None or split or from_ is not None or json or questions is None or to is None:
            raise InputError(
                "say which questions and where: multihop data unanswerable -q QUESTIONS -c CORPUS --to FOLDER."
            )
        _leave_without_answer(questions, corpus or questions, count or 200, seed, to.expanduser())
        return
    if questions is not None or corpus is not None or count is not None:
        raise InputError("--questions, --corpus and --count go with `multihop data unanswerable`.")
    if action == "list":
        if name is not None or to is not None or split or from_ is not None:
            raise InputError(
                "`multihop data list` takes nothing but --json; to get a set: multihop data get NAME --to FOLDER."
            )
        if json:
            known_sets_as_json()
        else:
            show_known_sets(Terminal())
        return
    if json:
        raise InputError("--json goes with `multihop data list`; set.json in the folder says the same of a set.")
    if name is None or to is None:
        raise InputError(
            "say which set and where: multihop data get NAME --to FOLDER; `multihop data list` lists the sets."
        )
    if is_built_in(name):
        raise InputError(f"{name} comes with the library; give --questions {name} and --corpus {name} as they are.")
    with resumable(f"{to} keeps what has come"), Downloading() as progress:
        record = fetch_set(name, to, splits=split or (), copy=from_, watch=progress.watch)
    show_set(record, known_set(name), to, Terminal())


def _leave_without_answer(questions: str, corpus: str, count: int, seed: int, to: Path) -> None:
    """Write questions.jsonl and corpus.jsonl of `without_gold` into the folder."""
    import ujson

    from ...base import writing_folder
    from ...base.plain import as_json
    from ...data import open_corpus, open_questions, without_gold, write_questions
    from ..opening.work_line import working
    from ..showing.output import tell_written

    with working(f"writing {to}"), writing_folder(to, marker=UNANSWERABLE) as folder:
        found = without_gold(open_questions(questions), open_corpus(corpus), count, seed)
        written = write_questions(folder / "questions.jsonl", found.questions)
        with (folder / "corpus.jsonl").open("w", encoding="utf-8") as file:
            for passage in found.passages:
                file.write(f"{as_json(passage._asdict())}\n")
        about = {"questions": written, "unanswerable": list(found.drawn), "seed": seed, "of": [questions, corpus]}
        (folder / UNANSWERABLE).write_text(f"{ujson.dumps(about, ensure_ascii=False, indent=2)}\n", encoding="utf-8")
    tell_written([to / "questions.jsonl", to / "corpus.jsonl"], json=False)
