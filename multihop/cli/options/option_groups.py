"""The groups in which a help page shows a command's options, in their order: one table for all commands."""

from collections.abc import Iterable

from cyclopts.help import HelpEntry

GROUPS = {
    "Questions": "questions train train-limit dev dev-limit offset sample sample-seed limit repeats",
    "Corpus": "corpus retriever rerank-with field skip-bad",
    "Program": "program preset set demos allow sha256",
    "LM": "lm teacher-lm writer-lm lms api-base structured temperature lm-set step-lm",
    "Metrics": "metric judge-lm rules references",
    "Budget": "seconds budget-calls budget-tokens budget-seconds budget-usd max-calls prices",
    "How it runs": "config concurrency ray actors timeout max-errors seed cache dry-run",
    "Output": "out to json quiet",
}
"""Names of options by the group that they stand in, wherever a command has them."""
OWN = "Options"
"""The group of the options that a command has for itself."""


def in_groups(entries: Iterable[HelpEntry]) -> dict[str, list[HelpEntry]]:
    """The options of a command by their groups; those that it has for itself come first."""
    of_name = {entry.names[0]: entry for entry in entries}
    shared = {
        group: [of_name.pop(option) for name in names.split() if (option := f"--{name}") in of_name]
        for group, names in GROUPS.items()
    }
    return {group: some for group, some in {OWN: [*of_name.values()], **shared}.items() if some}
