"""The method to take, in a terminal: the next command, the row it rests on, and what stands beside it."""

import shlex
from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape

from ...experiments import Choice, MeasuredRow
from ...experiments.choosing.choosing import is_better
from ...experiments.choosing.measured import ZERO_SHOT, plain_setting
from .output import print_line
from .tables import print_table

HEADS = ("", "method", "F1", "calls", "tokens", "n")


def show_choice(choice: Choice, command: str, console: Console) -> None:
    """Print the command, the rows, and everything in which they are not what was asked for."""
    title = escape(choice.row.title)
    no_fit = f"[yellow]nothing measured fits[/]; nearest is [bold]{title}[/]"
    console.print(f"take [bold green]{title}[/]" if choice.fits else no_fit, highlight=False, soft_wrap=True)
    print_line(f"  {command}", console)
    shown = [choice.row, choice.runner_up, choice.more, *choice.elsewhere]
    timed = any(row is not None and row.seconds is not None for row in shown)
    rows = [[label, *_cells(row, timed)] for label, row in _labelled(choice)]
    print_table([*HEADS, *["seconds"] * timed], rows, console, left=2)
    console.print(_about(choice.row), style="dim", highlight=False, markup=False)
    if choice.budget.is_limited and choice.more is None:
        console.print("A larger budget buys nothing that was measured.", style="dim", highlight=False)
    for caveat in choice.caveats:
        console.print(f"- {caveat}", style="yellow", highlight=False, markup=False)
    if choice.published:
        text = f"published for {choice.row.set_title} (other prompts, corpora and questions; not measured here)"
        console.print(f"\n{text}", highlight=False, markup=False)
        rows = [[each.program, f"{each.f1:.1f}", each.lm, each.experiment] for each in choice.published]
        print_table(["program", "F1", "LM", "experiment"], rows, console)


def next_command(
    choice: Choice, *, lm: str, corpus: str | None = None, questions: str | None = None, indexed: bool = False
) -> str:
    """The command that runs the method: a compilation, a measurement, or one question where no others are given.

    Args:
        choice: The choice.
        lm: The LM, as it was given.
        corpus: The corpus, if one was given.
        questions: The questions, likewise.
        indexed: True if the corpus is an index, which says what searches.
    """
    row = choice.row
    if row.variant != ZERO_SHOT:
        given = "train.jsonl" if questions is None else questions
        words = ["compile", row.program, "--variants", f"{ZERO_SHOT},{row.variant}", "--train", given, "--dev", given]
        words += ["--to", f"{row.program}.json"]
    elif questions is None:
        words = ["ask", "Who directed it?", "-p", row.program]
    else:
        words = ["evaluate", row.program, "-q", questions, "--out", f"runs/{row.program}"]
    if row.retriever is not None:
        words += [] if corpus is None else ["-c", corpus]
        words += [] if indexed or row.retriever == "bm25" else ["--retriever", row.retriever]
    for name, value in row.settings.items():
        if name == "budget":
            words += [word for of, limit in value.items() for word in (f"--budget-{of}", f"{limit}")]
        else:
            words += ["--set", f"{name}={plain_setting(value)}"]
    words += ["--lm", lm]
    words += [] if row.structured in ("text", "schema") else ["--structured", row.structured]
    return shlex.join(["multihop", *words])


def _labelled(choice: Choice) -> Iterator[tuple[str, MeasuredRow]]:
    """The rows, each with what it is."""
    taken = choice.row
    yield f"{'taken' if choice.fits else 'nearest'}", taken
    if (other := choice.runner_up) is not None:
        yield f"runner-up{_tie(taken, other)}", other
    if (more := choice.more) is not None:
        yield f"costs more{_tie(more, taken)}", more
    for row in choice.elsewhere:
        yield f"on {row.set_title}", row


def _tie(better: MeasuredRow, other: MeasuredRow) -> str:
    return "" if is_better(better, other) else ", a tie"


def _cells(row: MeasuredRow, timed: bool) -> list[str]:
    seconds = "–" if row.seconds is None else f"{row.seconds:.1f}"
    f1 = f"{row.f1.mean:.1f}±{row.f1.half:.1f}"
    return [escape(row.title), f1, f"{row.calls:.1f}", f"{row.tokens:,.0f}", f"{row.n:,}", *[seconds] * timed]


def _about(row: MeasuredRow) -> str:
    """The rest of the row that was taken, in a sentence."""
    held = "" if row.structured == "text" else f", asked for {row.structured}"
    served = "" if row.prefix_cached is None else f" ({row.prefix_cached:.0%} served by a prefix cache)"
    unreadable = f", {row.unreadable} completions unreadable" if row.unreadable else ""
    return (
        f"{row.set_title} over {row.passages:,} passages with {row.lm}{held}, {row.measured}: "
        f"EM {row.em.mean:.1f}±{row.em.half:.1f}, {row.tokens_in:,.0f} tokens in{served} and "
        f"{row.tokens_out:,.0f} out{unreadable}. ± is half the 95 % interval; calls and tokens are a question's."
    )
