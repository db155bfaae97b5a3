"""The help of a command as a page: text that wraps between words, examples to be pasted, options in groups."""

import textwrap
from collections.abc import Iterable
from typing import Any

from cyclopts.help import ColumnSpec, DefaultFormatter, DescriptionRenderer, HelpEntry, HelpPanel, NameRenderer
from rich.console import Console, ConsoleOptions

GROUPS = {
    "Questions": "questions train train-limit dev dev-limit sample limit repeats",
    "Corpus": "corpus retriever rerank-with field skip-bad",
    "Program": "program preset set demos allow",
    "LM": "lm teacher-lm writer-lm lms lm-set",
    "Metrics": "metric judge-lm rules references",
    "Budget": "seconds budget-calls budget-usd max-calls",
    "How it runs": "concurrency ray seed cache dry-run",
    "Output": "out to json quiet",
}
"""Names of options by the group that they stand in, wherever a command has them."""
OWN = "Options"
"""The group of the options that a command has for itself."""
COMMAND_COLUMN, OPTION_COLUMN = 11, 22
"""Columns of the terminal for names, the same in all groups of a page."""


class HelpPage(DefaultFormatter):
    """Prints the help of the command line as cyclopts hands it over: what a command does, then its options."""

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Print what the command does, and its examples, which are indented and left as they are."""
        for paragraph in _plain_text(description, console).strip().split("\n\n"):
            wrapped = textwrap.wrap(paragraph, console.width, break_long_words=False, break_on_hyphens=False)
            lines = paragraph.splitlines() if paragraph.startswith("    ") else wrapped
            console.print("\n".join(lines) + "\n", soft_wrap=True, markup=False, highlight=False)

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print a panel; that of all options as one for each group of them."""
        entries = [_in_one_paragraph(entry, console) for entry in panel.entries]
        groups = in_groups(entries) if panel.title == "Parameters" else {panel.title: entries}
        names = COMMAND_COLUMN if panel.format == "command" else OPTION_COLUMN
        columns = (
            ColumnSpec(renderer=NameRenderer(max_width=names), style="cyclopts.name", width=names),
            ColumnSpec(renderer=DescriptionRenderer(), overflow="fold"),
        )
        for title, some in groups.items():
            drawing = DefaultFormatter(column_specs=columns)
            drawing(console, options, panel.copy(title=title, entries=some))


def in_groups(entries: Iterable[HelpEntry]) -> dict[str, list[HelpEntry]]:
    """The options of a command by their groups; those that it has for itself come first."""
    of_name = {entry.names[0]: entry for entry in entries}
    shared = {
        group: [of_name.pop(option) for name in names.split() if (option := f"--{name}") in of_name]
        for group, names in GROUPS.items()
    }
    return {group: some for group, some in {OWN: [*of_name.values()], **shared}.items() if some}


def _in_one_paragraph(entry: HelpEntry, console: Console) -> HelpEntry:
    """An option or a command without the line breaks of its docstring; that a switch is off by default goes unsaid."""
    text = " ".join(_plain_text(entry.description, console).split())
    return entry.copy(description=text, default=None if entry.default == "False" else entry.default)


def _plain_text(content: Any, console: Console) -> str:
    return "".join(segment.text for segment in console.render(content, console.options.update(width=10_000)))
