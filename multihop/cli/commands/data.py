"""`multihop data`: the question sets that are known by name, and one of them fetched."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.padding import Padding

from ... import data
from ...base import InputError
from ...base.texts import say_count
from ..output import print_line, tell_result
from ..process import resumable
from ..shared_options import AsJSON, Quiet, Several

ASKED = ("dev", "test", "train")
"""The splits that a program is evaluated on, the first that is there."""


def data_command(*, json: AsJSON = False) -> None:
    """List the known question sets, or get one and its corpus.

    Those that come with the library are listed first and need not be got: other commands take them by their names.

    For example:

        multihop data list
        multihop data list --json
        multihop data get hotpotqa-1000 --to data/hotpotqa-1000
    """
    known = [{**each._asdict(), "has_corpus": each.has_corpus} for each in data.known_sets().values()]
    tell_result(json, lambda: known, show_known_sets)


def get_command(
    name: str,
    /,
    *,
    to: Path,
    split: Several = None,
    from_: Annotated[Path | None, Parameter(name="--from")] = None,
    quiet: Quiet = False,
) -> None:
    """Get a question set and its corpus.

    What is got is questions in multihop's own rows, a file for each split, corpus.jsonl, and set.json with the licence,
    the sources and the checksums. The same command again goes on where it stopped, and checks what is there.

    For example:

        multihop data get hotpotqa-1000 --to data/hotpotqa-1000
        multihop data get hotpotqa --split dev --to data/hotpotqa
        multihop data get hotpotqa --split dev --from downloads/hotpot_qa --to data/hotpotqa-copied

    Parameters
    ----------
    name
        The set's name, as in the list.
    to
        The folder to write, a new or an empty one.
    split
        Only this split, such as dev, and the corpus; may be given more than once.
    from_
        A folder with a copy of the set's repository as it is on the hub, for machines without a network; or with the
        makers' files of a set that is not on the hub, such as the folder of IRCoT's repository after its downloads.
    """
    from ...data.little import is_little

    if is_little(name):
        raise InputError(f"{name} comes with the library; give --questions {name} and --corpus {name} as they are.")
    with resumable(f"{to} keeps what has come"):
        record = data.fetch_set(name, to, splits=split or (), copy=from_)
    print_line(f"{record['title']}; licence: {record['licence']}; {record['homepage']}")
    for file, about in record["files"].items():
        kind = "passage" if file == "corpus.jsonl" else "question"
        print_line(f"  {to / file}: {say_count(about['records'], kind)}")
    print_line("next:")
    for command in next_commands(record, data.known_set(name), to):
        print_line(f"  {command}")


def show_known_sets(console: Console) -> None:
    """Print every set with its questions, corpus, licence, size and source."""
    from ...data.little import LITTLE, TITLE

    about = (
        "short pages of well-known facts, for a first sight and for demonstrations; no figure made with it is a result",
        f"24 train and 16 dev questions; a corpus of 200 passages; --questions {LITTLE} --corpus {LITTLE}",
    )
    sets = {f"[bold]{LITTLE}[/]  [dim]{TITLE}; comes with the library[/]": about}
    for known in data.known_sets().values():
        size = f"{f'about {known.megabytes:,} MB from ' if known.megabytes else 'from '}{known.place}"
        head = f"[bold]{known.name}[/]  [dim]{known.title}; {known.licence}[/]"
        sets[head] = (known.what, f"{_questions(known)}; {_corpus(known)}; {size}")
    for head, lines in sets.items():
        console.print(head, highlight=False)
        for line in lines:
            console.print(Padding(line, (0, 0, 0, 2)), highlight=False)
    console.print(
        "\nto get one: multihop data get NAME --to FOLDER, and --from FOLDER where its files are not on the hub\n"
        "read as they are: folders of BEIR and HippoRAG (docs/data.md)",
        style="dim",
        highlight=False,
    )


def next_commands(record: "data.SetRecord", known: "data.KnownSet", to: Path) -> Iterator[str]:
    """The commands that index the corpus and ask the questions, as they can be typed."""
    rules = "" if known.rules == "hotpotqa" else f" --rules {known.rules}"
    split = next((split for split in ASKED if f"{split}.jsonl" in record["files"]), None)
    corpus = to / "index"
    if known.has_corpus:
        yield f"multihop index {_typed(to / 'corpus.jsonl')} --to {_typed(corpus)}"
    else:
        corpus = to.with_name("wiki18") / "index"
        yield f"multihop data get wiki18 --to {_typed(corpus.parent)}"
        yield f"multihop index {_typed(corpus.parent / 'corpus.jsonl')} --to {_typed(corpus)}"
    if split is not None:
        questions = _typed(to / f"{split}.jsonl")
        out = _typed(Path("runs") / known.name)
        yield f"multihop evaluate one-step --questions {questions} --corpus {_typed(corpus)}{rules} --out {out}"


def _questions(known: "data.KnownSet") -> str:
    counts = [f"{known.questions[split]:,} {split}" for split in known.splits]
    return f"{' and '.join(counts)} questions" if counts else "no questions"


def _corpus(known: "data.KnownSet") -> str:
    if known.corpus_of:
        return f"a corpus of the paragraphs of {known.corpus_of}"
    if not known.has_corpus:
        return "no corpus"
    return f"a corpus of {known.passages:,} passages" if known.passages else "a corpus"


def _typed(path: Path) -> str:
    return shlex.quote(str(path))
