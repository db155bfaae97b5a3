"""A release: one version, its notes from the changelog, and what is built and checked without being sent anywhere."""

import tomllib
from pathlib import Path

import pytest
from scripts import load_script

import multihop

ROOT = Path(__file__).parents[1]
CHANGELOG = """# Changelog

## 0.2.0 (2027-01-31)

- A thing that
  takes two lines.
- Another.

## 0.1.0

- The first.
"""


@pytest.fixture(scope="module")
def release_notes():
    return load_script(ROOT / "docs" / "make_release_notes.py").release_notes


def test_notes_are_the_changelogs_section(release_notes):
    newest = "# multihop 0.2.0, 2027-01-31\n\n- A thing that takes two lines.\n- Another.\n"
    assert release_notes(CHANGELOG) == release_notes(CHANGELOG, "0.2.0") == newest
    assert release_notes(CHANGELOG, "0.1.0") == "# multihop 0.1.0\n\n- The first.\n"


def test_the_version_is_written_once_and_is_the_changelogs_newest(release_notes):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "multihop.__version__"}
    notes = release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert notes.startswith(f"# multihop {multihop.__version__}")
