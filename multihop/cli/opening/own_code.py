"""Code of one's own on the command line: MODULE:NAME is found in the current folder too."""

import os
import sys

from ...base.by_name import is_reference


def importable_from_here(*names: str | None) -> None:
    """Let modules of the current folder be imported, if any of the names is written MODULE:NAME."""
    here = os.getcwd()
    if here not in sys.path and any(name is not None and is_reference(name) for name in names):
        sys.path.insert(0, here)
