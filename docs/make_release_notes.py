"""Prints what CHANGELOG.md says of a version, as the notes of its release; of the newest one where none is named.

python docs/make_release_notes.py 0.1.0
"""

import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parents[1] / "CHANGELOG.md"
_SECTION = re.compile(r"^## (?P<version>\S+)(?: \((?P<when>[^)]+)\))?\n(?P<text>.*?)(?=^## |\Z)", re.M | re.S)


def release_notes(changelog: str, version: str | None = None) -> str:
    """The section of the version, its heading first and each entry in one line, as pages of releases show it.

    Raises:
        SystemExit: The changelog has no such version.
    """
    sections = {found["version"]: found for found in _SECTION.finditer(changelog)}
    version = next(iter(sections), None) if version is None else version
    if version not in sections:
        raise SystemExit(f"CHANGELOG.md has no version {version}; it has {', '.join(sections) or 'none'}.")
    found = sections[version]
    entries = re.split(r"\n(?=- |\n)", found["text"].strip())
    lines = [" ".join(textwrap.dedent(entry).split()) for entry in entries]
    when = f", {found['when']}" if found["when"] else ""
    return "\n".join([f"# multihop {version}{when}", "", *lines, ""])


def main(arguments: Sequence[str]) -> None:
    """Print the notes."""
    sys.stdout.write(release_notes(CHANGELOG.read_text(encoding="utf-8"), *arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
