"""Takes apart passages as prompts show them: "title | text"."""

BAR = " | "
LONGEST_TITLE = 150
"""Characters; a bar that comes later is part of the text."""


def split_title(passage: str) -> tuple[str, str]:
    """The title and the text of a passage that is written "title | text"; the title is empty where there is none.

    Examples:
        >>> from multihop.english.titled_text import split_title
        >>> split_title("Ada Lovelace | She wrote the first program.")
        ('Ada Lovelace', 'She wrote the first program.')
        >>> split_title("She wrote the first program.")
        ('', 'She wrote the first program.')
    """
    title, bar, text = passage.partition(BAR)
    return (title, text) if bar and len(title) < LONGEST_TITLE else ("", passage)


def split_quoted_title(text: str) -> tuple[str, str]:
    r"""The title and the rest of a text that opens with its title in quotes, on a line of its own.

    Examples:
        >>> from multihop.english.titled_text import split_quoted_title
        >>> split_quoted_title('"Emma"\nA novel by Jane Austen.')
        ('Emma', 'A novel by Jane Austen.')
        >>> split_quoted_title("A novel.")
        ('', 'A novel.')
    """
    first, line_break, rest = text.partition("\n")
    if line_break and len(first) > 1 and first[0] == first[-1] == '"':
        return first[1:-1], rest
    return "", text
