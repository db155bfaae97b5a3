"""How much work something is, in calls: the same number on every machine, busy or not."""

import sys


def calls_made(work):
    """How many functions, Python's and C's, are called in this thread while the work is done."""
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
