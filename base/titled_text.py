"""Passages as prompts show them, "title | text", taken apart: the one place that knows how."""

BAR = " | "
LONGEST_TITLE = 150
"""Characters; a bar that comes later is part of the text."""


def split_title(passage: str) -> tuple[str, str]:
    """The title and the text of a passage that is written "title | text"; the title is empty where there is none.

    Examples:
        >>> from multihop.base.titled_text import split_title
        >>> split_title("Ada Lovelace | She wrote the first program.")
        ('Ada Lovelace', 'She wrote the first program.')
        >>> split_title("She wrote the first program.")
        ('', 'She wrote the first program.')
    """
    title, bar, text = passage.partition(BAR)
    return (title, text) if bar and len(title) < LONGEST_TITLE else ("", passage)
