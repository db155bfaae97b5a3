"""A command's result for another program to read: one JSON value on the output, and nothing else there."""

import sys
from typing import Any

import ujson


def print_json(value: Any) -> None:
    """The value as indented JSON, with every character as it is; paths are written as texts.

    Examples:
        >>> from pathlib import PurePosixPath
        >>> from multihop.terminal.as_json import print_json
        >>> print_json({"to": PurePosixPath("runs/Łódź")})
        {
          "to": "runs/Łódź"
        }
    """
    text = ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False, indent=2, default=str)
    sys.stdout.write(f"{text}\n")
