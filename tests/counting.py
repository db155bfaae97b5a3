"""Counts work in calls: the same number on every machine, busy or not."""

import sys


def calls_made(work):
    """Counts the calls of functions, Python's and C's, in this thread while the work is done."""
    made = 0

    def count(frame, event, argument):
        nonlocal made
        made += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made
