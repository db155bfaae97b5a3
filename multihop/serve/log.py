"""The log of a server, one JSON object a line."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

from ..base.secrets import hide_secrets
from ..base.texts import as_json

_OF_FAILURES = ("error", "reason")
"""The fields that hold an error's words."""


class EventLog:
    """Writes events to a stream, by default the error stream.

    Examples:
        >>> import io
        >>> from multihop.serve.log import EventLog
        >>> stream = io.StringIO()
        >>> EventLog(stream).write("answered", seconds=0.5, private={"question": "Who?"})
        >>> "answered" in stream.getvalue(), "Who?" in stream.getvalue()
        (True, False)
    """

    def __init__(self, stream: TextIO | None = None, *, with_texts: bool = False) -> None:
        """A log without texts unless they are wanted."""
        self._stream, self._with_texts = stream, with_texts

    def write(self, event: str, *, private: dict[str, Any] | None = None, **fields: Any) -> None:
        """One line; what is private is left out unless texts are wanted."""
        shown = {**fields, **(private or {})} if self._with_texts else fields
        shown |= {name: hide_secrets(str(shown[name])) for name in _OF_FAILURES if name in shown}
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        stream = self._stream or sys.stderr
        with suppress(OSError, ValueError):  # a log that is no longer taken ends no question
            stream.write(as_json({"time": now, "event": event, **shown}, ascii_only=True) + "\n")
            stream.flush()
