"""The ground of every room: errors, files that are written whole or not at all, and the desk that batches."""

from .desk import ask_together, in_thread
from .errors import (
    DamagedFileError,
    InputError,
    MismatchError,
    MissingExtraError,
    MissingKeyError,
    MultihopError,
    RunFailed,
    missing_extra,
    missing_key,
    reword,
    unknown,
)
from .files import writing, writing_folder

__all__ = [
    "DamagedFileError",
    "InputError",
    "MismatchError",
    "MissingExtraError",
    "MissingKeyError",
    "MultihopError",
    "RunFailed",
    "ask_together",
    "in_thread",
    "missing_extra",
    "missing_key",
    "reword",
    "unknown",
    "writing",
    "writing_folder",
]
