"""Figures as advice says them."""

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def percent(share: float) -> str:
    """A share as text; what is not quite all or nothing is not rounded to it."""
    points = 100 * share
    if 0 < points < 0.5:
        return "under 0.1 %" if points < 0.1 else f"{points:.1f} %"
    if 99.5 <= points < 100:
        return "over 99.9 %" if points > 99.9 else f"{points:.1f} %"
    return f"{points:.0f} %"


def ordinal(number: int) -> str:
    """A number's place in an order.

    Examples:
        >>> from multihop.diagnosis.in_words import ordinal
        >>> ordinal(2), ordinal(7)
        ('second', '7th')
    """
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"
