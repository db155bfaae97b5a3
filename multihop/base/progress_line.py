"""Figures for a line that says how far long work is: in few letters, cut to a width, and when the next line is due."""

LONGEST_PAUSE = 300.0
"""Seconds between two plain lines at most."""
APART = "  "
"""Stands between two figures of a line."""


def cells(text: str) -> int:
    """The number of columns of a terminal that the text takes."""
    from rich.cells import cell_len

    return cell_len(text)


def cut(line: str, width: int) -> str:
    """The line, ended by an ellipsis where it is wider than `width`."""
    from rich.cells import set_cell_size

    return line if cells(line) <= width else f"{set_cell_size(line, max(width - 1, 0))}…"


def brief(number: int) -> str:
    """A number in four or five letters.

    Examples:
        >>> from multihop.base.progress_line import brief
        >>> [brief(number) for number in (940, 9_940, 99_960, 1_234_567, 2_500_000_000)]
        ['940', '9.9k', '100k', '1.2M', '2.5G']
    """
    if number < 1_000:
        return str(number)
    for unit, size in (("k", 1e3), ("M", 1e6), ("G", 1e9)):
        if number < 999.5 * size or unit == "G":
            break
    return f"{number / size:.1f}{unit}" if number < 99.95 * size else f"{number / size:.0f}{unit}"


def per_minute(rate: float) -> str:
    """The number of something a minute, from its number a second."""
    minute = 60 * rate
    return f"{minute:,.0f}" if minute >= 9.95 else f"{minute:.1f}"


def clock(seconds: float) -> str:
    """A time as minutes and seconds, or hours, minutes and seconds.

    Examples:
        >>> from multihop.base.progress_line import clock
        >>> clock(75), clock(7275)
        ('1:15', '2:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def plain_pause(worked: float, least: float) -> float:
    """Seconds until the next plain line, for work that has gone on for so long: ever more, so that logs stay short."""
    return min(max(least, worked / 10), LONGEST_PAUSE)
